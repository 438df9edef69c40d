//! Computes the curve of an image slab by slab.

use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zerocopy::{FromBytes, IntoBytes};

use super::cut::Slabs;
use super::partial::{PartialCurve, Watch};
use super::schedule::{Schedule, Source, make_room, resize};
use crate::cubical::ecc::bins::{Bins, BinsError, finite_range, ordered};
use crate::cubical::ecc::cpu::{Counter, Spill};
use crate::cubical::ecc::error::EccError;
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::rows::VcecRows;
use crate::cubical::ecc::source::Voxels;
use crate::cubical::ecc::spill::Store;
use crate::cubical::image::Voxel;
use crate::cubical::key::Key;
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::cubical::voxel::VoxelType;
use crate::simd::Level;

/// Bytes of voxels read at a time to find the range.
const RANGE_BYTES: usize = 4 << 20;

/// Greatest number of additional threads, which read while others add up.
const READERS: usize = 4;

/// Adds up a sequence of images of one voxel type, reusing its buffers.
#[derive(Debug)]
pub struct SlabCounter<T: Voxel> {
    any: AnyCounter,
    voxels: PhantomData<T>,
}

/// A counter for a type of voxels that is known when it runs.
#[derive(Debug)]
struct AnyCounter {
    request: EccRequest,
    limit: usize,
    directory: PathBuf,
    voxels: VoxelType,
    sums: Box<dyn SlabSums>,
}

/// Sums with memory for slabs.
trait SlabSums: fmt::Debug + Send + Sync {
    /// Adds up the slabs of an image, except for those in `since`; rows that exceed the memory limit go to `directory`.
    fn add_up(
        &mut self,
        slabs: &Slabs,
        range: Option<(Value, Value)>,
        voxels: Voxels<'_>,
        since: Option<&PartialCurve>,
        watch: &Watch<'_>,
        directory: &Path,
    ) -> Result<(), EccError>;

    /// Returns the rows of the curve.
    fn finish(&mut self) -> io::Result<VcecRows>;
}

/// Sums for keys of one width.
#[derive(Debug)]
struct SumsOf<K: Key> {
    counter: Counter<K>,
    /// Memory of the slabs.
    buffers: Vec<Vec<K>>,
}

impl<K: Key + FromBytes + IntoBytes> SumsOf<K> {
    fn boxed(request: &EccRequest, voxels: VoxelType) -> Box<dyn SlabSums> {
        let counter = Counter::<K>::new(request, voxels, Level::detect());
        Box::new(SumsOf { counter, buffers: Vec::new() })
    }
}

impl<T: Voxel> SlabCounter<T> {
    /// A counter within a memory limit in bytes.
    ///
    /// # Errors
    /// [`BinsError`]: the bins are invalid.
    pub fn new(request: &EccRequest, limit: usize) -> Result<Self, BinsError> {
        Ok(SlabCounter { any: AnyCounter::new(request, limit, T::TYPE)?, voxels: PhantomData })
    }

    /// Spills rows that exceed the memory limit to files in this directory instead of the system's.
    #[must_use]
    pub fn spilling_to(mut self, directory: PathBuf) -> Self {
        self.any.directory = directory;
        self
    }

    /// Whether the curve needs a range that takes a pass over all voxels to find.
    pub fn needs_range(request: &EccRequest) -> bool {
        request.needs_range(T::TYPE)
    }

    /// Finds the least and the greatest finite value of an image. `read` fills a slice with the next voxels; `advance`
    /// receives their number.
    ///
    /// # Errors
    /// [`EccError`]: a read fails, memory is refused, or no voxel is finite.
    pub fn range(
        shape: Shape,
        mut read: impl FnMut(&mut [T]) -> Result<(), EccError>,
        advance: &dyn Fn(u64),
    ) -> Result<(Value, Value), EccError> {
        let mut buffer = Vec::new();
        let length = shape.count().min(RANGE_BYTES / size_of::<T>());
        make_room(&mut buffer, length)?;
        resize(&mut buffer, length);
        let (mut found, mut done) = (None, 0);
        while done < shape.count() {
            let part = &mut buffer[..length.min(shape.count() - done)];
            read(part)?;
            done += part.len();
            found = match (found, finite_range(part)) {
                (Some((low, high)), Some(more)) => Some((ordered(low, more.0).0, ordered(high, more.1).1)),
                (found, more) => found.or(more),
            };
            advance(part.len() as u64);
        }
        Ok(found.ok_or(BinsError::NoneFinite)?)
    }

