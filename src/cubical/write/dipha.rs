//! `dipha`: DIPHA image data, x fastest.

use std::io::{self, Write};

use phat_formats::dipha::write_image;

use super::axes::in_order;
use crate::cubical::image::{Image, Voxel};
use crate::cubical::shape::Order;

/// Writes the voxels as doubles; the caller ensures that each has an exact double.
pub(super) fn write<T: Voxel>(image: &Image<T>, mut out: &mut dyn Write) -> io::Result<()> {
    let voxels = in_order(image, Order::F);
    write_image(&mut out, &image.shape().axes(), voxels.iter().map(|voxel| voxel.value()))
}
