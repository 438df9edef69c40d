//! `png`: 8 bits, gray; an image of one axis is a row.

use std::io::{self, Write};

use png::{BitDepth, ColorType, Encoder};

use super::in_order;
use crate::cubical::{Image, Order};

pub(super) fn write(image: &Image<u8>, out: &mut dyn Write) -> io::Result<()> {
    let axes = image.shape().axes();
    let extent = |axis: usize| u32::try_from(axes[axis]).map_err(io::Error::other);
    let (height, width) = if axes.len() == 1 { (1, extent(0)?) } else { (extent(0)?, extent(1)?) };
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&in_order(image, Order::C))?;
    writer.finish()?;
    Ok(())
}
