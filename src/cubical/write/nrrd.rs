//! `nrrd`: a header, with the lines of the original that locate the voxels if that was NRRD, then the voxels,
//! little-endian, the first axis fastest.

use std::io::{self, Write};

use super::axes::bytes_in_order;
use super::raw;
use crate::cubical::geometry::Geometry;
use crate::cubical::image::AnyImage;
use crate::cubical::read::NRRD_TYPES;
use crate::cubical::shape::Order;

pub(super) fn write(image: &AnyImage, geometry: Option<&Geometry>, out: &mut dyn Write) -> io::Result<()> {
    let (axes, numbers) = (image.shape().axes(), image.voxel_type());
    let name = NRRD_TYPES.into_iter().find(|(_, known)| *known == numbers).map_or("", |(names, _)| names[0]);
    let sizes: Vec<String> = axes.iter().map(usize::to_string).collect();
    writeln!(out, "NRRD0004\ntype: {}\ndimension: {}", name, axes.len())?;
    if let Some(Geometry::Nrrd(lines)) = geometry {
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    writeln!(out, "sizes: {}\nendian: little\nencoding: raw\n", sizes.join(" "))?;
    raw::write(&bytes_in_order(image, Order::F), numbers.bytes(), out)
}
