//! SS+: the spectral sequence with tiles or columns as tasks, by load (Zhang et al. 2019, HYPHA).
//!
//! In [`mod@super::spectral_sequence`] a pass takes as long as its slowest tile, and the work is seldom balanced:
//! where all cells of a dimension come after those of the one below, each pass has a single non-empty tile. And each
//! pass visits all open columns, whether their low is in its blocks or not. So here columns are stored in the tiles
//! of their lows (`tiles.rs`), and a pass takes its tiles out and classifies them first:
//!
//! ```text
//! for each dimension, from the greatest down:
//!     cut its columns into stripes, and put them into tiles
//!     for each pass:
//!         heavy: a tile with more than a thread's share of the columns of this pass, and with many,
//!                of which some have the low of a reduced column
//!         in parallel:
//!             each tile that is not heavy is a task, as in the spectral sequence
//!             some columns of a heavy tile are a task: add what earlier passes paired, while their low is in the block
//!         barrier
//!         in parallel: each heavy tile is a task, as in the spectral sequence
//!         put the columns whose low is in an earlier block into the tile there
//! ```
//!
//! **Why parallel is safe.** While the columns of a heavy tile are tasks, none of them is paired, and no other stripe
//! writes the pairs of its block in this pass: each task reads pairs of earlier passes only, and writes its own
//! columns only. After the barrier, the additions between columns of the tile itself remain. They are the same
//! additions in the same order as without the first step, so no work is repeated. Light tiles and heavy ones share
//! neither columns nor blocks.
//!
//! **Barriers.** Three are needed: between the columns and the settling of the heavy tiles (settling makes pairs, and
//! its columns must not be found by tasks that expect earlier ones only, nor be read half-written), between passes,
//! and between dimensions (as in the spectral sequence, flush included: a column is written when its task ends). A
//! pass without columns needs none, and a pass with a single task wakes no other thread. The published program adds
//! the flush after the last pass that PHAT, on which it is built, lacks.
//!
//! **Deviations.** The paper switches from tiles to columns, at the start of each round, where the unstable columns
//! lie in a small portion of its tiles and are many more than the threads; it gives neither thresholds nor tile
//! sizes, and the published program has plain stripes only. So these choices are ours. The figures are seconds on
//! high_genus with bit trees and two threads; each pass counts as long as the processor times of its tasks take when
//! two threads share them (the machine was busy):
//!
//! | choice | value | why |
//! |---|---|---|
//! | "a small portion of the tiles" | a tile with more than a thread's share of the columns, each tile by itself | the other threads would wait for it |
//! | "many more than the threads" | more than 8 columns per thread (`MANY`) | 0.124; with 64: 0.143; never: 0.138 |
//! | "unstable columns" | of a sample of 64 columns of the tile (`ASKED`) one has an addition to do | otherwise columns would be visited twice |
//! | tile size | 2 stripes per thread, at least 8 (`STRIPES`, `LEAST_STRIPES`), at most one per 1024 columns | 8 stripes 0.124, 4: 0.160, 2: 0.158; with 16 threads 32 stripes are faster than 64, which write long columns back too often |
//!
//! All threads list the columns of each dimension: on matrices with few additions that would otherwise be half of the
//! time.
//!
//! With one thread there is one stripe, and the algorithm is [`mod@super::twist`].

use super::problem::{Additions, ReductionProblem};
use super::team::Team;
use super::tiles::{Tile, Tiles};
use crate::matrix::index::SharedIndex;

/// Number of stripes per thread with several threads, so that a thread that ends early finds more work.
const STRIPES: usize = 2;

/// Minimum number of stripes with several threads.
const LEAST_STRIPES: usize = 8;

/// Minimum number of columns per stripe beyond one stripe per thread: a shorter pass ends before its threads have
/// woken.
const STRIPE: usize = 1 << 10;

/// Number of columns per thread from which a tile has many.
const MANY: usize = 8;

/// Size of the sample of a tile's columns that is searched for an addition.
const ASKED: usize = 64;

/// Number of columns that a thread lists at a time.
const PART: usize = 1 << 14;

/// Number of columns in a task.
const BATCH: usize = 16;

/// Reduces tiles or columns in parallel.
pub fn ss_plus<I: SharedIndex>(problem: &ReductionProblem<'_, I>) -> Additions {
    let mut team = Team::new(problem);
    let parts: Vec<&[I]> = problem.todo.chunks(PART).collect();
    let by_dimension = team.map(parts.len(), |_, part| problem.by_dimension(parts[part]));
    for dim in (0..by_dimension.first().map_or(0, Vec::len)).rev() {
        let open = open(problem, &mut team, &by_dimension, dim);
        let columns = open.iter().map(Vec::len).sum();
        let mut tiles = Tiles::cut(problem, &open, stripes(columns, problem.threads));
        for pass in 0..tiles.count() {
            run_pass(problem, &mut team, &mut tiles, pass);
        }
    }
    team.additions()
}

