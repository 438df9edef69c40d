//! Queue of slabs from the reading thread to the threads that add up.
//!
//! A slab is cut into tiles, and an idle thread takes the next tile of the first slab that has one left. Only the
//! reader waits for a slab to be done, to reuse its buffer.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::cubical::ecc::cpu::view::VoxelTile;

/// A slab in memory, with its collar.
#[derive(Debug)]
pub(super) struct Slab<T> {
    /// The slices to be added up; the others are the collar.
    pub(super) own: Range<usize>,
    /// The voxels of all slices, including the collar.
    pub(super) voxels: Vec<T>,
    pub(super) tiles: Vec<VoxelTile>,
}

/// The slabs that have tiles left.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    slabs: VecDeque<Arc<Slab<T>>>,
    /// The next tile of the first slab.
    tile: usize,
    /// Whether no more slabs will come.
    ended: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        let state = State { slabs: VecDeque::new(), tile: 0, ended: false };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Appends a slab.
    pub(super) fn push(&self, slab: Arc<Slab<T>>) {
        self.lock().slabs.push_back(slab);
        self.changed.notify_all();
    }

    /// Waits for the next tile; `None` once the queue has ended.
    pub(super) fn claim(&self) -> Option<(Arc<Slab<T>>, usize)> {
        let mut state = self.lock();
        loop {
            if let Some(slab) = state.slabs.front() {
                let (slab, tile) = (Arc::clone(slab), state.tile);
                state.tile += 1;
                if state.tile == slab.tiles.len() {
                    state.tile = 0;
                    state.slabs.pop_front();
                }
                return Some((slab, tile));
            }
            if state.ended {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns a guard that ends the queue when dropped, also by a panic, so that no thread waits in vain.
    pub(super) fn ending(&self) -> Ending<'_, T> {
        Ending(self)
    }

    /// Discards all remaining slabs.
    pub(super) fn give_up(&self) {
        self.lock().slabs.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Guard of [`Queue::ending`].
pub(super) struct Ending<'a, T>(&'a Queue<T>);

impl<T> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}
