//! Progress of the last columns of a reduction.
//!
//! Progress counts a column when a worker takes it. After all are taken, the last ones may run for long with nothing
//! left to count, since in each dimension a few columns take most of the time. So a separate stage begins then. The
//! pivot of a column only moves forward along the filtration, so the progress of a column is the position of its pivot
//! between its birth and the last rank; the column may end anywhere before. The progress of the stage is that of the
//! least advanced worker.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use crate::progress::Progress;

/// Name of the stage.
const STAGE: &str = "last columns";
/// Number of units of the stage.
const WHOLE: u64 = 1 << 20;

/// Progress of the workers on their last columns.
pub(super) struct LastColumns<'a> {
    progress: &'a dyn Progress,
    dim: usize,
    /// The number of columns, and the number counted so far.
    columns: u64,
    counted: AtomicU64,
    /// Whether the stage has begun.
    is_begun: AtomicBool,
    /// For each worker, the units of its last column that are done; [`WHOLE`] when it has no more columns.
    parts: Vec<AtomicU64>,
    /// Number of workers that have begun.
    workers: AtomicU64,
    /// Number of units reported so far.
    reported: AtomicU64,
}

impl<'a> LastColumns<'a> {
    /// The progress of `columns` columns of dimension `dim`, reduced by `workers` workers.
    pub(super) fn of(columns: usize, workers: usize, dim: usize, progress: &'a dyn Progress) -> Self {
        let parts = std::iter::repeat_with(AtomicU64::default).take(workers).collect();
        let (counted, workers, reported) = Default::default();
        LastColumns {
            progress,
            dim,
            columns: columns as u64,
            counted,
            is_begun: AtomicBool::new(false),
            parts,
            workers,
            reported,
        }
    }

    /// Registers a worker and returns its number.
    pub(super) fn worker(&self) -> usize {
        self.workers.fetch_add(1, SeqCst) as usize
    }

    /// Counts columns that a worker took. The stage begins when the last ones are counted.
    pub(super) fn count(&self, columns: u64) {
        self.progress.advance(columns);
        // Whoever counts the last columns does so after all other columns were reported.
        if self.counted.fetch_add(columns, SeqCst) + columns == self.columns {
            self.progress.begin(STAGE, Some(self.dim), WHOLE);
            self.is_begun.store(true, SeqCst);
        }
    }

    /// Reports the columns that no worker will take.
    pub(super) fn skip(&self) {
        self.progress.advance(self.columns - self.counted.swap(self.columns, SeqCst));
    }

    /// Reports that the pivot of a worker's column lies at this part of the ranks from birth to the last rank.
    pub(super) fn look(&self, worker: usize, part: f64) {
        if self.is_begun.load(SeqCst) {
            // The whole is reserved for a column that is done.
            self.report(worker, (part * WHOLE as f64).clamp(0.0, (WHOLE - 1) as f64) as u64);
        }
    }

    /// Reports that a worker has no more columns.
    pub(super) fn end(&self, worker: usize) {
        self.report(worker, WHOLE);
    }

    /// Reports new progress. The last worker to end reports all that is left: those before it have recorded their end,
    /// and the worker that begins the stage has yet to end.
    fn report(&self, worker: usize, units: u64) {
        if let Some(part) = self.parts.get(worker) {
            part.fetch_max(units, SeqCst);
        }
        let least = self.parts.iter().map(|part| part.load(SeqCst)).min().unwrap_or(0);
        if !self.is_begun.load(SeqCst) {
            return;
        }
        let before = self.reported.fetch_max(least, SeqCst);
        if least > before {
            self.progress.advance(least - before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::sums::{Reported, Sums};

    #[test]
    fn the_stage_is_as_far_as_the_worker_that_is_least_far() {
        let sums = Sums::default();
        sums.begin("reduction", Some(1), 5);
        let last = LastColumns::of(5, 2, 1, &sums);
        let [first, second] = [last.worker(), last.worker()];
        last.count(4);
        // Pivots are not reported before all columns are taken.
        last.look(first, 0.9);
        last.count(1);
        let done = |sums: &Sums| sums.last().map_or(0, |reported| reported.done);
        last.look(first, 0.5);
        assert_eq!(done(&sums), 0);
        last.look(second, 0.25);
        assert_eq!(done(&sums), WHOLE / 4);
        last.end(second);
        assert_eq!(done(&sums), WHOLE / 2);
        // The whole is not reported before the stage is over, and progress is never taken back.
        last.look(first, 1.0);
        last.look(first, 0.1);
        assert_eq!(done(&sums), WHOLE - 1);
        last.end(first);
        let whole = |stage, total| Reported { stage, dim: Some(1), total, done: total };
        assert_eq!(sums.stages(), [whole("reduction", 5), whole(STAGE, WHOLE)]);
    }

    #[test]
    fn all_is_told_whatever_the_order_of_workers() {
        for round in 0..200 {
            let sums = Sums::default();
            sums.begin("reduction", Some(2), 40);
            let last = LastColumns::of(40, 4, 2, &sums);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let worker = last.worker();
                        for k in 0..10 {
                            last.count(1);
                            last.look(worker, f64::from((k * round) % 7) / 7.0);
                        }
                        last.end(worker);
                    });
                }
            });
            assert_eq!(sums.stages().len(), 2);
        }
    }
}
