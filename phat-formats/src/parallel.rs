//! Loops on all threads of rayon's pool, compiled once for all closures.
//!
//! Threads take the items one by one, in order and under a lock. So an item should be worth some microseconds.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// Number of elements in a piece of a table.
pub(crate) const PIECE: usize = 1 << 13;

/// Divides 0..`length` into ranges of [`PIECE`] numbers.
pub(crate) fn pieces(length: usize) -> impl ExactSizeIterator<Item = Range<usize>> + Send {
    (0..length).step_by(PIECE).map(move |start| start..length.min(start + PIECE))
}

/// Calls `work` with each item. A single item does not wake another thread.
pub(crate) fn each<I: Iterator + Send>(items: I, work: &(dyn Fn(I::Item) + Sync)) {
    let threads = rayon::current_num_threads().min(items.size_hint().1.unwrap_or(usize::MAX));
    let items = Mutex::new(items.fuse());
    on_threads(threads, &|| {
        loop {
            // This is a statement of its own so that the lock is not held while the item is processed.
            let item = lock(&items).next();
            let Some(item) = item else { return };
            work(item);
        }
    });
}

fn on_threads(threads: usize, work: &(dyn Fn() + Sync)) {
    (0..threads).into_par_iter().with_max_len(1).for_each(|_| work());
}

/// Calls `work` with each item until it returns an error.
///
/// # Errors
/// That of the first item with an error.
pub(crate) fn try_each<I: Iterator + Send, E: Send>(
    items: I,
    work: &(dyn Fn(I::Item) -> Result<(), E> + Sync),
) -> Result<(), E> {
    // Items are taken in order, so every item before one with an error has been taken and is finished.
    let first: Mutex<Option<(usize, E)>> = Mutex::new(None);
    let items = items.enumerate().take_while(|_| lock(&first).is_none());
    each(items, &|(number, item)| {
        if let Err(error) = work(item) {
            let mut first = lock(&first);
            if first.as_ref().is_none_or(|(other, _)| number < *other) {
                *first = Some((number, error));
            }
        }
    });
    into_inner(first).map_or(Ok(()), |(_, error)| Err(error))
}

/// Returns the results of `work` for all items, in order.
pub(crate) fn map<I: ExactSizeIterator + Send, R: Send>(
    items: I,
    work: &(dyn Fn(I::Item) -> R + Sync),
) -> Vec<R> {
    let mut results: Vec<Option<R>> = std::iter::repeat_with(|| None).take(items.len()).collect();
    each(items.zip(&mut results), &|(item, result)| *result = Some(work(item)));
    results.into_iter().flatten().collect()
}

/// Returns the table of `value(k)` for `k` below `length`. `value` is called directly.
pub(crate) fn table<T: Copy + Default + Send>(length: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut all = vec![T::default(); length];
    each(all.chunks_mut(PIECE).zip(pieces(length)), &|(entries, numbers)| {
        for (entry, number) in entries.iter_mut().zip(numbers) {
            *entry = value(number);
        }
    });
    all
}

/// Returns the first number below `length` for which `is` holds. `is` is called directly.
pub(crate) fn position(length: usize, is: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    try_each(pieces(length), &|mut piece| piece.find(|&k| is(k)).map_or(Ok(()), Err)).err()
}

/// Locks a mutex. Poisoning is ignored, since the panic of a thread is passed on.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Unwraps a mutex, as [`lock`] does.
pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_once_and_the_first_error() {
        for length in [0, 1, PIECE, 5 * PIECE + 3] {
            assert_eq!(table(length, |k| k * k), (0..length).map(|k| k * k).collect::<Vec<_>>());
            assert!(map(pieces(length), &|piece| piece).into_iter().flatten().eq(0..length));
            for first in [0, 7, 2 * PIECE, 5 * PIECE] {
                assert_eq!(position(length, |k| k >= first), (first < length).then_some(first));
            }
        }
    }
}
