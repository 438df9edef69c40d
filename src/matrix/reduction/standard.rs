//! The standard algorithm: columns left to right (Edelsbrunner, Letscher, Zomorodian 2002).
//!
//! ```text
//! for each column j, from left to right:
//!     while some reduced column has the low of j:
//!         add it to j
//!     if j is not zero: its low is paired with it
//! ```
//!
//! Dimensions do not matter, and nothing is cleared, so the columns of creators are added down to zero. The other algorithms
//! are measured by it and compared with it. It runs on one thread. HYPHA's tables count its additions column by column
//! (Zhang et al. 2019, Table 1): [`standard_counted`] tells.

use super::problem::{Additions, ReductionProblem};
use super::team::Worker;
use crate::matrix::index::SharedIndex;
use crate::matrix::working_columns::WorkingColumn;

/// Reduces the columns from left to right.
pub fn standard<I: SharedIndex, C: WorkingColumn<I>>(problem: &ReductionProblem<'_, I, C>) -> Additions {
    standard_counted(problem, |_, _| ())
}

/// Like [`standard`]; calls `count` with each column that it reduces and the number of columns that were added to it, in order.
pub fn standard_counted<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    mut count: impl FnMut(usize, Additions),
) -> Additions {
    let mut worker = Worker::new(problem);
    for column in problem.todo.iter().map(|column| column.to_usize()) {
        let before = worker.additions;
        if let Some(pivot) = worker.reduce(problem.matrix, column, |pivot| problem.reduced(pivot)) {
            problem.lookup.set(pivot, column);
        }
        count(column, worker.additions - before);
    }
    worker.additions
}
