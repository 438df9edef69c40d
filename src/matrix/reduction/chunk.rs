//! Chunks in parallel, compression, then the rest (Bauer, Kerber, Reininghaus 2014, "Clear and compress").
//!
//! ```text
//! cut the columns into chunks of about √n
//! for each dimension, from the greatest down:                                  1. local pairs
//!     for each chunk, in parallel: reduce within the chunk's rows, pair, clear
//!     for each chunk, in parallel: reduce within its rows and those of the chunk before, pair, clear
//! for each column that has no pair, in parallel:                               2. compression
//!     remove the rows whose own columns are paired
//!     remove the rows that are paired, by adding the column they are paired with if it is active
//! for each dimension, from the greatest down:                                  3. global pairs
//!     for each column that has no pair, from left to right: as in twist
//! ```
//!
//! The column paired with row i is *active* if rows are left once all its rows but i are compressed; adding a column
//! that is not active only removes i. The other rows of a column with low i are less than i, and the columns they are
//! paired with depend on yet smaller rows, so one pass over the rows in ascending order decides all, without a
//! search.
//!
//! **Why parallel is safe.** In the first pass of phase 1, a chunk reads and writes pairs of its own rows only. In
//! the second, its open columns have lows before the chunk, and it pairs rows of the chunk before. The open columns
//! of that chunk have lows in yet earlier chunks, so no row is paired by two chunks, and the columns read belong to
//! pairs of the first pass, or of the chunk itself. In phase 2 each column changes alone and reads only paired
//! columns, which do not change. A barrier separates passes, dimensions and phases (`Team::map` is one). Phase 3 is
//! sequential, as published.
//!
//! **Checkpoints** hold phase 1 only: compression leaves rows out of the unpaired columns one after the other, and a
//! matrix in which only some columns lack such rows has other pairs.

use phat_formats::Index;

use super::problem::{Additions, ReductionProblem};
use super::team::{Rewrite, Team, Worker};
use crate::matrix::cell_table::CellTable;
use crate::matrix::index::SharedIndex;
use crate::matrix::reduction_matrix::ReductionMatrix;

/// Reduces chunks, compresses, and reduces the remaining columns.
pub fn chunk<I: SharedIndex>(problem: &ReductionProblem<'_, I>) -> Additions {
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

/// Phase 1 for the columns of a dimension. Returns the unpaired columns, ascending.
fn pair_locally<I: SharedIndex>(
    problem: &ReductionProblem<'_, I>,
    team: &mut Team<'_, I>,
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

/// Reduces columns as long as their low is at or after `first`. Returns the columns that are then unpaired.
fn reduce_chunk<I: SharedIndex>(
    problem: &ReductionProblem<'_, I>,
    worker: &mut Worker<'_, I>,
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

/// The action of compression on a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A row in no local pair: it stays.
    Global,
    /// The row of a paired column, which is never a low: it is removed.
    Negative,
    /// A row paired with a column that is not active: it is removed.
    Inactive,
    /// A row paired with an active column: that column is added.
    Active,
}

fn kinds<I: SharedIndex>(matrix: &ReductionMatrix<'_, I>, lookup: &CellTable<I>) -> Vec<Kind> {
    let mut kinds = vec![Kind::Global; matrix.len()];
    lookup.pairs().for_each(|(_, column)| kinds[column] = Kind::Negative);
    // Rows are visited in ascending order, so the rows that a column depends on are decided.
    for (low, column) in lookup.pairs() {
        let stays = |row: &I| matches!(kinds[row.to_usize()], Kind::Global | Kind::Active);
        let active = matrix.column(column).iter().filter(|row| row.to_usize() != low).any(stays);
        kinds[low] = if active { Kind::Active } else { Kind::Inactive };
    }
    kinds
}
