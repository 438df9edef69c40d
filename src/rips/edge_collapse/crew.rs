//! Threads that stay together from one batch to the next.
//!
//! The first thread to arrive leads. It sets up a batch, from which all threads then take numbers until none are left;
//! when all of them are processed it sets up the next. The leader waits only for threads that have taken numbers, so a
//! thread that arrives late, or that the system has preempted, delays no other. A waiting thread spins for a while, and
//! then yields its core between checks.
//!
//! Shared counters travel between the caches of the cores, which one core at a time can write. So a crew is no larger
//! than its batches need, a thread takes many numbers at once, and waiting threads do not read the counters that others
//! write.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use crate::parallel::lock;

/// Number of checks after which a waiting thread yields its core between checks.
const LOOKS: usize = 1 << 8;

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

/// The number of threads, and the most numbers that one takes at a time.
#[derive(Clone, Copy)]
pub(super) struct Crew {
    pub(super) threads: usize,
    pub(super) at_once: usize,
}

/// Marks the work as over when it is dropped: after the last batch, or when a thread unwinds.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Processes batches on threads of the current pool and returns the state.
///
/// `set_up` receives what the threads found in the previous batch (nothing at first) and returns the size of the next
/// one, which is not greater than the size of the previous one; 0 ends the work. `search` is called with disjoint
/// ranges of numbers of the batch; it stores what it finds in its thread's `F`.
pub(super) fn work<S: Send + Sync, F: Default + Send>(
    state: S,
    crew: Crew,
    set_up: &mut (dyn FnMut(&mut S, &mut [MutexGuard<'_, F>]) -> usize + Send),
    search: &(dyn Fn(&S, &mut F, Range<usize>) + Sync),
) -> S {
    let state = RwLock::new(state);
    let batch = Batch::default();
    let found: Vec<Mutex<F>> = (0..crew.threads.max(1)).map(|_| Mutex::default()).collect();
    // The first thread takes `set_up` and so becomes the leader.
    let set_up = Mutex::new(Some(set_up));
    let come = AtomicUsize::new(0);
    rayon::broadcast(|_| {
        let Some(own) = found.get(come.fetch_add(1, Ordering::Relaxed)) else { return };
        let take = || batch.take_all(&state, own, crew.at_once, search);
        let taken = lock(&set_up).take();
        let Begun { batches, size, is_over } = &batch.begun.0;
        let Some(set_up) = taken else {
            let mut seen = 0;
            while batch.waits_for(|| batches.load(Ordering::Acquire) != seen) {
                seen = batches.load(Ordering::Acquire);
                take();
            }
            return;
        };
        let _over = Over(is_over);
        loop {
            let next_size = {
                let mut state = state.write().unwrap_or_else(PoisonError::into_inner);
                let mut found: Vec<MutexGuard<'_, F>> = found.iter().map(lock).collect();
                set_up(&mut state, &mut found)
            };
            if next_size == 0 {
                return;
            }
            batch.done.0.store(0, Ordering::Release);
            size.store(next_size, Ordering::Release);
            batch.next.0.store(0, Ordering::Release);
            batches.fetch_add(1, Ordering::Release);
            take();
            if !batch.waits_for(|| batch.done.0.load(Ordering::Acquire) == next_size) {
                return;
            }
        }
    });
    state.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn read<S>(state: &RwLock<S>) -> RwLockReadGuard<'_, S> {
    state.read().unwrap_or_else(PoisonError::into_inner)
}

impl Batch {
    /// Takes and processes numbers until none are left.
    fn take_all<S, F>(
        &self,
        state: &RwLock<S>,
        own: &Mutex<F>,
        at_once: usize,
        search: &(dyn Fn(&S, &mut F, Range<usize>) + Sync),
    ) {
        loop {
            let start = self.next.0.fetch_add(at_once, Ordering::AcqRel);
            // A late thread may take numbers of a batch that has begun since.
            let size = self.begun.0.size.load(Ordering::Acquire);
            if start >= size {
                return;
            }
            let numbers = start..size.min(start + at_once);
            let count = numbers.len();
            {
                // If this thread unwinds, its numbers are never counted as processed: `over` ends the wait of the
                // others.
                let over = Over(&self.begun.0.is_over);
                search(&read(state), &mut lock(own), numbers);
                std::mem::forget(over);
            }
            self.done.0.fetch_add(count, Ordering::AcqRel);
        }
    }

    /// Waits until a condition holds; returns false if the work is over before.
    fn waits_for(&self, is_so: impl Fn() -> bool) -> bool {
        let mut looks = 0;
        while !is_so() {
            if self.begun.0.is_over.load(Ordering::Acquire) {
                return false;
            }
            looks += 1;
            if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
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
        for (threads, in_crew, at_once) in [(1, 1, 1), (2, 2, 1), (4, 4, 3), (4, 9, 64), (8, 8, 1), (8, 3, 5)]
        {
            on(threads, || {
                let crew = Crew { threads: in_crew, at_once };
                let sizes = [40, 40, 40, 17, 1];
                // The state is the number of batches set up so far.
                let set_up = &mut |round: &mut usize, found: &mut [MutexGuard<'_, Vec<usize>>]| {
                    let mut all: Vec<usize> = found.iter_mut().flat_map(|found| found.drain(..)).collect();
                    all.sort_unstable();
                    let expected = round.checked_sub(1).map_or(0, |before| sizes[before]);
                    assert!(all.into_iter().eq(0..expected));
                    *round += 1;
                    sizes.get(*round - 1).copied().unwrap_or(0)
                };
                let rounds =
                    work(0, crew, set_up, &|_, found: &mut Vec<usize>, numbers| found.extend(numbers));
                assert_eq!(rounds, 1 + sizes.len());
            });
        }
    }

    #[test]
    fn a_thread_that_unwinds_ends_the_work() {
        on(4, || {
            let crew = Crew { threads: 4, at_once: 4 };
            let endless = &mut |_: &mut (), _: &mut [MutexGuard<'_, ()>]| 100;
            let fails = |_: &(), _: &mut (), numbers: Range<usize>| assert!(!numbers.contains(&57), "failed");
            let failed = catch_unwind(AssertUnwindSafe(|| work((), crew, endless, &fails)));
            assert!(failed.is_err());
            let fails = &mut |_: &mut (), _: &mut [MutexGuard<'_, ()>]| panic!("failed");
            let failed = catch_unwind(AssertUnwindSafe(|| work((), crew, fails, &|_, (), _| ())));
            assert!(failed.is_err());
        });
    }
}
