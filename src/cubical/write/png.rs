//! `png`: 8 bits, gray; an image of one axis is a row.

use std::io::{self, Write};

use png::{BitDepth, ColorType, Encoder};

use super::axes::{in_order, rows_and_columns};
use crate::cubical::image::Image;
use crate::cubical::shape::Order;

pub(super) fn write(image: &Image<u8>, out: &mut dyn Write) -> io::Result<()> {
    let [height, width] = rows_and_columns(image.shape()).map(u32::try_from);
    let mut encoder = Encoder::new(out, width.map_err(io::Error::other)?, height.map_err(io::Error::other)?);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&in_order(image, Order::C))?;
    writer.finish()?;
    Ok(())
}
