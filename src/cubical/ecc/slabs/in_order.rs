//! Slabs of an image read in order: one thread reads, the others add up; for a small image one thread does both.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::cut::Slabs;
use super::error::SlabError;
use super::job::{Job, fill, make_room, resize};
use super::partial::Watch;
use super::queue::{Queue, Slab};
use crate::cubical::ecc::cpu::Adder;
use crate::cubical::ecc::threads::start;
use crate::cubical::image::Voxel;

/// Adds up the voxels that `read` returns in memory order, until the watch asks for a pause. Returns the first slice
/// not yet added. `collar` holds the voxels already read that belong to the first slab or its collar.
pub(super) fn add_up<T: Voxel, E>(
    job: &mut Job<'_, T>,
    slabs: &Slabs,
    collar: &mut Vec<T>,
    read: impl FnMut(&mut [T]) -> Result<usize, E>,
) -> Result<usize, SlabError<E>> {
    if job.threads == 1 && slabs.count() == 1 && slabs.first == 0 {
        return add_up_here(job, slabs, read);
    }
    let Job { counter, buffers, count, threads, watch, untold } = job;
    let (count, threads) = (*count, *threads);
    let (hand_back, done) = mpsc::channel();
    let queue = &Queue::new();
    for buffer in buffers.iter_mut() {
        make_room(buffer, slabs.longest())?;
        resize(buffer, slabs.longest());
    }
    let spare = std::mem::take(*buffers);
    let mut reader =
        Reader { slabs, count, read, queue, spare, done, watch, untold, has_paused: false, collar };
    let found = thread::scope(|scope| {
        let works = counter.adders().take(threads).map(|adder| {
            let hand_back = hand_back.clone();
            move || add(adder, slabs, queue, hand_back)
        });
        start(scope, works).map_err(SlabError::Threads)?;
        drop(hand_back);
        let ending = queue.ending();
        let found = reader.run();
        if found.is_err() {
            queue.give_up();
        }
        drop(ending);
        while let Ok(slab) = reader.done.recv() {
            reader.take_back(slab);
        }
        found
    });
    **buffers = reader.spare;
    found
}

/// Reads past the slices that an interrupted run has added, up to the collar of the first slab.
pub(super) fn skip<T: Voxel, E>(
    job: &mut Job<'_, T>,
    slabs: &Slabs,
    mut read: impl FnMut(&mut [T]) -> Result<usize, E>,
) -> Result<(), SlabError<E>> {
    let before = slabs.first.saturating_sub(slabs.before) * slabs.slice;
    let mut voxels = job.buffers.pop().unwrap_or_default();
    make_room(&mut voxels, slabs.longest())?;
    resize(&mut voxels, slabs.longest());
    let mut done = 0;
    while done < before {
        let part = slabs.longest().min(before - done);
        fill(&mut read, &mut voxels[..part], done, job.count)?;
        done += part;
    }
    job.buffers.push(voxels);
    Ok(())
}

/// Adds up an image of one slab on the calling thread: starting a thread takes longer than adding up few voxels.
fn add_up_here<T: Voxel, E>(
    job: &mut Job<'_, T>,
    slabs: &Slabs,
    mut read: impl FnMut(&mut [T]) -> Result<usize, E>,
) -> Result<usize, SlabError<E>> {
    let Job { counter, buffers, count, watch, .. } = job;
    let mut voxels = buffers.pop().unwrap_or_default();
    resize(&mut voxels, slabs.longest());
    for own in slabs.iter() {
        fill(&mut read, &mut voxels[..slabs.around(&own).len() * slabs.slice], 0, *count)?;
        if let Some(mut adder) = counter.adders().next() {
            for tile in &slabs.tiles::<T>(&own) {
                adder.add(slabs.view(&own, &voxels), tile);
                if adder.has_failed() {
                    // `finish` reports why the rows could not be stored.
                    break;
                }
            }
        }
        (watch.advance)((own.len() * slabs.slice) as u64);
    }
    buffers.push(voxels);
    Ok(slabs.extents[slabs.axis])
}

