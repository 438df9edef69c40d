//! Readers and writers for the file formats of PHAT and DIPHA.
//!
//! | format | module |
//! |---|---|
//! | PHAT boundary matrices, text and binary | [`phat::matrix`] |
//! | PHAT persistence pairs, text and binary | [`phat::pairs`] |
//! | DIPHA persistence diagrams, distance matrices, dense and sparse | [`dipha`] |
//!
//! Readers look at bytes that are in memory and copy nothing: a count in a file is believed only when the bytes
//! it promises are there, so no file, however small, makes a reader allocate. Every error names the byte
//! offset, what was expected and what was found.

mod anti_transpose;
mod block;
pub mod dipha;
mod index;
mod matrix;
pub mod phat;
mod source;

pub use index::Index;
pub use matrix::{BoundaryMatrix, ColumnError, Dimension, NotAComplex};
pub use source::Source;
