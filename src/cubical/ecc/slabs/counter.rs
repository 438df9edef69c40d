//! Adds up the slabs of an image.

use std::path::PathBuf;

use super::cut::{Slabs, Use};
use super::error::SlabError;
use super::job::{Job, fill, make_room, resize};
use super::partial::{PartialCurve, Watch};
use super::{apart, in_order};
use crate::cubical::ecc::bins::{Bins, BinsError, FiniteRange};
use crate::cubical::ecc::cpu::{self, Counter, Room};
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::rows::VcecRows;
use crate::cubical::ecc::source::ReadAt;
use crate::cubical::image::Voxel;
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::simd::Level;

/// Bytes that are looked at together for a range.
const RANGE_BYTES: usize = 4 << 20;

/// Voxels of an image for which a thread is started.
const LEAST_VOXELS: usize = 1 << 15;

/// Threads that read while others add up.
const READERS: usize = 4;

/// Adds up images of one type of voxels, one after another, in the same buffers.
#[derive(Debug)]
pub struct SlabCounter<T: Voxel> {
    request: EccRequest,
    limit: usize,
    directory: PathBuf,
    counter: Counter<T>,
    /// Memory of slabs.
    buffers: Vec<Vec<T>>,
}

impl<T: Voxel> SlabCounter<T> {
    /// A counter that takes so many bytes of memory.
    ///
    /// # Errors
    /// [`BinsError`]: there are no such bins.
    pub fn new(request: &EccRequest, limit: usize) -> Result<Self, BinsError> {
        request.bins.check()?;
        let counter = Counter::new(request, Level::detect());
        let directory = std::env::temp_dir();
        Ok(SlabCounter { request: *request, limit, directory, counter, buffers: Vec::new() })
    }

    /// Keeps rows that memory has no room for in files of this directory, not in that of the system.
    #[must_use]
    pub fn spilling_to(self, directory: PathBuf) -> Self {
        SlabCounter { directory, ..self }
    }

    /// Whether the curve takes a range that only a pass over all voxels can tell.
    pub fn needs_range(request: &EccRequest) -> bool {
        matches!(request.bins, Bins::Uniform { range: None, .. }) && !Counter::<T>::finds_range()
    }

