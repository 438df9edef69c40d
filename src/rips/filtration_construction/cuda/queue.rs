//! The batches of the dimension that devices sweep. A processor that waits for the devices borrows some of them.
//!
//! Devices take the batches with the greatest vertices first, the processor those with the least, so that they meet.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, PoisonError};

use super::batches::Batch;
use crate::parallel::lock;
use crate::rips::filtration_construction::{SimplexCounts, Undecided};

/// The batches of a dimension that are still to be swept, and what was found.
#[derive(Default)]
pub struct SweepQueue {
    state: Mutex<State>,
    /// Notified when a loan ends.
    is_returned: Condvar,
}

#[derive(Default)]
struct State {
    /// The dimension that is swept; 0 before the first.
    dim: usize,
    batches: VecDeque<Batch>,
    found: Undecided,
    /// Whether the processor sweeps some of the simplices.
    is_lent: bool,
}

impl SweepQueue {
    /// Begins a dimension.
    pub(super) fn begin(&self, dim: usize, batches: VecDeque<Batch>) {
        *lock(&self.state) = State { dim, batches, ..State::default() };
    }

    /// The next batch for a device.
    pub(super) fn next(&self) -> Option<Batch> {
        lock(&self.state).batches.pop_front()
    }

    /// Puts the parts of a batch back.
    pub(super) fn put_back(&self, parts: impl Iterator<Item = Batch>) {
        let mut state = lock(&self.state);
        parts.for_each(|part| state.batches.push_front(part));
    }

    /// Adds what was found.
    pub(super) fn add(&self, add: impl FnOnce(&mut Undecided)) {
        add(&mut lock(&self.state).found);
    }

    /// Ends a dimension whose batches are done, once the processor is done with those that it borrowed.
    pub(super) fn end(&self) -> Undecided {
        let mut state = lock(&self.state);
        while state.is_lent {
            state = self.is_returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        std::mem::take(&mut state.found)
    }

    /// Lends the last batches of a dimension: as many as `count` says, given the number that are left. `None` if that
    /// dimension is not swept now, or if these batches cannot be lent.
    pub(in crate::rips) fn lend(&self, dim: usize, count: impl FnOnce(usize) -> usize) -> Option<Loan<'_>> {
        let mut state = lock(&self.state);
        if state.dim != dim || state.is_lent {
            return None;
        }
        let left = state.batches.len();
        let lent = state.batches.range(left - count(left).min(left)..);
        let vertices = lent.clone().map(|batch| batch.vertices.clone());
        let vertices = vertices.reduce(|a, b| Some(b?.start..a?.end)).flatten()?;
        let batches = lent.len();
        state.batches.truncate(left - batches);
        state.is_lent = true;
        Some(Loan { queue: self, vertices, batches, left: left - batches })
    }
}

/// Simplices that the processor sweeps.
pub(in crate::rips) struct Loan<'a> {
    queue: &'a SweepQueue,
    /// Their greatest vertices.
    pub(in crate::rips) vertices: Range<usize>,
    /// Number of their batches, and of those that were left then.
    pub(in crate::rips) batches: usize,
    left: usize,
}

impl Loan<'_> {
    /// Adds what was found among these simplices. Returns the number of batches that devices took meanwhile.
    pub(in crate::rips) fn give(self, columns: Vec<u64>, counts: SimplexCounts) -> usize {
        self.queue.add(|found| {
            found.columns.push(columns);
            found.counts += counts;
        });
        self.left.saturating_sub(lock(&self.queue.state).batches.len())
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        lock(&self.queue.state).is_lent = false;
        self.queue.is_returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use super::super::batches::of_triangles;
    use super::super::groups::of_matrix;
    use super::*;

    /// The processor and a device that take turns sweep each greatest vertex once.
    #[test]
    fn devices_and_processor_meet() {
        let matrix = of_matrix(2000, 2048, 0..2000);
        let queue = SweepQueue::default();
        let batches = of_triangles(&matrix, 2);
        queue.begin(2, batches.clone());
        let mut vertices = Vec::new();
        assert!(queue.lend(1, |left| left).is_none() && queue.lend(2, |_| 0).is_none());
        while let Some(batch) = queue.next() {
            vertices.extend(batch.vertices.unwrap());
            if let Some(loan) = queue.lend(2, |left| left / 4) {
                assert!(queue.lend(2, |left| left).is_none(), "one loan at a time");
                vertices.extend(loan.vertices.clone());
                let counts = SimplexCounts { simplices: loan.batches as u64, ..SimplexCounts::default() };
                assert_eq!(loan.give(vec![7], counts), 0);
            }
        }
        vertices.sort_unstable();
        let first = batches.back().unwrap().vertices.clone().unwrap().start;
        assert!(vertices.into_iter().eq(first..2000));
        let found = queue.end();
        let lent = found.counts.simplices as usize;
        assert!(lent > 0 && lent < batches.len() && found.columns.iter().all(|columns| columns == &[7]));
    }

    /// A dimension does not end before a loan does, even if nothing was found.
    #[test]
    fn a_loan_is_waited_for() {
        let queue = SweepQueue::default();
        queue.begin(2, of_triangles(&of_matrix(2000, 2048, 0..2000), 2));
        let loan = queue.lend(2, |left| left).unwrap();
        assert!(queue.next().is_none());
        let is_returned = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                queue.end();
                assert!(is_returned.load(Ordering::SeqCst));
            });
            thread::sleep(Duration::from_millis(30));
            is_returned.store(true, Ordering::SeqCst);
            drop(loan);
        });
    }

    /// Parts of a batch have no greatest vertices of their own, and are not lent.
    #[test]
    fn parts_are_not_lent() {
        let queue = SweepQueue::default();
        queue.begin(2, of_triangles(&of_matrix(300, 320, 0..300), 1));
        let batch = queue.next().unwrap();
        queue.put_back(batch.cut(3));
        assert!(queue.lend(2, |_| 1).is_none());
        assert_eq!(std::iter::from_fn(|| queue.next()).count(), 3);
    }
}
