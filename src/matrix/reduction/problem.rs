//! The input that all reduction algorithms share.

use crate::matrix::cell_table::CellTable;
use crate::matrix::index::SharedIndex;
use crate::matrix::plan::{Plan, Representation};
use crate::matrix::reduction_matrix::ReductionMatrix;
use crate::progress::Progress;

/// Number of column additions.
pub type Additions = u64;

/// An algorithm. Returns the number of its additions.
pub type Reduce<I> = fn(&ReductionProblem<'_, I>) -> Additions;

/// A reduction problem. Some columns may have been cleared or compressed, and some pairs may be known.
///
/// After an algorithm has run, `lookup` has the pair of every non-zero column, and these columns are reduced.
/// Algorithms differ in which thread adds what in which order, and not in the pairs.
pub struct ReductionProblem<'p, I: SharedIndex> {
    /// The current columns.
    pub matrix: &'p ReductionMatrix<'p, I>,
    /// The pairs known so far. The columns in it are reduced: they are added to others and do not change.
    pub lookup: &'p CellTable<I>,
    /// The columns to reduce, ascending. Every other column is in `lookup`, or is zero, or would reduce to zero, in
    /// which case it is never read.
    pub todo: &'p [I],
    /// Whether the column of a creator is cleared when the pair of its cell is found. Otherwise it is reduced to zero
    /// when its dimension comes. The standard algorithm never clears, the lock-free one always does.
    pub clears: bool,
    /// Number of threads; the current thread pool should have as many.
    pub threads: usize,
    /// The representation of working columns. Each thread has one column.
    pub columns: Representation,
    /// Progress that may end the reduction early.
    pub progress: &'p dyn Progress,
}

impl<'p, I: SharedIndex> ReductionProblem<'p, I> {
    /// A problem that clears, with threads and columns as planned.
    pub(in crate::matrix) fn new(
        matrix: &'p ReductionMatrix<'p, I>,
        lookup: &'p CellTable<I>,
        todo: &'p [I],
        plan: &Plan,
        progress: &'p dyn Progress,
    ) -> Self {
        let (threads, columns) = (plan.threads.max(1), plan.columns);
        ReductionProblem { matrix, lookup, todo, clears: true, threads, columns, progress }
    }

    /// Returns the reduced column whose low is `row`.
    #[inline]
    pub fn reduced(&self, row: usize) -> Option<&'p [I]> {
        self.lookup.get(row).map(|column| self.matrix.column(column))
    }

    /// Records a pair. The cell of its row creates a class, so the column of that cell would reduce to zero; it is
    /// cleared now (*clearing*, Chen, Kerber 2011), if the problem allows that.
    #[inline]
    pub fn pair(&self, row: usize, column: usize) {
        self.lookup.set(row, column);
        if self.clears {
            self.matrix.clear(row);
        }
    }

    /// The columns to reduce, ascending, for each dimension from the greatest down. Columns that are zero when their
    /// dimension comes are left out.
    pub fn dimensions(&self) -> impl Iterator<Item = Vec<I>> {
        let of_dimension = self.by_dimension(self.todo);
        of_dimension.into_iter().rev().map(|mut columns| {
            columns.retain(|&column| self.is_open(column));
            columns
        })
    }

    /// Divides `columns` by dimension, from 0 up.
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
