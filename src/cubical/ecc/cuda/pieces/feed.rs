//! Pieces of an image in page-locked memory, read by several threads and delivered in order.
//!
//! A thread claims the next piece together with memory for it, so the piece that is waited for always has memory,
//! however far others have read ahead. Memory is locked while no piece is ready, and kept for the next image.

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

/// Bytes of a piece. 4 MiB lock more memory and are no faster; 1 MiB and less are slower (H200, 16 threads).
const PIECE: usize = 2 << 20;
/// Greatest number of pieces in memory.
const PIECES: usize = 24;
/// Greatest number of reading threads: 8 saturate the transfer to the device, and 16 are not faster.
const READERS: usize = 8;

/// Number of voxels of a piece.
pub(super) fn length<T>() -> usize {
    PIECE / size_of::<T>()
}

/// Page-locked memory, which circulates between the readers and the sender.
pub(super) struct Memory<T> {
    spare: Sender<Pinned<T>>,
    /// Number of pieces of memory locked so far.
    locked: usize,
    /// Number of pieces of memory to lock at most.
    most: usize,
}

impl<T> Memory<T> {
    /// Prepares the memory for an image of `pieces` pieces, starting with the memory kept from the last image.
    pub(super) fn new(pieces: usize, kept: Vec<Pinned<T>>) -> (Self, Receiver<Pinned<T>>) {
        let (spare, spared) = mpsc::channel();
        let (locked, most) = (kept.len(), pieces.min(PIECES));
        for piece in kept {
            // Sending cannot fail: the receiver is still in scope.
            let _ = spare.send(piece);
        }
        (Memory { spare, locked, most }, spared)
    }
}

/// Threads that read pieces.
pub(super) struct Readers<'a, T, E, P: Iterator<Item = Range<usize>>> {
    turn: Mutex<Turn<'a, T, E, P>>,
    threads: usize,
}

/// State that a thread locks to claim a piece.
struct Turn<'a, T, E, P: Iterator<Item = Range<usize>>> {
    voxels: Voxels<'a, T, E>,
    /// Ranges of voxels of the pieces that have not been claimed.
    pieces: Peekable<std::iter::Enumerate<P>>,
    spared: Receiver<Pinned<T>>,
}

/// A piece that has been read: its number, its memory, and the number of its voxels or the error.
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
    /// Readers of these pieces, into the memory received from `spared`.
    pub(super) fn new(
        voxels: Voxels<'a, T, E>,
        pieces: P,
        memory: &Memory<T>,
        spared: Receiver<Pinned<T>>,
    ) -> Self {
        let threads = match voxels {
            Voxels::InOrder(_) => 1,
            // At most as many as pieces: starting a thread takes longer than reading a small image.
            Voxels::Anywhere(_) => rayon::current_num_threads().min(READERS).min(memory.most.max(1)),
        };
        Readers { turn: Mutex::new(Turn { voxels, pieces: pieces.enumerate().peekable(), spared }), threads }
    }

    /// Starts the threads. They end when all pieces are read or the feed is dropped.
    ///
    /// # Errors
    /// [`DeviceError::Threads`]: no thread could be started.
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
        // Only the threads hold senders now, so receiving fails once they have ended.
        drop(hand_on);
        Ok(Feed { gpu, memory, filled, ahead: BTreeMap::new(), number: 0 })
    }

    /// Claims and reads the next piece; `None` if there are no more.
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

    /// Returns the memory that was put back.
    pub(super) fn end(self) -> Vec<Pinned<T>> {
        let turn = self.turn.into_inner().unwrap_or_else(PoisonError::into_inner);
        turn.spared.try_iter().collect()
    }
}

/// Runs a read and turns a panic into an error of its piece. If the piece never arrived, the device would wait for it
/// forever, and the other readers for memory.
fn caught<T, E: From<DeviceError>>(read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    guarded::<_, DeviceError>(|| Ok(read())).map_err(E::from).flatten()
}

/// The destination of a piece's voxels, after earlier copies from this memory have finished.
fn room<'m, T: KernelVoxel, E: From<DeviceError>>(
    memory: &'m mut Pinned<T>,
    range: &Range<usize>,
) -> Result<&'m mut [T], E> {
    Ok(&mut memory.slice_mut().map_err(device)?[..range.len()])
}

/// Delivers the pieces in order.
pub(super) struct Feed<'a, T: KernelVoxel, E> {
    gpu: &'a Gpu,
    memory: Memory<T>,
    filled: Receiver<Filled<T, E>>,
    /// Pieces that arrived before their turn, by number.
    ahead: BTreeMap<usize, Filled<T, E>>,
    /// Number of the piece to deliver next.
    number: usize,
}

impl<T: KernelVoxel, E: From<DeviceError>> Feed<'_, T, E> {
    /// Returns the next piece, which must have `count` voxels. Locks more memory while no piece is ready.
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

    /// Returns the memory of a piece to the readers; a copy from it may still be in progress.
    pub(super) fn put_back(&self, memory: Pinned<T>) {
        // Sending cannot fail: the receiver outlives all senders.
        let _ = self.memory.spare.send(memory);
    }
}
