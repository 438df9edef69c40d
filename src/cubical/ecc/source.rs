//! Sources of the voxels of a streamed image.

use super::error::EccError;

/// Fills a slice with voxels from this number on in memory order.
pub type ReadVoxels<'a, T> = dyn Fn(usize, &mut [T]) -> Result<(), EccError> + Sync + 'a;

/// Source of the voxels of a streamed image.
#[derive(Clone, Copy)]
pub struct Voxels<'a, T> {
    /// Reads voxels into a slice, which it fills unless it fails.
    pub read: &'a ReadVoxels<'a, T>,
    /// Whether voxels must be read in memory order, each once, as from a pipe. Otherwise several threads read at a
    /// time.
    pub is_sequential: bool,
}

impl<'a, T> Voxels<'a, T> {
    /// Voxels that can be read at any place, by several threads at a time.
    pub fn anywhere(read: &'a ReadVoxels<'a, T>) -> Self {
        Voxels { read, is_sequential: false }
    }
}
