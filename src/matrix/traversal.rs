//! How one pass over all columns of a matrix is cut into tasks and batches.

use std::hint::black_box;
use std::ops::Range;

use super::index::{AtomicIndex, SharedIndex};
use crate::parallel;

/// Columns of a task.
pub(super) const TASK: usize = 1 << 13;

/// Columns of a batch.
const BATCH: usize = 16;

/// Calls `work` with ranges of columns, in parallel.
pub(super) fn each_task(columns: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    parallel::ranges(columns, TASK, work);
}

/// What `work` returns for ranges of columns, which it is called with in parallel, in their order.
pub(super) fn map_tasks<R: Send>(columns: usize, work: &(dyn Fn(Range<usize>) -> R + Sync)) -> Vec<R> {
    parallel::map(columns.div_ceil(TASK), &|task| work(task * TASK..columns.min((task + 1) * TASK)))
}

/// Batches of the columns of a task. The table entries of a batch are loaded together, see [`touch`].
pub(super) fn batches(columns: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    columns.clone().step_by(BATCH).map(move |first| first..columns.end.min(first + BATCH))
}

/// Loads the entries of a table that are about to be used, in any order.
///
/// The tables of a large matrix lie in memory and not in the cache. What is done with an entry often depends on its
/// value, so a mispredicted branch or a dependent address waits for each load in turn. Loads on which nothing depends
/// overlap, some twenty at a time. So a loop that knows its next addresses calls this first.
#[inline]
pub(super) fn touch<I: SharedIndex>(table: &[I::Atomic], places: impl Iterator<Item = usize>) {
    let mut sum = 0;
    for place in places {
        sum ^= table[place].peek().to_usize();
    }
    black_box(sum);
}
