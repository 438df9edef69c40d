//! `nrrd`: Teem's nearly raw raster data, with voxels after the header (`.nrrd`) or in other files (`.nhdr`).
//!
//! The first axis varies fastest. Voxels are numbers of the ten types, as bytes in either order (`raw`), compressed
//! with gzip, or as text. A detached header names one file, a list of files or a pattern of numbered files, each of
//! which holds as many slices. An axis of more than one sample that is not one of space or time, such as colours or the
//! components of vectors (`kinds`, or `none` in `space directions`), is an error, as are blocks, bzip2 and hexadecimal
//! digits. Lines that are not about the voxels are skipped; those that locate the voxels in space are kept for a file
//! of the same format.
//!
//! Source: "Definition of NRRD File Format", <https://teem.sourceforge.net/nrrd/format.html>.

use super::bytes::Bytes;
use super::data_file::{DataFile, Packing};
use super::error::{Fault, ImageProblem, Place};
use super::fields::{Field, Fields};
use super::options::ImageOptions;
use super::stream::Stream;
use crate::cubical::geometry::Geometry;
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;
use crate::input::text::quote;

/// Magic bytes, before the digit of the version.
pub(super) const MAGIC: &[u8] = b"NRRD000";

/// Names of the types of voxels. The first of those of a type is written.
pub(in crate::cubical) const TYPES: [(&[&str], VoxelType); 10] = [
    (&["int8", "int8_t", "signed char"], VoxelType::I8),
    (&["uint8", "uint8_t", "uchar", "unsigned char"], VoxelType::U8),
    (&["int16", "int16_t", "short", "short int", "signed short", "signed short int"], VoxelType::I16),
    (&["uint16", "uint16_t", "ushort", "unsigned short", "unsigned short int"], VoxelType::U16),
    (&["int32", "int32_t", "int", "signed int"], VoxelType::I32),
    (&["uint32", "uint32_t", "uint", "unsigned int"], VoxelType::U32),
    (
        &[
            "int64",
            "int64_t",
            "longlong",
            "long long",
            "long long int",
            "signed long long",
            "signed long long int",
        ],
        VoxelType::I64,
    ),
    (&["uint64", "uint64_t", "ulonglong", "unsigned long long", "unsigned long long int"], VoxelType::U64),
    (&["float"], VoxelType::F32),
    (&["double"], VoxelType::F64),
];

/// Lines that locate the voxels in space.
const LOCATING: [&str; 9] = [
    "space",
    "space dimension",
    "space directions",
    "space origin",
    "space units",
    "spacings",
    "axis mins",
    "axis maxs",
    "units",
];

/// Names of the field with the names of other files.
const DATA_FILE: [&str; 2] = ["data file", "datafile"];

/// Kinds of axes whose samples are voxels.
const DOMAINS: [&str; 5] = ["domain", "space", "time", "???", "none"];

/// Remedy for encodings that are not read.
const REMEDY: &str = "in Python, nrrd.write(\"x.nrrd\", *nrrd.read(FILE)) writes it with gzip";

pub(super) fn open(mut bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    let (text, start) = bytes.header(&|head| {
        let blank = [&b"\n\n"[..], b"\n\r\n"];
        let ends = blank.map(|blank| memchr::memmem::find(head, blank).map(|at| at + blank.len()));
        ends.into_iter().flatten().min()
    })?;
    let mut lines = (1..).zip(text.lines());
    let fields = header(&mut lines)?;
    let data = data(&fields, options)?;
    let stream = match fields.get(&DATA_FILE)? {
        None => data.after(bytes, start)?,
        Some(field) => data.among(bytes.folder(), &field.files(lines)?)?,
    };
    Ok(Stream { geometry: Some(Geometry::Nrrd(fields.lines(&LOCATING, ": "))), ..stream })
}

/// The fields in the numbered lines of a header, up to `data file: LIST`. Comments and the pairs of key and value that
/// users add are left out.
fn header(lines: &mut dyn Iterator<Item = (usize, &str)>) -> Result<Fields, ImageProblem> {
    let mut lines = lines.map(|(number, line)| (number, line.trim_end()));
    let magic = lines.next().map_or("", |(_, line)| line);
    if !matches!(magic.strip_prefix("NRRD000"), Some("1" | "2" | "3" | "4" | "5")) {
        return Err(ImageProblem::line(1, "NRRD0001 to NRRD0005", quote(magic.as_bytes())));
    }
    // The first of the separators decides whether a line is a field or a pair.
    let is_pair = |line: &str| line.split_once(':').is_some_and(|(_, value)| value.starts_with('='));
    let lines = lines.take_while(|(_, line)| !line.is_empty());
    let mut lines = lines.filter(|(_, line)| !line.starts_with('#') && !is_pair(line));
    Fields::of_lines(&mut lines, ':', "a field such as `type: float`, or a comment after #", &DATA_FILE)
}

