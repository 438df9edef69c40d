//! The figures of the input, and the input in the shape that is ranked.

use crate::metric::{DistanceMatrix, Distances, Value};
use crate::rips::filtration_construction::binomial;
use crate::rips::rank::matrix_of_points;
use crate::rips::{
    DistanceToMeasure, Progress, RipsError, Summary, Threshold, distance_to_measure, footprint,
};

/// The figures of the input, and the input itself, weighted; a point cloud without a finite threshold, or that is weighted, is turned into a
/// matrix.
///
/// # Errors
/// [`RipsError::Memory`], [`RipsError::Refused`], [`RipsError::TooFarApart`], and those of [`distance_to_measure`].
pub(super) fn survey<T: Value>(
    distances: Distances<T>,
    weights: Option<&DistanceToMeasure>,
    threshold: Threshold,
    progress: &dyn Progress,
) -> Result<(Distances<T>, Summary), RipsError> {
    let bounded = matches!(threshold, Threshold::Value(t) if t.is_finite());
    let (distances, ambient_dimension) = match distances {
        Distances::Points(points) if !bounded || weights.is_some() => {
            footprint::check_matrix::<T>(points.len())?;
            progress.begin("distances", None, binomial(points.len(), 2));
            (Distances::Matrix(matrix_of_points(&points, progress)?), Some(points.dimension()))
        }
        other => (other, None),
    };
    let distances = match weights {
        Some(measure) => weighted(distances, measure, progress)?,
        None => distances,
    };
    progress.begin("summary", None, 1);
    let summary = Summary::of(&distances, threshold);
    if ambient_dimension.is_none() {
        return Ok((distances, summary));
    }
    // Up to a finite threshold a distance that is too great for its precision makes no difference.
    if summary.threshold.is_infinite()
        && let Distances::Matrix(matrix) = &distances
        && let Some((i, j)) = first_infinite(matrix)
    {
        return Err(RipsError::TooFarApart { i, j });
    }
    Ok((distances, Summary { ambient_dimension, ..summary }))
}

/// Distances with points that are born by their distance to measure. Points have been turned into a matrix.
fn weighted<T: Value>(
    distances: Distances<T>,
    measure: &DistanceToMeasure,
    progress: &dyn Progress,
) -> Result<Distances<T>, RipsError> {
    progress.begin("weights", None, 1);
    Ok(match distances {
        Distances::Matrix(matrix) => distance_to_measure::weighted_matrix(matrix, measure)?.into(),
        Distances::Sparse(graph) => distance_to_measure::weighted_graph(&graph, measure)?.into(),
        points @ Distances::Points(_) => points,
    })
}

/// The first two points whose distance is infinite, if there are any.
fn first_infinite<T: Value>(matrix: &DistanceMatrix<T>) -> Option<(usize, usize)> {
    let place = matrix.lower().iter().position(|&d| d == T::INFINITY)?;
    let i = (1..matrix.len()).find(|i| i * (i + 1) / 2 > place)?;
    Some((i, place - i * (i - 1) / 2))
}
