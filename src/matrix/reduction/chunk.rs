//! Chunks in parallel, compression, then the rest (Bauer, Kerber, Reininghaus 2014, "Clear and compress").
//!
//! ```text
//! cut the columns into chunks of about √n
//! for each dimension, from the greatest down:                                  1. local pairs
//!     for each chunk, in parallel: reduce within the chunk's rows, pair, clear
//!     for each chunk, in parallel: reduce within its rows and those of the chunk before, pair, clear
//! for each column that has no pair, in parallel:                               2. compression
//!     a row that is a paired column goes
//!     a row that is paired goes, with the column it is paired with added, if that is active
//! for each dimension, from the greatest down:                                  3. global pairs
//!     for each column that has no pair, from left to right: as in twist
//! ```
//!
//! *Active* is a column, paired with row i, that has rows left once all but i are compressed; to add one that is not
//! is to remove i. The other rows of a column with low i are less than i, and the columns they are paired with depend
//! on yet smaller rows, so to go through the rows upwards settles all, without a search.
//!
//! **Why parallel is safe.** In the first pass of phase 1, a chunk reads and writes pairs of its own rows only. In the
//! second, its open columns have lows before the chunk, and it pairs rows of the chunk before; that one's open columns
//! have lows yet earlier, so no row is paired by two, and the columns read belong to pairs of the first pass, or of
//! the chunk itself. In phase 2 each column changes alone and reads paired columns, which stay. A barrier parts the
//! passes, dimensions and phases (`Team::map` is one). Phase 3 is sequential, as it was published.
//!
//! **What is kept of it.** Phase 1 only: compression leaves rows out of the columns that have no pair, one after the other, and a matrix of
//! which some columns have such rows and some have not has other pairs.

use phat_formats::Index;

use super::problem::{Additions, ReductionProblem};
use super::team::{Rewrite, Team, Worker};
use crate::matrix::index::SharedIndex;
use crate::matrix::pivot_lookup::PivotLookup;
use crate::matrix::reduction_matrix::ReductionMatrix;
use crate::matrix::working_columns::WorkingColumn;

/// Reduces chunks, compresses, then reduces what is left.
pub fn chunk<I: SharedIndex, C: WorkingColumn<I>>(problem: &ReductionProblem<'_, I, C>) -> Additions {
    let mut team = Team::new(problem);
    let open: Vec<Vec<I>> =
        problem.dimensions().map(|columns| pair_locally(problem, &mut team, &columns)).collect();
    let kinds = kinds(problem.matrix, problem.lookup);
    let rule = |row: usize| match kinds[row] {
        Kind::Global => Rewrite::Keep,
        Kind::Negative | Kind::Inactive => Rewrite::Drop,
        Kind::Active => problem.reduced(row).map_or(Rewrite::Keep, Rewrite::Add),
    };
    problem.matrix.keep_no_longer();
    let mut global = Worker::new(problem);
    for columns in open {
        team.each(&columns, |worker, column| worker.rewrite(problem.matrix, column.to_usize(), rule));
        for column in columns.into_iter().map(Index::to_usize) {
            if let Some(pivot) = global.reduce(problem.matrix, column, |pivot| problem.reduced(pivot)) {
                problem.pair(pivot, column);
            }
        }
    }
    team.additions() + global.additions
}

/// Phase 1 for the columns of a dimension. Returns those that have no pair, ascending.
fn pair_locally<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    team: &mut Team<'_, I, C>,
    columns: &[I],
) -> Vec<I> {
    let size = problem.matrix.len().isqrt().max(1);
    let number = |column: &I| column.to_usize() / size;
    let cut = columns.chunk_by(|a, b| number(a) == number(b));
    let numbers: Vec<usize> = cut.clone().map(|columns| number(&columns[0])).collect();
    let mut chunks: Vec<Vec<I>> = cut.map(<[I]>::to_vec).collect();
    for before in [0, 1] {
        chunks = team.map(chunks.len(), |worker, chunk| {
            reduce_chunk(problem, worker, &chunks[chunk], numbers[chunk].saturating_sub(before) * size)
        });
    }
    chunks.concat()
}

/// Reduces columns as long as their low is at or after `first`. Returns those that have no pair then.
fn reduce_chunk<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    worker: &mut Worker<'_, I, C>,
    columns: &[I],
    first: usize,
) -> Vec<I> {
    let near = |pivot: usize| if pivot >= first { problem.reduced(pivot) } else { None };
    let mut open = Vec::new();
    for &column in columns {
        match worker.reduce(problem.matrix, column.to_usize(), near) {
            Some(pivot) if pivot >= first => problem.pair(pivot, column.to_usize()),
            Some(_) => open.push(column),
            None => (),
        }
    }
    open
}

/// What compression does with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// In no local pair: it stays.
    Global,
    /// A paired column: no low is ever here.
    Negative,
    /// A paired row, of a column that is not active.
    Inactive,
    /// A paired row, of an active column.
    Active,
}

fn kinds<I: SharedIndex>(matrix: &ReductionMatrix<'_, I>, lookup: &PivotLookup<I>) -> Vec<Kind> {
    let mut kinds = vec![Kind::Global; matrix.len()];
    lookup.pairs().for_each(|(_, column)| kinds[column] = Kind::Negative);
    // By row, upwards: the rows that a column depends on are settled.
    for (low, column) in lookup.pairs() {
        let stays = |row: &I| matches!(kinds[row.to_usize()], Kind::Global | Kind::Active);
        let active = matrix.column(column).iter().filter(|row| row.to_usize() != low).any(stays);
        kinds[low] = if active { Kind::Active } else { Kind::Inactive };
    }
    kinds
}
