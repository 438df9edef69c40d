//! `metaimage`: images of ITK and MetaIO, with voxels after the header (`.mha`) or in other files (`.mhd`).
//!
//! The first axis varies fastest. Voxels are numbers of the ten types, as bytes in either order, compressed with zlib,
//! or as text. A header names one file, a list of files or a pattern of numbered files, each of which holds as many
//! slices. Several channels are an error. Lines that are not about the voxels are skipped; those that locate the voxels
//! in space are kept for a file of the same format.
//!
//! Source: ITK's documentation of MetaIO, <https://itk.org/Wiki/ITK/MetaIO/Documentation>. `MET_LONG` has 4 bytes in
//! files, as in MetaIO's table of sizes.

use super::bytes::Bytes;
use super::data_file::{DataFile, Packing};
use super::error::{Fault, ImageProblem, Place};
use super::fields::{Field, Fields};
use super::options::ImageOptions;
use super::stream::Stream;
use crate::cubical::geometry::Geometry;
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;
use crate::input::text::words;

/// Names of the types of voxels. The first of those of a type is the one that is written.
pub(in crate::cubical) const TYPES: [(&str, VoxelType); 12] = [
    ("MET_UCHAR", VoxelType::U8),
    ("MET_CHAR", VoxelType::I8),
    ("MET_USHORT", VoxelType::U16),
    ("MET_SHORT", VoxelType::I16),
    ("MET_UINT", VoxelType::U32),
    ("MET_INT", VoxelType::I32),
    ("MET_ULONG_LONG", VoxelType::U64),
    ("MET_LONG_LONG", VoxelType::I64),
    ("MET_FLOAT", VoxelType::F32),
    ("MET_DOUBLE", VoxelType::F64),
    ("MET_ULONG", VoxelType::U32),
    ("MET_LONG", VoxelType::I32),
];

/// Names with which headers begin.
const FIRST: [&str; 4] = ["ObjectType", "ObjectSubType", "NDims", "Comment"];

/// Lines that locate the voxels in space.
const LOCATING: [&str; 12] = [
    "TransformMatrix",
    "Rotation",
    "Orientation",
    "Offset",
    "Position",
    "Origin",
    "CenterOfRotation",
    "AnatomicalOrientation",
    "ElementSpacing",
    "ElementSize",
    "DistanceUnits",
    "ElementOrigin",
];

/// Whether a file begins as a MetaImage does: with a line `Name = …` of one of the first names.
pub(super) fn has_magic(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let Some(at) = memchr::memchr(b'=', line) else { return false };
    FIRST.iter().any(|name| line[..at].trim_ascii().eq_ignore_ascii_case(name.as_bytes()))
}

pub(super) fn open(mut bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    let (text, end) = bytes.header(&|head| {
        let mut start = 0;
        for line in head.split_inclusive(|&byte| byte == b'\n') {
            let (name, value) = line.split_at(memchr::memchr(b'=', line).unwrap_or(line.len()));
            start += line.len();
            let is_last = name.trim_ascii().eq_ignore_ascii_case(b"ElementDataFile") && line.ends_with(b"\n");
            // The names of files go on after a list.
            if is_last && words(value.strip_prefix(b"=").unwrap_or_default()).next() != Some(b"LIST") {
                return Some(start);
            }
        }
        None
    })?;
    let mut lines = (1..).zip(text.lines());
    let fields = Fields::of_lines(&mut lines, '=', "a line such as `NDims = 3`", &["ElementDataFile"])?;
    let mut data = data(&fields, options)?;
    let field = fields.need(&["ElementDataFile"])?;
    let is_local = field.value.eq_ignore_ascii_case("LOCAL");
    if let Some(size) = fields.get(&["HeaderSize"])? {
        let may = "-1 for voxels that are neither compressed nor text only";
        data.skip = size.skip(data.packing == Packing::Plain, may)?;
        if is_local && data.skip.is_some_and(|skip| skip > 0) {
            return Err(size.problem("0 or -1 for voxels that follow their header").into());
        }
    }
    let stream =
        if is_local { data.after(bytes, end)? } else { data.among(bytes.folder(), &field.files(lines)?)? };
    Ok(Stream { geometry: Some(Geometry::MetaImage(fields.lines(&LOCATING, " = "))), ..stream })
}

/// Description of the voxels by the fields.
fn data(fields: &Fields, options: &ImageOptions) -> Result<DataFile, ImageProblem> {
    if let Some(field) = fields.get(&["ObjectType"])?.filter(|field| field.value != "Image") {
        return Err(field.problem("ObjectType Image"));
    }
    let field = fields.need(&["ElementType"])?;
    let Some((_, numbers)) = TYPES.into_iter().find(|(name, _)| *name == field.value) else {
        let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
        return Err(field.problem(names.join(", ")));
    };
    let sizes = fields.need(&["DimSize"])?;
    let axes = sizes.numbers()?;
    let dimension = fields.need(&["NDims"])?;
    if dimension.number::<usize>()? != axes.len() {
        return Err(dimension.problem(format!("{}, the number of extents in DimSize", axes.len())));
    }
    if let Some(field) = fields.get(&["ElementNumberOfChannels"])?.filter(|field| field.value != "1") {
        let note = "in Python, a = SimpleITK.ReadImage(FILE); \
                    SimpleITK.WriteImage(SimpleITK.VectorIndexSelectionCast(a, 0), \"x.mha\") takes the first";
        return Err(field.problem("one channel").note(note));
    }
    let shape = options.shape_at(Place::Line(sizes.line), &axes, Order::F)?;
    let truth = |names: &[&str], default: bool| fields.get(names)?.map_or(Ok(default), Field::truth);
    let packing = match (truth(&["BinaryData"], true)?, truth(&["CompressedData"], false)?) {
        (true, true) => Packing::Zlib,
        (true, false) => Packing::Plain,
        (false, false) => Packing::Text,
        (false, true) => {
            let field = fields.need(&["CompressedData"])?;
            return Err(field.problem("text that is not compressed, as BinaryData is false"));
        }
    };
    let orders = ["ElementByteOrderMSB", "BinaryDataByteOrderMSB"];
    let [element, binary] = orders.map(|name| fields.get(&[name]));
    let big_endian = match (element?, binary?) {
        (None, None) if numbers.bytes() > 1 && packing != Packing::Text => {
            let expected =
                format!("a line \"BinaryDataByteOrderMSB\", True or False, for numbers of {numbers}");
            return Err(ImageProblem::whole(expected, "a header without one"));
        }
        (None, None) => false,
        (Some(field), None) | (None, Some(field)) => field.truth()?,
        (Some(element), Some(binary)) if element.truth()? == binary.truth()? => element.truth()?,
        (Some(element), Some(_)) => return Err(element.problem("the same as BinaryDataByteOrderMSB")),
    };
    Ok(DataFile { big_endian, ..DataFile::new(shape, numbers, packing) })
}
