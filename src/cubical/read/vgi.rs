//! `vgi`: volumes of VGStudio, whose voxels are in a file without a header (`.vol`), described by another (`.vgi`).
//!
//! Either file may be the input. Of a file with voxels called `a.vol`, the header is `a.vgi` or `a.vol.vgi`; a header
//! names the file with the voxels. The first axis varies fastest. A header of several volumes, or of a volume in
//! several files or in images, is an error.
//!
//! The format is not published. What is read are the lines of the section `[file1]` that scanners write: `Size`,
//! `Datatype`, `BitsPerElement`, `Name`, `Endian` for voxels of more than 8 bits, and, where they are there,
//! `FileFormat` and `RegionSize`. That the file is exactly as long as they say guards against what other lines may
//! mean.

use std::path::{Path, PathBuf};

use super::bytes::Bytes;
use super::data_file::{DataFile, Packing, in_file};
use super::error::{Fault, ImageProblem, Place};
use super::fields::Fields;
use super::options::ImageOptions;
use super::stream::Stream;
use crate::cubical::key::Coding;
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;
use crate::input::text::quote;

/// Whether a file begins as a header does.
pub(super) fn has_magic(head: &[u8]) -> bool {
    head.trim_ascii_start().starts_with(b"{volume")
}

/// The headers of the file with voxels at `path` that are there.
pub(super) fn headers_of(path: &Path) -> Vec<PathBuf> {
    let mut longer = path.as_os_str().to_owned();
    longer.push(".vgi");
    let candidates = [path.with_extension("vgi"), PathBuf::from(longer)];
    candidates.into_iter().filter(|candidate| candidate != path && candidate.is_file()).collect()
}

pub(super) fn open(mut bytes: Bytes, options: &ImageOptions) -> Result<Stream, Fault> {
    if has_magic(bytes.head()) {
        let (data, name) = data(&header(&mut bytes)?, options)?;
        return data.among(bytes.folder(), &[name]);
    }
    let headers = bytes.path().map(headers_of).unwrap_or_default();
    let [header_path] = &headers[..] else {
        let expected = "a header that begins with {volume1}, or voxels with one header beside them";
        let names: Vec<String> = headers.iter().map(|path| path.display().to_string()).collect();
        let none = "neither: there is no file with the ending .vgi or .vol.vgi".to_owned();
        return Err(Fault::of(expected, if names.is_empty() { none } else { names.join(" and ") }));
    };
    let opened = Bytes::open(header_path).and_then(|mut bytes| Ok(data(&header(&mut bytes)?, options)?));
    let (data, _) =
        opened.map_err(|fault| in_file(fault, &format!("its header, {}", header_path.display())))?;
    Ok(Stream { others: headers, ..data.after(bytes, 0)? })
}

/// The lines of the section of the file of the only volume.
fn header(bytes: &mut Bytes) -> Result<Fields, Fault> {
    let (text, _) = bytes.header(&|_| None)?;
    let (mut fields, mut is_volume, mut section) = (Fields::default(), false, String::new());
    let mut file: Option<String> = None;
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if let Some(name) = line.strip_prefix('{') {
            let name = name.trim_end_matches('}').to_ascii_lowercase();
            // Of what a project holds besides volumes, such as views of them, nothing is read.
            is_volume =
                name.strip_prefix("volume").is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
            section.clear();
        } else if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']').to_ascii_lowercase();
            if is_volume && section.starts_with("file") && file.replace(section.clone()).is_some() {
                let problem = ImageProblem::line(number, "one volume in one file", quote(line.as_bytes()));
                return Err(problem.note("export the volume alone as one raw file").into());
            }
        } else if is_volume && section.starts_with("file") && !line.is_empty() {
            fields.add((number, line), '=', "a line such as `Size = 64 64 64`")?;
        }
    }
    Ok(fields)
}

/// Description of the voxels by the lines, and the name of their file.
fn data(fields: &Fields, options: &ImageOptions) -> Result<(DataFile, String), ImageProblem> {
    if let Some(field) = fields.get(&["FileFormat"])?.filter(|field| !field.value.eq_ignore_ascii_case("raw"))
    {
        return Err(field.problem("FileFormat raw").note("export the volume as raw"));
    }
    let size = fields.need(&["Size"])?;
    if let Some(field) = fields.get(&["RegionSize"])?.filter(|field| field.numbers() != size.numbers()) {
        return Err(field.problem("the Size of the file"));
    }
    let shape = options.shape_at(Place::Line(size.line), &size.numbers()?, Order::F)?;
    let (kind, bits) = (fields.need(&["Datatype"])?, fields.need(&["BitsPerElement"])?);
    let coding = match kind.value.to_ascii_lowercase().as_str() {
        "unsigned integer" => Coding::Unsigned,
        "signed integer" => Coding::Signed,
        "float" => Coding::Float,
        _ => return Err(kind.problem("unsigned integer, signed integer or float")),
    };
    let bytes = bits.number::<usize>()?;
    let numbers = VoxelType::of(coding, bytes / 8).filter(|_| bytes.is_multiple_of(8));
    let numbers =
        numbers.ok_or_else(|| bits.problem("8, 16, 32 or 64 bits of an integer, 32 or 64 of a float"))?;
    let big_endian = fields.big_endian(&["Endian", "FileEndian"], numbers, numbers.bytes() > 1)?;
    let data = DataFile { big_endian, ..DataFile::new(shape, numbers, Packing::Plain) };
    // Scanners write the path that the file had on their machine.
    let path = fields.need(&["Name"])?.value.replace('\\', "/");
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    Ok((data, name))
}