    /// The least finite value and the greatest, of all voxels that `read` gives in memory order: it fills the front of what it is given and says how
    /// many it filled, fewer only at the end. `advance` is told how many have been read.
    ///
    /// # Errors
    /// [`SlabError`].
    pub fn range<E>(
        &mut self,
        shape: Shape,
        mut read: impl FnMut(&mut [T]) -> Result<usize, E>,
        advance: &dyn Fn(u64),
    ) -> Result<(Value, Value), SlabError<E>> {
        let mut buffer = self.buffers.pop().unwrap_or_default();
        let length = shape.count().min(RANGE_BYTES / size_of::<T>());
        make_room(&mut buffer, length)?;
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

    /// The curve of the voxels that `read` gives, as in [`SlabCounter::range`]. The range is that of the values, if it
    /// [is needed](SlabCounter::needs_range). `advance` is told how many voxels have been added up.
    ///
    /// # Errors
    /// [`SlabError`].
    pub fn curve<E>(
        &mut self,
        shape: Shape,
        range: Option<(Value, Value)>,
        read: impl FnMut(&mut [T]) -> Result<usize, E>,
        advance: &dyn Fn(u64),
    ) -> Result<VcecRows, SlabError<E>> {
        self.curve_since(None, shape, range, read, &Watch::telling(advance))
    }

    /// Like [`SlabCounter::curve`], from where a run before was interrupted, if it was. `watch` may pause, and keep what has been added up.
    ///
    /// # Errors
    /// [`SlabError`].
    pub fn curve_since<E>(
        &mut self,
        since: Option<&PartialCurve>,
        shape: Shape,
        range: Option<(Value, Value)>,
        mut read: impl FnMut(&mut [T]) -> Result<usize, E>,
        watch: &Watch<'_>,
    ) -> Result<VcecRows, SlabError<E>> {
        let range = self.bins_range(range)?;
        let mut slabs = self.slabs(shape, Use::InOrder)?;
        let mut job = self.begin(&mut slabs, since, shape, range, watch)?;
        if slabs.count() > 0 {
            in_order::skip(&mut job, &slabs, &mut read)?;
        }
        let mut collar = Vec::new();
        job.run(&mut slabs, |job, slabs| in_order::add_up(job, slabs, &mut collar, &mut read))?;
        self.finish()
    }

    /// Like [`SlabCounter::curve`], of voxels that can be read at any place.
    ///
    /// # Errors
    /// [`SlabError`]; of several faults of reading, the first in memory order.
    pub fn curve_anywhere<E: Send>(
        &mut self,
        shape: Shape,
        range: Option<(Value, Value)>,
        read: &ReadAt<'_, T, E>,
        advance: &dyn Fn(u64),
    ) -> Result<VcecRows, SlabError<E>> {
        self.curve_anywhere_since(None, shape, range, read, &Watch::telling(advance))
    }

    /// Like [`SlabCounter::curve_anywhere`], from where a run before was interrupted, as [`SlabCounter::curve_since`].
    ///
    /// # Errors
    /// [`SlabError`].
    pub fn curve_anywhere_since<E: Send>(
        &mut self,
        since: Option<&PartialCurve>,
        shape: Shape,
        range: Option<(Value, Value)>,
        read: &ReadAt<'_, T, E>,
        watch: &Watch<'_>,
    ) -> Result<VcecRows, SlabError<E>> {
        let threads = rayon::current_num_threads();
        let mut apart = self.slabs(shape, Use::Apart(threads + threads.min(READERS)))?;
        if apart.count() < threads {
            // They are too few to be shared: all threads add up the same.
            let mut first = 0;
            let read = |voxels: &mut [T]| {
                read(first, voxels)?;
                first += voxels.len();
                Ok(voxels.len())
            };
            return self.curve_since(since, shape, range, read, watch);
        }
        let range = self.bins_range(range)?;
        let mut job = self.begin(&mut apart, since, shape, range, watch)?;
        job.run(&mut apart, |job, slabs| apart::add_up(job, slabs, read))?;
        self.finish()
    }

    /// The rows of what was added up.
    fn finish<E>(&mut self) -> Result<VcecRows, SlabError<E>> {
        let SlabCounter { counter, directory, limit, .. } = self;
        let failed = |error| SlabError::Spill { directory: directory.clone(), limit: *limit, error };
        counter.finish().map_err(failed)
    }

    fn bins_range<E>(&self, range: Option<(Value, Value)>) -> Result<Option<(Value, Value)>, SlabError<E>> {
        let range = match self.request.bins {
            Bins::Uniform { range: given, .. } => given.or(range),
            Bins::Distinct => None,
        };
        if range.is_none() && Self::needs_range(&self.request) {
            return Err(SlabError::Range(T::NAME));
        }
        Ok(range)
    }

    fn slabs<E>(&self, shape: Shape, usage: Use) -> Result<Slabs, SlabError<E>> {
        let limit = self.limit;
        let slabs = Slabs::new::<T>(shape, &self.request.bins, limit, usage);
        slabs.map_err(|needed| SlabError::Slabs { shape, needed, limit })
    }

    /// Begins an image, whose slabs before an interruption are taken for done.
    fn begin<'a, E>(
        &'a mut self,
        slabs: &mut Slabs,
        since: Option<&PartialCurve>,
        shape: Shape,
        range: Option<(Value, Value)>,
        watch: &'a Watch<'a>,
    ) -> Result<Job<'a, T>, SlabError<E>> {
        let SlabCounter { counter, buffers, directory, .. } = self;
        let (count, threads) = (shape.count(), rayon::current_num_threads());
        counter.begin(range, threads.max(slabs.buffers), Some(Room { bytes: slabs.room, directory }))?;
        let mut untold = 0;
        if let Some(PartialCurve { slices, sums }) = since {
            slabs.begin_at(*slices)?;
            counter.add_partial(sums)?;
            untold = (slices * slabs.slice) as u64;
        }
        buffers.resize_with(slabs.buffers, Vec::new);
        // Few voxels are not worth many threads.
        let threads = threads.min((count / LEAST_VOXELS).max(1));
        Ok(Job { counter, buffers, count, threads, watch, untold })
    }
}

#[cfg(test)]
mod tests;
