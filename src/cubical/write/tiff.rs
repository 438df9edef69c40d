//! `tiff`: 8 bits, gray, deflated; a page a plane. An image of one axis is a row.

use std::io::{self, Cursor, Write};

use tiff::TiffError;
use tiff::encoder::colortype::Gray8;
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, TiffKind};

use super::in_order;
use crate::cubical::{Image, Order};

/// Bytes past which offsets may need more than 32 bits: deflating never doubles.
const SMALL: usize = 1 << 31;

pub(super) fn write(image: &Image<u8>, out: &mut dyn Write) -> io::Result<()> {
    // Offsets are filled in backwards, which not everything that is written to can do.
    let mut file = Cursor::new(Vec::new());
    let failed = |error: TiffError| match error {
        TiffError::IoError(error) => error,
        error => io::Error::other(error),
    };
    if image.voxels().len() < SMALL {
        pages(image, TiffEncoder::new(&mut file).map_err(failed)?).map_err(failed)?;
    } else {
        pages(image, TiffEncoder::new_big(&mut file).map_err(failed)?).map_err(failed)?;
    }
    out.write_all(file.get_ref())
}

fn pages<K: TiffKind>(
    image: &Image<u8>,
    encoder: TiffEncoder<&mut Cursor<Vec<u8>>, K>,
) -> Result<(), TiffError> {
    let mut encoder = encoder.with_compression(Compression::Deflate(DeflateLevel::Fast));
    let axes = image.shape().axes();
    let (height, width) = match axes[..] {
        [width] => (1, width),
        [.., height, width] => (height, width),
        [] => (0, 0),
    };
    let extent = |extent: usize| u32::try_from(extent).map_err(|_| TiffError::IntSizeError);
    for page in in_order(image, Order::C).chunks_exact(height * width) {
        encoder.write_image::<Gray8>(extent(width)?, extent(height)?, page)?;
    }
    Ok(())
}
