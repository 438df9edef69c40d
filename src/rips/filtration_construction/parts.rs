//! The parts of a dimension that a process constructs, taken by its threads one after another.
//!
//! Several processes take [portions](Portions) of the parts as they get ready, since the speeds of their cores differ;
//! each passes a portion on to its threads. Parts become shorter from the first to the last, so the last portions, for
//! which some processes wait, are short.

use std::ops::Range;

use crate::parallel::SharedRange;
use crate::ranks::Portions;

/// With at least this many parts, threads take several at a time.
const MANY: usize = 1 << 16;

/// Parts of the simplices of a dimension, those of one process; see [`Enumerate::parts`](super::Enumerate::parts).
pub struct Parts<'a> {
    /// All parts, which this process takes if there are no portions of them.
    own: SharedRange,
    /// Portions of the parts, and the number of those that a thread takes at a time.
    portions: Option<(Portions<'a>, usize)>,
}

impl<'a> Parts<'a> {
    /// All parts of a range, of one process.
    pub(in crate::rips) fn of(range: Range<usize>) -> Self {
        let at_once = (range.len() / MANY).clamp(1, 16);
        Parts { own: SharedRange::of(range, at_once), portions: None }
    }

    /// The parts that this process takes.
    pub(super) fn taken(portions: Portions<'a>) -> Self {
        let at_once = (portions.length / (8 * rayon::current_num_threads())).clamp(1, 16);
        Parts { own: SharedRange::new(portions.all, 1), portions: Some((portions, at_once)) }
    }

    /// Takes some parts; `None` if all are taken.
    pub fn take(&self) -> Option<Range<usize>> {
        match &self.portions {
            Some((portions, at_once)) => portions.take(*at_once),
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
    use std::ops::ControlFlow;
    use std::sync::Mutex;

    use super::*;
    use crate::parallel::{into_inner, lock};
    use crate::ranks::threads::on_ranks;

    #[test]
    fn every_part_is_taken_once() {
        for (parts, length) in [(0, 1), (1, 1), (2, 3), (5, 1), (100, 7), (MANY + 3, 1), (3 * MANY, MANY + 9)]
        {
            for processes in [1, 2, 5] {
                let taken = on_ranks(processes, |ranks| {
                    let taken = Mutex::new(Vec::new());
                    ranks.deal(&mut |take| {
                        let own = Parts::taken(Portions::of_length(parts, length, take));
                        own.share(&|| {
                            std::iter::from_fn(|| own.take()).for_each(|parts| lock(&taken).extend(parts))
                        });
                        assert!(own.take().is_none());
                        ControlFlow::Continue(())
                    });
                    into_inner(taken)
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
