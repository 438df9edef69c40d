//! Threads that stay together from one batch to the next.
//!
//! The first thread to arrive leads. It sets up a batch, from which all threads then take numbers until none are left;
//! when all of them are processed it sets up the next. The leader waits only for threads that have taken numbers, so a
//! thread that arrives late, or that the system has preempted, delays no other. A waiting thread spins for a while, and
//! then yields its core between checks.
//!
//! Shared counters travel between the caches of the cores, which one core at a time can write. So a pool is no larger
//! than its batches need, a thread takes many numbers at once, and waiting threads do not read the counters that others
//! write.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::parallel::lock;

/// Number of checks after which a waiting thread yields its core between checks.
const CHECKS: usize = 1 << 8;

/// A pair of cache lines, which are fetched together.
#[derive(Default)]
#[repr(align(128))]
struct Line<T>(T);

/// State of the current batch, each part on cache lines of its own.
#[derive(Default)]
struct Batch {
    /// The part that waiting threads read.
    begun: Line<Begun>,
    /// The next number to take.
    next: Line<AtomicUsize>,
    /// How many numbers of the batch are processed.
    done: Line<AtomicUsize>,
}

/// The batches that have begun.
#[derive(Default)]
struct Begun {
    /// How many batches have begun.
    batches: AtomicUsize,
    /// The size of the latest batch.
    size: AtomicUsize,
    /// Whether all batches are done or a thread has panicked.
    is_over: AtomicBool,
}

/// Marks the work as over when it is dropped: after the last batch, or when a thread unwinds.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Processes batches on `threads` threads of the current pool, each of which takes `at_once` numbers at a time.
///
/// `set_up` uses what was found in the previous batch (nothing at first) and returns the size of the next one, which is
/// not greater than the size of the previous one; 0 ends the work. `search` is called with the number of the thread and
/// the numbers that it takes.
pub(super) fn work(
    threads: usize,
    at_once: usize,
    set_up: &mut (dyn FnMut() -> usize + Send),
    search: &(dyn Fn(usize, Range<usize>) + Sync),
) {
    let batch = Batch::default();
    let set_up = Mutex::new(set_up);
    let arrived = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        let thread = arrived.fetch_add(1, Ordering::Relaxed);
        if thread >= threads.max(1) {
            return;
        }
        let take_all = || batch.take_all(at_once, &|numbers| search(thread, numbers));
        let Begun { batches, size, is_over } = &batch.begun.0;
        // A thread other than the leader returns only after the end. If it unwinds, this ends the wait of the others.
        let _over = Over(is_over);
        if thread > 0 {
            let mut seen = 0;
            while batch.waits_for(|| batches.load(Ordering::Acquire) != seen) {
                seen = batches.load(Ordering::Acquire);
                take_all();
            }
            return;
        }
        let mut set_up = lock(&set_up);
        loop {
            let next_size = set_up();
            if next_size == 0 {
                return;
            }
            batch.done.0.store(0, Ordering::Release);
            size.store(next_size, Ordering::Release);
            batch.next.0.store(0, Ordering::Release);
            batches.fetch_add(1, Ordering::Release);
            take_all();
            if !batch.waits_for(|| batch.done.0.load(Ordering::Acquire) == next_size) {
                return;
            }
        }
    });
}

impl Batch {
    /// Takes and processes numbers until none are left.
    fn take_all(&self, at_once: usize, search: &dyn Fn(Range<usize>)) {
        loop {
            let start = self.next.0.fetch_add(at_once, Ordering::AcqRel);
            // A late thread may take numbers of a batch that has begun since.
            let size = self.begun.0.size.load(Ordering::Acquire);
            if start >= size {
                return;
            }
            let end = size.min(start + at_once);
            search(start..end);
            self.done.0.fetch_add(end - start, Ordering::AcqRel);
        }
    }

    /// Waits until a condition holds; returns false if the work is over before.
    fn waits_for(&self, is_so: impl Fn() -> bool) -> bool {
        let mut checks = 0;
        while !is_so() {
            if self.begun.0.is_over.load(Ordering::Acquire) {
                return false;
            }
            checks += 1;
            if checks < CHECKS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn on(threads: usize, run: impl FnOnce() + Send) {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    }

    #[test]
    fn every_number_of_every_batch_is_taken_once() {
        for (threads, in_pool, at_once) in [(1, 1, 1), (2, 2, 1), (4, 4, 3), (4, 9, 64), (8, 8, 1), (8, 3, 5)]
        {
            on(threads, || {
                let sizes = [40, 40, 40, 17, 1];
                let found = Mutex::new(Vec::new());
                let mut rounds = 0;
                let set_up = &mut || {
                    let mut all = std::mem::take(&mut *lock(&found));
                    all.sort_unstable();
                    let expected = usize::checked_sub(rounds, 1).map_or(0, |before| sizes[before]);
                    assert!(all.into_iter().eq(0..expected));
                    rounds += 1;
                    sizes.get(rounds - 1).copied().unwrap_or(0)
                };
                work(in_pool, at_once, set_up, &|thread, numbers| {
                    assert!(thread < in_pool);
                    lock(&found).extend(numbers);
                });
                assert_eq!(rounds, 1 + sizes.len());
            });
        }
    }

    #[test]
    fn a_thread_that_unwinds_ends_the_work() {
        on(4, || {
            let fails = |_: usize, numbers: Range<usize>| assert!(!numbers.contains(&57), "failed");
            let failed = catch_unwind(AssertUnwindSafe(|| work(4, 4, &mut || 100, &fails)));
            assert!(failed.is_err());
            let fails = &mut || panic!("failed");
            let failed = catch_unwind(AssertUnwindSafe(|| work(4, 4, fails, &|_, _| ())));
            assert!(failed.is_err());
        });
    }
}
