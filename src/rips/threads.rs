//! Work handed out to the threads of the current pool.
//!
//! Nothing here is generic: a stage that shares work in this way is compiled once for each of its own types, and the machinery of
//! the pool only here.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Numbers from 0 up that threads take some at a time, so that a thread that is done early takes more.
#[derive(Debug)]
pub struct SharedRange {
    next: AtomicUsize,
    end: usize,
    at_once: usize,
}

impl SharedRange {
    /// The numbers 0..`end`, `at_once` ≥ 1 of them to be taken together.
    pub fn new(end: usize, at_once: usize) -> Self {
        SharedRange { next: AtomicUsize::new(0), end, at_once }
    }

    /// The next numbers; none when all are taken.
    pub fn take(&self) -> Option<Range<usize>> {
        let start = self.next.fetch_add(self.at_once, Ordering::Relaxed);
        (start < self.end).then(|| start..self.end.min(start.saturating_add(self.at_once)))
    }

    /// Calls `work`, which takes numbers until there are none, on every thread of the current pool, and returns when all calls have.
    /// Where one thread takes all numbers at once, it is this one, and no other is woken up.
    pub fn share(&self, work: &(dyn Fn() + Sync)) {
        if self.end <= self.at_once {
            work();
        } else {
            rayon::broadcast(|_| work());
        }
    }
}

/// What a mutex holds when no thread uses it any more. A thread that panicked ends the run by its panic.
pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// What a mutex holds. A thread that panicked ends the run by its panic.
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
}
