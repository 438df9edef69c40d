//! Sources of the voxels of a streamed image.

use zerocopy::FromBytes as _;

use super::error::EccError;
use crate::cubical::image::Voxel;

/// Fills bytes, aligned as the voxels, with the voxels from this number on in memory order.
pub type ReadVoxels<'a> = dyn Fn(usize, &mut [u8]) -> Result<(), EccError> + Sync + 'a;

/// Source of the voxels of a streamed image.
#[derive(Clone, Copy)]
pub struct Voxels<'a> {
    /// Reads voxels into bytes, which it fills unless it fails.
    pub read: &'a ReadVoxels<'a>,
    /// Whether voxels must be read in memory order, each once, as from a pipe. Otherwise several threads read at a
    /// time.
    pub is_sequential: bool,
}

impl<'a> Voxels<'a> {
    /// Voxels that can be read at any place, by several threads at a time.
    pub fn anywhere(read: &'a ReadVoxels<'a>) -> Self {
        Voxels { read, is_sequential: false }
    }
}

/// Makes a reader of bytes from a reader of voxels of one type.
pub fn reader_of<T: Voxel>(
    read: impl Fn(usize, &mut [T]) -> Result<(), EccError> + Sync,
) -> impl Fn(usize, &mut [u8]) -> Result<(), EccError> + Sync {
    move |first, bytes| read(first, <[T]>::mut_from_bytes(bytes).expect("whole voxels, aligned"))
}
