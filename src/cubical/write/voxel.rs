//! What the writers ask of a type of voxels.

use std::io::{self, Write};

#[cfg(feature = "codecs")]
use tiff::encoder::colortype;

use crate::cubical::image::Voxel;

/// A type of voxels that is written.
pub(super) trait Written: Voxel + npyz::AutoSerialize {
    /// TIFF's gray of this type.
    #[cfg(feature = "codecs")]
    type Gray: colortype::ColorType<Inner = Self>;
    /// NIfTI's code of the type.
    const NIFTI: i16;
    /// The bytes of a voxel, the least significant one first.
    fn little_endian(self) -> impl AsRef<[u8]>;
    /// The bytes of a voxel, the most significant one first.
    #[cfg(feature = "codecs")]
    fn big_endian(self) -> impl IntoIterator<Item = u8>;
}

macro_rules! written {
    ($($t:ident $gray:ident $nifti:literal),*) => {$(
        impl Written for $t {
            #[cfg(feature = "codecs")]
            type Gray = colortype::$gray;
            const NIFTI: i16 = $nifti;

            fn little_endian(self) -> impl AsRef<[u8]> {
                self.to_le_bytes()
            }

            #[cfg(feature = "codecs")]
            fn big_endian(self) -> impl IntoIterator<Item = u8> {
                self.to_be_bytes()
            }
        }
    )*};
}

written!(
    u8 Gray8 2, i16 GrayI16 4, i32 GrayI32 8, f32 Gray32Float 16, f64 Gray64Float 64, i8 GrayI8 256, u16 Gray16 512, u32 Gray32 768,
    i64 GrayI64 1024, u64 Gray64 1280
);

/// Writes voxels, the least significant byte of each first.
pub(super) fn little_endian<T: Written>(voxels: &[T], out: &mut dyn Write) -> io::Result<()> {
    /// Voxels of a block.
    const BLOCK: usize = 1 << 13;
    let mut block = Vec::with_capacity(BLOCK * size_of::<T>());
    for voxels in voxels.chunks(BLOCK) {
        block.clear();
        voxels.iter().for_each(|voxel| block.extend_from_slice(voxel.little_endian().as_ref()));
        out.write_all(&block)?;
    }
    Ok(())
}
