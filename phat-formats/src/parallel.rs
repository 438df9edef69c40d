//! Parallel loops over pieces of work on the current thread pool, of which little is compiled anew for each type.
//!
//! A parallel iterator of rayon is compiled anew, to some seven kilobytes, for each closure and each element type; that
//! amounted to a fifth of the program `lacuna`. These loops call the closure through a pointer, once per piece, so a
//! piece should be worth at least some thousand instructions. The assignment of pieces to threads is not deterministic;
//! the caller's result must not depend on it.
//!
//! The module is public for the crate `lacuna` only, and may change at any time.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use rayon::prelude::*;

/// Number of elements in a piece of a table.
pub const PIECE: usize = 1 << 13;

/// Divides 0..`length` into ranges of [`PIECE`] numbers.
pub fn pieces(length: usize) -> impl ExactSizeIterator<Item = Range<usize>> + Send {
    (0..length).step_by(PIECE).map(move |start| start..length.min(start + PIECE))
}

/// Calls `work` with every number below `count`. After a call unwinds, no further calls begin.
pub fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).panic_fuse().for_each(work);
}

/// Calls `work` with consecutive ranges of `size` numbers that cover 0..`length`; the last one may be shorter.
pub fn ranges(length: usize, size: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    each(length.div_ceil(size), &|piece| work(piece * size..length.min((piece + 1) * size)));
}

/// Calls `work` with the number of each piece of `size` items and the piece; the last one may be shorter.
pub fn pieces_mut<T: Send>(items: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    each_of(items.chunks_mut(size).enumerate(), &|(number, items)| work(number, items));
}

/// Sets what it refers to when a thread that has it unwinds.
pub struct Unwound<'a>(pub &'a AtomicBool);

impl Drop for Unwound<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Calls `work` with each item, which threads take one by one, under a lock: an item is worth some microseconds. After
/// a call unwinds, no further items are taken.
pub fn each_of<I: Iterator + Send>(items: I, work: &(dyn Fn(I::Item) + Sync)) {
    let threads = rayon::current_num_threads().min(items.size_hint().1.unwrap_or(usize::MAX));
    let (items, has_unwound) = (Mutex::new(items.fuse()), AtomicBool::new(false));
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

/// Calls `work` with each item until it returns an error.
///
/// # Errors
/// That of the first item with an error.
pub fn try_each<I: Iterator + Send, E: Send>(
    items: I,
    work: &(dyn Fn(I::Item) -> Result<(), E> + Sync),
) -> Result<(), E> {
    // Items are taken in order, so every item before one with an error has been taken and is finished.
    let first: Mutex<Option<(usize, E)>> = Mutex::new(None);
    let items = items.enumerate().take_while(|_| lock(&first).is_none());
    each_of(items, &|(number, item)| {
        if let Err(error) = work(item) {
            let mut first = lock(&first);
            if first.as_ref().is_none_or(|(other, _)| number < *other) {
                *first = Some((number, error));
            }
        }
    });
    into_inner(first).map_or(Ok(()), |(_, error)| Err(error))
}

/// A vector of `length` items. `write` has to write every one of them into memory that holds none yet.
#[allow(unsafe_code)]
fn written<T>(length: usize, write: impl FnOnce(&mut [MaybeUninit<T>])) -> Vec<T> {
    let mut all = Vec::with_capacity(length);
    write(&mut all.spare_capacity_mut()[..length]);
    // SAFETY: The two callers, below, have written every item, or have unwound.
    unsafe { all.set_len(length) };
    all
}

/// Returns the table of `value(k)` for `k` below `length`. Threads take pieces of some thousand numbers, in which
/// `value` is called directly.
pub fn table<T: Send>(length: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    written(length, |all| {
        pieces_mut(all, PIECE, &|number, piece| {
            for (k, entry) in piece.iter_mut().enumerate() {
                entry.write(value(number * PIECE + k));
            }
        });
    })
}

/// Calls `work` with consecutive ranges of `size` numbers that cover 0..`length`, and returns what they list in order.
pub fn listed<T: Send>(length: usize, size: usize, work: &(dyn Fn(Range<usize>) -> Vec<T> + Sync)) -> Vec<T> {
    let lists = map(length.div_ceil(size), &|piece| work(piece * size..length.min((piece + 1) * size)));
    written(lists.iter().map(Vec::len).sum(), |mut all| {
        let place =
            |list: Vec<T>| (all.split_off_mut(..list.len()).expect("there is room for all lists"), list);
        each_of(lists.into_iter().map(place), &|(place, list)| {
            place.iter_mut().zip(list).for_each(|(entry, item)| _ = entry.write(item));
        });
    })
}

/// Returns the items that `value(k)` has for `k` below `length`, in order. `value` is called directly.
pub fn found<T: Send>(length: usize, value: impl Fn(usize) -> Option<T> + Sync) -> Vec<T> {
    listed(length, PIECE, &|range| range.filter_map(&value).collect())
}

/// Returns the first number below `length` for which `is` holds. `is` is called directly.
pub fn position(length: usize, is: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    try_each(pieces(length), &|mut piece| piece.find(|&k| is(k)).map_or(Ok(()), Err)).err()
}

/// Calls both closures, on two threads if another one is free, and returns their results.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
        rayon::join(a, b);
    }
    let (mut calls, mut results) = ((Some(a), Some(b)), (None, None));
    both(&mut || results.0 = calls.0.take().map(|a| a()), &mut || results.1 = calls.1.take().map(|b| b()));
    results.0.zip(results.1).expect("both closures have been called")
}

/// Calls `work` with every number below `count` and returns the results in order.
pub fn map<R: Send>(count: usize, work: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    let mut results: Vec<Option<R>> = std::iter::repeat_with(|| None).take(count).collect();
    pieces_mut(&mut results, 1, &|number, result| result[0] = Some(work(number)));
    results.into_iter().flatten().collect()
}

/// Calls `work` with consecutive ranges and joins the results in any order, on which `join` must not depend.
pub fn joined<R: Send>(
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

/// Unwraps a mutex. Poisoning is ignored, since the panic of a thread is passed on to the caller.
pub fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex. Poisoning is ignored, since the panic of a thread is passed on to the caller.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

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
            assert_eq!(found(length, |k| (k % 2 == 1).then_some(k)), odd);
            assert!(odd.into_iter().eq((0..length).filter(|k| k % 2 == 1)));
            assert!(table(length * 100, |k| k * k).into_iter().eq((0..length * 100).map(|k| k * k)));
        }
        for first in [0, 5, 99_999, 100_000] {
            assert_eq!(position(100_000, |k| k >= first), (first < 100_000).then_some(first));
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
