//! `png`: 8- or 16-bit grayscale; an image of one axis is a row.

use std::io::{self, Write};

use png::{BitDepth, ColorType, Encoder};

use super::axes::{in_order, rows_and_columns};
use super::format::Unwritable;
use super::voxel::Written;
use crate::cubical::image::Image;
use crate::cubical::shape::Order;

pub(super) fn write<T: Written>(image: &Image<T>, out: &mut dyn Write) -> io::Result<()> {
    let depth = match T::NAME {
        "u8" => BitDepth::Eight,
        "u16" => BitDepth::Sixteen,
        _ => return Err(io::Error::other(Unwritable::VoxelType { found: T::NAME })),
    };
    let [height, width] = rows_and_columns(image.shape()).map(u32::try_from);
    let mut encoder = Encoder::new(out, width.map_err(io::Error::other)?, height.map_err(io::Error::other)?);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header()?;
    // PNG stores the most significant byte first.
    let bytes: Vec<u8> = in_order(image, Order::C).iter().flat_map(|voxel| voxel.big_endian()).collect();
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(())
}
