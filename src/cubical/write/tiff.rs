//! `tiff`: grayscale voxels of any type, deflate-compressed, one page per plane. An image of one axis is a row.

use std::io::{self, Cursor, Write};

use tiff::TiffError;
use tiff::encoder::{Compression, DeflateLevel, Rational, TiffEncoder, TiffKind, TiffValue};
use tiff::tags::ResolutionUnit;

use super::axes::{in_order, rows_and_columns};
use super::voxel::Written;
use crate::cubical::geometry::Resolution;
use crate::cubical::image::Image;
use crate::cubical::shape::Order;

/// Size of the voxels in bytes from which offsets may need more than 32 bits. Compression never doubles the size.
const SMALL: usize = 1 << 31;

pub(super) fn write<T: Written>(
    image: &Image<T>,
    resolution: Option<&Resolution>,
    out: &mut dyn Write,
) -> io::Result<()>
where
    [T]: TiffValue,
{
    // The encoder fills in offsets afterwards, so it needs an output that can seek.
    let mut file = Cursor::new(Vec::new());
    let failed = |error: TiffError| match error {
        TiffError::IoError(error) => error,
        error => io::Error::other(error),
    };
    if size_of_val(image.voxels()) < SMALL {
        pages(image, resolution, TiffEncoder::new(&mut file).map_err(failed)?).map_err(failed)?;
    } else {
        pages(image, resolution, TiffEncoder::new_big(&mut file).map_err(failed)?).map_err(failed)?;
    }
    out.write_all(file.get_ref())
}

fn pages<K: TiffKind, T: Written>(
    image: &Image<T>,
    resolution: Option<&Resolution>,
    encoder: TiffEncoder<&mut Cursor<Vec<u8>>, K>,
) -> Result<(), TiffError>
where
    [T]: TiffValue,
{
    let mut encoder = encoder.with_compression(Compression::Deflate(DeflateLevel::Fast));
    let [height, width] = match image.shape().axes()[..] {
        // One page per plane, even if there is only one page, row or column.
        [_, rows, columns] => [rows, columns],
        _ => rows_and_columns(image.shape()),
    };
    let extent = |extent: usize| u32::try_from(extent).map_err(|_| TiffError::IntSizeError);
    for page in in_order(image, Order::C).chunks_exact(height * width) {
        let mut encoder = encoder.new_image::<T::Gray>(extent(width)?, extent(height)?)?;
        if let Some(&Resolution { x, y, unit }) = resolution {
            let ratio = |[n, d]: [u32; 2]| Rational { n, d };
            encoder.resolution_unit(ResolutionUnit::from_u16(unit).unwrap_or(ResolutionUnit::None));
            encoder.x_resolution(ratio(x));
            encoder.y_resolution(ratio(y));
        }
        encoder.write_data(page)?;
    }
    Ok(())
}
