//! `vol`: DGtal's volumes, lines of a header, a line with a period, and a byte for each voxel.
//!
//! The first axis varies fastest. The voxels of version 1, which has no line `Version`, come after the three extents
//! once more, as 32-bit integers, and a newline; those of version 3 are compressed with zlib. Voxels of more than one
//! byte (`.longvol`) are an error.
//!
//! Source: the reader of DGtal, `DGtal/io/readers/VolReader`.

use super::bytes::Bytes;
use super::data_file::{DataFile, Packing};
use super::error::{Fault, ImageProblem, Place, shape_at};
use super::fields::{Field, Fields};
use super::stream::Stream;
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;
use crate::input::text::quote;

pub(super) use crate::input::foreign::is_vol as has_magic;

pub(super) fn open(mut bytes: Bytes) -> Result<Stream, Fault> {
    const END: &[u8] = b"\n.\n";
    let (text, end) = bytes.header(&|head| Some(memchr::memmem::find(head, END)? + END.len()))?;
    let mut fields = Fields::default();
    for (line, number) in text.lines().zip(1..).take_while(|(line, _)| *line != ".") {
        let Some((name, value)) = line.split_once(':') else {
            let expected = "a line such as `X: 64`, or one with a period before the voxels";
            return Err(ImageProblem::new(Place::Line(number), expected, quote(line.as_bytes())).into());
        };
        let field = Field { line: number, name: name.trim().to_owned(), value: value.trim().to_owned() };
        fields.0.push(field);
    }
    if let Some(field) = fields.get(&["Voxel-Size"])?.filter(|field| field.value != "1") {
        return Err(field.problem("voxels of 1 byte").into());
    }
    let extents = ["X", "Y", "Z"].map(|axis| fields.need(&[axis])?.number());
    let [x, y, z] = extents;
    let shape = shape_at(Place::Line(fields.need(&["X"])?.line), &[x?, y?, z?], Order::F)?;
    /// Length of the extents, as integers, and a newline.
    const AGAIN: u64 = 13;
    let (packing, skip) = match fields.get(&["Version"])?.map(|field| (field, field.value.as_str())) {
        None => (Packing::Plain, AGAIN),
        Some((_, "2")) => (Packing::Plain, 0),
        Some((_, "3")) => (Packing::Zlib, 0),
        Some((field, _)) => return Err(field.problem("2 or 3").into()),
    };
    let numbers = VoxelType::U8;
    DataFile { shape, numbers, big_endian: false, packing, lines: 0, skip: Some(skip) }.after(bytes, end)
}
