//! The spectral sequence: stripes in parallel, pass by pass (Edelsbrunner, Harer 2010, §VII.4; Bauer, Kerber,
//! Reininghaus 2014).
//!
//! ```text
//! for each dimension, from the greatest down:
//!     cut its columns into stripes, and the rows into blocks at the same places
//!     for each pass p = 0, 1, …:
//!         for each stripe s, in parallel:              the tile of stripe s and block s − p
//!             for each column of s, from left to right:
//!                 while its low is in block s − p and is that of a reduced column: add that
//!                 if its low is in block s − p: pair them, and clear
//! ```
//!
//! **Why parallel is safe.** In pass p the pairs of block b are written by stripe b + p alone, so no two threads write
//! the same; and stripe s reads pairs of block s − p only, which the stripes to its left wrote in earlier passes and
//! itself in this one. What it adds are columns of these pairs; they are reduced, and no thread changes them.
//!
//! **The barrier, and the flush.** Both are needed between any two passes, *and after the last*: stripe s reads in
//! pass p what stripe s − 1 wrote in pass p − 1, the columns as much as their pairs; and the next dimension, and
//! the reader of the result, reads what the last pass wrote. PHAT leaves the column that a thread reduced last in the
//! thread's working column, and flushes these at the start of each pass. Nothing flushes them after the last one, and
//! then the pairs are read off the columns at rest: a column that another thread reduced last shows as it was before,
//! so with two threads a pair can come out wrong. Here `Worker::reduce` writes a column before it returns,
//! `Team::map` returns when all have, and pairs are read off the lookup.

use std::ops::Range;

use super::problem::{Additions, ReductionProblem};
use super::stripes::Stripes;
use super::team::{Team, Worker};
use crate::matrix::index::SharedIndex;
use crate::matrix::working_columns::WorkingColumn;

/// Reduces stripes in parallel, as many as there are threads.
pub fn spectral_sequence<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
) -> Additions {
    let mut team = Team::new(problem);
    for columns in problem.dimensions() {
        let mut stripes = Stripes::cut(&columns, problem.threads);
        for pass in 0..stripes.count() {
            stripes.open = team.map(stripes.count(), |worker, stripe| {
                reduce_tile(problem, worker, &stripes.open[stripe], &stripes.block(stripe, pass))
            });
        }
    }
    team.additions()
}

/// Reduces the open columns of a stripe within a block of rows. Returns those that are open still.
pub(super) fn reduce_tile<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    worker: &mut Worker<'_, I, C>,
    open: &[I],
    block: &Range<usize>,
) -> Vec<I> {
    let within = |pivot: usize| block.contains(&pivot).then(|| problem.reduced(pivot)).flatten();
    let mut left = Vec::new();
    for &column in open {
        match worker.reduce(problem.matrix, column.to_usize(), within) {
            Some(pivot) if block.contains(&pivot) => problem.pair(pivot, column.to_usize()),
            Some(_) => left.push(column),
            None => (),
        }
    }
    left
}
