//! Looking on while a matrix is read.

use phat_formats::{MatrixSize, Part};

use crate::matrix::Row;

/// Who sees columns as soon as they are read: those of binary files of PHAT, each once, in any order, on any thread. Of other files
/// nothing is seen.
///
/// What has been seen counts only if the file turns out to be right.
pub trait Watch: Sync {
    /// Before the first column: the size of the matrix, whose rows will be of type `I`.
    fn begin<I: Row>(&self, size: MatrixSize);
    /// Columns with rows of 32 bits.
    fn narrow(&self, part: &Part<'_, u32>);
    /// Columns with rows of 64 bits.
    fn wide(&self, part: &Part<'_, u64>);
}

/// Nobody.
impl Watch for () {
    fn begin<I: Row>(&self, _: MatrixSize) {}
    fn narrow(&self, _: &Part<'_, u32>) {}
    fn wide(&self, _: &Part<'_, u64>) {}
}
