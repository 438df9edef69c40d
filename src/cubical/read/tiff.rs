//! `tiff`: gray images of TIFF and BigTIFF.
//!
//! One page has the axes row and column, several the axes page, row and column; the pages of a stack have one size and one
//! type. Samples are `u8` to `u64`, `i8` to `i64`, `f32` or `f64`, in strips or tiles, uncompressed or compressed with LZW,
//! Deflate or PackBits, with or without predictor. Samples of 1, 2 and 4 bits are spread over 0 … 255, as those of PNG are; floats of 16
//! bits become `f32`. Colour, palettes, several samples a pixel and images in which 0 is white are errors: which value a pixel stands for
//! is for the user to say. Reduced copies of an image, as pyramids have them, and masks of transparency are passed over.
//!
//! [`planes`] says what the pages of a stack are. A stack whose first page alone is in the list of pages, as ImageJ and tifffile write
//! large ones, is read when its data lie one after the other.

mod planes;

use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};

use ::tiff::decoder::ifd::Value;
use ::tiff::decoder::{ChunkType, Decoder, Limits};
use ::tiff::tags::{ByteOrder, CompressionMethod, PhotometricInterpretation, SampleFormat, Tag};
use ::tiff::{ColorType, TiffError};
use half::f16;
use zerocopy::IntoBytes as _;

use super::bytes::{Bytes, Seekable};
use super::error::{Context, Fault, Place, Problem, room, shape_at};
use super::layout::{Placed, swap};
use super::options::Options;
use super::png::{MOST_DEFLATED, spread};
use super::stream::{AnyStream, Source, Stream};
use super::voxel::{Plain, VoxelType, with_type};
use crate::cubical::geometry::{Geometry, Resolution};
use crate::cubical::{Order, Shape};
use planes::Planes;

/// LZW makes at most so many bytes of one: its longest string, of 3839, of 12 bits.
const MOST_LZW: u64 = 2560;

/// PackBits makes 128 bytes of two.
const MOST_PACKED: u64 = 64;

/// MetaMorph's tag UIC2, of which there is one value a plane.
const METAMORPH: u16 = 33629;

/// What to do with a file whose planes are not found.
const RESAVE: &str = "save it again with ImageJ or tifffile, or read it as a raw file";

type Pages = Decoder<Box<dyn Seekable>>;

/// How a page holds its voxels.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Samples {
    /// As they are.
    Plain(VoxelType),
    /// 1, 2 or 4 bits each, rows beginning with a byte.
    Bits(u8),
    /// Floats of 16 bits.
    Halves,
}

impl Samples {
    /// The type of the voxels.
    fn voxels(self) -> VoxelType {
        match self {
            Samples::Plain(voxels) => voxels,
            Samples::Bits(_) => VoxelType::U8,
            Samples::Halves => VoxelType::F32,
        }
    }

    /// Bits of a sample in the file.
    fn bits(self) -> u64 {
        match self {
            Samples::Plain(voxels) => 8 * voxels.bytes() as u64,
            Samples::Bits(bits) => bits.into(),
            Samples::Halves => 16,
        }
    }
}

/// What the pages of a stack have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Page {
    rows: u32,
    columns: u32,
    samples: Samples,
}

impl Page {
    fn described(self) -> String {
        let of = match self.samples {
            Samples::Plain(voxels) => format!("type {voxels}"),
            Samples::Bits(bits) => format!("{bits} bits"),
            Samples::Halves => "type f16".to_owned(),
        };
        format!("{}x{} voxels of {of}", self.rows, self.columns)
    }

    /// Voxels of a page.
    fn count(self) -> u64 {
        u64::from(self.rows) * u64::from(self.columns)
    }
}

