//! The lock-free algorithm: all columns of a dimension at once, each pivot claimed by compare and exchange (Morozov,
//! Nigmetov 2020), with clearing between dimensions.
//!
//! ```text
//! for each dimension, from the greatest down:
//!     for each column j of it, in parallel:
//!         repeat:
//!             add columns to the left of j while they have its low
//!             if j is zero: done
//!             if no column has claimed its low i: claim i for j; done
//!             if a column k to the right of j has it: claim i for j, and go on with k instead
//! ```
//!
//! Why the pairs are those of every reduction is said in [`crate::rips::submatrix_reduction`]. What differs here:
//!
//! **Columns are replaced in place.** A column is written before it claims its low, so the column that a thread finds in `lookup` has
//! that low, or has had it. It no longer has it if another thread has taken the low over and has reduced the column further;
//! then the rows that were read have another low, and `lookup` has already changed, so the thread looks again.
//!
//! **Clearing.** A low that was claimed once stays claimed, by columns ever further to the left. So its cell creates a class, and its
//! column is cleared at once: the dimension of that cell has not begun. Dimensions are separated by a barrier, because
//! clearing has to be visible, and because only then every column that was taken over has found its place.

use super::problem::{Additions, ReductionProblem};
use super::team::{Team, Worker};
use crate::matrix::index::SharedIndex;
use crate::matrix::working_columns::WorkingColumn;

/// Reduces all columns of a dimension at once.
pub fn lock_free<I: SharedIndex, C: WorkingColumn<I>>(problem: &ReductionProblem<'_, I, C>) -> Additions {
    let mut team = Team::new(problem);
    for columns in problem.dimensions() {
        team.each(&columns, |worker, column| settle(problem, worker, column.to_usize()));
    }
    team.additions()
}

/// Reduces a column, and then those from which it and its successors take their lows over.
fn settle<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    worker: &mut Worker<'_, I, C>,
    mut column: usize,
) {
    while let Some(pivot) = worker.reduce(problem.matrix, column, |pivot| left_of(problem, column, pivot)) {
        let current = problem.lookup.get(pivot);
        // A column to the left may have claimed the low meanwhile; it is to be added.
        if current.is_some_and(|current| current < column) {
            continue;
        }
        if problem.lookup.replace(pivot, current, column).is_ok() {
            problem.matrix.clear(pivot);
            match current {
                Some(evicted) => column = evicted,
                None => return,
            }
        }
    }
}

/// The column left of `column` whose low is `pivot`.
fn left_of<'p, I: SharedIndex, C>(
    problem: &ReductionProblem<'p, I, C>,
    column: usize,
    pivot: usize,
) -> Option<&'p [I]> {
    loop {
        let other = problem.lookup.get(pivot).filter(|&other| other < column)?;
        let rows = problem.matrix.column(other);
        if rows.last().is_some_and(|low| low.to_usize() == pivot) {
            return Some(rows);
        }
    }
}
