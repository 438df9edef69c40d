//! Computes the curve of an image slab by slab.

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

/// Bytes of voxels read at a time to find the range.
const RANGE_BYTES: usize = 4 << 20;

/// Number of voxels of an image per thread: an image with fewer is not worth another thread.
const LEAST_VOXELS: usize = 1 << 15;

/// Greatest number of additional threads, which read while others add up.
const READERS: usize = 4;

/// Adds up a sequence of images of one voxel type, reusing its buffers.
#[derive(Debug)]
pub struct SlabCounter<T: Voxel> {
    request: EccRequest,
    limit: usize,
    directory: PathBuf,
    counter: Counter<T>,
    /// Memory of the slabs.
    buffers: Vec<Vec<T>>,
}

impl<T: Voxel> SlabCounter<T> {
    /// A counter within a memory limit in bytes.
    ///
    /// # Errors
    /// [`BinsError`]: the bins are invalid.
    pub fn new(request: &EccRequest, limit: usize) -> Result<Self, BinsError> {
        request.bins.check()?;
        let counter = Counter::new(request, Level::detect());
        let directory = std::env::temp_dir();
        Ok(SlabCounter { request: *request, limit, directory, counter, buffers: Vec::new() })
    }

    /// Spills rows that exceed the memory limit to files in this directory instead of the system's.
    #[must_use]
    pub fn spilling_to(self, directory: PathBuf) -> Self {
        SlabCounter { directory, ..self }
    }

    /// Whether the curve needs a range that takes a pass over all voxels to find.
    pub fn needs_range(request: &EccRequest) -> bool {
        matches!(request.bins, Bins::Uniform { range: None, .. }) && !Counter::<T>::finds_range()
    }

    /// Finds the least and the greatest finite value of an image. `read` returns its voxels in memory order: it fills
    /// the front of the slice and returns the number filled, which is less than the length only at the end. `advance`
    /// receives the number of voxels read.
    ///
    /// # Errors
    /// [`SlabError`]: a read fails or the voxels end early, memory is refused, or no voxel is finite.
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

    /// Computes the curve of the voxels returned by `read`, as in [`SlabCounter::range`]. `range` must be given if it
    /// [is needed](SlabCounter::needs_range). `advance` receives the number of voxels added up.
    ///
    /// # Errors
    /// [`SlabError`]: the reasons are listed there.
    pub fn curve<E>(
        &mut self,
        shape: Shape,
        range: Option<(Value, Value)>,
        read: impl FnMut(&mut [T]) -> Result<usize, E>,
        advance: &dyn Fn(u64),
    ) -> Result<VcecRows, SlabError<E>> {
        self.curve_since(None, shape, range, read, &Watch::telling(advance))
    }

    /// Like [`SlabCounter::curve`], but resumes from the state `since` of an interrupted run, if any. `watch` may pause
    /// the run and save its state.
    ///
    /// # Errors
    /// [`SlabError`]: the reasons are listed there; also if `since` belongs to another curve.
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

    /// Like [`SlabCounter::curve`], for voxels that can be read at any place.
    ///
    /// # Errors
    /// [`SlabError`]; if several reads fail, the first in memory order.
    pub fn curve_anywhere<E: Send>(
        &mut self,
        shape: Shape,
        range: Option<(Value, Value)>,
        read: &ReadAt<'_, T, E>,
        advance: &dyn Fn(u64),
    ) -> Result<VcecRows, SlabError<E>> {
        self.curve_anywhere_since(None, shape, range, read, &Watch::telling(advance))
    }

    /// Like [`SlabCounter::curve_anywhere`], but resumes as [`SlabCounter::curve_since`] does.
    ///
    /// # Errors
    /// [`SlabError`]: the reasons are listed there.
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
            // Fewer slabs than threads: all threads share each slab instead.
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

    /// Returns the rows of the sums.
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

    /// Begins an image, skipping the slabs that are in `since`.
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
