//! The parts of a dimension that a process constructs, taken by its threads one after another.

use std::ops::Range;

use crate::parallel::SharedRange;
use crate::ranks::Place;

/// With at least this many parts, threads take several at a time.
const MANY: usize = 1 << 16;

/// The processes that share the simplices of a dimension take their parts in turn and back: the parts belong to
/// processes 0, 1, 2, 2, 1, 0, 0, 1, … of three. Since parts become shorter from the first to the last, all processes
/// then have nearly the same amount of work.
impl Place {
    /// The place of this process in a round.
    fn turn(self, round: usize) -> usize {
        if round.is_multiple_of(2) { self.number } else { self.of - 1 - self.number }
    }

    /// Whether a part belongs to this process.
    pub(super) fn owns(self, part: usize) -> bool {
        part % self.of == self.turn(part / self.of)
    }
}

/// Parts of the simplices of a dimension, those of one process; see [`Enumerate::parts`](super::Enumerate::parts).
#[derive(Debug)]
pub struct Parts {
    /// The numbers of the process's own parts, counted from 0.
    own: SharedRange,
    process: Place,
}

impl Parts {
    /// The parts among 0..`parts` that belong to a process.
    pub(super) fn new(parts: usize, process: Place) -> Self {
        let (rounds, rest) = (parts / process.of, parts % process.of);
        let own = rounds + usize::from(process.turn(rounds) < rest);
        Parts { own: SharedRange::new(own, (own / MANY).clamp(1, 16)), process }
    }

    /// All parts of a range, of one process.
    pub(in crate::rips) fn of(range: Range<usize>) -> Self {
        Parts { own: SharedRange::of(range, 1), process: Place::default() }
    }

    /// Takes some parts; `None` if all are taken.
    pub fn take(&self) -> Option<impl Iterator<Item = usize>> {
        let process = self.process;
        let part = move |round| round * process.of + process.turn(round);
        self.own.take().map(|rounds| rounds.map(part))
    }

    /// Calls `work`, which takes parts until there are none, on every thread of the current pool.
    pub(super) fn share(&self, work: &(dyn Fn() + Sync)) {
        self.own.share(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_taken_once_and_processes_have_alike_work() {
        for parts in [0, 1, 2, 5, 6, 7, 100, MANY + 3] {
            for processes in [1, 2, 3, 5, 8] {
                let mut all = Vec::new();
                // The first part is the longest.
                let work = |number| {
                    let process = Place { number, of: processes };
                    let own = Parts::new(parts, process);
                    let taken: Vec<usize> = std::iter::from_fn(|| own.take()).flatten().collect();
                    assert!((0..parts).filter(|&part| process.owns(part)).eq(taken.iter().copied()));
                    all.extend_from_slice(&taken);
                    taken.into_iter().map(|part| parts - part).sum::<usize>()
                };
                let work: Vec<usize> = (0..processes).map(work).collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..parts), "{parts} {processes}");
                let difference = work.iter().max().unwrap() - work.iter().min().unwrap();
                assert!(difference <= processes.max(parts.min(processes)), "{parts} {processes} {work:?}");
            }
        }
        let range = Parts::of(3..7);
        assert!(std::iter::from_fn(|| range.take()).flatten().eq(3..7));
    }
}
