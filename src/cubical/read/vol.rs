//! `vol`: DGtal's volumes, lines of a header, a line with a period, and a byte for each voxel.
//!
//! The first axis varies fastest. The voxels of version 1, which has no line `Version`, come after the three extents
//! once more, as 32-bit integers, and a newline; those of version 3 are compressed with zlib. Voxels of more than one
//! byte (`.longvol`) are an error.
//!
//! Source: the reader of DGtal, `DGtal/io/readers/VolReader`.

use super::bytes::Bytes;
use super::data_file::{DataFile, Packing};
use super::error::{Fault, Place, shape_at};
use super::fields::Fields;
use super::stream::Stream;
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;

pub(super) use crate::input::foreign::is_vol as has_magic;

pub(super) fn open(mut bytes: Bytes) -> Result<Stream, Fault> {
    const END: &[u8] = b"\n.\n";
    let (text, end) = bytes.header(&|head| Some(memchr::memmem::find(head, END)? + END.len()))?;
    let mut fields = Fields::default();
    for line in (1..).zip(text.lines()).take_while(|(_, line)| *line != ".") {
        fields.add(line, ':', "a line such as `X: 64`, or one with a period before the voxels")?;
    }
    if let Some(field) = fields.get(&["Voxel-Size"])?.filter(|field| field.value != "1") {
        return Err(field.problem("voxels of 1 byte").into());
    }
    let extents = ["X", "Y", "Z"].map(|axis| fields.need(&[axis])?.number());
    let [x, y, z] = extents;
    let shape = shape_at(Place::Line(fields.need(&["X"])?.line), &[x?, y?, z?], Order::F, false)?;
    /// Length of the extents, as integers, and a newline.
    const AGAIN: u64 = 13;
    let (packing, skip) = match fields.get(&["Version"])?.map(|field| (field, field.value.as_str())) {
        None => (Packing::Plain, AGAIN),
        Some((_, "2")) => (Packing::Plain, 0),
        Some((_, "3")) => (Packing::Zlib, 0),
        Some((field, _)) => return Err(field.problem("2 or 3").into()),
    };
    DataFile { skip: Some(skip), ..DataFile::new(shape, VoxelType::U8, packing) }.after(bytes, end)
}
