//! Inputs of the Vietoris–Rips path: finite metric spaces and graphs, without any computation.
//!
//! A reader or a library user creates a [`Distances`]. The pipeline replaces its values by ranks and uses no
//! floating-point numbers after that.
//!
//! | module | content |
//! |---|---|
//! | [`matrix`] | condensed symmetric distance matrices |
//! | [`points`] | point clouds with the Euclidean metric |
//! | [`sparse`] | lists of edges; every other pair of points is never connected |
//! | `shortest_paths` | shortest-path distances of graphs |
//! | `checksum` | checksums that identify distances |
//! | `births` | birth values of the points of matrices and lists of edges |
//! | `square`, `pairs` | checks of all entries of a matrix, and of entries for some pairs of points |
//! | [`read`] | one reader per file format, and format detection |
//! | [`mod@write`] | one writer per file format |

mod births;
mod checksum;
pub mod matrix;
pub(crate) mod pairs;
pub mod points;
pub mod read;
mod shortest_paths;
pub mod sparse;
pub(crate) mod square;
pub mod value;
pub mod write;

pub use matrix::DistanceMatrix;
pub use points::PointCloud;
pub use sparse::{Edge, SparseDistances};
pub use value::{Precision, Value};

use crate::input::Place;
use crate::input::Problem;
use crate::memory::Refused;

/// A finite metric space (or any symmetric non-negative dissimilarity) in one of three shapes.
///
/// `T` is the precision in which distances are computed and compared: `f32` (as in Ripser) or `f64`.
#[derive(Debug, Clone, PartialEq)]
pub enum Distances<T = f32> {
    /// All pairwise distances.
    Matrix(DistanceMatrix<T>),
    /// Points in Euclidean space.
    Points(PointCloud<T>),
    /// Some pairwise distances; the others are infinite.
    Sparse(SparseDistances<T>),
}

impl<T: Value> Distances<T> {
    /// Number of points.
    pub fn len(&self) -> usize {
        match self {
            Distances::Matrix(m) => m.len(),
            Distances::Points(p) => p.len(),
            Distances::Sparse(s) => s.len(),
        }
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A checksum of the shape, precision, values and births, which identifies the distances in any file format.
    pub fn checksum(&self) -> u128 {
        checksum::checksum(self)
    }

    /// The birth of each point; `None` if all are born at 0.
    pub fn births(&self) -> Option<&[T]> {
        match self {
            Distances::Matrix(m) => m.births(),
            Distances::Points(_) => None,
            Distances::Sparse(s) => s.births(),
        }
    }
}

impl<T> From<DistanceMatrix<T>> for Distances<T> {
    fn from(m: DistanceMatrix<T>) -> Self {
        Distances::Matrix(m)
    }
}

impl<T> From<PointCloud<T>> for Distances<T> {
    fn from(p: PointCloud<T>) -> Self {
        Distances::Points(p)
    }
}

impl<T> From<SparseDistances<T>> for Distances<T> {
    fn from(s: SparseDistances<T>) -> Self {
        Distances::Sparse(s)
    }
}

/// An error in the numbers for a [`Distances`]. Its place names points or an entry.
pub type MetricError = Problem;

impl MetricError {
    /// The error for an input without points.
    pub(crate) fn empty() -> Self {
        MetricError::whole("at least one point", "none")
    }

    /// The error for a distance that is NaN or negative.
    pub(crate) fn bad_distance(i: usize, j: usize, found: impl Into<f64>) -> Self {
        let place = Place::Named(format!("the distance of points {i} and {j}"));
        MetricError::new(place, "a non-negative number or infinity", found.into().to_string())
    }

    /// The error for an unexpected entry of a matrix, given by its row and column.
    pub(crate) fn of_entry(row: usize, column: usize, expected: &str, found: impl Into<f64>) -> Self {
        MetricError::new(
            Place::Named(format!("row {row}, column {column}")),
            expected,
            found.into().to_string(),
        )
    }

    /// The error for more points than 32 bits number.
    pub(crate) fn too_many(points: usize) -> Self {
        MetricError::whole(format!("at most {} points", u32::MAX), points)
    }

    /// Drops the remedy, which names options of the program.
    pub(crate) fn without_note(self) -> Self {
        MetricError { note: None, ..self }
    }
}

/// Error of computing or writing distances.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DistancesError {
    /// Memory for the distances of all pairs, or for the rows of a list of edges, is refused.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The numbers, or their shape, are not what is expected.
    #[error(transparent)]
    Metric(#[from] MetricError),
}
