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
//! **Why parallel is safe.** In pass p the pairs of block b are written by stripe b + p alone, so no two threads write the same;
//! and stripe s reads pairs of block s − p only, which the stripes to its left wrote in earlier passes and itself in this one.
//! What it adds are columns of these pairs; they are reduced, and nobody changes them.
//!
//! **The barrier, and the flush.** Both are needed between any two passes, *and after the last*: stripe s reads in pass p what stripe
//! s − 1 wrote in pass p − 1, the column itself as much as its pair. PHAT keeps a thread's last column in the thread's working column until another one is
//! reduced there or all are flushed at the start of the next pass. After the last pass of a dimension nothing flushes it, while the next dimension
//! starts by looking at all its columns; so with two threads a column cleared or changed late can be seen as it was.
//! Here [`Worker::reduce`] writes a column before it returns and [`Team::map`] returns when all have, so no column is
//! anywhere but among the columns at rest when a pass ends.

use std::ops::Range;

use super::problem::{Additions, Problem};
use super::stripes::Stripes;
use super::team::{Team, Worker};
use crate::matrix::Row;
use crate::matrix::columns::WorkingColumn;

/// Stripes in parallel, as many as there are threads.
pub fn spectral_sequence<I: Row, C: WorkingColumn<I>>(problem: &Problem<'_, I>) -> Additions {
    let mut team = Team::<I, C>::new(problem);
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
pub(super) fn reduce_tile<I: Row, C: WorkingColumn<I>>(
    problem: &Problem<'_, I>,
    worker: &mut Worker<I, C>,
    open: &[I],
    block: &Range<usize>,
) -> Vec<I> {
    let within = |pivot: usize| block.contains(&pivot).then(|| problem.reduced(pivot)).flatten();
    let mut left = Vec::new();
    for &column in open {
        match worker.reduce(problem.columns, column.to_usize(), within) {
            Some(pivot) if block.contains(&pivot) => problem.pair(pivot, column.to_usize()),
            Some(_) => left.push(column),
            None => (),
        }
    }
    left
}