pub(super) fn open(bytes: Bytes, options: &Options, context: &Context) -> Result<AnyStream, Fault> {
    let on_disk = bytes.file().cloned();
    let (file, length) = bytes.into_seekable()?;
    let mut decoder = Decoder::new(file).map_err(|error| fault(0, error))?.with_limits(limits(length));
    let first = page(&mut decoder, 0, length)?;
    let mut pages = vec![0];
    for number in 1.. {
        if !decoder.more_images() {
            break;
        }
        decoder.next_image().map_err(|error| fault(number, error))?;
        if is_reduced(&mut decoder, number)? {
            continue;
        }
        let found = page(&mut decoder, number, length)?;
        if found != first {
            let expected = format!("{}, as on page 0", first.described());
            return Err(Problem::new(Place::Page(number), expected, found.described()).into());
        }
        pages.push(number);
    }
    decoder.seek_to_image(0).map_err(|error| fault(0, error))?;
    refuse_metamorph(&mut decoder)?;
    let description = description(&mut decoder, length)?;
    let size = [first.rows, first.columns].map(|extent| extent as usize);
    let planes = Planes::of(&description, pages.len(), size)?;
    let geometry = resolution(&mut decoder);
    let start = match planes.count() {
        Some(count) if count == pages.len() => None,
        count => Some(following(&mut decoder, first, count, length)?),
    };
    let picked = planes.picked(options.channel, options.frame)?;
    let mut axes = vec![picked.len() as u64, first.rows.into(), first.columns.into()];
    if picked.len() == 1 {
        axes.remove(0);
    }
    let shape = shape_at(Place::Whole, &axes, Order::C)?;
    let stream = match (first.samples, start) {
        (Samples::Plain(voxels), Some(start)) => with_type!(voxels, T => {
            T::any(followed::<T>(decoder, start, &picked, first, on_disk, shape, context))
        }),
        (Samples::Plain(voxels), None) => with_type!(voxels, T => {
            let picked = picked.into_iter().map(|plane| pages[plane]).collect();
            T::any(Stream::new(shape, Box::new(Stack::<T>::new(decoder, picked, None)), context.clone()))
        }),
        (Samples::Bits(bits), _) => {
            let unpack: Unpack<u8> = match bits {
                1 => unpack_bits::<1>,
                2 => unpack_bits::<2>,
                _ => unpack_bits::<4>,
            };
            let stack =
                Stack::new(decoder, picked.into_iter().map(|plane| pages[plane]).collect(), Some(unpack));
            AnyStream::U8(Stream::new(shape, Box::new(stack), context.clone()))
        }
        (Samples::Halves, _) => {
            let unpack: Unpack<f32> = unpack_halves;
            let stack =
                Stack::new(decoder, picked.into_iter().map(|plane| pages[plane]).collect(), Some(unpack));
            AnyStream::F32(Stream::new(shape, Box::new(stack), context.clone()))
        }
    };
    Ok(match geometry {
        Some(geometry) => stream.with_geometry(Geometry::Tiff(geometry)),
        None => stream,
    })
}

/// Whether the page that the decoder is at is no page of a stack: a copy of fewer pixels, or a mask of transparency.
fn is_reduced(decoder: &mut Pages, number: usize) -> Result<bool, Fault> {
    let kind = decoder.find_tag_unsigned::<u32>(Tag::NewSubfileType).map_err(|error| fault(number, error))?;
    Ok(kind.unwrap_or(0) & 0b101 != 0)
}

/// The description of the page that the decoder is at, or nothing.
fn description(decoder: &mut Pages, length: u64) -> Result<String, Fault> {
    let mut tags = decoder.image_ifd();
    let Some(entry) = tags.find_entry(Tag::ImageDescription) else { return Ok(String::new()) };
    // A tag is within the file.
    let size = entry.count().min(length).min(MOST_OF_A_TAG);
    let mut text = vec![0; usize::try_from(size).unwrap_or(0)];
    let found = tags.find_tag_bytes(Tag::ImageDescription, &mut text, 0).map_err(|error| fault(0, error))?;
    text.truncate(found.unwrap_or(0));
    // ImageJ writes units in Latin-1; all that is looked at here is ASCII.
    Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
}

/// An error when MetaMorph says that there are more planes than pages.
fn refuse_metamorph(decoder: &mut Pages) -> Result<(), Problem> {
    let planes = decoder.image_ifd().find_entry(Tag::Unknown(METAMORPH)).map_or(1, |entry| entry.count());
    if planes <= 1 {
        return Ok(());
    }
    let problem =
        Problem::new(Place::Whole, "a page for each plane", format!("a MetaMorph stack of {planes} planes"));
    Err(problem.note("save it as TIFF with ImageJ, or read the planes with --format raw"))
}

