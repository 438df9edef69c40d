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
//! not grow with the image. The rows of [`Bins::Distinct`] of 32 or 64 bits are as many as there are distinct values: when they pass the
//! limit, they go to temporary files, and are read from there ([`Rows`]). What a reader keeps (a picture that is compressed as a whole) is its own.
//!
//! **Ranges.** Bins over the whole range of 32 or 64 bits need it beforehand: [`Streamer::range`] is a pass of its own.

mod apart;
mod in_order;
mod queue;
mod slabs;

use std::io;
use std::path::PathBuf;

use super::bins::FiniteRange;
use super::cpu::{self, Counter, Room};
use super::{Bins, BinsError, Request, Rows};
use crate::cubical::{Shape, Value, Voxel};
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
    /// The system starts no thread to add up voxels.
    #[error(
        "cannot start a thread that adds up voxels: {0}; the system's limits of processes and memory (ulimit -u, \
         ulimit -v) may allow more"
    )]
    Threads(io::Error),
    /// Rows that memory has no room for cannot be kept in temporary files.
    #[error("{}: cannot keep rows that {limit} bytes of memory have no room for (--temp-dir, --memory): {error}", directory.display())]
    Spill {
        /// Where.
        directory: PathBuf,
        /// What is allowed.
        limit: usize,
        /// What the system says.
        error: io::Error,
    },
}

/// Adds up images of one type of voxels, one after another, in the same buffers.
#[derive(Debug)]
pub struct Streamer<T: Voxel> {
    request: Request,
    limit: usize,
    directory: PathBuf,
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
        let counter = Counter::new(request, Level::detect());
        let directory = std::env::temp_dir();
        Ok(Streamer { request: *request, limit, directory, counter, buffers: Vec::new() })
    }

    /// With rows that memory has no room for in files of this directory, not in that of the system.
    #[must_use]
    pub fn spilling_to(self, directory: PathBuf) -> Self {
        Streamer { directory, ..self }
    }

    /// Whether the curve takes a range that only a pass over all voxels can tell.
    pub fn needs_range(request: &Request) -> bool {
        matches!(request.bins, Bins::Uniform { range: None, .. }) && !Counter::<T>::finds_range()
    }

    /// The least finite value and the greatest, of all voxels that `read` gives in memory order: it fills the front of what it is given and says how
    /// many it filled, fewer only at the end. `advance` is told how many have been read.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn range<E>(
        &mut self,
        shape: Shape,
        mut read: impl FnMut(&mut [T]) -> Result<usize, E>,
        advance: &dyn Fn(u64),
    ) -> Result<(Value, Value), StreamError<E>> {
        let mut buffer = self.buffers.pop().unwrap_or_default();
        let length = shape.count().min(RANGE_BYTES / size_of::<T>());
        resize(&mut buffer, length);
        let mut found = FiniteRange::new::<T>();
        let mut done = 0;
        while done < shape.count() {
            let part = &mut buffer[..length.min(shape.count() - done)];
            fill(&mut read, part, done, shape.count())?;
            done += part.len();
            found = found.join(cpu::range(part));
            advance(part.len() as u64);
        }
        self.buffers.push(buffer);
        Ok(found.values::<T>()?)
    }

    /// The curve of the voxels that `read` gives, as in [`Streamer::range`]. The range is that of the values, if it
    /// [is needed](Streamer::needs_range). `advance` is told how many voxels have been added up.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn curve<E>(
        &mut self,
        shape: Shape,
        range: Option<(Value, Value)>,
        read: impl FnMut(&mut [T]) -> Result<usize, E>,
        advance: &dyn Fn(u64),
    ) -> Result<Rows, StreamError<E>> {
        let range = self.bins_range(range)?;
        let slabs = self.slabs(shape, Use::InOrder)?;
        in_order::add_up(self.begin(&slabs, shape, range, advance)?, &slabs, read)?;
        self.finish()
    }

    /// The same of voxels that can be read at any place.
    ///
    /// # Errors
    /// [`StreamError`]; of several faults of reading, the first in memory order.
    pub fn curve_anywhere<E: Send>(
        &mut self,
        shape: Shape,
        range: Option<(Value, Value)>,
        read: &ReadAt<'_, T, E>,
        advance: &dyn Fn(u64),
    ) -> Result<Rows, StreamError<E>> {
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
        apart::add_up(self.begin(&apart, shape, range, advance)?, &apart, read)?;
        self.finish()
    }

    /// The rows of what was added up.
    fn finish<E>(&mut self) -> Result<Rows, StreamError<E>> {
        let Streamer { counter, directory, limit, .. } = self;
        let failed = |error| StreamError::Spill { directory: directory.clone(), limit: *limit, error };
        counter.finish().map_err(failed)
    }

    fn bins_range<E>(&self, range: Option<(Value, Value)>) -> Result<Option<(Value, Value)>, StreamError<E>> {
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
        range: Option<(Value, Value)>,
        advance: &'a dyn Fn(u64),
    ) -> Result<Job<'a, T>, BinsError> {
        let Streamer { counter, buffers, directory, .. } = self;
        let (count, threads) = (shape.count(), rayon::current_num_threads());
        counter.begin(range, threads.max(slabs.buffers), Some(Room { bytes: slabs.room, directory }))?;
        buffers.resize_with(slabs.buffers, Vec::new);
        // Few voxels are not worth many threads.
        let threads = threads.min((count / LEAST_VOXELS).max(1));
        Ok(Job { counter, buffers, count, threads, advance })
    }
}

/// An image that is added up.
struct Job<'a, T: Voxel> {
    counter: &'a mut Counter<T>,
    /// One a slab in memory, of any length.
    buffers: &'a mut Vec<Vec<T>>,
    /// Voxels of the image.
    count: usize,
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