/// The non-zero columns of a dimension, ascending, as [`ReductionProblem::dimensions`] lists them, but in parallel.
/// Each of `parts` holds its columns by dimension, and yields one list.
fn open<I: SharedIndex>(
    problem: &ReductionProblem<'_, I>,
    team: &mut Team<'_, I>,
    parts: &[Vec<Vec<I>>],
    dim: usize,
) -> Vec<Vec<I>> {
    let is_open = |column: &I| problem.is_open(*column);
    let open_of = |part: usize| parts[part][dim].iter().copied().filter(is_open).collect::<Vec<I>>();
    team.map(parts.len(), |_, part| open_of(part))
}

/// Number of stripes for `columns` columns.
fn stripes(columns: usize, threads: usize) -> usize {
    let most = (STRIPES * threads).max(LEAST_STRIPES);
    if threads <= 1 { 1 } else { (columns / STRIPE).clamp(threads, most) }
}

/// A unit of work in the first step of a pass.
enum Task<'a, I> {
    /// A tile, by its place among those of the pass.
    Tile(usize),
    /// Some columns of the tile at the given place.
    Columns(usize, &'a [I]),
}

fn run_pass<I: SharedIndex>(
    problem: &ReductionProblem<'_, I>,
    team: &mut Team<'_, I>,
    tiles: &mut Tiles<I>,
    pass: usize,
) {
    let now = tiles.take(pass);
    let loads: Vec<usize> = now.iter().map(|tile| tile.columns.len()).collect();
    let heavy = heavy_tiles(&loads, problem.threads);
    let by_columns: Vec<usize> =
        heavy.into_iter().filter(|&tile| wants_additions(problem, &now[tile])).collect();
    let by_tile = (0..now.len()).filter(|tile| !by_columns.contains(tile));
    let columns = by_columns
        .iter()
        .flat_map(|&tile| now[tile].columns.chunks(BATCH).map(move |columns| Task::Columns(tile, columns)));
    // Tiles come first: a column is a short task, so the last tasks end at nearly the same time.
    let tasks: Vec<Task<'_, I>> = by_tile.map(Task::Tile).chain(columns).collect();
    let first = team.map(tasks.len(), |worker, task| match tasks[task] {
        Task::Tile(tile) => Some((tile, tiles.settle(problem, worker, &now[tile]))),
        Task::Columns(tile, columns) => {
            tiles.add_earlier(problem, worker, now[tile].block, columns);
            None
        }
    });
    let second = team.map(by_columns.len(), |worker, task| {
        (by_columns[task], tiles.settle(problem, worker, &now[by_columns[task]]))
    });
    for (tile, left) in first.into_iter().flatten().chain(second) {
        tiles.put(now[tile].stripe, left);
    }
}

/// The tiles that have more than a thread's share of the columns, and many. With one thread there are none, since its
/// share is all columns.
fn heavy_tiles(loads: &[usize], threads: usize) -> Vec<usize> {
    let total: usize = loads.iter().sum();
    let is_heavy = |load: usize| load * threads > total && load > MANY * threads;
    (0..loads.len()).filter(|&tile| is_heavy(loads[tile])).collect()
}

/// Whether one of a sample of columns of a tile has the low of a reduced column.
fn wants_additions<I: SharedIndex>(problem: &ReductionProblem<'_, I>, tile: &Tile<I>) -> bool {
    let some = tile.columns.iter().step_by(tile.columns.len().div_ceil(ASKED).max(1));
    some.filter_map(|column| problem.matrix.low(column.to_usize()))
        .any(|low| problem.lookup.get(low).is_some())
}

#[cfg(test)]
mod tests {
    use super::{heavy_tiles, stripes};

    #[test]
    fn a_tile_is_heavy_above_a_threads_share_if_it_has_many_columns() {
        assert!(heavy_tiles(&[0, 50, 51, 1], 2).is_empty());
        assert_eq!(heavy_tiles(&[0, 52, 50, 1], 2), [1]);
        assert_eq!(heavy_tiles(&[90, 0, 90, 30], 4), [0, 2]);
        assert_eq!(heavy_tiles(&[17], 2), [0]);
        assert!(heavy_tiles(&[16], 2).is_empty());
        assert!(heavy_tiles(&[70, 0], 1).is_empty());
        assert!(heavy_tiles(&[0, 0], 2).is_empty());
    }

    #[test]
    fn few_columns_make_a_stripe_a_thread() {
        assert_eq!(stripes(1_000_000, 1), 1);
        assert_eq!([10, 5_000, 1_000_000].map(|columns| stripes(columns, 2)), [2, 4, 8]);
    }
}
