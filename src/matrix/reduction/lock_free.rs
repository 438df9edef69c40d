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
//! The pairs are those of every reduction, as [`crate::rips::submatrix_reduction`] proves. Two points differ here:
//!
//! **Columns are replaced in place.** A column is written before it claims its low, so the column that a thread finds
//! in `lookup` has that low or has had it. It no longer has it if another thread has taken over the low and reduced
//! the column further. Then the rows that were read have another low, and `lookup` has already changed, so the thread
//! reads it again.
//!
//! **Clearing.** A low that was claimed once stays claimed, by columns ever further to the left. So its cell creates
//! a class, and its column can be cleared at once, since the dimension of that cell has not begun. A barrier
//! separates the dimensions, because clearing has to be visible, and because every evicted column must have found its
//! place.

use super::problem::{Additions, ReductionProblem};
use super::team::{Team, Worker};
use crate::matrix::index::SharedIndex;

/// Reduces all columns of each dimension at once.
pub fn lock_free<I: SharedIndex>(problem: &ReductionProblem<'_, I>) -> Additions {
    let mut team = Team::new(problem);
    for columns in problem.dimensions() {
        team.each(&columns, |worker, column| settle(problem, worker, column.to_usize()));
    }
    team.additions()
}

/// Reduces a column, and then the column from which its low was taken over, and so on.
fn settle<I: SharedIndex>(problem: &ReductionProblem<'_, I>, worker: &mut Worker<'_, I>, mut column: usize) {
    while let Some(pivot) = worker.reduce(problem.matrix, column, |pivot| left_of(problem, column, pivot)) {
        let current = problem.lookup.get(pivot);
        // A column to the left has claimed the low meanwhile and has to be added.
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

/// Returns the column left of `column` whose low is `pivot`.
fn left_of<'p, I: SharedIndex>(
    problem: &ReductionProblem<'p, I>,
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
