//! The parts of a dimension that a process constructs, taken by its threads one after another.
//!
//! Several processes take [portions](Portions) of the parts as they get ready, since the speeds of their cores differ;
//! each passes a portion on to its threads. Parts become shorter from the first to the last, so the last portions, for
//! which some processes wait, are short.

use std::ops::Range;
use std::sync::Mutex;

use crate::parallel::{SharedRange, lock};
use crate::ranks::Take;

/// With at least this many parts, threads take several at a time.
const MANY: usize = 1 << 16;

/// Parts of the simplices of a dimension, those of one process; see [`Enumerate::parts`](super::Enumerate::parts).
pub struct Parts<'a> {
    /// All parts, which this process takes if there are no portions of them.
    own: SharedRange,
    portions: Option<Portions<'a>>,
}

/// Portions of the parts that this process takes.
struct Portions<'a> {
    take: Take<'a>,
    /// Number of all parts, of those of a portion, and of those that a thread takes at a time.
    all: usize,
    length: usize,
    at_once: usize,
    /// The parts of the last portion that no thread has taken yet.
    left: Mutex<Range<usize>>,
}

impl Portions<'_> {
    /// Takes some parts; `None` if all are taken.
    fn take(&self) -> Option<Range<usize>> {
        let mut left = lock(&self.left);
        if left.is_empty() {
            let start = usize::try_from((self.take)(self.length as u64)).unwrap_or(self.all);
            *left = start.min(self.all)..start.saturating_add(self.length).min(self.all);
        }
        let start = left.start;
        left.start = left.end.min(start + self.at_once);
        (start < left.start).then(|| start..left.start)
    }
}

impl<'a> Parts<'a> {
    /// All parts of a range, of one process.
    pub(in crate::rips) fn of(range: Range<usize>) -> Self {
        let at_once = (range.len() / MANY).clamp(1, 16);
        Parts { own: SharedRange::of(range, at_once), portions: None }
    }

    /// The part numbers below `parts` that this process takes, in portions of `length` ≥ 1.
    pub(super) fn taken(parts: usize, length: usize, take: Take<'a>) -> Self {
        let at_once = (length / (8 * rayon::current_num_threads())).clamp(1, 16);
        let portions = Portions { take, all: parts, length, at_once, left: Mutex::new(0..0) };
        Parts { own: SharedRange::new(parts, 1), portions: Some(portions) }
    }

    /// Takes some parts; `None` if all are taken.
    pub fn take(&self) -> Option<Range<usize>> {
        match &self.portions {
            Some(portions) => portions.take(),
            None => self.own.take(),
        }
    }

    /// Calls `work`, which takes parts until there are none, on every thread of the current pool.
    pub(super) fn share(&self, work: &(dyn Fn() + Sync)) {
        self.own.share(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::threads::on_ranks;

    #[test]
    fn every_part_is_taken_once() {
        for (parts, length) in [(0, 1), (1, 1), (2, 3), (5, 1), (100, 7), (MANY + 3, 1), (3 * MANY, MANY + 9)]
        {
            for processes in [1, 2, 5] {
                let taken = on_ranks(processes, |ranks| {
                    let taken = Mutex::new(Vec::new());
                    ranks.deal(&mut |take| {
                        let own = Parts::taken(parts, length, take);
                        own.share(&|| {
                            std::iter::from_fn(|| own.take()).for_each(|parts| lock(&taken).extend(parts))
                        });
                        assert!(own.take().is_none());
                    });
                    taken.into_inner().unwrap()
                });
                let mut all = taken.concat();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..parts), "{parts} {length} {processes}");
            }
        }
        let range = Parts::of(3..7);
        assert!(std::iter::from_fn(|| range.take()).flatten().eq(3..7));
    }
}
