//! The spectral sequence: reduces stripes in parallel, pass by pass (Edelsbrunner, Harer 2010, §VII.4; Bauer, Kerber,
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
//! **Why parallel is safe.** In pass p the pairs of block b are written by stripe b + p alone, so no two threads
//! write the same pair. Stripe s reads only pairs of block s − p, which the stripes to its left wrote in earlier
//! passes and itself in this one. The columns that it adds belong to these pairs; they are reduced, and no thread
//! changes them.
//!
//! **The barrier, and the flush.** Both are needed between any two passes *and after the last*: stripe s reads in
//! pass p the columns and pairs that stripe s − 1 wrote in pass p − 1; and the next dimension, and the reader of the
//! result, reads what the last pass wrote. PHAT leaves the column that a thread reduced last in the thread's working
//! column, and flushes these columns at the start of each pass. It does not flush after the last pass, and then reads
//! the pairs off the stored columns: the last column of another thread is still the version before, so with two
//! threads a pair can be wrong. Here `Worker::reduce` writes a column before it returns, `Team::map` returns when all
//! workers have, and pairs are read off the lookup.

use super::problem::{Additions, ReductionProblem};
use super::stripes::Stripes;
use super::team::Team;
use crate::matrix::index::SharedIndex;

/// Reduces stripes in parallel, as many as there are threads.
pub fn spectral_sequence<I: SharedIndex>(problem: &ReductionProblem<'_, I>) -> Additions {
    let mut team = Team::new(problem);
    for columns in problem.dimensions() {
        let mut stripes = Stripes::cut(&[columns], problem.threads);
        for pass in 0..stripes.count() {
            stripes.open = team.map(stripes.count(), |worker, stripe| {
                let mut left = Vec::new();
                let (open, block) = (&stripes.open[stripe], stripes.block(stripe, pass));
                worker.reduce_within(problem, open, &block, |column, _| left.push(column));
                left
            });
        }
    }
    team.additions()
}
