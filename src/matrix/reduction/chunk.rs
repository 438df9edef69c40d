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
//! that is not active only removes i. So the second phase is [`compression`](super::compression) with the local
//! pairs in place of the stable ones.
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

use super::compression::Compression;
use super::problem::{Additions, ReductionProblem};
use super::team::{Team, Worker};
use crate::matrix::index::SharedIndex;

/// Reduces chunks, compresses, and reduces the remaining columns.
pub fn chunk<I: SharedIndex>(problem: &ReductionProblem<'_, I>) -> Additions {
    let mut team = Team::new(problem);
    let open: Vec<Vec<I>> =
        problem.dimensions().map(|columns| pair_locally(problem, &mut team, &columns)).collect();
    let mut is_destroyer = vec![false; problem.matrix.len()];
    problem.lookup.pairs().for_each(|(_, column)| is_destroyer[column] = true);
    let compression = Compression::new(problem, &is_destroyer);
    problem.matrix.keep_no_longer();
    let mut global = Worker::new(problem);
    for columns in open {
        team.each(&columns, |worker, column| compression.compress(worker, column.to_usize()));
        global.reduce_within(problem, &columns, &(0..usize::MAX), |_, _| ());
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
            let mut open = Vec::new();
            let block = numbers[chunk].saturating_sub(before) * size..usize::MAX;
            worker.reduce_within(problem, &chunks[chunk], &block, |column, _| open.push(column));
            open
        });
    }
    chunks.concat()
}