/// Adds up tiles from the queue until it ends.
fn add<T: Voxel>(mut adder: Adder<'_, T>, slabs: &Slabs, queue: &Queue<T>, hand_back: Sender<Slab<T>>) {
    let _ending = queue.ending();
    while let Some((slab, tile)) = queue.claim() {
        adder.add(slabs.view(&slab.own, &slab.voxels), &slab.tiles[tile]);
        if adder.has_failed() {
            // `finish` reports why the rows could not be stored.
            return queue.give_up();
        }
        // The last thread to leave a slab returns its buffer.
        if let Some(slab) = Arc::into_inner(slab) {
            // The receiver is gone if reading has failed.
            let _ = hand_back.send(slab);
        }
    }
}

/// Reads the slabs in order and queues them.
struct Reader<'a, T, R> {
    slabs: &'a Slabs,
    /// Number of voxels of the image.
    count: usize,
    read: R,
    queue: &'a Queue<T>,
    /// Buffers that are not in use.
    spare: Vec<Vec<T>>,
    /// Receives slabs that have been added up.
    done: Receiver<Slab<T>>,
    watch: &'a Watch<'a>,
    /// Number of voxels added up but not yet reported, because of a pause.
    untold: &'a mut u64,
    has_paused: bool,
    /// Voxels already read that belong to the next slab and its collar.
    collar: &'a mut Vec<T>,
}

impl<T: Voxel, E, R: FnMut(&mut [T]) -> Result<usize, E>> Reader<'_, T, R> {
    fn run(&mut self) -> Result<usize, SlabError<E>> {
        let slabs = self.slabs;
        let mut last: Option<Arc<Slab<T>>> = None;
        let mut read = slabs.first.saturating_sub(slabs.before) * slabs.slice + self.collar.len();
        for own in slabs.iter() {
            let around = slabs.around(&own);
            if let Some(last) = last.take() {
                // The collar: the last slices of the previous slab itself, and the one after them.
                let from = (around.start - slabs.around(&last.own).start) * slabs.slice;
                let old = &last.voxels[from..slabs.around(&last.own).len() * slabs.slice];
                self.collar.clear();
                self.collar.extend_from_slice(old);
                if let Some(slab) = Arc::into_inner(last) {
                    self.take_back(slab);
                }
                self.has_paused |= (self.watch.pauses)();
                if self.has_paused {
                    return Ok(own.start);
                }
            }
            // No buffer comes if the other threads have failed.
            let Some(mut voxels) = self.buffer() else { return Ok(own.start) };
            if self.has_paused {
                self.spare.push(voxels);
                return Ok(own.start);
            }
            let kept = self.collar.len();
            voxels[..kept].copy_from_slice(self.collar);
            let new = &mut voxels[kept..around.len() * slabs.slice];
            fill(&mut self.read, new, read, self.count)?;
            read += new.len();
            let slab = Arc::new(Slab { tiles: slabs.tiles::<T>(&own), own, voxels });
            self.queue.push(Arc::clone(&slab));
            last = Some(slab);
        }
        if let Some(slab) = last.and_then(Arc::into_inner) {
            self.take_back(slab);
        }
        Ok(slabs.extents[slabs.axis])
    }

    /// An unused buffer; `None` if no thread is left to return one.
    fn buffer(&mut self) -> Option<Vec<T>> {
        while let Ok(slab) = self.done.try_recv() {
            self.take_back(slab);
        }
        while self.spare.is_empty() {
            let slab = self.done.recv().ok()?;
            self.take_back(slab);
        }
        self.spare.pop()
    }
}

impl<T, R> Reader<'_, T, R> {
    fn take_back(&mut self, slab: Slab<T>) {
        self.spare.push(slab.voxels);
        *self.untold += (slab.own.len() * self.slabs.slice) as u64;
        // Reporting may unwind; at a pause, the sums are saved first.
        self.has_paused |= (self.watch.pauses)();
        if !self.has_paused {
            (self.watch.advance)(std::mem::take(self.untold));
        }
    }
}
