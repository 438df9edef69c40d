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

use phat_formats::BoundaryMatrix;
use rayon::prelude::*;

use super::index::{AtomicIndex, SharedIndex};
use super::reduction_matrix::ReductionMatrix;
use super::traversal::each_task;

/// The set of cells that are the low of some column.
pub struct Creators<I: SharedIndex> {
    /// One entry per cell; non-zero for a creator.
    table: Vec<I::Atomic>,
}

impl<I: SharedIndex> Creators<I> {
    /// Collects the lows of a matrix.
    pub fn of(matrix: &BoundaryMatrix<I>) -> Self {
        let table = I::zeros(matrix.len());
        each_task(matrix.len(), &|columns| {
            for low in columns.filter_map(|column| matrix.low(column)) {
                table[low.to_usize()].put(I::from_usize(1));
            }
        });
        Creators { table }
    }

    /// Whether a cell is a creator.
    #[inline]
    pub fn contains(&self, cell: usize) -> bool {
        self.table[cell].peek() != I::default()
    }
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
    creators: &Creators<I>,
    unstable: &mut Vec<I>,
) -> Cleared {
    let cleared = unstable
        .par_iter()
        .filter(|column| creators.contains(column.to_usize()))
        .map(|column| {
            let entries = matrix.column(column.to_usize()).len();
            matrix.clear(column.to_usize());
            (1, entries)
        })
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    unstable.retain(|column| !creators.contains(column.to_usize()));
    Cleared { columns: cleared.0, entries: cleared.1 }
}
