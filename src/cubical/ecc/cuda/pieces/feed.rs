//! Pieces of an image in page-locked memory, read by several threads and handed on in their order.
//!
//! A thread claims the next piece together with memory for it. So the piece that is waited for always has memory, however far others are
//! ahead. Memory is locked while nothing else is to be done, and kept for the next image.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Mutex, PoisonError};
use std::thread::Scope;

use crate::backend::guarded;
use crate::cubical::ecc::cuda::counting::{DeviceError, device};
use crate::cubical::ecc::source::Voxels;
use crate::cubical::ecc::threads;
use crate::cuda::{Gpu, KernelVoxel, Pinned};

/// Bytes of a piece. With 4 MiB streams are as fast, but more memory is locked first; with 1 MiB and less they are slower (H200, 16 threads).
const PIECE: usize = 2 << 20;
/// Pieces that are held at most.
const PIECES: usize = 24;
/// Threads that read at most: 8 fill what a device takes, 16 do not fill it faster.
const READERS: usize = 8;

/// Voxels of a piece.
pub(super) fn length<T>() -> usize {
    PIECE / size_of::<T>()
}

/// Page-locked memory on its way to those who read.
pub(super) struct Memory<T> {
    spare: Sender<Pinned<T>>,
    /// Pieces that there are.
    locked: usize,
    /// And that there should be.
    most: usize,
}

impl<T> Memory<T> {
    /// Prepares the memory for an image of `pieces` pieces. What was kept of another image is used first.
    pub(super) fn new(pieces: usize, kept: Vec<Pinned<T>>) -> (Self, Receiver<Pinned<T>>) {
        let (spare, spared) = mpsc::channel();
        let (locked, most) = (kept.len(), pieces.min(PIECES));
        for piece in kept {
            // The receiver is beside it.
            let _ = spare.send(piece);
        }
        (Memory { spare, locked, most }, spared)
    }
}

/// Threads that read.
pub(super) struct Readers<'a, T, E, P: Iterator<Item = Range<usize>>> {
    turn: Mutex<Turn<'a, T, E, P>>,
    threads: usize,
}

/// What a thread needs to claim a piece.
struct Turn<'a, T, E, P: Iterator<Item = Range<usize>>> {
    voxels: Voxels<'a, T, E>,
    /// The voxels of each piece that has not been claimed.
    pieces: Peekable<std::iter::Enumerate<P>>,
    spared: Receiver<Pinned<T>>,
}

/// A piece that has been read: its number, its voxels, how many there are.
struct Filled<T, E> {
    number: usize,
    memory: Pinned<T>,
    found: Result<usize, E>,
}

impl<'a, T, E, P> Readers<'a, T, E, P>
where
    T: KernelVoxel,
    E: From<DeviceError> + Send,
    P: Iterator<Item = Range<usize>> + Send,
{
    /// For these pieces, each of which `memory` has room for in turn.
    pub(super) fn new(
        voxels: Voxels<'a, T, E>,
        pieces: P,
        memory: &Memory<T>,
        spared: Receiver<Pinned<T>>,
    ) -> Self {
        let threads = match voxels {
            Voxels::InOrder(_) => 1,
            // No more than pieces: to start a thread takes longer than to read a small image.
            Voxels::Anywhere(_) => rayon::current_num_threads().min(READERS).min(memory.most.max(1)),
        };
        Readers { turn: Mutex::new(Turn { voxels, pieces: pieces.enumerate().peekable(), spared }), threads }
    }

    /// Starts them. They end when all is read, or nobody takes any more.
    ///
    /// # Errors
    /// [`DeviceError::Threads`]: not one starts.
    pub(super) fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        gpu: &'scope Gpu,
        memory: Memory<T>,
    ) -> Result<Feed<'scope, T, E>, E> {
        let (hand_on, filled) = mpsc::channel();
        let works = (0..self.threads).map(|_| {
            let hand_on = hand_on.clone();
            move || while self.claim().is_some_and(|piece| hand_on.send(piece).is_ok()) {}
        });
        threads::start(scope, works).map_err(|error| DeviceError::Threads(error.to_string()))?;
        // What hands on ends with the threads: whoever waits for another piece then knows that none comes.
        drop(hand_on);
        Ok(Feed { gpu, memory, filled, ahead: BTreeMap::new(), number: 0 })
    }

    /// Reads the next piece.
    fn claim(&self) -> Option<Filled<T, E>> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        turn.pieces.peek()?;
        let mut memory = turn.spared.recv().ok()?;
        let (number, range) = turn.pieces.next()?;
        let found = match &mut turn.voxels {
            Voxels::InOrder(read) => caught(|| room(&mut memory, &range).and_then(read)),
            &mut Voxels::Anywhere(read) => {
                drop(turn);
                caught(|| room(&mut memory, &range).and_then(|voxels| read(range.start, voxels)))
                    .map(|()| range.len())
            }
        };
        Some(Filled { number, memory, found })
    }

    /// The memory that was put back.
    pub(super) fn end(self) -> Vec<Pinned<T>> {
        let turn = self.turn.into_inner().unwrap_or_else(PoisonError::into_inner);
        turn.spared.try_iter().collect()
    }
}

/// What a reader finds. A panic is an error of its piece: if the piece never came, the device would wait for it for ever, and the other
/// readers for memory.
fn caught<T, E: From<DeviceError>>(read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    guarded::<_, DeviceError>(|| Ok(read())).map_err(E::from).flatten()
}

/// Where the voxels of a piece go, when what was there has been copied.
fn room<'m, T: KernelVoxel, E: From<DeviceError>>(
    memory: &'m mut Pinned<T>,
    range: &Range<usize>,
) -> Result<&'m mut [T], E> {
    Ok(&mut memory.slice_mut().map_err(device)?[..range.len()])
}

/// The pieces that have been read.
pub(super) struct Feed<'a, T: KernelVoxel, E> {
    gpu: &'a Gpu,
    memory: Memory<T>,
    filled: Receiver<Filled<T, E>>,
    /// Pieces that came before their turn.
    ahead: BTreeMap<usize, Filled<T, E>>,
    /// The piece whose turn it is.
    number: usize,
}

impl<T: KernelVoxel, E: From<DeviceError>> Feed<'_, T, E> {
    /// The next piece, of so many voxels.
    pub(super) fn next(&mut self, count: usize) -> Result<Pinned<T>, E> {
        loop {
            if let Some(Filled { memory, found, .. }) = self.ahead.remove(&self.number) {
                assert_eq!(found?, count, "voxels that the shape promises");
                self.number += 1;
                return Ok(memory);
            }
            let filled = match self.filled.try_recv() {
                Err(TryRecvError::Empty) if self.memory.locked < self.memory.most => {
                    self.put_back(self.gpu.pinned(length::<T>()).map_err(device)?);
                    self.memory.locked += 1;
                    continue;
                }
                Ok(filled) => filled,
                Err(_) => self.filled.recv().expect("readers hand on every piece, also those that failed"),
            };
            self.ahead.insert(filled.number, filled);
        }
    }

    /// Takes a piece back, of which a copy may be on its way.
    pub(super) fn put_back(&self, memory: Pinned<T>) {
        // The receiver outlives all who send.
        let _ = self.memory.spare.send(memory);
    }
}
