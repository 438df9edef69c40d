//! Voxels that a header of text describes: after it, in a file of their own, or in a file for each slice.

use std::io::BufReader;
use std::str::FromStr;

use flate2::read::{MultiGzDecoder, ZlibDecoder};

use super::bytes::{Bytes, Folder};
use super::error::{Fault, ImageProblem, resize, with_room};
use super::layout::FileLayout;
use super::stream::{Stream, in_memory, in_pieces};
use crate::cubical::image::Voxel;
use crate::cubical::shape::{Order, Shape};
use crate::cubical::voxel::VoxelType;
use crate::input::text::quote;
use crate::with_voxels;

/// Bytes of voxels for which memory is taken before any of them is decompressed.
const FIRST: usize = 1 << 20;

/// Encoding of voxels in their file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Packing {
    /// The bytes of numbers.
    Plain,
    /// Bytes of numbers, compressed with gzip.
    Gzip,
    /// Bytes of numbers, compressed with zlib.
    Zlib,
    /// Numbers as text, with blanks between them.
    Text,
}

/// Description of voxels by a header of text.
#[derive(Debug, Clone)]
pub(super) struct DataFile {
    pub(super) shape: Shape,
    pub(super) numbers: VoxelType,
    pub(super) big_endian: bool,
    pub(super) packing: Packing,
    /// Number of lines before the voxels, or before what is compressed.
    pub(super) lines: u64,
    /// Number of bytes after these lines, or of those that are decompressed, before the voxels; `None` if the voxels
    /// are the last bytes of the file.
    pub(super) skip: Option<u64>,
}

impl DataFile {
    /// Little-endian voxels with nothing before them.
    pub(super) fn new(shape: Shape, numbers: VoxelType, packing: Packing) -> DataFile {
        DataFile { shape, numbers, big_endian: false, packing, lines: 0, skip: Some(0) }
    }

    /// The voxels that follow the first `start` bytes of the file.
    pub(super) fn after(&self, mut bytes: Bytes, start: u64) -> Result<Stream, Fault> {
        bytes.skip_to(start)?;
        bytes.skip_lines(self.lines)?;
        let packed = |bytes: Bytes| BufReader::new(bytes.into_reader());
        let bytes = match self.packing {
            Packing::Plain | Packing::Text => bytes,
            Packing::Gzip => Bytes::new(Box::new(MultiGzDecoder::new(packed(bytes))), None, Some("gzip"))?,
            Packing::Zlib => Bytes::new(Box::new(ZlibDecoder::new(packed(bytes))), None, Some("zlib"))?,
        };
        let size = (self.shape.count() as u64).saturating_mul(self.numbers.bytes() as u64);
        let start = match (self.skip, bytes.length()) {
            (Some(skip), _) => bytes.at().saturating_add(skip),
            (None, Some(length)) if length.saturating_sub(bytes.at()) >= size => length - size,
            (None, length) => {
                let expected = format!("a file that ends with the {size} bytes of {} voxels", self.shape);
                let found = match length {
                    Some(length) => format!("one of {length} bytes"),
                    None => "one of unknown length, which is compressed or a pipe".to_owned(),
                };
                return Err(Fault::of(expected, found));
            }
        };
        if self.packing == Packing::Text {
            return self.text(bytes, start);
        }
        let layout = FileLayout::new(self.shape, self.numbers, start);
        FileLayout { big_endian: self.big_endian, ..layout }.open(bytes)
    }

    /// The voxels in the files that a header in `folder` names: all in one, or as many in each of several, which divide
    /// the slowest axis.
    pub(super) fn among(self, folder: Folder, names: &[String]) -> Result<Stream, Fault> {
        let others = folder.paths(names);
        if let [name] = names {
            let opened = folder.open(name).and_then(|bytes| self.after(bytes, 0));
            let stream = opened.map_err(|fault| in_named(name, fault))?;
            return Ok(Stream { others, ..stream });
        }
        let slices = self.shape.extents().into_iter().find(|&extent| extent > 1).unwrap_or(1);
        if names.is_empty() || !slices.is_multiple_of(names.len()) {
            let expected = format!("files that hold as many of {slices} slices each");
            return Err(Fault::of(expected, format!("{} files", names.len())));
        }
        let each = self.shape.count() / names.len();
        let part = Shape::new(&[each], Order::C);
        let part = DataFile { shape: part.map_err(std::io::Error::other)?, ..self.clone() };
        let open = move |name: &String| folder.open(name).and_then(|bytes| part.after(bytes, 0));
        // A file that is missing or of another size is found before anything is computed.
        for name in names {
            open(name).map_err(|fault| in_named(name, fault))?;
        }
        let (names, size) = (names.to_vec(), each * self.numbers.bytes());
        let mut next = 0;
        let source = in_pieces(move |voxels, stop| {
            let name = &names[next.min(names.len() - 1)];
            next += 1;
            voxels.clear();
            let filled = open(name).and_then(|mut stream| {
                // A compressed file may be shorter than its header says: memory grows with what there is.
                while voxels.len() < size {
                    let start = voxels.len();
                    let end = size.min(2 * start.max(FIRST));
                    resize(voxels, end)?;
                    (stream.source)(&mut voxels[start..], stop)?;
                }
                Ok(())
            });
            filled.map_err(|fault| in_named(name, fault))
        });
        Ok(Stream { is_measured: false, others, ..Stream::new(self.shape, self.numbers, source) })
    }

    /// Reads numbers as text, all of which are held in memory.
    fn text(&self, mut bytes: Bytes, start: u64) -> Result<Stream, Fault> {
        bytes.skip_to(start)?;
        let text = bytes.into_vec()?;
        let least = 2 * self.shape.count() - 1;
        if text.len() < least {
            let expected = format!("at least {least} bytes of values of {} voxels", self.shape);
            return Err(ImageProblem::at(start, expected, text.len()).into());
        }
        let mut voxels = with_room(self.shape.count() * self.numbers.bytes())?;
        with_voxels!(self.numbers, T => self.parse::<T>(&text, &mut voxels))?;
        Ok(Stream::new(self.shape, self.numbers, in_memory(voxels)))
    }

    fn parse<T: Voxel + FromStr>(&self, text: &[u8], voxels: &mut Vec<u8>) -> Result<(), ImageProblem> {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
        let mut words = text.split(is_between).filter(|word| !word.is_empty());
        for place in 0..self.shape.count() {
            let word = words.next();
            let value = word.and_then(|word| str::from_utf8(word).ok()?.parse::<T>().ok());
            let Some(value) = value else {
                let voxel = self.shape.coordinates(place);
                let expected = format!("the value of voxel {voxel:?}, a number of {}", T::NAME);
                let found = word.map_or_else(|| "the end of the file".to_owned(), quote);
                return Err(ImageProblem::whole(expected, found));
            };
            voxels.extend_from_slice(value.as_bytes());
        }
        let Some(word) = words.next() else { return Ok(()) };
        let expected = format!("the end of the file after {} values", self.shape.count());
        Err(ImageProblem::whole(expected, quote(word)))
    }
}

/// Adds the file of which a problem is to the problem, which is reported under the name of the input.
pub(super) fn in_file(fault: Fault, file: &str) -> Fault {
    match fault {
        Fault::Content(problem) => problem.also(&format!("this is {file}")).into(),
        Fault::System(error) => Fault::System(std::io::Error::new(error.kind(), format!("{file}: {error}"))),
    }
}

fn in_named(name: &str, fault: Fault) -> Fault {
    in_file(fault, &format!("the file {name:?}, which the header names"))
}
