//! Observes the columns of a matrix while it is read.

use phat_formats::{MatrixSize, Part};

use crate::matrix::index::SharedIndex;

/// An observer of columns as they are read. It is passed each column of a binary file of PHAT once, in any order and
/// on any thread; of other files it is passed nothing.
///
/// The observed columns count only if the whole file turns out to be valid.
pub trait ReadObserver: Sync {
    /// Called before the first column with the size of the matrix, whose rows will be of type `I`.
    fn begin<I: SharedIndex>(&self, size: MatrixSize);
    /// Called with columns whose rows have 32 bits.
    fn narrow(&self, part: &Part<'_, u32>);
    /// Called with columns whose rows have 64 bits.
    fn wide(&self, part: &Part<'_, u64>);
}

/// An observer that ignores all columns.
impl ReadObserver for () {
    fn begin<I: SharedIndex>(&self, _: MatrixSize) {}
    fn narrow(&self, _: &Part<'_, u32>) {}
    fn wide(&self, _: &Part<'_, u64>) {}
}
