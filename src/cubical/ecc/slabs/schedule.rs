//! Distribution of slabs to threads: each thread reads the next slab with its collar, and adds it up while it is in the
//! nearest caches.
//!
//! There are more threads than may add up at a time, so that some read meanwhile: a disk then serves several requests,
//! and no core waits for it. A slab of a sequential source is read under a lock, and its last slices are copied for the
//! collar of the next one. If there are fewer slabs or buffers than threads, slabs come one by one instead, and all
//! threads of the pool add up each of them.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use zerocopy::{FromBytes, IntoBytes};

use super::cut::Slabs;
use super::partial::Watch;
use crate::cubical::ecc::cpu::view::tiles;
use crate::cubical::ecc::cpu::{Counter, Worker};
use crate::cubical::ecc::error::EccError;
use crate::cubical::ecc::source::Voxels;
use crate::cubical::ecc::threads;
use crate::cubical::key::Key;
use crate::cubical::order::VoxelOrder;
use crate::memory::{self, Refused};
use crate::parallel::lock;
use crate::progress::Interrupted;
use crate::simd::BLOCK;

/// An image being added up.
pub(super) struct Schedule<'a, K: Key> {
    pub(super) counter: &'a mut Counter<K>,
    /// One buffer for the bits of each slab in memory, of any length.
    pub(super) buffers: &'a mut Vec<Vec<K>>,
    pub(super) slabs: &'a Slabs,
    pub(super) source: Source<'a>,
    pub(super) watch: &'a Watch<'a>,
    /// Number of voxels added up but not yet reported. Reporting may unwind, so the sums are saved first at a pause.
    pub(super) untold: u64,
}

impl<K: Key + FromBytes + IntoBytes> Schedule<'_, K> {
    /// Adds up all slabs. At a pause of the watch, it receives the sums of the slices before the next slab.
    pub(super) fn run(&mut self) -> Result<(), EccError> {
        let threads = rayon::current_num_threads();
        let end = self.slabs.part.end;
        self.buffers.resize_with(self.slabs.buffers, Vec::new);
        self.buffers.iter_mut().try_for_each(|buffer| make_room(buffer, self.slabs.longest()))?;
        self.skip()?;
        while self.source.next() < end {
            self.source.has_ended.store(false, Ordering::Relaxed);
            let left = (end - self.source.next()).div_ceil(self.slabs.own);
            if left.min(self.slabs.buffers) < threads {
                self.together()?
            } else {
                self.apart(threads)?
            }
            // `finish` reports why the rows could not be stored. Complete sums are saved too if the run is to end.
            let slices = self.source.next();
            if self.counter.has_failed() || slices == end && !(self.watch.pauses)() {
                break;
            }
            (self.watch.keep)(self.counter.so_far(slices));
            if lock(&self.source.turn).is_interrupted {
                return Err(Interrupted::default().into());
            }
            self.tell();
        }
        self.tell();
        Ok(())
    }

    /// Reports the voxels that were added up.
    fn tell(&mut self) {
        (self.watch.advance)(std::mem::take(&mut self.untold));
    }

    /// Reads past the slices of a sequential source that an interrupted run has added, up to the collar of the first
    /// slab.
    fn skip(&mut self) -> Result<(), EccError> {
        let next = self.source.next();
        if !self.source.voxels.is_sequential || next == self.slabs.end() {
            return Ok(());
        }
        let (mut read, end) = (0, next.saturating_sub(self.slabs.before) * self.slabs.slice);
        while read < end {
            self.buffers[0].resize(self.slabs.longest().min(end - read), K::default());
            (self.source.voxels.read)(read, self.buffers[0].as_mut_bytes())?;
            read += self.buffers[0].len();
        }
        Ok(())
    }

    /// Adds up slabs one by one, each by all threads, until a pause.
    fn together(&mut self) -> Result<(), EccError> {
        let Schedule { counter, buffers, slabs, source, watch, untold } = self;
        let buffer = &mut buffers[0];
        buffer.resize(slabs.longest(), K::default());
        while let Some((own, found)) = source.read(slabs, buffer.as_mut_bytes()) {
            found?;
            counter.add(slabs.view(&own, buffer, counter.order), slabs.part(&own));
            *untold += (own.len() * slabs.slice) as u64;
            if counter.has_failed() || (watch.pauses)() {
                break;
            }
            (watch.advance)(std::mem::take(untold));
        }
        Ok(())
    }

    /// Adds up slabs until a pause, each by one thread.
    fn apart(&mut self, threads: usize) -> Result<(), EccError> {
        let Schedule { counter, buffers, slabs, source, watch, untold } = self;
        let (slabs, source, permits, order) = (*slabs, &*source, &Permits::new(threads), counter.order);
        let (tell, told) = mpsc::channel();
        let mut fault = None;
        thread::scope(|scope| {
            let works = counter.workers.iter_mut().zip(&mut **buffers).map(|own| {
                let tell = tell.clone();
                move || work(slabs, source, permits, own, order, &tell)
            });
            threads::start(scope, works).map_err(EccError::Threads)?;
            drop(tell);
            for (own, found) in told {
                if let Err(error) = found {
                    // Slabs are read in order, so all slabs before this one are read too, and the first fault is found.
                    if fault.as_ref().is_none_or(|&(first, _)| own.start < first) {
                        fault = Some((own.start, error));
                    }
                    continue;
                }
                // Slabs that were begun before a pause are still received and counted here.
                let pauses = (watch.pauses)();
                *untold += (own.len() * slabs.slice) as u64;
                if pauses {
                    source.end();
                }
                if !source.has_ended.load(Ordering::Relaxed) {
                    (watch.advance)(std::mem::take(untold));
                }
            }
            Ok::<_, EccError>(())
        })?;
        fault.map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// A slab, and whether its voxels could be read.
type Slab = (Range<usize>, Result<(), EccError>);

/// Work of a thread: adds up slabs until the source has ended.
fn work<K: Key + FromBytes + IntoBytes>(
    slabs: &Slabs,
    source: &Source<'_>,
    permits: &Permits,
    (worker, buffer): (&mut Worker<K>, &mut Vec<K>),
    order: VoxelOrder,
    tell: &Sender<Slab>,
) {
    // Each thread touches its own buffer first: clearing its pages takes the system as long as much of the work.
    buffer.resize(slabs.longest(), K::default());
    while let Some((own, found)) = source.read(slabs, buffer.as_mut_bytes()) {
        if found.is_ok() {
            let _permit = permits.take();
            let view = slabs.view(&own, buffer, order);
            tiles(slabs.part(&own), size_of::<K>(), 1).iter().for_each(|tile| worker.add(view, tile));
        }
        if worker.has_failed() {
            source.end();
        }
        // The receiver is gone if the run is to end early.
        if tell.send((own, found)).is_err() {
            break;
        }
    }
}

/// The source of the slabs, which threads claim in turn.
pub(super) struct Source<'a> {
    voxels: Voxels<'a>,
    /// Number of bytes of a voxel.
    size: usize,
    turn: Mutex<Turn>,
    /// Whether no more slabs are to be read.
    has_ended: AtomicBool,
}

