//! Clearing (Zhang et al. 2019, Lemma 2): finds columns that reduce to zero without reducing them.
//!
//! The column of a cell is a cycle. Its low i is the last cell of that cycle, so cell i creates a class, and column i
//! reduces to zero. This holds for the low of *every* column as it stands, reduced or not; so all of them, in all
//! dimensions, are cleared at once. (Chen and Kerber's twist clears the lows of reduced columns, one dimension after
//! the other.)
//!
//! Clearing needs ∂∂ = 0: otherwise columns are not cycles.
//!
//! The algorithms of [`reduction`](super::reduction) clear as twist does, when they find a pair
//! ([`ReductionProblem::pair`](super::reduction::ReductionProblem::pair)). The sieve reduces only the open cells of a
//! block, which do not include the creators of the block above.

use std::ops::Range;

use phat_formats::BoundaryMatrix;

use super::cell_table::CellTable;
use super::index::SharedIndex;
use super::reduction_matrix::ReductionMatrix;
use super::traversal::TASK;
use crate::parallel;

/// Collects the cells that are the low of some column, each with one such column.
pub fn creators<I: SharedIndex>(matrix: &BoundaryMatrix<I>) -> CellTable<I> {
    let creators = CellTable::new(matrix.len());
    parallel::ranges(matrix.len(), TASK, &|columns| {
        for column in columns {
            matrix.low(column).into_iter().for_each(|low| creators.put(low.to_usize(), column));
        }
    });
    creators
}

/// Numbers of columns and entries that clearing removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cleared {
    /// Number of cleared columns that were not zero before.
    pub columns: usize,
    /// Number of entries of these columns.
    pub entries: usize,
}

/// Clears the columns of creators and removes them from `unstable`, from which the scan has already removed the lows
/// of stable columns. (The column of a creator is never stable, since a stable column does not reduce to zero.)
pub fn clear<I: SharedIndex>(
    matrix: &ReductionMatrix<'_, I>,
    creators: &CellTable<I>,
    unstable: &mut Vec<I>,
) -> Cleared {
    let is_creator = |column: &I| creators.get(column.to_usize()).is_some();
    let clear = |places: Range<usize>| {
        let mut cleared = Cleared::default();
        for column in
            unstable[places].iter().filter(|column| is_creator(column)).map(|column| column.to_usize())
        {
            cleared.columns += 1;
            cleared.entries += matrix.column(column).len();
            matrix.clear(column);
        }
        cleared
    };
    let cleared = parallel::joined(unstable.len(), TASK, Cleared::default(), &clear, &|sum, found| {
        sum.columns += found.columns;
        sum.entries += found.entries;
    });
    unstable.retain(|column| !is_creator(column));
    cleared
}
