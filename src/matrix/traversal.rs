//! Division of a pass over all columns of a matrix into tasks and batches.

use std::hint::black_box;
use std::ops::Range;

use super::index::{AtomicIndex, SharedIndex};

/// Number of columns in a task.
pub(super) const TASK: usize = 1 << 13;

/// Number of columns in a batch.
const BATCH: usize = 16;

/// Divides the columns of a task into batches. [`touch`] loads the table entries of a batch together.
pub(super) fn batches(columns: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    columns.clone().step_by(BATCH).map(move |first| first..columns.end.min(first + BATCH))
}

/// Loads the given entries of a table ahead of their use, so that the loads overlap.
///
/// The tables of a large matrix lie in memory and not in the cache. The next step often depends on the value of an
/// entry, so a mispredicted branch or a dependent address waits for each load in turn. Independent loads overlap,
/// some twenty at a time; so a loop that knows its next addresses calls this first.
#[inline]
pub(super) fn touch<I: SharedIndex>(table: &[I::Atomic], places: impl Iterator<Item = usize>) {
    let mut sum = 0;
    for place in places {
        sum ^= table[place].peek().to_usize();
    }
    black_box(sum);
}
