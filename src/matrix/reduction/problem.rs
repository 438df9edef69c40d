//! What every reduction starts from.

use crate::matrix::index::SharedIndex;
use crate::matrix::pivot_lookup::PivotLookup;
use crate::matrix::reduction_matrix::ReductionMatrix;
use crate::progress::Progress;

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
    /// The columns to reduce, ascending. Each column that is not among them is in `lookup`, or is zero or would reduce to zero, and then
    /// nobody asks for it.
    pub todo: &'p [I],
    /// Whether the column of a cell that creates a class is made zero when the pair of the cell is found. Without, it is added down
    /// to zero when the turn of its dimension comes. The standard algorithm never clears, the lock-free one always does.
    pub clears: bool,
    /// The number of threads; the current pool should have as many.
    pub threads: usize,
    /// Makes an empty working column over so many rows. Each thread has one.
    pub working_column: fn(rows: usize) -> C,
    /// Who may end the reduction early.
    pub progress: &'p dyn Progress,
}

impl<'p, I: SharedIndex, C> ReductionProblem<'p, I, C> {
    /// The reduced column whose low is `row`.
    #[inline]
    pub fn reduced(&self, row: usize) -> Option<&'p [I]> {
        self.lookup.get(row).map(|column| self.matrix.column(column))
    }

    /// Notes a pair. The cell of its row creates a class, so the column of that cell would reduce to zero, and is made zero
    /// now (*clearing*, Chen, Kerber 2011), unless the problem is to be solved without.
    #[inline]
    pub fn pair(&self, row: usize, column: usize) {
        self.lookup.set(row, column);
        if self.clears {
            self.matrix.clear(row);
        }
    }

    /// The columns to reduce, ascending, for each dimension from the greatest down. Columns that are zero when the turn of
    /// their dimension comes are left out.
    pub fn dimensions(&self) -> impl Iterator<Item = Vec<I>> {
        let of_dimension = self.by_dimension(self.todo);
        of_dimension.into_iter().rev().map(|mut columns| {
            columns.retain(|&column| self.is_open(column));
            columns
        })
    }

    /// Some columns, for each dimension from 0 up.
    pub(super) fn by_dimension(&self, columns: &[I]) -> Vec<Vec<I>> {
        let boundaries = self.matrix.boundaries();
        let mut dimensions = vec![Vec::new(); boundaries.max_dim().map_or(0, |dim| usize::from(dim) + 1)];
        for &column in columns {
            dimensions[usize::from(boundaries.dim(column.to_usize()))].push(column);
        }
        dimensions
    }

    /// Whether a column is not zero.
    pub(super) fn is_open(&self, column: I) -> bool {
        !self.matrix.column(column.to_usize()).is_empty()
    }
}
