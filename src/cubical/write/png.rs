//! `png`: 8- or 16-bit grayscale; an image of one axis is a row.

use std::io::{self, Write};

use png::{BitDepth, ColorType, Encoder};

use super::axes::{bytes_in_order, rows_and_columns};
use crate::cubical::image::AnyImage;
use crate::cubical::read::swap;
use crate::cubical::shape::Order;

/// Writes voxels of one or two bytes.
pub(super) fn write(image: &AnyImage, out: &mut dyn Write) -> io::Result<()> {
    let size = image.voxel_type().bytes();
    let [height, width] = rows_and_columns(image.shape()).map(u32::try_from);
    let mut encoder = Encoder::new(out, width.map_err(io::Error::other)?, height.map_err(io::Error::other)?);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(if size == 1 { BitDepth::Eight } else { BitDepth::Sixteen });
    let mut writer = encoder.write_header()?;
    let mut bytes = bytes_in_order(image, Order::C).into_owned();
    // PNG stores the most significant byte first.
    if cfg!(target_endian = "little") {
        swap(&mut bytes, size);
    }
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(())
}
