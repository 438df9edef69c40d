//! Slabs on their way from the thread that reads to those that add up.
//!
//! A slab is cut into tiles, and a thread that has nothing to do takes the next tile of the first slab that has one left. Only
//! the reader waits for a slab to be done, as it takes its buffer back.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::cubical::ecc::cpu::view::VoxelTile;

/// Slices in memory.
#[derive(Debug)]
pub(super) struct Slab<T> {
    /// Those that are to be added up; the others are the collar.
    pub(super) own: Range<usize>,
    /// The voxels of all slices, collar included.
    pub(super) voxels: Vec<T>,
    pub(super) tiles: Vec<VoxelTile>,
}

/// Slabs of which tiles are left.
#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    slabs: VecDeque<Arc<Slab<T>>>,
    /// The next tile of the first.
    tile: usize,
    /// Nothing more comes.
    ended: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        let state = State { slabs: VecDeque::new(), tile: 0, ended: false };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Puts a slab behind the others.
    pub(super) fn push(&self, slab: Arc<Slab<T>>) {
        self.lock().slabs.push_back(slab);
        self.changed.notify_all();
    }

    /// Waits for the next tile; there is none when all has ended.
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

    /// Ends the queue when it is dropped, be it by a panic, so that no thread waits for one that has left.
    pub(super) fn ending(&self) -> Ending<'_, T> {
        Ending(self)
    }

    /// Nothing that is left is worth adding up.
    pub(super) fn give_up(&self) {
        self.lock().slabs.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Queue::ending`].
pub(super) struct Ending<'a, T>(&'a Queue<T>);

impl<T> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}
