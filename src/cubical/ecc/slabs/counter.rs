//! Computes the curve of an image slab by slab.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zerocopy::{FromBytes, IntoBytes};

use super::cut::{Slabs, part_of};
use super::partial::{PartialCurve, Watch};
use super::schedule::{Schedule, Source};
use crate::cubical::ecc::bins::{Bins, BinsError, finite_range, ordered};
use crate::cubical::ecc::cpu::{Counter, Spill};
use crate::cubical::ecc::error::EccError;
use crate::cubical::ecc::request::EccRequest;
use crate::cubical::ecc::rows::VcecRows;
use crate::cubical::ecc::source::Voxels;
use crate::cubical::ecc::spill::Store;
use crate::cubical::ecc::vcec::Vcec;
use crate::cubical::image::Voxel;
use crate::cubical::key::Key;
use crate::cubical::shape::Shape;
use crate::cubical::value::Value;
use crate::cubical::voxel::VoxelType;
use crate::memory;
use crate::ranks::{Alone, Ranks};
use crate::simd::Level;

/// Bytes of voxels read at a time to find the range.
const RANGE_BYTES: usize = 4 << 20;

/// Greatest number of additional threads, which read while others add up.
const READERS: usize = 4;

/// Adds up a sequence of images of one voxel type, reusing its buffers.
#[derive(Debug)]
pub struct SlabCounter {
    request: EccRequest,
    voxels: VoxelType,
    limit: usize,
    directory: PathBuf,
    sums: Box<dyn SlabSums>,
}

impl SlabCounter {
    /// A counter of voxels of a type within a memory limit in bytes.
    ///
    /// # Errors
    /// [`BinsError`]: the bins are invalid.
    pub fn new(request: &EccRequest, voxels: VoxelType, limit: usize) -> Result<Self, BinsError> {
        request.bins.check()?;
        let (directory, sums) = (std::env::temp_dir(), sums_of(request, voxels));
        Ok(SlabCounter { request: *request, voxels, limit, directory, sums })
    }

    /// The type of the voxels.
    pub fn voxels(&self) -> VoxelType {
        self.voxels
    }

    /// Spills rows that exceed the memory limit to files in this directory instead of the system's.
    #[must_use]
    pub fn spilling_to(self, directory: PathBuf) -> Self {
        SlabCounter { directory, ..self }
    }

    /// Finds the least and the greatest finite value of `count` voxels; `None` if no voxel is finite. `read` fills a
    /// slice with the next voxels; `advance` receives their number.
    ///
    /// # Errors
    /// [`EccError`]: a read fails, or memory is refused.
    pub fn range<T: Voxel>(
        count: usize,
        mut read: impl FnMut(&mut [T]) -> Result<(), EccError>,
        advance: &dyn Fn(u64),
    ) -> Result<Option<(Value, Value)>, EccError> {
        let length = count.min(RANGE_BYTES / size_of::<T>());
        let mut buffer = memory::filled(T::default(), length)?;
        let (mut found, mut done) = (None, 0);
        while done < count {
            let part = &mut buffer[..length.min(count - done)];
            read(part)?;
            done += part.len();
            found = joined(found, finite_range(part));
            advance(part.len() as u64);
        }
        Ok(found)
    }

