//! The parts of a dimension that a process constructs, taken by its threads one after another.

use std::ops::Range;

use crate::parallel::SharedRange;

/// With at least this many parts, threads take several at a time.
const MANY: usize = 1 << 16;

/// Parts of the simplices of a dimension; see [`Enumerate::parts`](super::Enumerate::parts).
///
/// Several processes take the parts in turn and back: the parts belong to processes 0, 1, 2, 2, 1, 0, 0, 1, … of three.
/// Since parts become shorter from the first to the last, all processes then have nearly the same amount of work.
#[derive(Debug)]
pub struct Parts {
    /// The numbers of the process's own parts, counted from 0.
    own: SharedRange,
    process: usize,
    processes: usize,
}

impl Parts {
    /// The parts among 0..`parts` that belong to process `process` of `processes`.
    pub(super) fn new(parts: usize, process: usize, processes: usize) -> Self {
        let (rounds, rest) = (parts / processes, parts % processes);
        let own = rounds + usize::from(turn(rounds, process, processes) < rest);
        Parts { own: SharedRange::new(own, (own / MANY).clamp(1, 16)), process, processes }
    }

    /// All parts of a range, of one process.
    pub(in crate::rips) fn of(range: Range<usize>) -> Self {
        Parts { own: SharedRange::of(range, 1), process: 0, processes: 1 }
    }

    /// Takes some parts; `None` if all are taken.
    pub fn take(&self) -> Option<impl Iterator<Item = usize>> {
        let (process, processes) = (self.process, self.processes);
        let part = move |round| round * processes + turn(round, process, processes);
        self.own.take().map(|rounds| rounds.map(part))
    }

    /// Calls `work`, which takes parts until there are none, on every thread of the current pool.
    pub(super) fn share(&self, work: &(dyn Fn() + Sync)) {
        self.own.share(work);
    }
}

/// The place of a process in a round.
fn turn(round: usize, process: usize, processes: usize) -> usize {
    if round.is_multiple_of(2) { process } else { processes - 1 - process }
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
                let work = |process| {
                    let own = Parts::new(parts, process, processes);
                    let taken: Vec<usize> = std::iter::from_fn(|| own.take()).flatten().collect();
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
