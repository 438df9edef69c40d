//! Parallel loops over pieces of work on the current thread pool, compiled once for all types. Most of them are in the
//! crate `phat-formats`, whose readers use them as well.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub(crate) use phat_formats::parallel::{
    Unwound, each, each_of, found, into_inner, join, joined, listed, lock, map, pieces_mut, position, ranges,
    table,
};

use crate::memory::budget::settle;

/// A range of numbers that threads take in portions, so that a thread that finishes early takes more.
#[derive(Debug)]
pub(crate) struct SharedRange {
    start: usize,
    next: AtomicUsize,
    end: usize,
    at_once: usize,
}

impl SharedRange {
    /// Creates the range 0..`end`, taken in portions of `at_once` ≥ 1 numbers.
    pub(crate) fn new(end: usize, at_once: usize) -> Self {
        SharedRange::of(0..end, at_once)
    }

    /// Creates a range, taken in portions of `at_once` ≥ 1 numbers.
    pub(crate) fn of(Range { start, end }: Range<usize>, at_once: usize) -> Self {
        SharedRange { start, next: AtomicUsize::new(start), end, at_once }
    }

    /// Takes the next portion; `None` if all numbers are taken.
    pub(crate) fn take(&self) -> Option<Range<usize>> {
        let start = self.next.fetch_add(self.at_once, Ordering::Relaxed);
        (start < self.end).then(|| start..self.end.min(start.saturating_add(self.at_once)))
    }

    /// Calls `work`, which takes portions until there are none, on every thread of the current pool, and returns when
    /// all calls have. If there is only one portion, `work` runs on the calling thread, and no other is woken.
    pub(crate) fn share(&self, work: &(dyn Fn() + Sync)) {
        if self.end.saturating_sub(self.start) <= self.at_once {
            work();
        } else {
            rayon::broadcast(|_| work());
        }
    }
}

/// Calls `work` with each item and returns the results in order. As many threads as the current pool has take the
/// items one by one; each of them is the only thread of a pool of its own, so that parallel loops inside `work` stay
/// on it.
pub fn side_by_side<I: Send, R: Send>(items: Vec<I>, work: &(dyn Fn(I) -> R + Sync)) -> Vec<R> {
    let workers = rayon::current_num_threads().min(items.len());
    let mut results: Vec<Option<R>> = std::iter::repeat_with(|| None).take(items.len()).collect();
    let tasks = Mutex::new(items.into_iter().zip(&mut results));
    let take_all = || {
        loop {
            let task = lock(&tasks).next();
            let Some((item, result)) = task else { return };
            *result = Some(work(item));
        }
    };
    thread::scope(|scope| {
        for _ in 0..workers {
            // A pool that uses its creator as its thread is never freed. So each pool has a thread of its own, for
            // which its creator waits.
            let alone = || {
                match rayon::ThreadPoolBuilder::new().num_threads(1).exit_handler(|_| settle()).build() {
                    Ok(pool) => pool.install(take_all),
                    // Without a pool, parallel loops inside `work` use the current pool, which is slower.
                    Err(_) => take_all(),
                }
                settle();
            };
            // Fewer threads than requested suffice.
            if thread::Builder::new().spawn_scoped(scope, alone).is_err() {
                break;
            }
        }
    });
    // Processes the rest, which is everything if no thread could be started.
    take_all();
    drop(tasks);
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_taken_once() {
        for (end, at_once) in [(0, 1), (1, 16), (1000, 1), (1000, 16), (1024, 16)] {
            let (range, taken) = (SharedRange::new(end, at_once), Mutex::new(Vec::new()));
            range.share(&|| {
                while let Some(numbers) = range.take() {
                    assert!(!numbers.is_empty() && numbers.len() <= at_once);
                    taken.lock().unwrap().extend(numbers);
                }
            });
            let mut taken = taken.into_inner().unwrap();
            taken.sort_unstable();
            assert!(taken.into_iter().eq(0..end), "{end}, {at_once} at once");
        }
    }
}