/// Description of the voxels by the fields.
fn data(fields: &Fields, options: &ImageOptions) -> Result<DataFile, ImageProblem> {
    let field = fields.need(&["type"])?;
    let is_it = |(names, _): &&(&[&str], _)| names.iter().any(|name| name.eq_ignore_ascii_case(&field.value));
    let Some(&(_, numbers)) = TYPES.iter().find(is_it) else {
        return Err(field.problem("a type of integers of 8 to 64 bits, float or double"));
    };
    let sizes = fields.need(&["sizes"])?;
    let axes = sizes.numbers()?;
    let dimension = fields.need(&["dimension"])?;
    if dimension.number::<usize>()? != axes.len() {
        return Err(dimension.problem(format!("{}, the number of sizes", axes.len())));
    }
    check_kinds(fields, &axes)?;
    let shape = options.shape_at(Place::Line(sizes.line), &axes, Order::F)?;
    let encoding = fields.need(&["encoding"])?;
    let packing = match encoding.value.to_ascii_lowercase().as_str() {
        "raw" => Packing::Plain,
        "gz" | "gzip" => Packing::Gzip,
        "txt" | "text" | "ascii" => Packing::Text,
        _ => return Err(encoding.problem("encoding raw, gzip or text").note(REMEDY)),
    };
    let matters = numbers.bytes() > 1 && packing != Packing::Text;
    let big_endian = fields.big_endian(&["endian"], numbers, matters)?;
    let lines = fields.get(&["line skip", "lineskip"])?;
    let lines = lines.map_or(Ok(0), Field::number)?;
    let skip = match fields.get(&["byte skip", "byteskip"])? {
        None => Some(0),
        Some(field) => field.skip(packing == Packing::Plain, "-1 with encoding raw only")?,
    };
    Ok(DataFile { big_endian, lines, skip, ..DataFile::new(shape, numbers, packing) })
}

/// For each axis of `space directions`, such as `none (1, 0) (0, 1)`, what the samples of a `none` are.
fn without_direction(directions: &str) -> Vec<Option<String>> {
    let axes = directions.split(')').flat_map(|part| {
        let (words, vector) = part.split_once('(').map_or((part, None), |(words, _)| (words, Some(None)));
        let none = |_| Some("without a direction in space".to_owned());
        words.split_whitespace().map(none).chain(vector)
    });
    axes.collect()
}

/// Refuses axes whose samples are the parts of one value. Without kinds, an axis without a direction is one.
fn check_kinds(fields: &Fields, axes: &[u64]) -> Result<(), ImageProblem> {
    let is_domain = |kind: &&str| DOMAINS.iter().any(|domain| domain.eq_ignore_ascii_case(kind));
    let other = |kind| Some(kind).filter(|kind| !is_domain(kind)).map(|kind| format!("of kind {kind}"));
    // Of each axis, what its samples are if they are no voxels.
    let (field, what, others) = match (fields.get(&["kinds"])?, fields.get(&["space directions"])?) {
        (Some(field), _) => (field, "kind", field.value.split_whitespace().map(other).collect()),
        (None, Some(field)) => (field, "direction", without_direction(&field.value)),
        (None, None) => return Ok(()),
    };
    if others.len() != axes.len() {
        return Err(field.problem(format!("a {what} for each of {} axes", axes.len())));
    }
    let mut long = others.iter().zip(axes).enumerate().filter(|(_, (_, extent))| **extent > 1);
    let Some((axis, other, extent)) =
        long.find_map(|(axis, (other, extent))| Some((axis, other.as_ref()?, extent)))
    else {
        return Ok(());
    };
    let found = format!("{extent} samples {other} along axis {axis}, counted from 0");
    let problem = ImageProblem::line(field.line, "axes of space and time only", found);
    let picked = (0..axes.len()).map(|k| if k == axis { "0" } else { ":" }).collect::<Vec<_>>().join(", ");
    Err(problem.note(format!(
        "in Python, a, head = nrrd.read(FILE); numpy.save(\"x.npy\", a[{picked}]) takes the first"
    )))
}