struct Turn {
    /// The first slice of the next slab.
    next: usize,
    /// Bytes of voxels of a sequential source that were read and belong to the next slab or its collar.
    collar: Vec<u8>,
    /// Whether the run was to end while a slab was read, so that no more can be.
    is_interrupted: bool,
}

impl<'a> Source<'a> {
    /// A source of slabs of voxels of `size` bytes, from slice `next` on.
    pub(super) fn new(voxels: Voxels<'a>, size: usize, next: usize) -> Self {
        let turn = Mutex::new(Turn { next, collar: Vec::new(), is_interrupted: false });
        Source { voxels, size, turn, has_ended: AtomicBool::new(false) }
    }

    /// Stops the reading of slabs.
    fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// The first slice of the next slab.
    fn next(&self) -> usize {
        lock(&self.turn).next
    }

    /// Reads the next slab and its collar into the front of `buffer`, the bytes of voxels. Returns `None` after the
    /// last slab, or if the source has ended; it ends at the first error, and if the run is to end while it reads.
    fn read(&self, slabs: &Slabs, buffer: &mut [u8]) -> Option<Slab> {
        let mut turn = lock(&self.turn);
        if self.has_ended.load(Ordering::Relaxed) || turn.next == slabs.part.end {
            return None;
        }
        let own = turn.next..slabs.part.end.min(turn.next + slabs.own);
        let around = slabs.around(&own);
        let slice = slabs.slice * self.size;
        let (first, voxels) = (around.start * slabs.slice, &mut buffer[..around.len() * slice]);
        turn.next = own.end;
        let found = if self.voxels.is_sequential {
            let (old, new) = voxels.split_at_mut(turn.collar.len());
            old.copy_from_slice(&turn.collar);
            let found = (self.voxels.read)(first + old.len() / self.size, new);
            let from = own.end.saturating_sub(slabs.before) - around.start;
            turn.collar.clear();
            turn.collar.extend_from_slice(&voxels[from * slice..]);
            if matches!(found, Err(EccError::Interrupted(_))) {
                // What was added up before this slab is saved at the pause that follows.
                turn.next = own.start;
                turn.is_interrupted = true;
                self.end();
                return None;
            }
            found
        } else {
            drop(turn);
            (self.voxels.read)(first, voxels)
        };
        if found.is_err() {
            self.end();
        }
        Some((own, found))
    }
}

/// Reserves memory for a buffer of `length` voxels without touching it.
///
/// # Errors
/// [`Refused`]: the system refuses the memory.
fn make_room<T>(buffer: &mut Vec<T>, length: usize) -> Result<(), Refused> {
    // A previous image may have needed much more.
    if buffer.capacity() > 2 * length + BLOCK {
        *buffer = Vec::new();
    }
    memory::reserve(buffer, length.saturating_sub(buffer.len()))
}

/// A semaphore, which counts how many may go on.
struct Permits {
    left: Mutex<usize>,
    given_back: Condvar,
}

impl Permits {
    fn new(count: usize) -> Self {
        Permits { left: Mutex::new(count), given_back: Condvar::new() }
    }

    /// Waits for a permit.
    fn take(&self) -> Permit<'_> {
        let mut left = lock(&self.left);
        while *left == 0 {
            left = self.given_back.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
        *left -= 1;
        Permit(self)
    }
}

/// A permit, returned when it is dropped.
struct Permit<'a>(&'a Permits);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        *lock(&self.0.left) += 1;
        self.0.given_back.notify_one();
    }
}
