//! Parallel loops over pieces of work on the current thread pool, compiled once for all types.
//!
//! A parallel iterator of rayon is compiled anew, to some seven kilobytes, for each closure and each element type; that
//! amounted to a fifth of the program. These loops call the closure through a pointer, once per piece, so a piece
//! should be worth at least some thousand instructions. The assignment of pieces to threads is not deterministic; the
//! caller's result must not depend on it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use rayon::prelude::*;

use crate::memory::budget::settle;

/// A range of numbers that threads take in portions, so that a thread that finishes early takes more.
#[derive(Debug)]
pub struct SharedRange {
    start: usize,
    next: AtomicUsize,
    end: usize,
    at_once: usize,
}

impl SharedRange {
    /// Creates the range 0..`end`, taken in portions of `at_once` ≥ 1 numbers.
    pub fn new(end: usize, at_once: usize) -> Self {
        SharedRange::of(0..end, at_once)
    }

    /// Creates a range, taken in portions of `at_once` ≥ 1 numbers.
    pub fn of(Range { start, end }: Range<usize>, at_once: usize) -> Self {
        SharedRange { start, next: AtomicUsize::new(start), end, at_once }
    }

    /// Takes the next portion; `None` if all numbers are taken.
    pub fn take(&self) -> Option<Range<usize>> {
        let start = self.next.fetch_add(self.at_once, Ordering::Relaxed);
        (start < self.end).then(|| start..self.end.min(start.saturating_add(self.at_once)))
    }

    /// Calls `work`, which takes portions until there are none, on every thread of the current pool, and returns when
    /// all calls have. If there is only one portion, `work` runs on the calling thread, and no other is woken.
    pub fn share(&self, work: &(dyn Fn() + Sync)) {
        if self.end.saturating_sub(self.start) <= self.at_once {
            work();
        } else {
            rayon::broadcast(|_| work());
        }
    }
}

/// Calls `work` with every number below `count`. After a call unwinds, no further calls begin.
pub(crate) fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).panic_fuse().for_each(work);
}

/// Calls `work` with consecutive ranges of `size` numbers that cover 0..`length`; the last one may be shorter.
pub(crate) fn ranges(length: usize, size: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    each(length.div_ceil(size), &|piece| work(piece * size..length.min((piece + 1) * size)));
}

/// Calls `work` with the number of each piece of `size` items and the piece; the last one may be shorter.
pub(crate) fn pieces_mut<T: Send>(items: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    each_of(items.chunks_mut(size).enumerate(), &|(number, items)| work(number, items));
}

/// Calls `work` with each item, which threads take one by one, under a lock: an item is worth some microseconds. After
/// a call unwinds, no further items are taken.
pub(crate) fn each_of<I: ExactSizeIterator + Send>(items: I, work: &(dyn Fn(I::Item) + Sync)) {
    /// Says so if a thread unwinds.
    struct Unwound<'a>(&'a AtomicBool);

    impl Drop for Unwound<'_> {
        fn drop(&mut self) {
            if thread::panicking() {
                self.0.store(true, Ordering::Relaxed);
            }
        }
    }

    let threads = rayon::current_num_threads().min(items.len());
    let (items, has_unwound) = (Mutex::new(items), AtomicBool::new(false));
    each(threads, &|_| {
        let _unwound = Unwound(&has_unwound);
        while !has_unwound.load(Ordering::Relaxed) {
            // This is a statement of its own so that the lock is not held while the item is processed.
            let item = lock(&items).next();
            let Some(item) = item else { return };
            work(item);
        }
    });
}

/// Returns the table of `value(k)` for `k` below `length`. Threads take pieces of some thousand numbers, in which
/// `value` is called directly.
pub(crate) fn table<T: Copy + Default + Send>(length: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    const SIZE: usize = 1 << 12;
    let mut all = vec![T::default(); length];
    pieces_mut(&mut all, SIZE, &|number, piece| {
        for (k, entry) in piece.iter_mut().enumerate() {
            *entry = value(number * SIZE + k);
        }
    });
    all
}

/// Calls `work` with consecutive ranges of `size` numbers that cover 0..`length`, and returns what they list in order.
pub(crate) fn listed<T: Send>(
    length: usize,
    size: usize,
    work: &(dyn Fn(Range<usize>) -> Vec<T> + Sync),
) -> Vec<T> {
    let lists = map(length.div_ceil(size), &|piece| work(piece * size..length.min((piece + 1) * size)));
    let mut all = Vec::with_capacity(lists.iter().map(Vec::len).sum());
    lists.into_iter().for_each(|list| all.extend(list));
    all
}

