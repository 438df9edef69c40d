//! What every algorithm starts from.

use crate::matrix::Row;
use crate::matrix::state::{Columns, Lookup};

/// A number of column additions.
pub type Additions = u64;

/// Columns to reduce. Some may have been cleared or compressed, and some pairs may be known.
///
/// When an algorithm is done, `lookup` has the pair of every column that is not zero, and these columns are reduced.
/// Algorithms differ in who adds what when, not in the pairs.
pub struct Problem<'p, I: Row> {
    /// The columns as they stand.
    pub columns: &'p Columns<'p, I>,
    /// The pairs known so far. The columns in it are reduced: they are added to others and stay as they are.
    pub lookup: &'p Lookup<I>,
    /// The columns to reduce, ascending. Each column that is not here is zero or in `lookup`.
    pub todo: &'p [I],
    /// The number of threads, of which the current pool should have as many.
    pub threads: usize,
}

impl<'p, I: Row> Problem<'p, I> {
    /// The reduced column whose low is `row`.
    #[inline]
    pub fn reduced(&self, row: usize) -> Option<&'p [I]> {
        self.lookup.get(row).map(|column| self.columns.get(column))
    }

    /// Notes a pair. Its row creates a class, so as a column it would reduce to zero: it is made zero now (*clearing*,
    /// Chen, Kerber 2011).
    #[inline]
    pub fn pair(&self, row: usize, column: usize) {
        self.lookup.set(row, column);
        self.columns.clear(row);
    }

    /// The columns to do, ascending, for each dimension from the greatest down. What is zero when its dimension's turn
    /// comes is left out.
    pub fn dimensions(&self) -> impl Iterator<Item = Vec<I>> {
        let matrix = self.columns.matrix();
        let mut dimensions = vec![Vec::new(); matrix.max_dim().map_or(0, |dim| usize::from(dim) + 1)];
        for &column in self.todo.iter().filter(|column| self.is_open(**column)) {
            dimensions[usize::from(matrix.dim(column.to_usize()))].push(column);
        }
        dimensions.into_iter().rev().map(|mut columns| {
            columns.retain(|&column| self.is_open(column));
            columns
        })
    }

    fn is_open(&self, column: I) -> bool {
        !self.columns.get(column.to_usize()).is_empty()
    }
}
