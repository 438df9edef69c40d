//! Resources for adding up an image: sums, buffers, threads.

use super::cut::Slabs;
use super::error::SlabError;
use super::partial::{PartialCurve, Watch};
use crate::cubical::ecc::cpu::Counter;
use crate::cubical::image::Voxel;
use crate::memory::{self, Refused};
use crate::simd::BLOCK;

/// An image being added up.
pub(super) struct Job<'a, T: Voxel> {
    pub(super) counter: &'a mut Counter<T>,
    /// One buffer per slab in memory, of any length.
    pub(super) buffers: &'a mut Vec<Vec<T>>,
    /// Number of voxels of the image.
    pub(super) count: usize,
    /// Number of threads that add up at a time.
    pub(super) threads: usize,
    pub(super) watch: &'a Watch<'a>,
    /// Number of voxels added up but not yet reported. Reporting may unwind, so the sums are saved first at a pause.
    pub(super) untold: u64,
}

impl<T: Voxel> Job<'_, T> {
    /// Reports `voxels` more voxels as added up, and those not yet reported.
    pub(super) fn tell(&mut self, voxels: u64) {
        (self.watch.advance)(std::mem::take(&mut self.untold) + voxels);
    }

    /// Adds up all slabs. `some` adds up slabs from the first one left until a pause, and returns the next slice.
    pub(super) fn run<E>(
        &mut self,
        slabs: &mut Slabs,
        mut some: impl FnMut(&mut Self, &Slabs) -> Result<usize, SlabError<E>>,
    ) -> Result<(), SlabError<E>> {
        while slabs.count() > 0 {
            slabs.first = some(self, slabs)?;
            // `finish` reports why the rows could not be stored. Complete sums are saved too if the run is to end.
            if self.counter.has_failed() || slabs.count() == 0 && !(self.watch.pauses)() {
                break;
            }
            let slices = slabs.first;
            (self.watch.keep)(self.counter.so_far().map(|sums| PartialCurve { slices, sums }));
            self.tell(0);
        }
        self.tell(0);
        Ok(())
    }
}

/// Fills `voxels`, whose first is number `done` of an image of `count` voxels.
pub(super) fn fill<T, E>(
    read: &mut impl FnMut(&mut [T]) -> Result<usize, E>,
    voxels: &mut [T],
    done: usize,
    count: usize,
) -> Result<(), SlabError<E>> {
    let found = read(voxels).map_err(SlabError::Read)?;
    if found == voxels.len() {
        Ok(())
    } else {
        Err(SlabError::Short { expected: count, found: done + found })
    }
}

/// Reserves memory for a buffer of `length` voxels without touching it.
///
/// # Errors
/// [`Refused`]: the system refuses the memory.
pub(super) fn make_room<T>(buffer: &mut Vec<T>, length: usize) -> Result<(), Refused> {
    // A previous image may have needed much more.
    if buffer.capacity() > 2 * length + BLOCK {
        *buffer = Vec::new();
    }
    memory::reserve(buffer, length.saturating_sub(buffer.len()))
}

/// Sets the length of a buffer, whose memory is reserved, to `length` voxels.
pub(super) fn resize<T: Voxel>(buffer: &mut Vec<T>, length: usize) {
    buffer.resize(length, T::of_key(T::Key::default()));
}
