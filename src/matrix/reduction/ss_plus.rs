//! SS+: the spectral sequence with tiles or columns as tasks, by load (Zhang et al. 2019, HYPHA).
//!
//! In [`mod@super::spectral_sequence`] a pass takes as long as its slowest tile, and the work is seldom spread evenly:
//! where all cells of a dimension come after those of the one below, each pass has a single tile with anything in it.
//! And each pass looks at all open columns, whether their low is in its blocks or not. So here columns lie in the tiles of their lows
//! (`tiles.rs`), a pass takes its tiles out, and it looks at them first:
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
//! writes the pairs of its block in this pass: they read pairs of earlier passes only, and each writes but itself. The
//! step after the barrier is then left with the additions between columns of the tile itself. They are the same
//! additions in the same order as without the first step, so nothing is done twice. Light tiles and heavy ones share
//! neither columns nor blocks.
//!
//! **What needs the barrier.** Three do: columns → settling of the heavy tiles (settling pairs, and its columns must
//! not be found by the tasks that expect earlier ones only, nor be read half way), pass → pass and dimension →
//! dimension (as in the spectral sequence, flush included: a column is written when its task ends). A pass without columns has none, and
//! one with a single task wakes no other thread. The published program adds the flush after the last pass that PHAT, on which it is
//! built, lacks.
//!
//! **What is ours.** The paper switches from tiles to columns, at the start of each round, where the unstable columns lie in a small
//! portion of its tiles and are many more than the threads; it gives neither thresholds nor tile sizes, and the
//! published program has plain stripes only. So these are our choices. The figures are seconds on
//! high_genus with bit trees and two threads, each pass taken as long as the processor times of its tasks take when two threads share them
//! out (the machine was busy):
//!
//! | choice | value | why |
//! |---|---|---|
//! | "a small portion of the tiles" | a tile with more than a thread's share of the columns, each tile by itself | the threads would wait for it |
//! | "many more than the threads" | more than 8 columns a thread (`MANY`) | 0.124; with 64: 0.143; never: 0.138 |
//! | "unstable columns" | of 64 columns of the tile (`ASKED`) one has something to be added to | else a column would be looked at twice |
//! | tile size | 2 stripes a thread, 8 at least (`STRIPES`, `LEAST_STRIPES`), 1024 columns each where there are as many | 8 stripes 0.124, 4: 0.160, 2: 0.158; of 16 threads 32 stripes take less than 64, which write long columns back too often |
//!
//! The columns of each dimension are listed by all threads: on matrices of few additions that is half of the time otherwise.
//!
//! With one thread there is one stripe, and the algorithm is [`mod@super::twist`].

use super::problem::{Additions, ReductionProblem};
use super::team::Team;
use super::tiles::{Tile, Tiles};
use crate::matrix::index::SharedIndex;
use crate::matrix::working_columns::WorkingColumn;

/// Stripes for each thread where there are several threads, so that a thread that is done early finds another.
const STRIPES: usize = 2;

/// Stripes where there are few threads.
const LEAST_STRIPES: usize = 8;

/// Columns for which a stripe more than one a thread is worth while: with fewer a pass ends sooner than its threads have woken.
const STRIPE: usize = 1 << 10;

/// Columns for each thread from which a tile has many.
const MANY: usize = 8;

/// Columns of a tile that are asked whether there is something to add to them.
const ASKED: usize = 64;

/// Columns that a thread lists at a time.
const PART: usize = 1 << 14;

/// Columns that a thread takes at a time where columns are tasks.
const BATCH: usize = 16;

/// Reduces tiles or columns in parallel.
pub fn ss_plus<I: SharedIndex, C: WorkingColumn<I>>(problem: &ReductionProblem<'_, I, C>) -> Additions {
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

/// The columns of a dimension that are not zero, ascending, as [`ReductionProblem::dimensions`] lists them, but listed by all threads. Each
/// part of the columns is given by dimension, and answered by one.
fn open<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    team: &mut Team<'_, I, C>,
    parts: &[Vec<Vec<I>>],
    dim: usize,
) -> Vec<Vec<I>> {
    let is_open = |column: &I| problem.is_open(*column);
    let open_of = |part: usize| parts[part][dim].iter().copied().filter(is_open).collect::<Vec<I>>();
    team.map(parts.len(), |_, part| open_of(part))
}

/// The number of stripes of so many columns.
fn stripes(columns: usize, threads: usize) -> usize {
    let most = (STRIPES * threads).max(LEAST_STRIPES);
    if threads <= 1 { 1 } else { (columns / STRIPE).clamp(threads, most) }
}

/// What a thread does at a time in the first step of a pass.
enum Task<'a, I> {
    /// A tile, by its place among those of the pass.
    Tile(usize),
    /// Columns of the tile at this place.
    Columns(usize, &'a [I]),
}

fn run_pass<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    team: &mut Team<'_, I, C>,
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

/// The tiles that have more than a thread's share of the columns, and many. With one thread there are none, since its share is all.
fn heavy_tiles(loads: &[usize], threads: usize) -> Vec<usize> {
    let total: usize = loads.iter().sum();
    let is_heavy = |load: usize| load * threads > total && load > MANY * threads;
    (0..loads.len()).filter(|&tile| is_heavy(loads[tile])).collect()
}

/// Whether, of some columns of a tile, one has the low of a reduced column.
fn wants_additions<I: SharedIndex, C>(problem: &ReductionProblem<'_, I, C>, tile: &Tile<I>) -> bool {
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
