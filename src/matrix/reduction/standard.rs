//! The standard algorithm: columns left to right (Edelsbrunner, Letscher, Zomorodian 2002).
//!
//! ```text
//! for each column j, from left to right:
//!     while some reduced column has the low of j:
//!         add it to j
//!     if j is not zero: its low is paired with it
//! ```
//!
//! The order of dimensions does not matter, and nothing is cleared, so the columns of creators are reduced to zero.
//! The other algorithms are measured and tested against it. It runs on one thread. HYPHA's tables count its additions
//! column by column (Zhang et al. 2019, Table 1); [`standard_counted`] reports these.

use super::problem::{Additions, ReductionProblem};
use super::team::Worker;
use crate::matrix::index::SharedIndex;

/// Reduces the columns from left to right.
pub fn standard<I: SharedIndex>(problem: &ReductionProblem<'_, I>) -> Additions {
    standard_counted(problem, |_, _| ())
}

/// Like [`standard`], but calls `count` in order with each column and the number of columns that were added to it.
pub fn standard_counted<I: SharedIndex>(
    problem: &ReductionProblem<'_, I>,
    mut count: impl FnMut(usize, Additions),
) -> Additions {
    let mut worker = Worker::new(problem);
    for column in problem.todo.iter().map(|column| column.to_usize()) {
        let before = worker.additions;
        if let Some(pivot) = worker.reduce_by(problem, column, &(0..usize::MAX)) {
            problem.lookup.set(pivot, column);
        }
        count(column, worker.additions - before);
    }
    worker.additions
}
