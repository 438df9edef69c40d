//! Parts of matrices.

use crate::{BoundaryMatrix, Index};
use std::ops::Range;

/// Consecutive columns of a matrix, which may still be incomplete while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a, I> {
    /// Number of the first column.
    pub first: usize,
    /// Start of each column among the entries of the matrix.
    pub starts: &'a [I],
    /// The concatenated rows of the columns.
    pub rows: &'a [I],
}

impl<I: Index> Part<'_, I> {
    /// The range of the columns.
    pub fn columns(&self) -> Range<usize> {
        self.first..self.first + self.starts.len()
    }
}

impl<I: Index> BoundaryMatrix<I> {
    /// Returns consecutive columns.
    pub fn part(&self, columns: Range<usize>) -> Part<'_, I> {
        let rows = self.rows_of(columns.clone());
        Part { first: columns.start, starts: &self.offsets()[columns], rows }
    }
}
