//! The curve of an image that need not fit into memory.
//!
//! The image is cut into slabs along its slowest axis that has more than one voxel: planes of a volume, rows of a picture, stretches of
//! a line. What a voxel owns depends on its neighbours, so a slab comes with a collar: a slice on either side, or, of a line, 64 voxels
//! before. The curve is that of [`curve`](super::curve), whatever the slabs.
//!
//! | voxels come | slabs | collars |
//! |---|---|---|
//! | from any place, as those of most files | each thread reads its own and adds it up (`apart`) | are read twice |
//! | in memory order, as through a pipe | one thread reads them, the others add them up (`in_order`) | are copied from slab to slab |
//!
//! **Memory.** The limit is for everything: slabs with their collars, tables and sums of all threads, the program itself. It does
//! not grow with the image, but for [`Bins::Distinct`] of 32 or 64 bits, whose rows are as many as there are distinct values: when they pass
//! the limit, that is an error. What a reader keeps (a picture that is compressed as a whole) is its own.
//!
//! **Ranges.** Bins over the whole range of 32 or 64 bits need it beforehand: [`Streamer::range`] is a pass of its own.

mod apart;
mod in_order;
mod queue;
mod slabs;

use rayon::prelude::*;

use super::cpu::Counter;
use super::{Bins, BinsError, Curve, Request};
use crate::cubical::{Key, Shape, Voxel};
use crate::simd::{BLOCK, Level};
use slabs::{Slabs, Use};

/// Bytes that are looked at together for a range.
const RANGE_BYTES: usize = 4 << 20;

/// Voxels of an image for which a thread is started.
const LEAST_VOXELS: usize = 1 << 15;

/// Threads that read while others add up.
const READERS: usize = 4;

/// Fills a slice with the voxels from the one that has this number in memory order, for several threads at a time; `E` is why it cannot.
pub type ReadAt<'a, T, E> = dyn Fn(usize, &mut [T]) -> Result<(), E> + Sync + 'a;

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

/// Adds up images of one type of voxels, one after another, in the same buffers.
#[derive(Debug)]
pub struct Streamer<T: Voxel> {
    request: Request,
    limit: usize,
    counter: Counter<T>,
    /// Memory of slabs.
    buffers: Vec<Vec<T>>,
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
        Ok(Streamer { request, limit, counter, buffers: Vec::new() })
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
    pub fn range<E>(
        &mut self,
        shape: Shape,
        mut read: impl FnMut(&mut [T]) -> Result<usize, E>,
        advance: &dyn Fn(u64),
    ) -> Result<(f64, f64), StreamError<E>> {
        let mut buffer = self.buffers.pop().unwrap_or_default();
        let length = shape.count().min(RANGE_BYTES / size_of::<T>());
        resize(&mut buffer, length);
        let (mut least, mut greatest) = (T::Key::MAX, T::Key::default());
        let mut done = 0;
        while done < shape.count() {
            let part = &mut buffer[..length.min(shape.count() - done)];
            fill(&mut read, part, done, shape.count())?;
            done += part.len();
            let keys = part.par_iter().with_min_len(BLOCK << 8).map(|voxel| voxel.key());
            let (low, high) = keys
                .map(|key| (key, key))
                .reduce(|| (T::Key::MAX, T::Key::default()), |a, b| (a.0.min(b.0), a.1.max(b.1)));
            (least, greatest) = (least.min(low), greatest.max(high));
            advance(part.len() as u64);
        }
        self.buffers.push(buffer);
        Ok((T::of_key(least).value(), T::of_key(greatest).value()))
    }

    /// The curve of the voxels that `read` gives, as in [`Streamer::range`]. The range is that of the values, if it
    /// [is needed](Streamer::needs_range). `advance` is told how many voxels have been added up.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn curve<E>(
        &mut self,
        shape: Shape,
        range: Option<(f64, f64)>,
        read: impl FnMut(&mut [T]) -> Result<usize, E>,
        advance: &dyn Fn(u64),
    ) -> Result<Curve, StreamError<E>> {
        let range = self.bins_range(range)?;
        let slabs = self.slabs(shape, Use::InOrder)?;
        in_order::add_up(self.begin(&slabs, shape, range, advance), &slabs, read)?;
        Ok(self.counter.finish())
    }

    /// The same of voxels that can be read at any place.
    ///
    /// # Errors
    /// [`StreamError`]; of several faults of reading, the first in memory order.
    pub fn curve_anywhere<E: Send>(
        &mut self,
        shape: Shape,
        range: Option<(f64, f64)>,
        read: &ReadAt<'_, T, E>,
        advance: &dyn Fn(u64),
    ) -> Result<Curve, StreamError<E>> {
        let threads = rayon::current_num_threads();
        let apart = self.slabs(shape, Use::Apart(threads + threads.min(READERS)))?;
        if apart.count() < threads {
            // They are too few to be shared: all threads add up the same.
            let mut first = 0;
            let read = |voxels: &mut [T]| {
                read(first, voxels)?;
                first += voxels.len();
                Ok(voxels.len())
            };
            return self.curve(shape, range, read, advance);
        }
        let range = self.bins_range(range)?;
        apart::add_up(self.begin(&apart, shape, range, advance), &apart, read)?;
        Ok(self.counter.finish())
    }

    fn bins_range<E>(&self, range: Option<(f64, f64)>) -> Result<Option<(f64, f64)>, StreamError<E>> {
        let range = match self.request.bins {
            Bins::Uniform { range: given, .. } => given.or(range),
            Bins::Distinct => None,
        };
        if range.is_none() && Self::needs_range(&self.request) {
            return Err(StreamError::Range(T::NAME));
        }
        Ok(range)
    }

    fn slabs<E>(&self, shape: Shape, usage: Use) -> Result<Slabs, StreamError<E>> {
        let limit = self.limit;
        let slabs = Slabs::new::<T>(shape, &self.request.bins, limit, usage);
        slabs.map_err(|needed| StreamError::Slabs { shape, needed, limit })
    }

    /// Begins an image.
    fn begin<'a>(
        &'a mut self,
        slabs: &Slabs,
        shape: Shape,
        range: Option<(f64, f64)>,
        advance: &'a dyn Fn(u64),
    ) -> Job<'a, T> {
        let Streamer { counter, buffers, limit, .. } = self;
        let (count, threads) = (shape.count(), rayon::current_num_threads());
        counter.begin(range, threads.max(slabs.buffers));
        buffers.resize_with(slabs.buffers, Vec::new);
        // Few voxels are not worth many threads.
        let threads = threads.min((count / LEAST_VOXELS).max(1));
        Job { counter, buffers, count, limit: *limit, threads, advance }
    }
}

/// An image that is added up.
struct Job<'a, T: Voxel> {
    counter: &'a mut Counter<T>,
    /// One a slab in memory, of any length.
    buffers: &'a mut Vec<Vec<T>>,
    /// Voxels of the image.
    count: usize,
    /// Bytes of memory.
    limit: usize,
    /// That add up at a time.
    threads: usize,
    advance: &'a dyn Fn(u64),
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
