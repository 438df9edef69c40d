//! Pieces of an image in page-locked memory, read by several threads and delivered in order.
//!
//! A thread claims the next piece together with memory for it, so the piece that is waited for always has memory,
//! however far others have read ahead. Memory is locked while no piece is ready, and kept for the next image.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread::Scope;

use crate::backend::guarded;
use crate::cubical::ecc::error::MachineError;
use crate::cubical::ecc::source::Voxels;
use crate::cubical::ecc::threads;
use crate::cuda::{CudaError, Gpu, Pinned};
use crate::parallel::lock;

/// Bytes of a piece. 4 MiB lock more memory and are no faster; 1 MiB and less are slower (H200, 16 threads).
pub(super) const PIECE: usize = 2 << 20;
/// Greatest number of pieces in memory.
const PIECES: usize = 24;
/// Greatest number of reading threads: 8 saturate the transfer to the device, and 16 are not faster.
const READERS: usize = 8;

/// Page-locked memory, which circulates between the readers and the sender.
pub(super) struct Memory {
    spare: Sender<Pinned<u8>>,
    /// Number of pieces of memory locked so far.
    locked: usize,
    /// Number of pieces of memory to lock at most.
    most: usize,
}

impl Memory {
    /// Prepares the memory for an image of `pieces` pieces, starting with the memory kept from the last image.
    pub(super) fn new(pieces: usize, kept: Vec<Pinned<u8>>) -> (Self, Receiver<Pinned<u8>>) {
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
pub(super) struct Readers<'a, P: Iterator<Item = Range<usize>>> {
    voxels: Voxels<'a>,
    /// Number of bytes of a voxel.
    size: usize,
    turn: Mutex<Turn<P>>,
    threads: usize,
}

/// State that a thread locks to claim a piece.
struct Turn<P: Iterator<Item = Range<usize>>> {
    /// Ranges of voxels of the pieces that have not been claimed.
    pieces: Peekable<std::iter::Enumerate<P>>,
    spared: Receiver<Pinned<u8>>,
}

/// A piece that has been read: its number, and its memory or the error.
type Filled = (usize, Result<Pinned<u8>, MachineError>);

impl<'a, P: Iterator<Item = Range<usize>> + Send> Readers<'a, P> {
    /// Readers of these pieces of voxels of `size` bytes, into the memory received from `spared`.
    pub(super) fn new(
        voxels: Voxels<'a>,
        size: usize,
        pieces: P,
        memory: &Memory,
        spared: Receiver<Pinned<u8>>,
    ) -> Self {
        // At most as many as pieces: starting a thread takes longer than reading a small image.
        let most = if voxels.is_sequential { 1 } else { READERS.min(memory.most.max(1)) };
        let turn = Mutex::new(Turn { pieces: pieces.enumerate().peekable(), spared });
        Readers { voxels, size, turn, threads: rayon::current_num_threads().min(most) }
    }

    /// Starts the threads. They end when all pieces are read or the feed is dropped.
    ///
    /// # Errors
    /// [`CudaError::NoThread`]: no thread could be started.
    pub(super) fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        gpu: &'scope Gpu,
        memory: Memory,
    ) -> Result<Feed<'scope>, CudaError> {
        let (hand_on, filled) = mpsc::channel();
        let works = (0..self.threads).map(|_| {
            let hand_on = hand_on.clone();
            move || while self.claim().is_some_and(|piece| hand_on.send(piece).is_ok()) {}
        });
        threads::start(scope, works).map_err(|_| CudaError::NoThread)?;
        // Only the threads hold senders now, so receiving fails once they have ended.
        drop(hand_on);
        Ok(Feed { gpu, memory, filled, ahead: BTreeMap::new(), number: 0 })
    }

    /// Claims and reads the next piece; `None` if there are no more.
    fn claim(&self) -> Option<Filled> {
        let mut turn = lock(&self.turn);
        turn.pieces.peek()?;
        let mut memory = turn.spared.recv().ok()?;
        let (number, range) = turn.pieces.next()?;
        // A sequential source is read in turn.
        let _turn = self.voxels.is_sequential.then_some(turn);
        // If a piece never arrived, the device would wait for it forever, and the other readers for memory, so a panic
        // becomes its error.
        let read = guarded(|| {
            // Waits for earlier copies from this memory.
            let room = &mut memory.slice_mut()?[..range.len() * self.size];
            Ok::<_, MachineError>((self.voxels.read)(range.start, room)?)
        });
        Some((number, read.map(|()| memory)))
    }

    /// Returns the memory that was put back.
    pub(super) fn end(self) -> Vec<Pinned<u8>> {
        lock(&self.turn).spared.try_iter().collect()
    }
}

/// Delivers the pieces in order.
pub(super) struct Feed<'a> {
    gpu: &'a Gpu,
    memory: Memory,
    filled: Receiver<Filled>,
    /// Pieces that arrived before their turn, by number.
    ahead: BTreeMap<usize, Result<Pinned<u8>, MachineError>>,
    /// Number of the piece to deliver next.
    number: usize,
}

impl Feed<'_> {
    /// Returns the next piece. Locks more memory while no piece is ready.
    pub(super) fn next(&mut self) -> Result<Pinned<u8>, MachineError> {
        loop {
            if let Some(piece) = self.ahead.remove(&self.number) {
                self.number += 1;
                return piece;
            }
            let (number, piece) = match self.filled.try_recv() {
                Err(TryRecvError::Empty) if self.memory.locked < self.memory.most => {
                    self.put_back(self.gpu.pinned(PIECE)?);
                    self.memory.locked += 1;
                    continue;
                }
                Ok(filled) => filled,
                Err(_) => self.filled.recv().expect("readers hand on every piece, also those that failed"),
            };
            self.ahead.insert(number, piece);
        }
    }

    /// Returns the memory of a piece to the readers; a copy from it may still be in progress.
    pub(super) fn put_back(&self, memory: Pinned<u8>) {
        // Sending cannot fail: the receiver outlives all senders.
        let _ = self.memory.spare.send(memory);
    }
}
