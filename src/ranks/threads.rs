//! Ranks that are threads of one process, for tests of stages and for campaigns.

use std::ops::ControlFlow;
use std::panic;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use super::{Ranks, Take};
use crate::memory::Refused;
use crate::parallel::lock;

/// State that all ranks share.
struct Shared {
    state: Mutex<State>,
    /// Notified when all ranks have met, and when one has ended.
    changed: Condvar,
}

struct State {
    /// Message of rank r to rank s at place r · size + s, of exchanges with even and with odd numbers: a rank may begin
    /// the next exchange while others still take their messages of this one.
    messages: [Vec<Vec<u8>>; 2],
    /// Number of ranks that wait for the others.
    waiting: usize,
    /// Number of exchanges in which all ranks have met.
    meetings: usize,
    /// The first rank that has ended.
    ended: Option<usize>,
    /// The next number of each deal that a rank has begun.
    next: Vec<Arc<AtomicU64>>,
}

struct Rank<'a> {
    rank: usize,
    size: usize,
    shared: &'a Shared,
    /// Number of deals that this rank has begun.
    deals: AtomicUsize,
}

/// Runs `work` on each of several ranks, and returns what each returns.
///
/// # Panics
/// Panics as the first rank that ends does, if others wait for it: with its panic, or with theirs if it has none.
pub fn on_ranks<T: Send>(size: usize, work: impl Fn(&dyn Ranks) -> T + Sync) -> Vec<T> {
    let messages = [vec![Vec::new(); size * size], vec![Vec::new(); size * size]];
    let state = State { messages, waiting: 0, meetings: 0, ended: None, next: Vec::new() };
    let shared = Shared { state: Mutex::new(state), changed: Condvar::new() };
    let mut ended: Vec<thread::Result<T>> = thread::scope(|scope| {
        let run = |rank| {
            let (shared, work) = (&shared, &work);
            scope.spawn(move || work(&Rank { rank, size, shared, deals: AtomicUsize::new(0) }))
        };
        let running: Vec<_> = (0..size).map(run).collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect()
    });
    let first = lock(&shared.state).ended.unwrap_or(0);
    if ended[first].is_err() {
        ended.swap(0, first);
    }
    ended.into_iter().map(|result| result.unwrap_or_else(|payload| panic::resume_unwind(payload))).collect()
}

impl Drop for Rank<'_> {
    fn drop(&mut self) {
        lock(&self.shared.state).ended.get_or_insert(self.rank);
        self.shared.changed.notify_all();
    }
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

    fn deal(&self, work: &mut dyn FnMut(Take<'_>) -> ControlFlow<()>) {
        let deal = self.deals.fetch_add(1, Ordering::Relaxed);
        let next = {
            let mut state = lock(&self.shared.state);
            if state.next.len() == deal {
                state.next.push(Arc::default());
            }
            Arc::clone(&state.next[deal])
        };
        let _ = work(&|numbers| next.fetch_add(numbers, Ordering::Relaxed));
    }

    fn all_to_all(&self, to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Refused> {
        assert_eq!(to.len(), self.size, "one message for each rank");
        let mut state = lock(&self.shared.state);
        let (meeting, first) = (state.meetings, self.rank * self.size);
        state.messages[meeting % 2].splice(first..first + self.size, to);
        state.waiting += 1;
        if state.waiting == self.size {
            state.waiting = 0;
            state.meetings += 1;
            self.shared.changed.notify_all();
        }
        let waits = |state: &mut State| state.meetings == meeting && state.ended.is_none();
        let mut state = self.shared.changed.wait_while(state, waits).expect("no rank panics with the lock");
        if state.meetings == meeting {
            let ended = state.ended.unwrap_or(0);
            drop(state);
            let problem = format!("expected all ranks in an exchange, found that rank {ended} has ended");
            // Not a panic of its own, which would be reported beside that of the rank that has ended.
            panic::resume_unwind(Box::new(problem));
        }
        let messages = &mut state.messages[meeting % 2];
        Ok((0..self.size).map(|other| std::mem::take(&mut messages[other * self.size + self.rank])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "rank 2 fails")]
    fn a_rank_that_panics_ends_the_others() {
        on_ranks(3, |ranks| {
            assert_ne!(ranks.rank(), 2, "rank {} fails", ranks.rank());
            ranks.sum(&mut [1]);
        });
    }

    #[test]
    #[should_panic(expected = "found that rank 1 has ended")]
    fn a_rank_that_ends_early_ends_the_others() {
        on_ranks(3, |ranks| {
            if ranks.rank() != 1 {
                ranks.sum(&mut [1]);
            }
        });
    }
}
