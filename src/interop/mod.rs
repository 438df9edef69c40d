//! Arrays and matrices of other crates as inputs, and diagrams as arrays: no user copies numbers by hand.
//!
//! | feature | from | to |
//! |---|---|---|
//! | `ndarray` | square `ArrayView2` of `f32`, `f64` | [`DistanceMatrix`](crate::metric::DistanceMatrix) |
//! | `ndarray` | `Array2`, `ArrayView2`, a point a row | [`PointCloud`](crate::metric::PointCloud) |
//! | `ndarray` | arrays and views of any dimension, of every type of voxels | [`Image`](crate::cubical::Image), [`AnyImage`](crate::cubical::AnyImage) |
//! | `ndarray` | [`Diagram`](crate::Diagram) | `Array2<f64>`, rows (dimension, birth, death) |
//! | `sprs` | `CsMat`, `CsMatView` | [`SparseDistances`](crate::metric::SparseDistances) |
//! | `sprs` | `CsMat` | [`BoundaryMatrix`](crate::matrix::BoundaryMatrix), and back |
//!
//! An owned array in contiguous memory gives its memory away; a view is read where it lies and copied once.

#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "sprs")]
pub mod sprs;
