//! Slabs one after another: one thread reads them, the others add them up. An image of few voxels is read and added up by who asks for it.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::cut::Slabs;
use super::error::SlabError;
use super::job::{Job, fill, make_room, resize};
use super::queue::{Queue, Slab};
use crate::cubical::ecc::cpu::Adder;
use crate::cubical::ecc::threads::start;
use crate::cubical::image::Voxel;

/// Adds up the voxels that `read` gives in memory order.
pub(super) fn add_up<T: Voxel, E>(
    job: Job<'_, T>,
    slabs: &Slabs,
    read: impl FnMut(&mut [T]) -> Result<usize, E>,
) -> Result<(), SlabError<E>> {
    if job.threads == 1 && slabs.count() == 1 {
        return add_up_here(job, slabs, read);
    }
    let Job { counter, buffers, count, threads, advance } = job;
    let (hand_back, done) = mpsc::channel();
    let queue = &Queue::new();
    for buffer in buffers.iter_mut() {
        make_room(buffer, slabs.longest())?;
        resize(buffer, slabs.longest());
    }
    let spare = std::mem::take(buffers);
    let mut reader = Reader { slabs, count, read, queue, spare, done, advance };
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
    *buffers = reader.spare;
    found
}

/// Adds up an image of one slab without a thread: to start one takes longer than to add up a few voxels.
fn add_up_here<T: Voxel, E>(
    job: Job<'_, T>,
    slabs: &Slabs,
    mut read: impl FnMut(&mut [T]) -> Result<usize, E>,
) -> Result<(), SlabError<E>> {
    let Job { counter, buffers, count, advance, .. } = job;
    let mut voxels = buffers.pop().unwrap_or_default();
    resize(&mut voxels, slabs.longest());
    for own in slabs.iter() {
        fill(&mut read, &mut voxels[..slabs.around(&own).len() * slabs.slice], 0, count)?;
        if let Some(mut adder) = counter.adders().next() {
            for tile in &slabs.tiles::<T>(&own) {
                adder.add(slabs.view(&own, &voxels), tile);
                if adder.has_failed() {
                    // `finish` tells why the rows could not be kept.
                    break;
                }
            }
        }
        advance((own.len() * slabs.slice) as u64);
    }
    buffers.push(voxels);
    Ok(())
}

/// Adds up tiles as long as there are such.
fn add<T: Voxel>(mut adder: Adder<'_, T>, slabs: &Slabs, queue: &Queue<T>, hand_back: Sender<Slab<T>>) {
    let _ending = queue.ending();
    while let Some((slab, tile)) = queue.claim() {
        adder.add(slabs.view(&slab.own, &slab.voxels), &slab.tiles[tile]);
        if adder.has_failed() {
            // `finish` tells why the rows could not be kept.
            return queue.give_up();
        }
        // Who is the last to leave a slab gives it back.
        if let Some(slab) = Arc::into_inner(slab) {
            // The reader is gone when reading has failed.
            let _ = hand_back.send(slab);
        }
    }
}

/// Reads slab after slab, and has them added up.
struct Reader<'a, T, R> {
    slabs: &'a Slabs,
    /// Voxels of the image.
    count: usize,
    read: R,
    queue: &'a Queue<T>,
    /// Buffers.
    spare: Vec<Vec<T>>,
    /// Slabs that have been added up.
    done: Receiver<Slab<T>>,
    advance: &'a dyn Fn(u64),
}

impl<T: Voxel, E, R: FnMut(&mut [T]) -> Result<usize, E>> Reader<'_, T, R> {
    fn run(&mut self) -> Result<(), SlabError<E>> {
        let slabs = self.slabs;
        let mut last: Option<Arc<Slab<T>>> = None;
        let mut read = 0;
        for own in slabs.iter() {
            // None comes when the others have failed.
            let Some(mut voxels) = self.buffer() else { break };
            let around = slabs.around(&own);
            let mut kept = 0;
            if let Some(last) = last.take() {
                // The collar: the last slices that are that slab's own, and the one after them.
                let from = (around.start - slabs.around(&last.own).start) * slabs.slice;
                let old = &last.voxels[from..slabs.around(&last.own).len() * slabs.slice];
                kept = old.len();
                voxels[..kept].copy_from_slice(old);
                if let Some(slab) = Arc::into_inner(last) {
                    self.take_back(slab);
                }
            }
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
        Ok(())
    }

    /// A buffer that is not used; none if no thread is left to give one back.
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
        (self.advance)((slab.own.len() * self.slabs.slice) as u64);
    }
}
