//! Seeing the columns of a matrix while it is read.

use phat_formats::{MatrixSize, Part};

use crate::matrix::index::SharedIndex;

/// Sees columns as soon as they are read. It sees each column of a binary file of PHAT once, in any order and on any thread; of other
/// files it sees nothing.
///
/// What it has seen counts only if the whole file turns out to be valid.
pub trait ReadObserver: Sync {
    /// Called before the first column: the size of the matrix, whose rows will be of type `I`.
    fn begin<I: SharedIndex>(&self, size: MatrixSize);
    /// Columns whose rows have 32 bits.
    fn narrow(&self, part: &Part<'_, u32>);
    /// Columns whose rows have 64 bits.
    fn wide(&self, part: &Part<'_, u64>);
}

/// Ignores all columns.
impl ReadObserver for () {
    fn begin<I: SharedIndex>(&self, _: MatrixSize) {}
    fn narrow(&self, _: &Part<'_, u32>) {}
    fn wide(&self, _: &Part<'_, u64>) {}
}
