//! Readers and writers for the file formats of PHAT and DIPHA.
//!
//! | format | module |
//! |---|---|
//! | PHAT boundary matrices, text and binary | [`phat::matrix`] |
//! | PHAT persistence pairs, text and binary | [`phat::pairs`] |
//! | DIPHA weighted boundary and coboundary matrices | [`dipha::read_boundary_matrix`] |
//! | DIPHA images | [`dipha::Image`] |
//! | DIPHA persistence diagrams | [`dipha::read_diagram`] |
//! | DIPHA distance matrices, dense and sparse | [`dipha::DistanceMatrix`], [`dipha::SparseDistanceMatrix`] |
//!
//! A count in a file is trusted only if the bytes it promises exist, so memory is proportional to the file. Boundary
//! matrices are read from a [`Source`], an open file or bytes, by all threads of rayon's pool, into a
//! [`BoundaryMatrix`]; the other readers parse bytes in memory. Every error names the byte offset or the line, what
//! was expected and what was found; it does not depend on the number of threads.

mod anti_transpose;
mod block;
pub mod dipha;
mod entries;
mod error;
mod fields;
mod index;
mod matrix;
mod matrix_error;
#[doc(hidden)]
pub mod parallel;
pub mod phat;
mod source;

pub use error::{FormatError, Place};
pub use index::Index;
pub use matrix::{BoundaryMatrix, Dimension, MatrixSize};
pub use matrix_error::{ColumnError, NotAComplex};
pub use source::Source;
