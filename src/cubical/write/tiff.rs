//! `tiff`: grayscale voxels of any type, deflate-compressed, one page per plane. An image of one axis is a row.
//!
//! Pages are written as bytes, tag by tag: the encoder of images of the crate is compiled anew for every type.

use std::io::{self, Cursor, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tiff::TiffError;
use tiff::encoder::{Rational, TiffEncoder, TiffKind};
use tiff::tags::{
    CompressionMethod, PhotometricInterpretation, Predictor, ResolutionUnit, SampleFormat, Tag,
};

use super::axes::{bytes_in_order, rows_and_columns};
use crate::cubical::geometry::{Geometry, Resolution};
use crate::cubical::image::AnyImage;
use crate::cubical::key::Coding;
use crate::cubical::shape::Order;

/// Size of the voxels in bytes from which offsets may need more than 32 bits. Compression never doubles the size.
const SMALL: usize = 1 << 31;

/// Least number of bytes of voxels that are compressed together.
const STRIP: usize = 1_000_000;

pub(super) fn write(image: &AnyImage, geometry: Option<&Geometry>, out: &mut dyn Write) -> io::Result<()> {
    let resolution = match geometry {
        Some(Geometry::Tiff(resolution)) => Some(resolution),
        _ => None,
    };
    // The encoder fills in offsets afterwards, so it needs an output that can seek.
    let mut file = Cursor::new(Vec::new());
    let written = if image.bytes().len() < SMALL {
        TiffEncoder::new(&mut file).and_then(|encoder| pages(image, resolution, encoder))
    } else {
        TiffEncoder::new_big(&mut file).and_then(|encoder| pages(image, resolution, encoder))
    };
    written.map_err(|error| match error {
        TiffError::IoError(error) => error,
        error => io::Error::other(error),
    })?;
    out.write_all(file.get_ref())
}

fn pages<K: TiffKind>(
    image: &AnyImage,
    resolution: Option<&Resolution>,
    mut encoder: TiffEncoder<&mut Cursor<Vec<u8>>, K>,
) -> Result<(), TiffError> {
    let [height, width] = match image.shape().axes()[..] {
        // One page per plane, even if there is only one page, row or column.
        [_, rows, columns] => [rows, columns],
        _ => rows_and_columns(image.shape()),
    };
    let format = match image.voxel_type().coding() {
        Coding::Unsigned => SampleFormat::Uint,
        Coding::Signed => SampleFormat::Int,
        Coding::Float => SampleFormat::IEEEFP,
    };
    let u32_of = |count: usize| u32::try_from(count).map_err(|_| TiffError::IntSizeError);
    let row = width * image.voxel_type().bytes();
    let rows = STRIP.div_ceil(row);
    for page in bytes_in_order(image, Order::C).chunks_exact(height * row) {
        let mut directory = encoder.image_directory()?;
        directory.write_tag(Tag::ImageWidth, u32_of(width)?)?;
        directory.write_tag(Tag::ImageLength, u32_of(height)?)?;
        directory.write_tag(Tag::Compression, CompressionMethod::Deflate.to_u16())?;
        directory.write_tag(Tag::Predictor, Predictor::None.to_u16())?;
        directory
            .write_tag(Tag::PhotometricInterpretation, PhotometricInterpretation::BlackIsZero.to_u16())?;
        directory.write_tag(Tag::RowsPerStrip, u32_of(rows)?)?;
        directory.write_tag(Tag::SamplesPerPixel, 1_u16)?;
        let none = Resolution { x: [1, 1], y: [1, 1], unit: ResolutionUnit::None.to_u16() };
        for &Resolution { x, y, unit } in [&none].into_iter().chain(resolution) {
            let unit = ResolutionUnit::from_u16(unit).unwrap_or(ResolutionUnit::None);
            directory.write_tag(Tag::XResolution, Rational { n: x[0], d: x[1] })?;
            directory.write_tag(Tag::YResolution, Rational { n: y[0], d: y[1] })?;
            directory.write_tag(Tag::ResolutionUnit, unit.to_u16())?;
        }
        let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
        for strip in page.chunks(rows * row) {
            let mut deflated = ZlibEncoder::new(Vec::new(), Compression::fast());
            deflated.write_all(strip)?;
            let deflated = deflated.finish()?;
            offsets.push(K::convert_offset(directory.write_data(&deflated[..])?)?);
            lengths.push(K::convert_offset(deflated.len() as u64)?);
        }
        directory.write_tag(Tag::BitsPerSample, image.voxel_type().bits() as u16)?;
        directory.write_tag(Tag::SampleFormat, format.to_u16())?;
        directory.write_tag(Tag::StripOffsets, K::convert_slice(&offsets))?;
        directory.write_tag(Tag::StripByteCounts, K::convert_slice(&lengths))?;
        directory.finish()?;
    }
    Ok(())
}
