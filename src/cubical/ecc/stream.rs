//! The curve of an image that need not fit into memory.
//!
//! The image is cut into slabs along its slowest axis that has more than one voxel: planes of a volume, rows of a picture, stretches of
//! a line. One thread reads a slab while the others add up the one before. What a voxel owns depends on its neighbours, so a slab comes
//! with a collar: a slice on either side, or, of a line, 64 voxels before. Slices of the collar are kept from slab to slab; each voxel
//! is read once. The curve is that of [`curve`](super::curve), whatever the slabs.
//!
//! **Memory.** The limit is for everything: two slabs and the collar, tables and sums of all threads, the program itself. It does
//! not grow with the image, but for [`Bins::Distinct`] of 32 or 64 bits, whose rows are as many as there are distinct values: when they pass
//! the limit, that is an error. What a reader keeps (a picture that is compressed as a whole) is its own.
//!
//! **Ranges.** Bins over the whole range of 32 or 64 bits need it beforehand: [`Streamer::range`] is a pass of its own.

use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use super::cpu::{Counter, View, worker_bytes};
use super::{Bins, BinsError, Curve, Request};
use crate::cubical::{Key, Shape, Voxel};
use crate::simd::{BLOCK, Level};

/// What the program takes itself.
const PROGRAM: usize = 16 << 20;

/// Slabs of so many bytes stay in a cache from reading to adding up.
const SLAB_BYTES: usize = 8 << 20;

/// But of fewer slices the collar would be much of the work.
const SLAB_SLICES: usize = 24;

/// Why there is no curve; `E` is why voxels cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StreamError<E> {
    /// There are no such bins.
    #[error(transparent)]
    Bins(#[from] BinsError),
    /// Voxels cannot be read.
    #[error(transparent)]
    Read(E),
    /// They end early.
    #[error("expected {expected} voxels, found {found}")]
    Short {
        /// Of the shape.
        expected: usize,
        /// How many came.
        found: usize,
    },
    /// The range of the bins is not known.
    #[error("expected the range of voxels of {0} beforehand, found bins without one (--range)")]
    Range(&'static str),
    /// Too little memory for the thinnest slabs.
    #[error(
        "expected at least {needed} bytes of memory for an image of {shape} voxels, found {limit} (--memory)"
    )]
    Slabs {
        /// The image.
        shape: Shape,
        /// What the thinnest slabs take, with all else.
        needed: usize,
        /// What is allowed.
        limit: usize,
    },
    /// Too little memory for the rows.
    #[error(
        "expected the rows of all distinct values to fit into {limit} bytes of memory, found more after {voxels} voxels \
         (--memory allows more, --bins takes less)"
    )]
    Rows {
        /// Voxels until then.
        voxels: usize,
        /// What is allowed.
        limit: usize,
    },
}

/// How an image is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slabs {
    extents: [usize; 3],
    /// Along which axis.
    axis: usize,
    /// Voxels of a slice.
    slice: usize,
    /// Slices of the collar before a slab.
    before: usize,
    /// Slices of a slab, without collar.
    own: usize,
    /// Bytes that are left for sums that grow.
    room: usize,
}

impl Slabs {
    fn new<T: Voxel>(shape: Shape, bins: &Bins, limit: usize) -> Result<Slabs, usize> {
        let extents = shape.extents();
        let axis = extents.iter().position(|&extent| extent > 1).unwrap_or(2);
        let slice: usize = extents[axis + 1..].iter().product();
        let unit = if axis == 2 { BLOCK } else { 1 };
        let bytes = |slices: usize| slices.saturating_mul(slice).saturating_mul(size_of::<T>());
        // Two slabs, each with its collar, and what is kept of the last.
        let with_collar = |own: usize| bytes(2 * own + 3 * (unit + 1));
        // Bins have their ends, and sums of each thread; other rows grow with what is found.
        let threads = rayon::current_num_threads();
        let (rows, grows) = match *bins {
            Bins::Uniform { count, .. } => (count.saturating_mul(32 + 8 * (threads + 1)), false),
            Bins::Distinct => (0, T::Key::BITS > 16),
        };
        let fixed = (PROGRAM + threads * worker_bytes::<T>(extents)).saturating_add(rows);
        let left = limit.saturating_sub(fixed);
        let for_slabs = if grows { left / 2 } else { left };
        if with_collar(unit) > for_slabs {
            let slabs = with_collar(unit);
            return Err(fixed.saturating_add(if grows { slabs.saturating_mul(2) } else { slabs }));
        }
        let wanted =
            (SLAB_BYTES / bytes(1).max(1)).max(SLAB_SLICES).min(extents[axis]).next_multiple_of(unit);
        // As many as are wanted, or as fit.
        let fit = (for_slabs - with_collar(0)) / bytes(2).max(1) / unit * unit;
        let own = wanted.min(fit).max(unit);
        Ok(Slabs { extents, axis, slice, before: unit, own, room: left - with_collar(own).min(left) })
    }

