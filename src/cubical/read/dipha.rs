//! `dipha`: DIPHA image data, file type 1, doubles with the first axis fastest.

use phat_formats::dipha::ImageHeader;

use super::bytes::Bytes;
use super::error::{Context, Fault, Place, shape_at};
use super::layout::Layout;
use super::stream::AnyStream;
use super::voxel::VoxelType;
use crate::cubical::Order;

pub(super) fn open(bytes: Bytes, context: &Context) -> Result<AnyStream, Fault> {
    let header = ImageHeader::from_bytes(bytes.head())?;
    let axes: Vec<u64> = header.shape.iter().map(|&extent| extent as u64).collect();
    let shape = shape_at(Place::Byte(24), &axes, Order::F)?;
    Layout::new(shape, VoxelType::F64, header.offset as u64).open(bytes, context)
}