    /// Computes the curve of an image. `range` must be given if it [is needed](SlabCounter::needs_range). Resumes from
    /// the state `since` of an interrupted run, if any. `watch` receives the number of voxels added up, and may pause
    /// the run and save its state.
    ///
    /// # Errors
    /// [`EccError`]: the reasons are listed there; if several reads fail, the first in memory order counts.
    pub fn curve(
        &mut self,
        shape: Shape,
        range: Option<(Value, Value)>,
        voxels: Voxels<'_>,
        since: Option<&PartialCurve>,
        watch: &Watch<'_>,
    ) -> Result<VcecRows, EccError> {
        self.any.curve(shape, range, voxels, since, watch)
    }
}

impl AnyCounter {
    fn new(request: &EccRequest, limit: usize, voxels: VoxelType) -> Result<Self, BinsError> {
        request.bins.check()?;
        let sums = match voxels.bytes() {
            1 => SumsOf::<u8>::boxed,
            2 => SumsOf::<u16>::boxed,
            4 => SumsOf::<u32>::boxed,
            _ => SumsOf::<u64>::boxed,
        };
        let (directory, sums) = (std::env::temp_dir(), sums(request, voxels));
        Ok(AnyCounter { request: *request, limit, directory, voxels, sums })
    }

    fn curve(
        &mut self,
        shape: Shape,
        range: Option<(Value, Value)>,
        voxels: Voxels<'_>,
        since: Option<&PartialCurve>,
        watch: &Watch<'_>,
    ) -> Result<VcecRows, EccError> {
        let AnyCounter { request, limit, ref directory, .. } = *self;
        let range = match request.bins {
            Bins::Uniform { range: given, .. } => given.or(range),
            Bins::Distinct => None,
        };
        if range.is_none() && request.needs_range(self.voxels) {
            return Err(EccError::Range(self.voxels.name()));
        }
        let threads = rayon::current_num_threads();
        let slabs = Slabs::new(shape, self.voxels, &request.bins, limit, threads + threads.min(READERS));
        let slabs = slabs.map_err(|needed| EccError::Slabs { shape, needed, limit })?;
        self.sums.add_up(&slabs, range, voxels, since, watch, directory)?;
        self.sums.finish().map_err(|error| EccError::Spill { directory: directory.clone(), limit, error })
    }
}

impl<K: Key + FromBytes + IntoBytes> SlabSums for SumsOf<K> {
    fn add_up(
        &mut self,
        slabs: &Slabs,
        range: Option<(Value, Value)>,
        voxels: Voxels<'_>,
        since: Option<&PartialCurve>,
        watch: &Watch<'_>,
        directory: &Path,
    ) -> Result<(), EccError> {
        let SumsOf { counter, buffers } = self;
        let workers = rayon::current_num_threads().max(slabs.buffers);
        let store = Arc::new(Store::new(directory, size_of::<K>()));
        counter.begin(range, workers, Some(&Spill { store, room: slabs.room / workers }))?;
        let (mut first, mut untold) = (0, 0);
        if let Some(partial) = since {
            slabs.check_start(partial.slices)?;
            counter.add_partial(partial)?;
            (first, untold) = (partial.slices, (partial.slices * slabs.slice) as u64);
        }
        let source = Source::new(voxels, size_of::<K>(), first);
        Schedule { counter, buffers, slabs, source, watch, untold }.run()
    }

    fn finish(&mut self) -> io::Result<VcecRows> {
        self.counter.finish()
    }
}

#[cfg(test)]
mod tests;
