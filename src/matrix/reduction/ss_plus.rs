//! SS+: the spectral sequence with tiles or columns as tasks, by load (Zhang et al. 2019, HYPHA).
//!
//! In [`mod@super::spectral_sequence`] a pass takes as long as its slowest tile, and the work is seldom spread evenly:
//! where all cells of a dimension come after those of the one below, each pass has a single tile with anything in it.
//! So each pass looks at its tiles first:
//!
//! ```text
//! for each dimension, from the greatest down:
//!     cut its columns into stripes, several for each thread
//!     for each pass:
//!         the load of a tile: its open columns whose low is in its block
//!         heavy: a tile with more than a thread's share of all loads
//!         in parallel:
//!             each tile that is not heavy is a task, as in the spectral sequence
//!             each column of a heavy tile is a task: add what earlier passes paired, while its low is in the block
//!         barrier
//!         in parallel: each heavy tile is a task, as in the spectral sequence
//! ```
//!
//! **Why parallel is safe.** While the columns of a heavy tile are tasks, none of them is paired, and no other stripe
//! writes the pairs of its block in this pass: they read pairs of earlier passes only, and each writes but itself. The
//! step after the barrier is then left with the additions between columns of the tile itself. They are the same
//! additions in the same order as without the first step, so nothing is done twice. Light tiles and heavy ones share
//! neither columns nor blocks.
//!
//! **What needs the barrier.** Three do: columns → settling of the heavy tiles (settling pairs, and its columns must
//! not be found by the tasks that expect earlier ones only, nor be read half way), pass → pass and dimension →
//! dimension (as in the spectral sequence, flush included: a column is written when its task ends). The published
//! program adds the flush after the last pass that PHAT, on which it is built, lacks.
//!
//! **What is ours.** The paper switches from tiles to columns, at the start of each round, where the unstable columns lie in a small
//! portion of its tiles and are many more than the threads; it gives neither thresholds nor tile sizes, and the
//! published program has plain stripes only. So the rule of loads above, applied to each tile by itself, the number of stripes
//! (`STRIPES`) and the number of columns in a task (`BATCH`) are our choices.
//!
//! With one thread there is one stripe, and the algorithm is [`mod@super::twist`].

use std::ops::Range;

use super::problem::{Additions, ReductionProblem};
use super::spectral_sequence::reduce_tile;
use super::stripes::Stripes;
use super::team::{Team, Worker};
use crate::matrix::index::SharedIndex;
use crate::matrix::working_columns::WorkingColumn;

/// Stripes for each thread where there are several threads, so that a thread that is done early finds another.
const STRIPES: usize = 4;

/// Columns of a heavy tile that a thread takes at a time.
const BATCH: usize = 16;

/// Reduces tiles or columns in parallel.
pub fn ss_plus<I: SharedIndex, C: WorkingColumn<I>>(problem: &ReductionProblem<'_, I, C>) -> Additions {
    let mut team = Team::new(problem);
    let stripes = if problem.threads > 1 { STRIPES * problem.threads } else { 1 };
    for columns in problem.dimensions() {
        let mut stripes = Stripes::cut(&columns, stripes);
        for pass in 0..stripes.count() {
            run_pass(problem, &mut team, &mut stripes, pass);
        }
    }
    team.additions()
}

/// What a thread does at a time in the first step of a pass.
enum Task<'a, I> {
    /// The tile of a stripe.
    Tile(usize),
    /// Columns of the heavy tile of a stripe.
    Columns(usize, &'a [I]),
}

fn run_pass<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    team: &mut Team<I, C>,
    stripes: &mut Stripes<I>,
    pass: usize,
) {
    let loads = team.map(stripes.count(), |_, stripe| load(problem, stripes, stripe, pass));
    let heavy = heavy_tiles(&loads, problem.threads);
    let light = (0..stripes.count()).filter(|stripe| loads[*stripe] > 0 && !heavy.contains(stripe));
    let columns = heavy.iter().flat_map(|&stripe| {
        stripes.open[stripe].chunks(BATCH).map(move |columns| Task::Columns(stripe, columns))
    });
    // Tiles come first: a column is a short task, so the last tasks end at nearly the same time.
    let tasks: Vec<Task<'_, I>> = light.map(Task::Tile).chain(columns).collect();
    let settle = |worker: &mut Worker<I, C>, stripe: usize| {
        (stripe, reduce_tile(problem, worker, &stripes.open[stripe], &stripes.block(stripe, pass)))
    };
    let first = team.map(tasks.len(), |worker, task| match tasks[task] {
        Task::Tile(stripe) => Some(settle(worker, stripe)),
        Task::Columns(stripe, columns) => {
            add_earlier(problem, worker, columns, &stripes.block(stripe, pass));
            None
        }
    });
    let second = team.map(heavy.len(), |worker, task| settle(worker, heavy[task]));
    for (stripe, open) in first.into_iter().flatten().chain(second) {
        stripes.open[stripe] = open;
    }
}

/// The open columns of a tile: those of the stripe whose low is in the block of this pass.
fn load<I: SharedIndex, C>(
    problem: &ReductionProblem<'_, I, C>,
    stripes: &Stripes<I>,
    stripe: usize,
    pass: usize,
) -> usize {
    let block = stripes.block(stripe, pass);
    let within = |column: &&I| problem.matrix.low(column.to_usize()).is_some_and(|low| block.contains(&low));
    if block.is_empty() { 0 } else { stripes.open[stripe].iter().filter(within).count() }
}

/// The stripes whose tile has more than a thread's share. With one thread there are none, since its share is the whole load.
fn heavy_tiles(loads: &[usize], threads: usize) -> Vec<usize> {
    let total: usize = loads.iter().sum();
    (0..loads.len()).filter(|&stripe| loads[stripe] * threads > total).collect()
}

/// Adds to each column what earlier passes paired in the block.
fn add_earlier<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    worker: &mut Worker<I, C>,
    columns: &[I],
    block: &Range<usize>,
) {
    let within = |pivot: usize| block.contains(&pivot).then(|| problem.reduced(pivot)).flatten();
    for column in columns {
        worker.reduce(problem.matrix, column.to_usize(), within);
    }
}

#[cfg(test)]
mod tests {
    use super::heavy_tiles;

    #[test]
    fn a_tile_is_heavy_above_a_threads_share() {
        assert!(heavy_tiles(&[0, 50, 51, 1], 2).is_empty());
        assert_eq!(heavy_tiles(&[0, 52, 50, 1], 2), [1]);
        assert_eq!(heavy_tiles(&[9, 0, 9, 3], 4), [0, 2]);
        assert_eq!(heavy_tiles(&[7], 2), [0]);
        assert!(heavy_tiles(&[7, 0], 1).is_empty());
        assert!(heavy_tiles(&[0, 0], 2).is_empty());
    }
}