    /// Slices of each slab, without collar.
    fn iter(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (end, own) = (self.extents[self.axis], self.own);
        (0..end).step_by(own).map(move |from| from..end.min(from + own))
    }

    /// With the collar.
    fn around(&self, own: &Range<usize>) -> Range<usize> {
        own.start.saturating_sub(self.before)..self.extents[self.axis].min(own.end + 1)
    }

    /// Voxels that a slab takes at most.
    fn longest(&self) -> usize {
        (self.own + self.before + 1).min(self.extents[self.axis]) * self.slice
    }
}

/// Adds up images of one type of voxels, one after another, in the same buffers.
#[derive(Debug)]
pub struct Streamer<T: Voxel> {
    request: Request,
    limit: usize,
    counter: Counter<T>,
    buffers: [Vec<T>; 2],
    /// The collar between slabs.
    kept: Vec<T>,
}

impl<T: Voxel> Streamer<T> {
    /// In so many bytes of memory.
    ///
    /// # Errors
    /// [`BinsError`]: there are no such bins.
    pub fn new(request: &Request, limit: usize) -> Result<Self, BinsError> {
        request.bins.check()?;
        let counter = Counter::new(request, None, Level::detect());
        let request = *request;
        Ok(Streamer { request, limit, counter, buffers: [Vec::new(), Vec::new()], kept: Vec::new() })
    }

    /// Whether the curve takes a range that only a pass over all voxels can tell.
    pub fn needs_range(request: &Request) -> bool {
        matches!(request.bins, Bins::Uniform { range: None, .. }) && !Counter::<T>::finds_range()
    }

    /// The least value and the greatest, of all voxels that `read` gives in memory order: it fills the front of what it is given and says how
    /// many it filled, fewer only at the end. `advance` is told how many have been read.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn range<E: Send>(
        &mut self,
        shape: Shape,
        mut read: impl FnMut(&mut [T]) -> Result<usize, E> + Send,
        advance: &dyn Fn(u64),
    ) -> Result<(f64, f64), StreamError<E>> {
        let buffer = &mut self.buffers[0];
        let length = shape.count().min((256 << 10) / size_of::<T>());
        resize(buffer, length);
        let (mut least, mut greatest) = (T::Key::MAX, T::Key::default());
        let mut done = 0;
        while done < shape.count() {
            let part = &mut buffer[..length.min(shape.count() - done)];
            fill(&mut read, part, done, shape.count())?;
            done += part.len();
            for voxel in part.iter() {
                (least, greatest) = (least.min(voxel.key()), greatest.max(voxel.key()));
            }
            advance(part.len() as u64);
        }
        Ok((T::of_key(least).value(), T::of_key(greatest).value()))
    }

    /// The curve of the voxels that `read` gives, as in [`Streamer::range`]. The range is that of the values, if it
    /// [is needed](Streamer::needs_range). `advance` is told how many voxels have been added up.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn curve<E: Send>(
        &mut self,
        shape: Shape,
        range: Option<(f64, f64)>,
        read: impl FnMut(&mut [T]) -> Result<usize, E> + Send,
        advance: &dyn Fn(u64),
    ) -> Result<Curve, StreamError<E>> {
        let range = match self.request.bins {
            Bins::Uniform { range: given, .. } => given.or(range),
            Bins::Distinct => None,
        };
        if range.is_none() && Self::needs_range(&self.request) {
            return Err(StreamError::Range(T::NAME));
        }
        let limit = self.limit;
        let slabs = Slabs::new::<T>(shape, &self.request.bins, limit);
        let slabs = slabs.map_err(|needed| StreamError::Slabs { shape, needed, limit })?;
        self.counter.begin(range);
        self.add_up(&slabs, shape.count(), read, advance)?;
        Ok(self.counter.finish())
    }

    fn add_up<E: Send>(
        &mut self,
        slabs: &Slabs,
        count: usize,
        read: impl FnMut(&mut [T]) -> Result<usize, E> + Send,
        advance: &dyn Fn(u64),
    ) -> Result<(), StreamError<E>> {
        let Streamer { counter, buffers, kept, limit, .. } = self;
        // An image of one slab takes one buffer.
        let used = if slabs.own < slabs.extents[slabs.axis] { 2 } else { 1 };
        buffers[..used].iter_mut().for_each(|buffer| resize(buffer, slabs.longest()));
        let (full, filled) = mpsc::channel();
        let (empty, emptied) = mpsc::channel();
        for buffer in &mut buffers[..used] {
            // The receiver is beside it.
            let _ = empty.send(std::mem::take(buffer));
        }
        thread::scope(|scope| {
            let reading =
                scope.spawn(move || (read_slabs(slabs, count, kept, read, &emptied, full), emptied));
            let added = filled.iter().try_for_each(|(own, buffer): (Range<usize>, Vec<T>)| {
                counter.add(slabs.view(&own, &buffer), slabs.own(&own));
                advance((own.len() * slabs.slice) as u64);
                // When the reader has failed, nobody waits for it.
                let _ = empty.send(buffer);
                let voxels = own.end * slabs.slice;
                if counter.bytes() > slabs.room {
                    Err(StreamError::Rows { voxels, limit: *limit })
                } else {
                    Ok(())
                }
            });
            // A reader that waits for a buffer, or to hand one on, ends now.
            drop((empty, filled));
            let (read, emptied) = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            for (buffer, back) in buffers.iter_mut().zip(emptied.try_iter()) {
                *buffer = back;
            }
            added.and(read)
        })
    }
}

