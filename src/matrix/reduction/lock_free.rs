//! The lock-free algorithm: all columns of a dimension at once, each pivot claimed by compare and exchange (Morozov,
//! Nigmetov 2020), with clearing between dimensions.
//!
//! ```text
//! for each dimension, from the greatest down:
//!     for each column j of it, in parallel:
//!         repeat:
//!             add columns to the left of j while they have its low
//!             if j is zero: done
//!             if nobody has its low i: claim i for j; done
//!             if a column k to the right of j has it: claim i for j, and go on with k instead
//! ```
//!
//! **Why it is right.** A column only ever has columns to its left added to it, which keeps the pairs, and at the end
//! no two columns have the same low. A low that was claimed once stays claimed, by columns ever further left; so its
//! cell creates a class, and can be cleared at once: its dimension has not begun.
//!
//! **What a reader sees.** A column is written before it claims its low, so who finds a column in `lookup` finds it
//! with that low, or later. Later is when another has taken the low over and gone on with the column: then what was
//! read has another low, and `lookup` has already changed, so one looks again. Nothing else is shared, and a thread
//! holds no column back: it goes on with what it has evicted until that is settled. Dimensions are apart by a barrier,
//! because clearing has to be seen, and because only then every evicted column has found its place.

use super::problem::{Additions, ReductionProblem};
use super::team::{Team, Worker};
use crate::matrix::index::SharedIndex;
use crate::matrix::working_columns::WorkingColumn;

/// All columns of a dimension at once.
pub fn lock_free<I: SharedIndex, C: WorkingColumn<I>>(problem: &ReductionProblem<'_, I, C>) -> Additions {
    let mut team = Team::new(problem);
    for columns in problem.dimensions() {
        team.each(&columns, |worker, column| settle(problem, worker, column.to_usize()));
    }
    team.additions()
}

/// Reduces a column, and those that it evicts.
fn settle<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    worker: &mut Worker<I, C>,
    mut column: usize,
) {
    while let Some(pivot) = worker.reduce(problem.matrix, column, |pivot| left_of(problem, column, pivot)) {
        let current = problem.lookup.get(pivot);
        // A column to the left may have come meanwhile; it would be added, not evicted.
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