/// Pixels a unit of length, where the page says so.
fn resolution(decoder: &mut Pages) -> Option<Resolution> {
    let mut ratio = |tag: Tag| match decoder.find_tag(tag) {
        Ok(Some(Value::Rational(pixels, units))) => Some([pixels, units]),
        _ => None,
    };
    let [x, y] = [ratio(Tag::XResolution)?, ratio(Tag::YResolution)?];
    let unit = decoder.find_tag_unsigned(Tag::ResolutionUnit).ok().flatten();
    Some(Resolution { x, y, unit: unit.unwrap_or(2) })
}

/// Where the data of the first page begin, which those of `count` planes follow.
fn following(decoder: &mut Pages, page: Page, count: Option<usize>, length: u64) -> Result<u64, Fault> {
    let expected = count.map_or("more than 2^64".to_owned(), |count| count.to_string());
    let expected = format!("{expected} pages, the planes that the description names");
    let problem =
        |found: &str| Fault::from(Problem::new(Place::Whole, expected.as_str(), found).note(RESAVE));
    let failed = |error| fault(0, error);
    let compression = decoder.find_tag_unsigned(Tag::Compression).map_err(failed)?;
    if compression.is_some_and(|compression: u16| compression != CompressionMethod::None.to_u16())
        || decoder.get_chunk_type() == ChunkType::Tile
        || !matches!(page.samples, Samples::Plain(_))
    {
        return Err(problem("1"));
    }
    let starts = decoder.find_tag_unsigned_vec::<u64>(Tag::StripOffsets).map_err(failed)?.unwrap_or_default();
    let sizes =
        decoder.find_tag_unsigned_vec::<u64>(Tag::StripByteCounts).map_err(failed)?.unwrap_or_default();
    let together =
        starts.windows(2).zip(&sizes).all(|(pair, &size)| pair[0].checked_add(size) == Some(pair[1]));
    let Some(&start) = starts.first().filter(|_| together) else {
        return Err(problem("1, whose strips do not follow each other"));
    };
    let plane = page.count().checked_mul(page.samples.bits() / 8);
    let end = count.and_then(|count| plane?.checked_mul(count as u64)?.checked_add(start));
    // A list of pages that lies behind the first one's data ends them.
    let list = decoder.ifd_pointer().map(|pointer| pointer.0).filter(|&list| list >= start);
    let most = list.map_or(length, |list| list.min(length));
    if end.is_none_or(|end| end > most) {
        return Err(problem(&format!("1, and {} bytes from its data on", most.saturating_sub(start))));
    }
    Ok(start)
}

/// The planes whose data follow each other from `start` on.
fn followed<T: Plain>(
    decoder: Pages,
    start: u64,
    picked: &[usize],
    page: Page,
    on_disk: Option<std::sync::Arc<std::fs::File>>,
    shape: Shape,
    context: &Context,
) -> Stream<T> {
    let order = decoder.byte_order();
    let is_big = matches!(order, ByteOrder::BigEndian);
    let swap = is_big != cfg!(target_endian = "big") && size_of::<T>() > 1;
    // That all of it lies in the file has been checked.
    let bytes = page.count() * size_of::<T>() as u64;
    let begin = |plane: usize| start + plane as u64 * bytes;
    let first = picked.first().copied().unwrap_or(0);
    let end = begin(first + picked.len());
    let is_one = picked.iter().enumerate().all(|(k, &plane)| plane == first + k);
    let source = Followed {
        decoder,
        starts: picked.iter().map(|&plane| begin(plane)).collect(),
        voxels: page.count(),
        at: 0,
        swap,
    };
    let stream = Stream::<T>::new(shape, Box::new(source), context.clone());
    match on_disk.filter(|_| is_one) {
        Some(file) => stream.placed(Box::new(Placed { file, start: begin(first), end, swap })),
        None => stream,
    }
}

/// Planes that lie in the file as they are.
struct Followed {
    decoder: Pages,
    /// Where each begins.
    starts: Vec<u64>,
    /// Voxels of each.
    voxels: u64,
    /// Voxels that have been given.
    at: u64,
    swap: bool,
}

