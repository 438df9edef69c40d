//! What every reduction starts from.

use crate::matrix::index::SharedIndex;
use crate::matrix::pivot_lookup::PivotLookup;
use crate::matrix::reduction_matrix::ReductionMatrix;

/// A number of column additions.
pub type Additions = u64;

/// Columns to reduce, in working columns of type `C`. Some may have been cleared or compressed, and some pairs may be known.
///
/// When an algorithm is done, `lookup` has the pair of every column that is not zero, and these columns are reduced.
/// Algorithms differ in which thread adds what in which order, and not in the pairs.
pub struct ReductionProblem<'p, I: SharedIndex, C> {
    /// The columns as they stand.
    pub matrix: &'p ReductionMatrix<'p, I>,
    /// The pairs known so far. The columns in it are reduced: they are added to others and do not change.
    pub lookup: &'p PivotLookup<I>,
    /// The columns to reduce, ascending. Each column that is not among them is zero or in `lookup`.
    pub todo: &'p [I],
    /// The number of threads; the current pool should have as many.
    pub threads: usize,
    /// Makes an empty working column over so many rows. Each thread has one.
    pub working_column: fn(rows: usize) -> C,
}

impl<'p, I: SharedIndex, C> ReductionProblem<'p, I, C> {
    /// The reduced column whose low is `row`.
    #[inline]
    pub fn reduced(&self, row: usize) -> Option<&'p [I]> {
        self.lookup.get(row).map(|column| self.matrix.column(column))
    }

    /// Notes a pair. The cell of its row creates a class, so the column of that cell would reduce to zero, and is made zero
    /// now (*clearing*, Chen, Kerber 2011).
    #[inline]
    pub fn pair(&self, row: usize, column: usize) {
        self.lookup.set(row, column);
        self.matrix.clear(row);
    }

    /// The columns to reduce, ascending, for each dimension from the greatest down. Columns that are zero when the turn of
    /// their dimension comes are left out.
    pub fn dimensions(&self) -> impl Iterator<Item = Vec<I>> {
        let boundaries = self.matrix.boundaries();
        let mut dimensions = vec![Vec::new(); boundaries.max_dim().map_or(0, |dim| usize::from(dim) + 1)];
        for &column in self.todo.iter().filter(|column| self.is_open(**column)) {
            dimensions[usize::from(boundaries.dim(column.to_usize()))].push(column);
        }
        dimensions.into_iter().rev().map(|mut columns| {
            columns.retain(|&column| self.is_open(column));
            columns
        })
    }

    fn is_open(&self, column: I) -> bool {
        !self.matrix.column(column.to_usize()).is_empty()
    }
}
