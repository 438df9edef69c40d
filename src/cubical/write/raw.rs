//! `raw`: voxels without a header, little-endian, in the image's own order.

use std::io::{self, Write};

use zerocopy::IntoBytes as _;

use crate::cubical::image::Voxel;
use crate::cubical::read::swap;

/// Writes voxels with the least significant byte first.
pub(super) fn write<T: Voxel>(voxels: &[T], out: &mut dyn Write) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return out.write_all(voxels.as_bytes());
    }
    voxels.chunks(1 << 13).try_for_each(|voxels| {
        let mut block = voxels.as_bytes().to_vec();
        swap(&mut block, size_of::<T>());
        out.write_all(&block)
    })
}
