//! `metaimage`: a header, with the lines of the original that locate the voxels if that was a MetaImage, then the
//! voxels, little-endian, the first axis fastest, in one file.

use std::io::{self, Write};

use super::axes::bytes_in_order;
use super::raw;
use crate::cubical::geometry::Geometry;
use crate::cubical::image::AnyImage;
use crate::cubical::read::METAIMAGE_TYPES;
use crate::cubical::shape::Order;

pub(super) fn write(image: &AnyImage, geometry: Option<&Geometry>, out: &mut dyn Write) -> io::Result<()> {
    let (axes, numbers) = (image.shape().axes(), image.voxel_type());
    let name = METAIMAGE_TYPES.into_iter().find(|(_, known)| *known == numbers).map_or("", |(name, _)| name);
    let sizes: Vec<String> = axes.iter().map(usize::to_string).collect();
    writeln!(out, "ObjectType = Image\nNDims = {}\nBinaryData = True", axes.len())?;
    writeln!(out, "BinaryDataByteOrderMSB = False\nCompressedData = False")?;
    if let Some(Geometry::MetaImage(lines)) = geometry {
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    }
    writeln!(out, "DimSize = {}\nElementType = {name}\nElementDataFile = LOCAL", sizes.join(" "))?;
    raw::write(&bytes_in_order(image, Order::F), numbers.bytes(), out)
}
