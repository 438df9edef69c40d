//! Conversions from arrays and matrices of other crates to inputs, and from diagrams to arrays.
//!
//! | feature | from | to |
//! |---|---|---|
//! | `ndarray` | square `ArrayView2` of `f32`, `f64` | [`DistanceMatrix`](crate::metric::DistanceMatrix) |
//! | `ndarray` | `Array2`, `ArrayView2`, one point per row | [`PointCloud`](crate::metric::PointCloud) |
//! | `ndarray` | arrays and views of any dimension, of all voxel types | [`Image`](crate::cubical::Image) |
//! | `ndarray` | [`Diagram`](crate::Diagram) | `Array2<f64>`, rows (dimension, birth, death) |
//! | `sprs` | `CsMat`, `CsMatView` | [`SparseDistances`](crate::metric::SparseDistances) |
//! | `sprs` | `CsMat` | [`BoundaryMatrix`](crate::matrix::BoundaryMatrix), and back |
//!
//! An owned contiguous array is moved without a copy; a view is read in place and copied once.

#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "sprs")]
pub mod sprs;

use crate::metric::MetricError;

/// The error of a matrix of distances that is not square.
fn not_square(rows: usize, columns: usize) -> MetricError {
    MetricError::whole("a square matrix, a row and a column for each point", format!("{rows} × {columns}"))
}
