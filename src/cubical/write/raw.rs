//! `raw`: voxels without a header, little-endian, in the image's own order.

use std::io::{self, Write};

use crate::cubical::read::swap;

/// Writes the bytes of voxels of `size` bytes, the least significant first.
pub(super) fn write(voxels: &[u8], size: usize, out: &mut dyn Write) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return out.write_all(voxels);
    }
    voxels.chunks(1 << 16).try_for_each(|voxels| {
        let mut block = voxels.to_vec();
        swap(&mut block, size);
        out.write_all(&block)
    })
}
