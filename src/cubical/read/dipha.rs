//! `dipha`: DIPHA image data (file type 1), doubles with the first axis fastest.

use phat_formats::dipha::ImageHeader;

use super::bytes::Bytes;
use super::error::{Fault, Place};
use super::layout::FileLayout;
use super::options::ImageOptions;
use super::stream::Stream;
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;

pub(super) fn open(bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    let header = ImageHeader::from_bytes(bytes.head())?;
    let axes: Vec<u64> = header.shape.iter().map(|&extent| extent as u64).collect();
    let shape = options.shape_at(Place::Byte(24), &axes, Order::F)?;
    FileLayout::new(shape, VoxelType::F64, header.offset as u64).open(bytes)
}
