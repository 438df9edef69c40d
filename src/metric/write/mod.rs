//! Distances and points as files: what [`read`](super::read) reads back.
//!
//! | format | content | writer |
//! |---|---|---|
//! | `lower-distance` | text, the distances below the diagonal, row by row | `text` |
//! | `condensed` | text, those above it, as SciPy's `pdist` lists them | `text` |
//! | `distance` | text, a square matrix | `text` |
//! | `point-cloud` | text, the coordinates of a point a line | `text` |
//! | `sparse` | text, `i j distance` a line, of the pairs that are connected | `text` |
//! | `binary` | little-endian `f32`, the distances below the diagonal | `binary` |
//! | `dipha` | DIPHA's distance matrix, dense (file type 7) or, of a list of edges, sparse (8) | [`phat_formats::dipha`] |
//! | `npy` | NumPy array of the distances' precision, n × n distances or n × m coordinates | `npy` |
//! | `matrix-market` | dense, or of a list of edges or infinite distances sparse; coordinates as a dense matrix | `matrix_market` |
//!
//! Points are written as their coordinates by `point-cloud`, `npy` and `matrix-market`, and as their Euclidean distances, in the precision
//! of the coordinates, by the other formats; [`all_distances`] makes a matrix of any input.
//!
//! Texts have the fewest digits that read back as the same number of the input's precision. Texts, `binary` and DIPHA's files are read in
//! single precision, by Ripser and by [`read`](super::read) alike: [`DistanceFile::loses`] tells doubles that do not survive that.

mod binary;
mod format;
mod matrix_market;
mod npy;
#[cfg(test)]
mod tests;
mod text;

pub use format::{DistanceFile, Loss, UnwritableDistances};

use super::{DistanceMatrix, Distances, Precision, Value};
use crate::memory;

/// The distances of all pairs, those of edges that are not there infinite.
///
/// # Errors
/// [`UnwritableDistances::Memory`]: there is no memory for them.
pub fn all_distances<T: Value>(distances: &Distances<T>) -> Result<DistanceMatrix<T>, UnwritableDistances> {
    let points = distances.len() as u64;
    let pairs = points.saturating_mul(points.saturating_sub(1)) / 2;
    memory::probe(pairs.saturating_mul(size_of::<T>() as u64))?;
    match distances {
        Distances::Matrix(matrix) => Ok(matrix.clone()),
        Distances::Points(points) => Ok(DistanceMatrix::from_fn(points.len(), |i, j| points.distance(i, j))?),
        Distances::Sparse(graph) => {
            // There is memory for so many.
            let mut lower = vec![T::INFINITY; pairs as usize];
            for edge in graph.edges() {
                let (i, j) = (edge.i.max(edge.j) as usize, edge.i.min(edge.j) as usize);
                lower[i * (i - 1) / 2 + j] = edge.distance;
            }
            Ok(DistanceMatrix::from_lower(lower)?)
        }
    }
}

/// The pairs (i, j, distance) that are connected, i > j, by i and then by j.
fn connected<T: Value>(distances: &Distances<T>) -> Box<dyn Iterator<Item = (usize, usize, T)> + '_> {
    let finite = |&(_, _, distance): &(usize, usize, T)| distance.into().is_finite();
    match distances {
        Distances::Sparse(graph) => {
            let mut edges: Vec<_> = graph
                .edges()
                .iter()
                .map(|edge| (edge.i.max(edge.j) as usize, edge.i.min(edge.j) as usize, edge.distance))
                .collect();
            edges.sort_unstable_by_key(|&(i, j, _)| (i, j));
            Box::new(edges.into_iter().filter(finite))
        }
        Distances::Matrix(matrix) => Box::new(
            (0..matrix.len()).flat_map(move |i| (0..i).map(move |j| (i, j, matrix.get(i, j)))).filter(finite),
        ),
        Distances::Points(points) => Box::new(
            (0..points.len())
                .flat_map(move |i| (0..i).map(move |j| (i, j, points.distance(i, j))))
                .filter(finite),
        ),
    }
}

/// Appends a number with the fewest digits that read back as the same number of its precision, of a double that single precision holds with
/// those of single precision, in which texts are read; infinity is `inf`.
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
