//! The committed answers, computed by the plain version from the generator's numbers.

use std::io;

use lacuna::metric::read::DistanceFormat;
use lacuna::metric::{DistanceMatrix, Distances, MetricError, PointCloud, SparseDistances, Value};
use lacuna::output::{self, Barcode};
use lacuna::rips::{Summary, plain};

use super::DataError;
use super::catalogue::{Case, Input};

/// The whole standard output of `case`.
pub(super) fn text(case: &Case, input: &Input) -> Result<Vec<u8>, DataError> {
    match input.format {
        // The numbers of these formats stay in double precision.
        DistanceFormat::Npy | DistanceFormat::Npz => answer(case, &input.space),
        _ => answer(case, &single(&input.space)?),
    }
    .map_err(|source| DataError::Io { path: input.format.to_string().into(), source })
}

fn answer<T: Value>(case: &Case, distances: &Distances<T>) -> io::Result<Vec<u8>> {
    let modulus = case.modulus.unwrap_or(2);
    let threshold = case.threshold.map(f64::from);
    let summary = Summary::of(distances, threshold).map_err(io::Error::other)?;
    let diagram = plain::barcode(distances, case.dim, summary.threshold, modulus.into());
    let diagram =
        case.ratio.map_or(diagram.clone(), |ratio| diagram.with_ratio(ratio.into(), summary.precision));
    let mut text = Vec::new();
    let barcode = Barcode {
        diagram: &diagram,
        summary: &summary,
        modulus,
        landmarks: None,
        representatives: None,
        unfinished: &[],
    };
    output::OutputFormat::Text.write(&barcode, &mut text)?;
    Ok(text)
}

/// The same distances in single precision.
fn single(space: &Distances<f64>) -> Result<Distances<f32>, MetricError> {
    Ok(match space {
        Distances::Matrix(m) => DistanceMatrix::from_fn(m.len(), |i, j| m.get(i, j) as f32)?.into(),
        Distances::Points(p) => {
            let coordinates = (0..p.len()).flat_map(|i| p.point(i)).map(|&x| x as f32);
            PointCloud::new(p.dimension(), coordinates.collect())?.into()
        }
        Distances::Sparse(s) => {
            let edges = s.edges().iter().map(|e| (e.i, e.j, e.distance as f32));
            SparseDistances::new(s.len(), edges)?.into()
        }
    })
}
