//! Ranks that are threads of one process, for tests of stages.

use std::sync::{Barrier, Mutex};
use std::thread;

use super::Ranks;
use crate::memory::Refused;
use crate::parallel::lock;

/// State that all ranks share.
struct Shared {
    barrier: Barrier,
    /// Message of rank r to rank s at place r · size + s.
    messages: Mutex<Vec<Vec<u8>>>,
}

struct Rank<'a> {
    rank: usize,
    size: usize,
    shared: &'a Shared,
}

/// Runs `work` on each of several ranks, and returns what each returns.
pub(crate) fn on_ranks<T: Send>(size: usize, work: impl Fn(&dyn Ranks) -> T + Sync) -> Vec<T> {
    let shared = Shared { barrier: Barrier::new(size), messages: Mutex::new(vec![Vec::new(); size * size]) };
    thread::scope(|scope| {
        let run = |rank| {
            let (shared, work) = (&shared, &work);
            scope.spawn(move || work(&Rank { rank, size, shared }))
        };
        let running: Vec<_> = (0..size).map(run).collect();
        running.into_iter().map(|thread| thread.join().expect("a rank that ends")).collect()
    })
}

impl Ranks for Rank<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn broadcast(&self, bytes: &mut Vec<u8>) {
        let own = if self.rank == 0 { vec![bytes.clone(); self.size] } else { vec![Vec::new(); self.size] };
        *bytes = self.all_to_all(own).expect("memory").swap_remove(0);
    }

    fn sum(&self, numbers: &mut [i64]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        numbers.fill(0);
        for bytes in self.all_to_all(vec![bytes; self.size]).expect("memory") {
            let (others, _) = bytes.as_chunks();
            assert_eq!(others.len(), numbers.len(), "equally many numbers on every rank");
            for (number, other) in numbers.iter_mut().zip(others) {
                *number = number.wrapping_add(i64::from_le_bytes(*other));
            }
        }
    }

    fn all_to_all(&self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Refused> {
        assert_eq!(to.len(), self.size, "one message for each rank");
        for (other, message) in to.into_iter().enumerate() {
            lock(&self.shared.messages)[self.rank * self.size + other] = message;
        }
        self.shared.barrier.wait();
        let mut messages = lock(&self.shared.messages);
        let own = (0..self.size).map(|other| std::mem::take(&mut messages[other * self.size + self.rank]));
        let own = own.collect();
        drop(messages);
        self.shared.barrier.wait();
        Ok(own)
    }
}
