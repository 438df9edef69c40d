//! What an image takes that is added up: sums, buffers, threads.

use super::cut::Slabs;
use super::error::SlabError;
use super::partial::{PartialCurve, Watch};
use crate::cubical::ecc::cpu::Counter;
use crate::cubical::image::Voxel;
use crate::memory::{self, Refused};
use crate::simd::BLOCK;

/// An image that is added up.
pub(super) struct Job<'a, T: Voxel> {
    pub(super) counter: &'a mut Counter<T>,
    /// One a slab in memory, of any length.
    pub(super) buffers: &'a mut Vec<Vec<T>>,
    /// Voxels of the image.
    pub(super) count: usize,
    /// That add up at a time.
    pub(super) threads: usize,
    pub(super) watch: &'a Watch<'a>,
    /// Voxels that have been added up and that nobody has been told of: who is told may end the run, and at a pause there is something to
    /// be kept before.
    pub(super) untold: u64,
}

impl<T: Voxel> Job<'_, T> {
    /// Tells of voxels that have been added up, and of those that nobody has been told of.
    pub(super) fn tell(&mut self, voxels: u64) {
        (self.watch.advance)(std::mem::take(&mut self.untold) + voxels);
    }

    /// Adds up all slabs. `some` adds up the first of those that are left, until it is to pause, and says which slice is the next.
    pub(super) fn run<E>(
        &mut self,
        slabs: &mut Slabs,
        mut some: impl FnMut(&mut Self, &Slabs) -> Result<usize, SlabError<E>>,
    ) -> Result<(), SlabError<E>> {
        while slabs.count() > 0 {
            slabs.first = some(self, slabs)?;
            // `finish` tells why the rows could not be kept. Whole sums are kept too, if the run is to end.
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

/// Fills all of `voxels`, of which the first is number `done` of an image of `count`.
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

/// Takes memory for a buffer of `length` voxels, which is not written yet.
///
/// # Errors
/// The system refuses it.
pub(super) fn make_room<T>(buffer: &mut Vec<T>, length: usize) -> Result<(), Refused> {
    // An image before may have taken much more.
    if buffer.capacity() > 2 * length + BLOCK {
        *buffer = Vec::new();
    }
    memory::reserve(buffer, length.saturating_sub(buffer.len()))
}

/// Makes a buffer that has room for it as long as `length` voxels.
pub(super) fn resize<T: Voxel>(buffer: &mut Vec<T>, length: usize) {
    buffer.resize(length, T::of_key(T::Key::default()));
}
