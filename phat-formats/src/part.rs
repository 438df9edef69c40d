//! Parts of matrices.

use crate::{BoundaryMatrix, Index};
use std::ops::Range;

/// Consecutive columns of a matrix, perhaps of one that is still being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a, I> {
    /// The first of these columns.
    pub first: usize,
    /// Where each of them starts among the entries of the matrix.
    pub starts: &'a [I],
    /// The rows of the columns, one column after the other.
    pub rows: &'a [I],
}

impl<I: Index> Part<'_, I> {
    /// The columns.
    pub fn columns(&self) -> Range<usize> {
        self.first..self.first + self.starts.len()
    }
}

impl<I: Index> BoundaryMatrix<I> {
    /// Consecutive columns.
    pub fn part(&self, columns: Range<usize>) -> Part<'_, I> {
        let rows = self.rows_of(columns.clone());
        Part { first: columns.start, starts: &self.offsets()[columns], rows }
    }
}