/// Returns the place of the first item for which `is` holds.
pub(crate) fn position<T: Sync>(items: &[T], is: impl Fn(&T) -> bool + Sync) -> Option<usize> {
    const SIZE: usize = 1 << 14;
    let first = |range: Range<usize>| items[range.clone()].iter().position(&is).map(|k| range.start + k);
    let least =
        |least: &mut Option<usize>, found: Option<usize>| *least = least.iter().copied().chain(found).min();
    joined(items.len(), SIZE, None, &first, &least)
}

/// Calls both closures, on two threads if another one is free, and returns their results.
pub(crate) fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        rayon::join(a, b);
    }
    let (mut calls, mut results) = ((Some(a), Some(b)), (None, None));
    both(&mut || results.0 = calls.0.take().map(|a| a()), &mut || results.1 = calls.1.take().map(|b| b()));
    results.0.zip(results.1).expect("both closures have been called")
}

/// Calls `work` with every number below `count` and returns the results in order.
pub(crate) fn map<R: Send>(count: usize, work: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<Option<R>> = std::iter::repeat_with(|| None).take(count).collect();
    pieces_mut(&mut results, 1, &|number, result| result[0] = Some(work(number)));
    results.into_iter().flatten().collect()
}

/// Calls `work` with each item and returns the results in order. As many threads as the current pool has take the
/// items one by one; each of them is the only thread of a pool of its own, so that parallel loops inside `work` stay
/// on it.
pub(crate) fn side_by_side<I: Send, R: Send>(items: Vec<I>, work: &(dyn Fn(I) -> R + Sync)) -> Vec<R> {
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

/// Calls `work` with consecutive ranges and joins the results in any order, on which `join` must not depend.
pub(crate) fn joined<R: Send>(
    length: usize,
    size: usize,
    none: R,
    work: &(dyn Fn(Range<usize>) -> R + Sync),
    join: &(dyn Fn(&mut R, R) + Sync),
) -> R {
    let all = Mutex::new(none);
    ranges(length, size, &|range| {
        let found = work(range);
        join(&mut lock(&all), found);
    });
    into_inner(all)
}

/// Unwraps a mutex. Poisoning is ignored, since the panic of a thread ends the run anyway.
pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex. Poisoning is ignored, since the panic of a thread ends the run anyway.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn every_piece_once() {
        for (length, size) in [(0, 3), (1, 3), (3, 3), (10, 3), (1000, 7), (5, 1)] {
            let calls: Vec<AtomicUsize> = (0..length).map(|_| AtomicUsize::new(0)).collect();
            ranges(length, size, &|range| {
                assert!(range.len() == size || range.end == length);
                calls[range].iter().for_each(|call| {
                    call.fetch_add(1, Ordering::Relaxed);
                });
            });
            assert!(calls.iter().all(|call| call.load(Ordering::Relaxed) == 1));
            let mut items = vec![0; length];
            pieces_mut(&mut items, size, &|number, items| {
                items.iter_mut().enumerate().for_each(|(k, item)| *item += number * size + k + 1);
            });
            assert!(items.into_iter().eq(1..=length));
            assert_eq!(map(length, &|k| k * k), (0..length).map(|k| k * k).collect::<Vec<_>>());
            let sum =
                joined(length, size, 0_usize, &|range| range.sum::<usize>(), &|sum, found| *sum += found);
            assert_eq!(sum, (0..length).sum::<usize>());
            let odd = listed(length, size, &|range| range.filter(|k| k % 2 == 1).collect());
            assert!(odd.into_iter().eq((0..length).filter(|k| k % 2 == 1)));
            assert!(table(length * 100, |k| k * k).into_iter().eq((0..length * 100).map(|k| k * k)));
        }
        for first in [0, 5, 99_999, 100_000] {
            let is = |&k: &usize| k >= first;
            let items: Vec<usize> = (0..100_000).collect();
            assert_eq!(position(&items, is), items.iter().position(is));
        }
        let (text, sum) = join(|| String::from("both"), || (0..10).sum::<u32>());
        assert_eq!((text.as_str(), sum), ("both", 45));
    }

    #[test]
    fn a_panic_is_handed_on() {
        let outcome = std::panic::catch_unwind(|| each(5, &|k| assert_ne!(k, 3)));
        assert!(outcome.is_err());
        let calls = AtomicUsize::new(0);
        let outcome = std::panic::catch_unwind(|| {
            each_of(0..1_000_000_usize, &|k| {
                calls.fetch_add(1, Ordering::Relaxed);
                if k == 3 {
                    std::panic::resume_unwind(Box::new(()));
                }
            });
        });
        assert!(outcome.is_err() && calls.into_inner() < 1_000_000);
    }
}
