//! Division of an image into slabs that fit the memory limit.

use std::ops::Range;

use crate::cubical::ecc::bins::Bins;
use crate::cubical::ecc::cpu::view::View;
use crate::cubical::ecc::cpu::worker_bytes;
use crate::cubical::ecc::error::EccError;
use crate::cubical::ecc::spill::MERGE_BYTES;
use crate::cubical::order::VoxelOrder;
use crate::cubical::shape::Shape;
use crate::cubical::voxel::VoxelType;
use crate::memory::MemoryPlan;
use crate::ranks::Ranks;
use crate::simd::BLOCK;

/// Bytes reserved for everything but slabs and sums.
const PROGRAM: usize = 16 << 20;

/// Target size of a slab in bytes: it stays in a cache from reading to adding up, and its memory is quickly mapped.
const BYTES: usize = 2 << 20;

/// Least number of slices of a slab of that size: with fewer, the collar would be much of the work.
const SLICES: usize = 24;

/// Least number of slabs per thread that works apart, unless they would have less than the following slices or bytes.
const PER_THREAD: usize = 8;
const LEAST_SLICES: usize = 8;
const LEAST_BYTES: usize = 1 << 20;

/// Number of slices below which fewer slabs at a time are preferred: the collar would be most of the work.
const FEW_SLICES: usize = 4;

/// The memory plan of a stream of images within a limit.
pub fn memory_plan(limit: usize) -> MemoryPlan {
    let uses = [("slabs, sums, and rows before they go to files", limit.saturating_sub(PROGRAM) as u64)];
    MemoryPlan::new().stage("curve", uses, false)
}

/// Division of an image into slabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slabs {
    /// The memory limit in bytes.
    pub(super) limit: usize,
    pub(super) extents: [usize; 3],
    /// The axis along which the image is cut.
    pub(super) axis: usize,
    /// The slices to be added up: those of this rank.
    pub(super) part: Range<usize>,
    /// Number of voxels of a slice.
    pub(super) slice: usize,
    /// Number of slices of the collar before a slab.
    pub(super) before: usize,
    /// Number of slices of a slab, without collar.
    pub(super) own: usize,
    /// Number of slabs in memory at a time.
    pub(super) buffers: usize,
    /// Bytes left for sums that grow.
    pub(super) room: usize,
}

/// The axis along which images of these extents are cut, and the number of slices of which a slab's start is a
/// multiple.
fn cut_along(extents: [usize; 3]) -> (usize, usize) {
    let axis = extents.iter().position(|&extent| extent > 1).unwrap_or(2);
    (axis, if axis == 2 { BLOCK } else { 1 })
}

/// The slices of an image that a rank adds up: about as many as every other rank, and none of more ranks than slices.
pub(crate) fn part_of(shape: Shape, ranks: &dyn Ranks) -> Range<usize> {
    let extents = shape.extents();
    let (axis, unit) = cut_along(extents);
    let units = extents[axis].div_ceil(unit);
    let start = |rank: usize| (units * rank / ranks.size() * unit).min(extents[axis]);
    start(ranks.rank())..start(ranks.rank() + 1)
}

/// The voxels of the slices that a rank adds up, in memory order.
pub(crate) fn voxels_of(shape: Shape, ranks: &dyn Ranks) -> Range<usize> {
    let slices = part_of(shape, ranks);
    let slice: usize = shape.extents()[cut_along(shape.extents()).0 + 1..].iter().product();
    slices.start * slice..slices.end * slice
}

impl Slabs {
    /// Slabs of the slices `part`, for `threads` threads within `limit` bytes of memory; the error is the least number
    /// of bytes needed.
    pub(super) fn new(
        shape: Shape,
        voxels: VoxelType,
        bins: &Bins,
        limit: usize,
        threads: usize,
        part: Range<usize>,
    ) -> Result<Self, usize> {
        let extents = shape.extents();
        let (axis, unit) = cut_along(extents);
        let slice: usize = extents[axis + 1..].iter().product();
        let bytes = |slices: usize| slices.saturating_mul(slice).saturating_mul(voxels.bytes());
        let with_collar = |slabs: usize, own: usize| bytes(own + unit + 1).saturating_mul(slabs);
        // Bins have their ends and the sums of each thread; the memory of other wide rows grows with the data.
        let (rows, grows) = match *bins {
            Bins::Uniform { count, .. } => (count.saturating_mul(32 + 9 * (threads + 1)), false),
            Bins::Distinct => (0, voxels.bits() > 16),
        };
        let rows = if grows { MERGE_BYTES } else { rows };
        let fixed = (PROGRAM + threads * worker_bytes(voxels, extents)).saturating_add(rows);
        let left = limit.saturating_sub(fixed);
        let for_slabs = if grows { left / 2 } else { left };
        let fit = |slabs: usize| (for_slabs / slabs / bytes(1).max(1)).saturating_sub(unit + 1) / unit * unit;
        let whole = part.len().max(1).next_multiple_of(unit);
        // Several slabs per thread, so that the threads finish together.
        let least = LEAST_SLICES.max(LEAST_BYTES / bytes(1).max(1));
        let wanted = (BYTES / bytes(1).max(1)).max(SLICES).min((whole / (PER_THREAD * threads)).max(least));
        let wanted = wanted.next_multiple_of(unit).min(whole);
        // One slab if it holds the whole part; else as many as useful, with as many slices as wanted or as fit.
        let (buffers, own) = if wanted == whole && fit(1) >= whole {
            (1, whole)
        } else {
            let few = wanted.min(FEW_SLICES * unit);
            let buffers = (1..=threads).rev().find(|&slabs| fit(slabs) >= few).unwrap_or(1);
            (buffers, fit(buffers).min(wanted))
        };
        if own == 0 {
            let slabs = with_collar(1, unit);
            return Err(fixed.saturating_add(if grows { slabs.saturating_mul(2) } else { slabs }));
        }
        let room = left - with_collar(buffers, own).min(left);
        Ok(Slabs { limit, extents, axis, part, slice, before: unit, own, buffers, room })
    }

    /// Checks that a slab of this image can begin at `slice`, or that the image ends there.
    ///
    /// # Errors
    /// [`EccError::Since`]: no slab can begin there.
    pub(super) fn check_start(&self, slice: usize) -> Result<(), EccError> {
        let is_start = slice < self.end() && slice.is_multiple_of(self.before);
        if is_start || slice == self.end() { Ok(()) } else { Err(EccError::Since) }
    }

    /// Number of slices of the image.
    pub(super) fn end(&self) -> usize {
        self.extents[self.axis]
    }

    /// The slices of a slab with its collar.
    pub(super) fn around(&self, own: &Range<usize>) -> Range<usize> {
        own.start.saturating_sub(self.before)..self.end().min(own.end + 1)
    }

    /// Greatest number of voxels of a slab with its collar.
    pub(super) fn longest(&self) -> usize {
        (self.own + self.before + 1).min(self.end()) * self.slice
    }

    /// The planes, rows and columns of a slab without its collar.
    pub(super) fn part(&self, own: &Range<usize>) -> [Range<usize>; 3] {
        let mut part = self.extents.map(|extent| 0..extent);
        part[self.axis] = own.clone();
        part
    }

    /// A view of the voxels of a slab with its collar.
    pub(super) fn view<'a, K>(&self, own: &Range<usize>, voxels: &'a [K], order: VoxelOrder) -> View<'a, K> {
        let mut first = [0; 3];
        first[self.axis] = self.around(own).start;
        View { extents: self.extents, first, voxels, order }
    }
}
