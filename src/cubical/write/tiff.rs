//! `tiff`: grayscale voxels of any type, deflate-compressed, one page per plane. An image of one axis is a row.

use std::io::{self, Cursor, Write};

use tiff::TiffError;
use tiff::encoder::colortype::{
    ColorType, Gray8, Gray16, Gray32, Gray32Float, Gray64, Gray64Float, GrayI8, GrayI16, GrayI32, GrayI64,
};
use tiff::encoder::{Compression, DeflateLevel, Rational, TiffEncoder, TiffKind, TiffValue};
use tiff::tags::ResolutionUnit;

use super::axes::{in_order, rows_and_columns};
use crate::cubical::geometry::{Geometry, Resolution};
use crate::cubical::image::{AnyImage, Image};
use crate::cubical::shape::Order;

/// Size of the voxels in bytes from which offsets may need more than 32 bits. Compression never doubles the size.
const SMALL: usize = 1 << 31;

pub(super) fn write(image: &AnyImage, geometry: Option<&Geometry>, out: &mut dyn Write) -> io::Result<()> {
    match image {
        AnyImage::U8(image) => of_type::<Gray8>(image, geometry, out),
        AnyImage::I8(image) => of_type::<GrayI8>(image, geometry, out),
        AnyImage::U16(image) => of_type::<Gray16>(image, geometry, out),
        AnyImage::I16(image) => of_type::<GrayI16>(image, geometry, out),
        AnyImage::U32(image) => of_type::<Gray32>(image, geometry, out),
        AnyImage::I32(image) => of_type::<GrayI32>(image, geometry, out),
        AnyImage::U64(image) => of_type::<Gray64>(image, geometry, out),
        AnyImage::I64(image) => of_type::<GrayI64>(image, geometry, out),
        AnyImage::F32(image) => of_type::<Gray32Float>(image, geometry, out),
        AnyImage::F64(image) => of_type::<Gray64Float>(image, geometry, out),
    }
}

fn of_type<C: ColorType<Inner: Copy>>(
    image: &Image<C::Inner>,
    geometry: Option<&Geometry>,
    out: &mut dyn Write,
) -> io::Result<()>
where
    [C::Inner]: TiffValue,
{
    let resolution = match geometry {
        Some(Geometry::Tiff(resolution)) => Some(resolution),
        _ => None,
    };
    // The encoder fills in offsets afterwards, so it needs an output that can seek.
    let mut file = Cursor::new(Vec::new());
    let failed = |error: TiffError| match error {
        TiffError::IoError(error) => error,
        error => io::Error::other(error),
    };
    if size_of_val(image.voxels()) < SMALL {
        pages::<_, C>(image, resolution, TiffEncoder::new(&mut file).map_err(failed)?).map_err(failed)?;
    } else {
        pages::<_, C>(image, resolution, TiffEncoder::new_big(&mut file).map_err(failed)?).map_err(failed)?;
    }
    out.write_all(file.get_ref())
}

fn pages<K: TiffKind, C: ColorType<Inner: Copy>>(
    image: &Image<C::Inner>,
    resolution: Option<&Resolution>,
    encoder: TiffEncoder<&mut Cursor<Vec<u8>>, K>,
) -> Result<(), TiffError>
where
    [C::Inner]: TiffValue,
{
    let mut encoder = encoder.with_compression(Compression::Deflate(DeflateLevel::Fast));
    let [height, width] = match image.shape().axes()[..] {
        // One page per plane, even if there is only one page, row or column.
        [_, rows, columns] => [rows, columns],
        _ => rows_and_columns(image.shape()),
    };
    let extent = |extent: usize| u32::try_from(extent).map_err(|_| TiffError::IntSizeError);
    for page in in_order(image.voxels(), image.shape(), Order::C).chunks_exact(height * width) {
        let mut encoder = encoder.new_image::<C>(extent(width)?, extent(height)?)?;
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