    /// Computes the curve of an image. `range` must be given if it [is needed](EccRequest::needs_range). Resumes from
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
        self.curve_on(&Alone, shape, range, voxels, since, watch)
    }

    /// Like [`curve`](SlabCounter::curve), but `ranks` share the image. Several ranks read its voxels at any place and
    /// resume from no state. `watch` receives the number of voxels that this rank has added up. Rank 0 returns the
    /// rows, the others none.
    ///
    /// # Errors
    /// The errors of [`curve`](SlabCounter::curve).
    pub(crate) fn curve_on(
        &mut self,
        ranks: &dyn Ranks,
        shape: Shape,
        range: Option<(Value, Value)>,
        voxels: Voxels<'_>,
        since: Option<&PartialCurve>,
        watch: &Watch<'_>,
    ) -> Result<VcecRows, EccError> {
        let SlabCounter { request, voxels: of, limit, ref directory, .. } = *self;
        request.check(shape)?;
        let range = match request.bins {
            Bins::Uniform { range: given, .. } => given.or(range),
            Bins::Distinct => None,
        };
        if range.is_none() && request.needs_range(of) {
            return Err(EccError::Range(of.name()));
        }
        let threads = rayon::current_num_threads();
        let (part, most) = (part_of(shape, ranks), threads + threads.min(READERS));
        let slabs = Slabs::new(shape, of, &request.bins, limit, most, part);
        let slabs = slabs.map_err(|needed| EccError::Slabs { shape, needed, limit })?;
        self.sums.curve(&slabs, &Pass { range, voxels, since, watch, directory, ranks })
    }
}

/// Two ranges joined, each `None` without a finite voxel.
pub(crate) fn joined(a: Option<(Value, Value)>, b: Option<(Value, Value)>) -> Option<(Value, Value)> {
    match (a, b) {
        (Some((low, high)), Some(more)) => Some((ordered(low, more.0).0, ordered(high, more.1).1)),
        (a, b) => a.or(b),
    }
}

/// One pass over an image.
struct Pass<'a> {
    range: Option<(Value, Value)>,
    voxels: Voxels<'a>,
    /// The sums of an interrupted run.
    since: Option<&'a PartialCurve>,
    watch: &'a Watch<'a>,
    /// Where rows go that exceed the memory limit.
    directory: &'a Path,
    ranks: &'a dyn Ranks,
}

/// Sums with memory for slabs.
trait SlabSums: fmt::Debug + Send + Sync {
    /// Adds up the slabs of an image, except for those of an interrupted run, and returns the rows of the curve; none
    /// on ranks other than 0.
    fn curve(&mut self, slabs: &Slabs, pass: &Pass<'_>) -> Result<VcecRows, EccError>;
}

/// Sums for voxels of a type. They are compiled once per width of keys.
fn sums_of(request: &EccRequest, voxels: VoxelType) -> Box<dyn SlabSums> {
    fn new<K: Key + FromBytes + IntoBytes>(request: &EccRequest, voxels: VoxelType) -> Box<dyn SlabSums> {
        Box::new((Counter::<K>::new(request, voxels, Level::detect()), Vec::<Vec<K>>::new()))
    }
    match voxels.bytes() {
        1 => new::<u8>(request, voxels),
        2 => new::<u16>(request, voxels),
        4 => new::<u32>(request, voxels),
        _ => new::<u64>(request, voxels),
    }
}

/// A counter and the memory of the slabs.
impl<K: Key + FromBytes + IntoBytes> SlabSums for (Counter<K>, Vec<Vec<K>>) {
    fn curve(&mut self, slabs: &Slabs, pass: &Pass<'_>) -> Result<VcecRows, EccError> {
        let &Pass { range, voxels, since, watch, directory, ranks } = pass;
        let (counter, buffers) = self;
        let workers = rayon::current_num_threads().max(slabs.buffers);
        let store = Arc::new(Store::new(directory, size_of::<K>()));
        counter.begin(range, workers, Some(&Spill { store, room: slabs.room / workers }))?;
        let (mut first, mut untold) = (slabs.part.start, 0);
        if let Some(partial) = since {
            slabs.check_start(partial.slices)?;
            counter.add_partial(partial)?;
            (first, untold) = (partial.slices, (partial.slices * slabs.slice) as u64);
        }
        let source = Source::new(voxels, size_of::<K>(), first);
        Schedule { counter, buffers, slabs, source, watch, untold }.run()?;
        let spill = |error| EccError::Spill { directory: directory.to_owned(), limit: slabs.limit, error };
        if ranks.size() > 1 {
            counter.join(ranks, &spill)?;
        }
        if ranks.rank() > 0 {
            return Ok(VcecRows::Memory(Vcec::default()));
        }
        counter.finish().map_err(spill)
    }
}

#[cfg(test)]
mod tests;