impl<T: Plain> Source<T> for Followed {
    fn fill(&mut self, mut voxels: &mut [T]) -> Result<(), Fault> {
        while !voxels.is_empty() {
            let (plane, first) = ((self.at / self.voxels) as usize, self.at % self.voxels);
            let left = usize::try_from(self.voxels - first).unwrap_or(usize::MAX);
            let (front, rest) = voxels.split_at_mut(left.min(voxels.len()));
            let place = self.starts[plane] + first * size_of::<T>() as u64;
            let file = self.decoder.inner();
            let read = file.seek(SeekFrom::Start(place)).and_then(|_| file.read_exact(front.as_mut_bytes()));
            read.map_err(|error| fault(plane, TiffError::IoError(error)))?;
            if self.swap {
                swap(front);
            }
            self.at += front.len() as u64;
            voxels = rest;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn is_measured(&self) -> bool {
        true
    }
}

/// The most that the values of one tag may take, such as the places of all strips.
const MOST_OF_A_TAG: u64 = 1 << 30;

/// A tag has no more values than the file has bytes; the decoder makes 32 bytes of one. Pages and strips go into memory of ours.
fn limits(length: u64) -> Limits {
    let tag = usize::try_from(length.saturating_mul(32).min(MOST_OF_A_TAG)).unwrap_or(usize::MAX);
    let mut limits = Limits::unlimited();
    limits.ifd_value_size = tag;
    limits.decoding_buffer_size = tag;
    limits
}

/// The page that the decoder is at, when it is gray and the file can hold it.
fn page(decoder: &mut Pages, number: usize, length: u64) -> Result<Page, Fault> {
    let failed = |error| fault(number, error);
    let problem = |expected: &str, found: String| Problem::new(Place::Page(number), expected, found);
    let (columns, rows) = decoder.dimensions().map_err(failed)?;
    let photometric = decoder.find_tag_unsigned(Tag::PhotometricInterpretation).map_err(failed)?;
    let photometric = photometric.and_then(PhotometricInterpretation::from_u16);
    let bits = match (decoder.colortype().map_err(failed), photometric) {
        (Ok(ColorType::Gray(bits)), Some(PhotometricInterpretation::BlackIsZero)) => bits,
        (_, Some(PhotometricInterpretation::WhiteIsZero)) => {
            let problem = problem("gray with 0 for black", "gray with 0 for white".to_owned());
            return Err(problem.note(WHITE_IS_ZERO).into());
        }
        (Ok(ColorType::Multiband { num_samples, .. }), _) => {
            let problem = problem("one sample a pixel", num_samples.to_string());
            return Err(problem.note("save one of them alone").into());
        }
        (_, Some(PhotometricInterpretation::RGBPalette)) => {
            return Err(problem("gray", "a palette".to_owned()).note(PALETTE).into());
        }
        (_, found) => {
            let found = found.map_or_else(|| "no interpretation".to_owned(), |found| format!("{found:?}"));
            return Err(problem("gray", found).note("convert it to gray first").into());
        }
    };
    let format = decoder.find_tag_unsigned_vec(Tag::SampleFormat).map_err(failed)?;
    let format = format.and_then(|formats| formats.first().copied()).map(SampleFormat::from_u16_exhaustive);
    let samples = match (format.unwrap_or(SampleFormat::Uint), bits) {
        // A format that is not known is that of whole numbers without a sign.
        (SampleFormat::Uint | SampleFormat::Void, 1 | 2 | 4) => Samples::Bits(bits),
        (SampleFormat::Uint | SampleFormat::Void, 8) => Samples::Plain(VoxelType::U8),
        (SampleFormat::Uint | SampleFormat::Void, 16) => Samples::Plain(VoxelType::U16),
        (SampleFormat::Uint | SampleFormat::Void, 32) => Samples::Plain(VoxelType::U32),
        (SampleFormat::Uint | SampleFormat::Void, 64) => Samples::Plain(VoxelType::U64),
        (SampleFormat::Int, 8) => Samples::Plain(VoxelType::I8),
        (SampleFormat::Int, 16) => Samples::Plain(VoxelType::I16),
        (SampleFormat::Int, 32) => Samples::Plain(VoxelType::I32),
        (SampleFormat::Int, 64) => Samples::Plain(VoxelType::I64),
        (SampleFormat::IEEEFP, 16) => Samples::Halves,
        (SampleFormat::IEEEFP, 32) => Samples::Plain(VoxelType::F32),
        (SampleFormat::IEEEFP, 64) => Samples::Plain(VoxelType::F64),
        (format, bits) => {
            let expected = "whole numbers of 1, 2, 4, 8, 16, 32 or 64 bits or floats of 16, 32 or 64";
            return Err(problem(expected, format!("{bits} bits of format {format:?}")).into());
        }
    };
    let page = Page { rows, columns, samples };
    check_size(decoder, number, length, page)?;
    Ok(page)
}

/// An error when a page or one of its tiles is larger than a file of this length can hold.
fn check_size(decoder: &mut Pages, number: usize, length: u64, page: Page) -> Result<(), Fault> {
    let failed = |error| fault(number, error);
    let compression = decoder.find_tag_unsigned(Tag::Compression).map_err(failed)?;
    let compression = compression.map_or(CompressionMethod::None, CompressionMethod::from_u16_exhaustive);
    let most = match compression {
        CompressionMethod::None => 1,
        CompressionMethod::LZW => MOST_LZW,
        CompressionMethod::Deflate | CompressionMethod::OldDeflate => MOST_DEFLATED,
        CompressionMethod::PackBits => MOST_PACKED,
        found => {
            let expected = "no compression, LZW, Deflate or PackBits";
            let problem = Problem::new(Place::Page(number), expected, format!("{found:?}"));
            return Err(problem.note("rewrite it, as with `tiffcp -c zip IN OUT`").into());
        }
    };
    let tile = match decoder.get_chunk_type() {
        ChunkType::Tile => {
            let (columns, rows) = decoder.chunk_dimensions();
            u64::from(columns) * u64::from(rows)
        }
        ChunkType::Strip => 0,
    };
    let voxels = page.count().max(tile);
    let size = voxels.checked_mul(page.samples.bits()).map(|bits| bits.div_ceil(8));
    if size.is_none_or(|size| size > length.saturating_mul(most)) {
        let expected = format!("data for {voxels} voxels of type {}", page.samples.voxels());
        let found = format!("a file of {length} bytes, which cannot hold as many");
        return Err(Problem::new(Place::Page(number), expected, found).into());
    }
    Ok(())
}

/// What to do with an image whose least value is white.
const WHITE_IS_ZERO: &str = "some programs invert such images and some do not: convert it first, in ImageJ with Image > Lookup Tables > Grays";

/// What to do with a palette.
const PALETTE: &str = "convert it to gray first, in ImageJ with Image > Lookup Tables > Grays";

/// Makes voxels of the bytes of rows of so many samples.
type Unpack<T> = fn(&[u8], usize, &mut [T]);

/// Samples of a few bits, the first in the highest bits of a byte; rows begin with a byte.
fn unpack_bits<const BITS: usize>(bytes: &[u8], columns: usize, voxels: &mut [u8]) {
    let rows = bytes.chunks(bytes_of_row(columns, BITS)).zip(voxels.chunks_mut(columns));
    for (bytes, voxels) in rows {
        for (k, voxel) in voxels.iter_mut().enumerate() {
            let (byte, shift) = (bytes[k * BITS / 8], 8 - BITS - k * BITS % 8);
            *voxel = spread(byte >> shift & (u8::MAX >> (8 - BITS)), BITS);
        }
    }
}

/// Floats of 16 bits, their bytes in the order of this machine.
fn unpack_halves(bytes: &[u8], _: usize, voxels: &mut [f32]) {
    let (halves, _) = bytes.as_chunks();
    halves.iter().zip(voxels).for_each(|(&half, voxel)| *voxel = f16::from_ne_bytes(half).to_f32());
}

fn bytes_of_row(columns: usize, bits: usize) -> usize {
    (columns * bits).div_ceil(8)
}

/// The voxels of some pages, decoded strip by strip, or page by page where there are tiles.
struct Stack<T> {
    decoder: Pages,
    pages: Vec<usize>,
    /// Which of these comes next.
    next: usize,
    /// The next strip of the page that the decoder is at, and how many it has.
    piece: u32,
    pieces: u32,
    /// What makes voxels of bytes, unless they are voxels.
    unpack: Option<Unpack<T>>,
    bytes: Vec<u8>,
    /// The voxels of the last strip or page.
    voxels: Vec<T>,
    /// How many of these have been given.
    at: usize,
}

impl<T: Plain> Stack<T> {
    fn new(decoder: Pages, pages: Vec<usize>, unpack: Option<Unpack<T>>) -> Self {
        let (bytes, voxels) = (Vec::new(), Vec::new());
        Stack { decoder, pages, next: 0, piece: 0, pieces: 0, unpack, bytes, voxels, at: 0 }
    }

    /// The page that the decoder is at.
    fn page(&self) -> usize {
        self.pages.get(self.next.saturating_sub(1)).copied().unwrap_or(0)
    }

    /// Decodes the next strip or page.
    fn advance(&mut self) -> Result<(), Fault> {
        while self.piece == self.pieces {
            let page = self.pages[self.next];
            self.next += 1;
            self.decoder.seek_to_image(page).map_err(|error| fault(page, error))?;
            let (_, rows) = self.decoder.dimensions().map_err(|error| fault(page, error))?;
            let (_, together) = self.decoder.chunk_dimensions();
            let tiles = self.decoder.get_chunk_type() == ChunkType::Tile;
            (self.piece, self.pieces) = (0, if tiles { 1 } else { rows.div_ceil(together.max(1)) });
        }
        let page = self.page();
        let tiles = self.decoder.get_chunk_type() == ChunkType::Tile;
        let (columns, rows) = match tiles {
            true => self.decoder.dimensions().map_err(|error| fault(page, error))?,
            false => self.decoder.chunk_data_dimensions(self.piece),
        };
        let (columns, rows) = (columns as usize, rows as usize);
        self.at = 0;
        room(&self.voxels, columns * rows)?;
        self.voxels.resize(columns * rows, T::ZERO);
        let bytes = match self.unpack {
            None => self.voxels.as_mut_bytes(),
            Some(_) => {
                let decoder = &mut self.decoder;
                let layout = if tiles {
                    decoder.image_buffer_layout()
                } else {
                    decoder.image_chunk_buffer_layout(self.piece)
                };
                let size = layout.map_err(|error| fault(page, error))?.len;
                room(&self.bytes, size)?;
                self.bytes.resize(size, 0);
                &mut self.bytes[..]
            }
        };
        let read = match tiles {
            true => self.decoder.read_image_bytes(bytes),
            false => self.decoder.read_chunk_bytes(self.piece, bytes),
        };
        read.map_err(|error| fault(page, error))?;
        if let Some(unpack) = self.unpack {
            unpack(&self.bytes, columns, &mut self.voxels);
        }
        self.piece += 1;
        Ok(())
    }
}

impl<T: Plain> Source<T> for Stack<T> {
    fn fill(&mut self, mut voxels: &mut [T]) -> Result<(), Fault> {
        while !voxels.is_empty() {
            if self.at == self.voxels.len() {
                self.advance()?;
            }
            let given = &self.voxels[self.at..];
            let (front, rest) = voxels.split_at_mut(given.len().min(voxels.len()));
            front.copy_from_slice(&given[..front.len()]);
            self.at += front.len();
            voxels = rest;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn is_measured(&self) -> bool {
        // Pages may share their data: memory grows with what has been decoded.
        self.pages.len() == 1
    }
}

fn fault(page: usize, error: TiffError) -> Fault {
    let found = match error {
        TiffError::IoError(error) => match error.kind() {
            ErrorKind::UnexpectedEof => "the end of the file or of a strip".to_owned(),
            ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => error.to_string(),
            _ => return error.into(),
        },
        error => error.to_string(),
    };
    Problem::new(Place::Page(page), "a sound page of TIFF", found).into()
}
