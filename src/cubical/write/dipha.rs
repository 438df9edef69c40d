//! `dipha`: DIPHA image data, x fastest.

use std::io::{self, Write};

use phat_formats::dipha::write_image;

use super::axes::values_in_fortran_order;
use crate::cubical::image::AnyImage;

/// Writes the voxels as doubles; the caller ensures that each has an exact double.
pub(super) fn write(image: &AnyImage, mut out: &mut dyn Write) -> io::Result<()> {
    write_image(&mut out, &image.shape().axes(), values_in_fortran_order(image))
}
