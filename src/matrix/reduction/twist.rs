//! Twist: reduces columns by descending dimension, with clearing (Chen, Kerber 2011).
//!
//! ```text
//! for each dimension, from the greatest down:
//!     for each column j of it, from left to right:
//!         while some reduced column has the low of j:
//!             add it to j
//!         if j is not zero: its low i is paired with it, and column i is made zero
//! ```
//!
//! It differs from [`mod@super::standard`] in the order and in the last step. A cell that is the low of a reduced
//! column creates a class, and the columns of creators reduce to zero: the most expensive work of the standard
//! algorithm is skipped. Column i is one dimension lower than j, so it is still unprocessed. Only the columns of
//! essential classes are reduced to zero by additions. The algorithm runs on one thread.

use phat_formats::Index;

use super::problem::{Additions, ReductionProblem};
use super::team::Worker;
use crate::matrix::index::SharedIndex;

/// Reduces the columns by descending dimension, with clearing.
pub fn twist<I: SharedIndex>(problem: &ReductionProblem<'_, I>) -> Additions {
    twist_counted(problem, |_, _| ())
}

/// Like [`twist`], but calls `count` in order of reduction with each column that is non-zero when its turn comes and
/// the number of columns that were added to it.
pub fn twist_counted<I: SharedIndex>(
    problem: &ReductionProblem<'_, I>,
    mut count: impl FnMut(usize, Additions),
) -> Additions {
    let mut worker = Worker::new(problem);
    for columns in problem.dimensions() {
        for column in columns.into_iter().map(Index::to_usize) {
            let before = worker.additions;
            if let Some(pivot) = worker.reduce_by(problem, column, &(0..usize::MAX)) {
                problem.pair(pivot, column);
            }
            count(column, worker.additions - before);
        }
    }
    worker.additions
}
