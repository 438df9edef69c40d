//! Properties of voxel types that the writers need.

use std::io::{self, Write};

#[cfg(feature = "codecs")]
use tiff::encoder::colortype;

use crate::cubical::image::Voxel;

/// A voxel type that can be written.
pub(super) trait Written: Voxel + npyz::AutoSerialize {
    /// TIFF grayscale type.
    #[cfg(feature = "codecs")]
    type Gray: colortype::ColorType<Inner = Self>;
    /// NIfTI datatype code.
    const NIFTI: i16;
    /// The bytes of a voxel, the least significant first.
    fn little_endian(self) -> impl AsRef<[u8]>;
    /// The bytes of a voxel, the most significant first.
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

/// Writes voxels with the least significant byte first.
pub(super) fn little_endian<T: Written>(voxels: &[T], out: &mut dyn Write) -> io::Result<()> {
    /// Number of voxels converted at a time.
    const BLOCK: usize = 1 << 13;
    let mut block = Vec::with_capacity(BLOCK * size_of::<T>());
    for voxels in voxels.chunks(BLOCK) {
        block.clear();
        voxels.iter().for_each(|voxel| block.extend_from_slice(voxel.little_endian().as_ref()));
        out.write_all(&block)?;
    }
    Ok(())
}
