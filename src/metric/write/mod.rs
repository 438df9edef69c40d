//! Writers of distances and points to files that [`read`](super::read) reads back.
//!
//! | format | content | writer |
//! |---|---|---|
//! | `lower-distance` | text, the distances below the diagonal, row by row | `text` |
//! | `condensed` | text, the distances above the diagonal, as SciPy's `pdist` lists them | `text` |
//! | `distance` | text, a square matrix | `text` |
//! | `point-cloud` | text, one line of coordinates per point | `text` |
//! | `sparse` | text, one line `i j distance` per connected pair | `text` |
//! | `binary` | little-endian `f32`, the distances below the diagonal | |
//! | `dipha` | DIPHA's distance matrix, dense (file type 7) or, for a list of edges, sparse (8) | [`phat_formats::dipha`] |
//! | `npy` | NumPy array in the precision of the distances, n × n distances or n × m coordinates | `crate::input::npy` |
//! | `matrix-market` | dense, or sparse for a list of edges or infinite distances; coordinates as a dense matrix | `matrix_market` |
//!
//! `point-cloud`, `npy` and `matrix-market` hold the coordinates of points; the other formats hold their Euclidean
//! distances in the precision of the coordinates. [`all_distances`] converts any input to a matrix.
//!
//! Texts have the fewest digits that read back as the same number in the input's precision. Ripser and
//! [`read`](super::read) read texts, `binary` and DIPHA's files in single precision: [`DistanceFile::loses`] finds
//! doubles that are not exact in it.

mod format;
mod matrix_market;
#[cfg(test)]
mod tests;
mod text;

pub use format::DistanceFile;

use super::{DistanceMatrix, Distances, DistancesError, MetricError, Precision, SparseDistances, Value};
use crate::memory;

/// Returns the distances of all pairs; pairs without an edge have infinite distance.
///
/// # Errors
/// [`DistancesError::Memory`]: there is not enough memory.
pub fn all_distances<T: Value>(distances: &Distances<T>) -> Result<DistanceMatrix<T>, DistancesError> {
    let points = distances.len() as u64;
    let pairs = points.saturating_mul(points.saturating_sub(1)) / 2;
    memory::probe(pairs.saturating_mul(size_of::<T>() as u64))?;
    match distances {
        Distances::Matrix(matrix) => Ok(matrix.clone()),
        Distances::Points(points) => Ok(DistanceMatrix::from_fn(points.len(), |i, j| points.distance(i, j))?),
        Distances::Sparse(_) => {
            // The memory was checked above.
            let mut lower = vec![T::INFINITY; pairs as usize];
            connected(distances).for_each(|(i, j, distance)| lower[i * (i - 1) / 2 + j] = distance);
            Ok(DistanceMatrix::from_lower(lower)?)
        }
    }
}

/// The graph of the pairs of points at finite distances up to `threshold`.
///
/// # Errors
/// There are more points than 32 bits number.
pub fn distances_up_to<T: Value>(
    distances: &Distances<T>,
    threshold: f64,
) -> Result<SparseDistances<T>, MetricError> {
    let near = connected(distances).filter(|&(_, _, distance)| distance.into() <= threshold);
    SparseDistances::new(distances.len(), near.map(|(i, j, distance)| (i as u32, j as u32, distance)))
}

/// The distances as they are to be written: those up to `threshold`, if it is given, or else, if `are_all` and the
/// input is points, the distances of all pairs.
///
/// # Errors
/// The errors of [`distances_up_to`] and [`all_distances`].
pub fn chosen<T: Value>(
    distances: Distances<T>,
    threshold: Option<f64>,
    are_all: bool,
) -> Result<Distances<T>, DistancesError> {
    Ok(match threshold {
        Some(threshold) => distances_up_to(&distances, threshold)?.into(),
        None if are_all && matches!(distances, Distances::Points(_)) => all_distances(&distances)?.into(),
        None => distances,
    })
}

/// Iterates over the connected pairs (i, j, distance), i > j, by i and then by j.
fn connected<T: Value>(distances: &Distances<T>) -> Box<dyn Iterator<Item = (usize, usize, T)> + '_> {
    let pairs = (1..distances.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let finite = |&(_, _, distance): &(usize, usize, T)| distance.into().is_finite();
    match distances {
        Distances::Sparse(graph) => {
            Box::new(graph.edges().iter().map(|edge| (edge.i as usize, edge.j as usize, edge.distance)))
        }
        Distances::Matrix(matrix) => Box::new(pairs.map(|(i, j)| (i, j, matrix.get(i, j))).filter(finite)),
        Distances::Points(points) => {
            Box::new(pairs.map(|(i, j)| (i, j, points.distance(i, j))).filter(finite))
        }
    }
}

/// Appends a number with the fewest digits that read back as the same number in its precision. A double that is exact
/// in single precision gets the digits of that, in which texts are read; infinity is `inf`.
fn push<T: Value>(text: &mut String, number: T) {
    let double: f64 = number.into();
    if !double.is_finite() {
        text.push_str(if double > 0.0 { "inf" } else { "-inf" });
        return;
    }
    let mut digits = zmij::Buffer::new();
    text.push_str(match T::PRECISION {
        Precision::Single => digits.format_finite(double as f32),
        Precision::Double if f64::from(double as f32) == double => digits.format_finite(double as f32),
        Precision::Double => digits.format_finite(double),
    });
}
