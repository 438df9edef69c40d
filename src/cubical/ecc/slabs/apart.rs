//! Slabs of an image that can be read at any place: each thread reads the next slab with its collar, and adds it up
//! while it is in the nearest caches.
//!
//! The threads share only the number of the next slab. There are more threads than may add up at a time, so that some
//! read meanwhile: a disk then serves several requests, and no core waits for it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use super::cut::Slabs;
use super::error::SlabError;
use super::job::{Job, make_room, resize};
use crate::cubical::ecc::cpu::Adder;
use crate::cubical::ecc::source::ReadAt;
use crate::cubical::ecc::threads;
use crate::cubical::image::Voxel;

/// Adds up the voxels that `read` returns from any place, until the watch asks for a pause. Returns the first slice not
/// yet added; all slices before it are.
pub(super) fn add_up<T: Voxel, E: Send>(
    job: &mut Job<'_, T>,
    slabs: &Slabs,
    read: &ReadAt<'_, T, E>,
) -> Result<usize, SlabError<E>> {
    let Job { counter, buffers, threads, watch, untold, .. } = job;
    buffers.iter_mut().try_for_each(|buffer| make_room(buffer, slabs.longest()))?;
    let work = &Work {
        slabs,
        read,
        next: AtomicUsize::new(0),
        ended: AtomicBool::new(false),
        permits: Permits::new(*threads),
    };
    let (tell, told) = mpsc::channel();
    let mut fault = None;
    thread::scope(|scope| {
        let works = counter.adders().zip(&mut **buffers).map(|(adder, buffer)| {
            let tell = tell.clone();
            move || work.run(adder, buffer, tell)
        });
        threads::start(scope, works).map_err(SlabError::<E>::Threads)?;
        drop(tell);
        for told in told {
            match told {
                Told::Added(voxels) => {
                    // Slabs that were begun before a pause are still received and counted here.
                    if (watch.pauses)() {
                        work.ended.store(true, Ordering::Relaxed);
                    }
                    *untold += voxels as u64;
                    if !work.ended.load(Ordering::Relaxed) {
                        (watch.advance)(std::mem::take(untold));
                    }
                }
                // Slabs are claimed in order, so all slabs before this one are read too, and the first fault is found.
                Told::Broken(slab, error) => {
                    if fault.as_ref().is_none_or(|&(first, _)| slab < first) {
                        fault = Some((slab, error));
                    }
                }
            }
        }
        Ok::<_, SlabError<E>>(())
    })?;
    if let Some((_, error)) = fault {
        return Err(SlabError::Read(error));
    }
    let begun = work.next.load(Ordering::Relaxed);
    Ok(slabs.iter().nth(begun).map_or(slabs.extents[slabs.axis], |next| next.start))
}

/// Message of a thread.
enum Told<E> {
    /// Number of voxels added up.
    Added(usize),
    /// Number of the slab that could not be read, and the error.
    Broken(usize, E),
}

/// State shared by the threads.
struct Work<'a, T, E> {
    slabs: &'a Slabs,
    read: &'a ReadAt<'a, T, E>,
    /// Number of the next slab.
    next: AtomicUsize,
    /// Whether no more slabs are to be read.
    ended: AtomicBool,
    permits: Permits,
}

impl<T: Voxel, E> Work<'_, T, E> {
    fn run(&self, mut adder: Adder<'_, T>, buffer: &mut Vec<T>, tell: Sender<Told<E>>) {
        let slabs = self.slabs;
        // Each thread touches its own buffer first: clearing its pages takes the system as long as much of the work.
        resize(buffer, slabs.longest());
        while !self.ended.load(Ordering::Relaxed) {
            let slab = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(own) = slabs.iter().nth(slab) else { break };
            let around = slabs.around(&own);
            let voxels = &mut buffer[..around.len() * slabs.slice];
            let told = match (self.read)(around.start * slabs.slice, voxels) {
                Err(error) => Told::Broken(slab, error),
                Ok(()) => {
                    let _permit = self.permits.take();
                    let view = slabs.view(&own, voxels);
                    slabs.tiles::<T>(&own).iter().for_each(|tile| adder.add(view, tile));
                    Told::Added(own.len() * slabs.slice)
                }
            };
            // `finish` reports why the rows could not be stored.
            if !matches!(told, Told::Added(_)) || adder.has_failed() {
                self.ended.store(true, Ordering::Relaxed);
            }
            // The receiver is gone if the run is to end early.
            if tell.send(told).is_err() {
                break;
            }
        }
    }
}

/// Counting semaphore.
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
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
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
        *self.0.left.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.given_back.notify_one();
    }
}
