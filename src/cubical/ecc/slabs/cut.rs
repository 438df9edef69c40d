//! How an image is cut.

use std::ops::Range;

use crate::cubical::ecc::bins::Bins;
use crate::cubical::ecc::cpu::view::{View, VoxelTile, tiles};
use crate::cubical::ecc::cpu::{OtherSums, worker_bytes};
use crate::cubical::ecc::spill::MERGE_BYTES;
use crate::cubical::image::Voxel;
use crate::cubical::key::Key;
use crate::cubical::shape::Shape;
use crate::memory::MemoryPlan;
use crate::simd::BLOCK;

/// What the program takes itself.
const PROGRAM: usize = 16 << 20;

/// Slabs of so many bytes stay in a cache from reading to adding up, and their memory is soon there.
const BYTES: usize = 2 << 20;

/// The least number of slices of such a slab: of fewer, the collar would be much of the work.
const SLICES: usize = 24;

/// Slabs of a thread that works apart, at least, but of no fewer slices and bytes than these.
const PER_THREAD: usize = 8;
const LEAST_SLICES: usize = 8;
const LEAST_BYTES: usize = 1 << 20;

/// The number of slices of a slab below which there are rather fewer slabs at a time: the collar would be most of the work.
const FEW_SLICES: usize = 4;

/// The plan of the memory of a stream of images within a limit.
pub fn memory_plan(limit: usize) -> MemoryPlan {
    let uses = [("slabs, sums, and rows before they go to files", limit.saturating_sub(PROGRAM) as u64)];
    MemoryPlan::new().stage("curve", uses, false)
}

/// How slabs are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// One is read, one added up, one waits for either.
    InOrder,
    /// Each of so many threads has its own.
    Apart(usize),
}

/// How an image is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slabs {
    pub(super) extents: [usize; 3],
    /// Along which axis.
    pub(super) axis: usize,
    /// Voxels of a slice.
    pub(super) slice: usize,
    /// The first slice; those before it have been added up.
    pub(super) first: usize,
    /// Slices of the collar before a slab.
    pub(super) before: usize,
    /// Slices of a slab, without collar.
    pub(super) own: usize,
    /// Slabs in memory.
    pub(super) buffers: usize,
    /// Bytes that are left for sums that grow.
    pub(super) room: usize,
}

impl Slabs {
    /// The slabs for so many bytes of memory; an error is how many bytes they would take at least.
    pub(super) fn new<T: Voxel>(shape: Shape, bins: &Bins, limit: usize, usage: Use) -> Result<Self, usize> {
        let extents = shape.extents();
        let axis = extents.iter().position(|&extent| extent > 1).unwrap_or(2);
        let slice: usize = extents[axis + 1..].iter().product();
        let unit = if axis == 2 { BLOCK } else { 1 };
        let bytes = |slices: usize| slices.saturating_mul(slice).saturating_mul(size_of::<T>());
        let with_collar = |slabs: usize, own: usize| bytes(own + unit + 1).saturating_mul(slabs);
        let (threads, least, most) = match usage {
            Use::InOrder => (rayon::current_num_threads(), 2, 3),
            Use::Apart(threads) => (threads, 1, threads),
        };
        // Bins have their ends, and sums of each thread; other rows grow with what is found.
        let (rows, grows) = match *bins {
            Bins::Uniform { count, .. } => (count.saturating_mul(32 + 8 * (threads + 1)), false),
            Bins::Distinct => (0, T::Key::BITS > 16),
        };
        let rows = if grows { MERGE_BYTES } else { rows };
        let fixed = (PROGRAM + threads * worker_bytes::<T>(extents)).saturating_add(rows);
        let left = limit.saturating_sub(fixed);
        let for_slabs = if grows { left / 2 } else { left };
        let fit = |slabs: usize| (for_slabs / slabs / bytes(1).max(1)).saturating_sub(unit + 1) / unit * unit;
        let whole = extents[axis].next_multiple_of(unit);
        let mut wanted = (BYTES / bytes(1).max(1)).max(SLICES);
        if usage != Use::InOrder {
            // So that all end together.
            let least = LEAST_SLICES.max(LEAST_BYTES / bytes(1).max(1));
            wanted = wanted.min((whole / (PER_THREAD * threads)).max(least));
        }
        let wanted = wanted.next_multiple_of(unit).min(whole);
        // One slab, if that is all; or as many as are of use, of as many slices as are wanted or fit.
        let (buffers, own) = if wanted == whole && fit(1) >= whole {
            (1, whole)
        } else {
            let few = wanted.min(FEW_SLICES * unit);
            let buffers = (least..=most).rev().find(|&slabs| fit(slabs) >= few).unwrap_or(least);
            (buffers, fit(buffers).min(wanted))
        };
        if own == 0 {
            let slabs = with_collar(least, unit);
            return Err(fixed.saturating_add(if grows { slabs.saturating_mul(2) } else { slabs }));
        }
        let room = left - with_collar(buffers, own).min(left);
        Ok(Slabs { extents, axis, slice, first: 0, before: unit, own, buffers, room })
    }

    /// Takes the slices before one for added up.
    ///
    /// # Errors
    /// [`OtherSums`]: no slab of this image begins there.
    pub(super) fn begin_at(&mut self, slice: usize) -> Result<(), OtherSums> {
        let end = self.extents[self.axis];
        if slice > end || slice < end && !slice.is_multiple_of(self.before) {
            return Err(OtherSums);
        }
        self.first = slice;
        Ok(())
    }

    /// How many there are that have not been added up.
    pub(super) fn count(&self) -> usize {
        (self.extents[self.axis] - self.first).div_ceil(self.own)
    }

    /// Slices of each slab, without collar.
    pub(super) fn iter(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (end, own) = (self.extents[self.axis], self.own);
        (self.first..end).step_by(own).map(move |from| from..end.min(from + own))
    }

    /// The slices of a slab and of its collar.
    pub(super) fn around(&self, own: &Range<usize>) -> Range<usize> {
        own.start.saturating_sub(self.before)..self.extents[self.axis].min(own.end + 1)
    }

    /// Voxels that a slab takes at most.
    pub(super) fn longest(&self) -> usize {
        (self.own + self.before + 1).min(self.extents[self.axis]) * self.slice
    }

    /// The tiles of a slab. Other slabs keep other threads busy: it is cut no more than caches want it.
    pub(super) fn tiles<T>(&self, own: &Range<usize>) -> Vec<VoxelTile> {
        let mut parts = self.extents.map(|extent| 0..extent);
        parts[self.axis] = own.clone();
        tiles(parts, size_of::<T>(), 1)
    }

    /// A slab whose voxels, with the collar, are these.
    pub(super) fn view<'a, T>(&self, own: &Range<usize>, voxels: &'a [T]) -> View<'a, T> {
        let mut first = [0; 3];
        first[self.axis] = self.around(own).start;
        View { extents: self.extents, first, voxels }
    }
}