impl Slabs {
    fn view<'a, T>(&self, own: &Range<usize>, voxels: &'a [T]) -> View<'a, T> {
        let mut first = [0; 3];
        first[self.axis] = self.around(own).start;
        View { extents: self.extents, first, voxels }
    }

    fn own(&self, own: &Range<usize>) -> [Range<usize>; 3] {
        let mut parts = self.extents.map(|extent| 0..extent);
        parts[self.axis] = own.clone();
        parts
    }
}

/// Reads slab after slab into the buffers that come, and hands them on.
fn read_slabs<T: Voxel, E>(
    slabs: &Slabs,
    count: usize,
    kept: &mut Vec<T>,
    mut read: impl FnMut(&mut [T]) -> Result<usize, E>,
    emptied: &Receiver<Vec<T>>,
    full: Sender<(Range<usize>, Vec<T>)>,
) -> Result<(), StreamError<E>> {
    kept.clear();
    let mut done = 0;
    for own in slabs.iter() {
        // No buffer comes when the others have failed.
        let Ok(mut buffer) = emptied.recv() else { break };
        let around = slabs.around(&own);
        let (old, new) = buffer[..around.len() * slabs.slice].split_at_mut(kept.len());
        old.copy_from_slice(kept);
        fill(&mut read, new, done, count)?;
        done += new.len();
        // The collar of the next: the last slices that are this slab's own, and the one after them.
        let from = (own.end.saturating_sub(slabs.before) - around.start) * slabs.slice;
        kept.clear();
        kept.extend_from_slice(&buffer[from..around.len() * slabs.slice]);
        if full.send((own, buffer)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Fills all of `voxels`, of which the first is number `done` of an image of `count`.
fn fill<T, E>(
    read: &mut impl FnMut(&mut [T]) -> Result<usize, E>,
    voxels: &mut [T],
    done: usize,
    count: usize,
) -> Result<(), StreamError<E>> {
    let found = read(voxels).map_err(StreamError::Read)?;
    if found == voxels.len() {
        Ok(())
    } else {
        Err(StreamError::Short { expected: count, found: done + found })
    }
}

fn resize<T: Voxel>(buffer: &mut Vec<T>, length: usize) {
    // An image before may have taken much more.
    if buffer.capacity() > 2 * length + BLOCK {
        *buffer = Vec::new();
    }
    buffer.resize(length, T::of_key(T::Key::default()));
}

#[cfg(test)]
mod tests;
