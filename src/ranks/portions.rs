//! Work that several processes take as they get ready, since some are faster, or have more to do in what they took.

use std::ops::Range;
use std::sync::Mutex;

use super::Take;
use crate::parallel::lock;

/// Number of portions for each process: to take one takes as long as a message, and at the end some wait for the last.
const EACH: usize = 32;

/// Numbers below a bound, of which each process takes portions that its threads share; see [`Ranks::deal`].
///
/// [`Ranks::deal`]: super::Ranks::deal
pub struct Portions<'a> {
    take: Take<'a>,
    /// Number of all numbers.
    pub(crate) all: usize,
    /// Number of numbers that a process takes at a time.
    pub(crate) length: usize,
    /// The numbers of the last portion that no thread has taken yet.
    left: Mutex<Range<usize>>,
}

impl<'a> Portions<'a> {
    /// The numbers below `all`, for so many processes.
    pub fn new(all: usize, processes: usize, take: Take<'a>) -> Self {
        Portions::of_length(all, all.div_ceil(EACH * processes).max(1), take)
    }

    /// The numbers below `all`, in portions of this length.
    pub(crate) fn of_length(all: usize, length: usize, take: Take<'a>) -> Self {
        Portions { take, all, length, left: Mutex::new(0..0) }
    }

    /// Takes at most `count` ≥ 1 numbers, which no other process and no other thread takes; `None` if all are taken.
    /// What a thread takes is greater than what it took before.
    pub(crate) fn take(&self, count: usize) -> Option<Range<usize>> {
        let mut left = lock(&self.left);
        if left.is_empty() {
            let start = usize::try_from((self.take)(self.length as u64)).unwrap_or(self.all);
            *left = start.min(self.all)..start.saturating_add(self.length).min(self.all);
        }
        let start = left.start;
        left.start = left.end.min(start + count);
        (start < left.start).then(|| start..left.start)
    }

    /// Takes one number, as [`take`](Portions::take) does.
    pub fn next(&self) -> Option<usize> {
        Some(self.take(1)?.start)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::ranks::threads::on_ranks;

    #[test]
    fn every_number_is_taken_once() {
        for (all, length, count) in
            [(0, 1, 1), (1, 1, 1), (2, 3, 2), (5, 1, 1), (100, 7, 3), (1 << 16, 1000, 16)]
        {
            for processes in [1, 2, 5] {
                let taken = on_ranks(processes, |ranks| {
                    let mut taken: Vec<usize> = Vec::new();
                    ranks.deal(&mut |take| {
                        let portions = Portions::of_length(all, length, take);
                        std::iter::from_fn(|| portions.take(count)).for_each(|numbers| taken.extend(numbers));
                        assert!(taken.is_sorted() && portions.take(count).is_none());
                        ControlFlow::Continue(())
                    });
                    taken
                });
                let mut all_taken = taken.concat();
                all_taken.sort_unstable();
                assert!(all_taken.into_iter().eq(0..all), "{all} {length} {processes}");
            }
        }
    }
}
