//! An ordered set of rows.

use std::collections::BTreeSet;

use phat_formats::Index;

use super::WorkingColumn;

/// The rows as an ordered set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sparse<I> {
    rows: BTreeSet<I>,
}

impl<I: Index> WorkingColumn<I> for Sparse<I> {
    fn add(&mut self, column: &[I]) {
        for &row in column {
            if !self.rows.insert(row) {
                self.rows.remove(&row);
            }
        }
    }

    #[inline]
    fn pivot(&mut self) -> Option<I> {
        self.rows.last().copied()
    }

    fn take(&mut self, rows: &mut Vec<I>) {
        rows.clear();
        rows.extend(std::mem::take(&mut self.rows));
    }
}
