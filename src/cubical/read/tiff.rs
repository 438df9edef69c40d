//! `tiff`: gray images of TIFF and BigTIFF.
//!
//! One page has the axes row and column, several the axes page, row and column; the pages of a stack have one size and one
//! type. Samples are `u8` to `u64`, `i8` to `i64`, `f32` or `f64`, in strips or tiles, uncompressed or compressed with LZW,
//! Deflate or PackBits, with or without predictor. Colour, palettes, several samples a pixel and images in which 0 is white are
//! errors: which value a pixel stands for is for the user to say. So is a stack whose pages are not all in the file's list of
//! pages, as ImageJ writes large ones.

use std::io::ErrorKind;

use ::tiff::decoder::{ChunkType, Decoder, Limits};
use ::tiff::tags::{CompressionMethod, PhotometricInterpretation, SampleFormat, Tag};
use ::tiff::{ColorType, TiffError};
use zerocopy::IntoBytes as _;

use super::bytes::{Bytes, Seekable};
use super::error::{Context, Fault, Place, Problem, shape_at};
use super::png::MOST_DEFLATED;
use super::stream::{AnyStream, Source, Stream};
use super::voxel::{Plain, VoxelType, with_type};
use crate::cubical::Order;

/// What files begin with: either byte order, TIFF and BigTIFF.
pub(super) const MAGIC: [&[u8]; 4] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"];

/// LZW makes at most so many bytes of one: its longest string, of 3839, of 12 bits.
const MOST_LZW: u64 = 2560;

/// PackBits makes 128 bytes of two.
const MOST_PACKED: u64 = 64;

type Pages = Decoder<Box<dyn Seekable>>;

/// What the pages of a stack have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Page {
    rows: u32,
    columns: u32,
    voxels: VoxelType,
}

impl Page {
    fn described(self) -> String {
        format!("{}x{} voxels of type {}", self.rows, self.columns, self.voxels)
    }
}

pub(super) fn open(bytes: Bytes, context: &Context) -> Result<AnyStream, Fault> {
    let (file, length) = bytes.into_seekable()?;
    let mut decoder = Decoder::new(file).map_err(|error| fault(0, error))?.with_limits(limits(length));
    let first = page(&mut decoder, 0, length)?;
    let mut count = 1;
    while decoder.more_images() {
        decoder.next_image().map_err(|error| fault(count, error))?;
        let found = page(&mut decoder, count, length)?;
        if found != first {
            let expected = format!("{}, as on page 0", first.described());
            return Err(Problem::new(Place::Page(count), expected, found.described()).into());
        }
        count += 1;
    }
    decoder.seek_to_image(0).map_err(|error| fault(0, error))?;
    check_imagej(&mut decoder, count)?;
    let mut axes = vec![count as u64, first.rows.into(), first.columns.into()];
    if count == 1 {
        axes.remove(0);
    }
    let shape = shape_at(Place::Whole, &axes, Order::C)?;
    Ok(with_type!(first.voxels, T => {
        let source = Stack::<T> { decoder, page: 0, pages: count, piece: 0, voxels: Vec::new(), at: 0 };
        T::any(Stream::new(shape, Box::new(source), context.clone()))
    }))
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
            return Err(problem.note("convert it first").into());
        }
        (Ok(ColorType::Multiband { num_samples, .. }), _) => {
            return Err(problem("one sample a pixel", num_samples.to_string()).into());
        }
        (_, found) => {
            let found = found.map_or_else(|| "no interpretation".to_owned(), |found| format!("{found:?}"));
            return Err(problem("gray", found).note("convert it to gray first").into());
        }
    };
    let format = decoder.find_tag_unsigned_vec(Tag::SampleFormat).map_err(failed)?;
    let format = format.and_then(|formats| formats.first().copied()).map(SampleFormat::from_u16_exhaustive);
    let voxels = match (format.unwrap_or(SampleFormat::Uint), bits) {
        (SampleFormat::Uint, 8) => VoxelType::U8,
        (SampleFormat::Uint, 16) => VoxelType::U16,
        (SampleFormat::Uint, 32) => VoxelType::U32,
        (SampleFormat::Uint, 64) => VoxelType::U64,
        (SampleFormat::Int, 8) => VoxelType::I8,
        (SampleFormat::Int, 16) => VoxelType::I16,
        (SampleFormat::Int, 32) => VoxelType::I32,
        (SampleFormat::Int, 64) => VoxelType::I64,
        (SampleFormat::IEEEFP, 32) => VoxelType::F32,
        (SampleFormat::IEEEFP, 64) => VoxelType::F64,
        (format, bits) => {
            let expected = "integers of 8, 16, 32 or 64 bits or floats of 32 or 64";
            return Err(problem(expected, format!("{bits} bits of format {format:?}")).into());
        }
    };
    check_size(decoder, number, length, u64::from(rows) * u64::from(columns), voxels)?;
    Ok(Page { rows, columns, voxels })
}

/// An error when a page or one of its tiles is larger than a file of this length can hold.
fn check_size(
    decoder: &mut Pages,
    number: usize,
    length: u64,
    voxels: u64,
    of: VoxelType,
) -> Result<(), Fault> {
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
            return Err(Problem::new(Place::Page(number), expected, format!("{found:?}")).into());
        }
    };
    let tile = match decoder.get_chunk_type() {
        ChunkType::Tile => {
            let (columns, rows) = decoder.chunk_dimensions();
            u64::from(columns) * u64::from(rows)
        }
        ChunkType::Strip => 0,
    };
    let size = voxels.max(tile).checked_mul(of.bytes() as u64);
    if size.is_none_or(|size| size > length.saturating_mul(most)) {
        let expected = format!("data for {} voxels of type {of}", voxels.max(tile));
        let found = format!("a file of {length} bytes, which cannot hold as many");
        return Err(Problem::new(Place::Page(number), expected, found).into());
    }
    Ok(())
}

/// An error when ImageJ says that there are more images than the list of pages has: it lists only the first of a large stack.
fn check_imagej(decoder: &mut Pages, pages: usize) -> Result<(), Fault> {
    let description = decoder.get_tag_ascii_string(Tag::ImageDescription).unwrap_or_default();
    if !description.starts_with("ImageJ=") {
        return Ok(());
    }
    let images =
        description.lines().find_map(|line| line.strip_prefix("images=")?.trim().parse::<usize>().ok());
    match images {
        Some(images) if images > pages => {
            let expected = format!("{images} pages, the images of the stack that ImageJ describes");
            let problem = Problem::new(Place::Whole, expected, pages.to_string());
            Err(problem.note("save it as BigTIFF or as a raw file").into())
        }
        _ => Ok(()),
    }
}

/// The voxels of all pages, decoded strip by strip, or page by page where there are tiles.
struct Stack<T> {
    decoder: Pages,
    /// The page that the decoder is at.
    page: usize,
    pages: usize,
    /// The next strip of the page.
    piece: u32,
    /// The voxels of the last strip or page.
    voxels: Vec<T>,
    /// How many of these have been given.
    at: usize,
}

impl<T: Plain> Stack<T> {
    /// Decodes the next strip or page.
    fn advance(&mut self) -> Result<(), TiffError> {
        let tiles = self.decoder.get_chunk_type() == ChunkType::Tile;
        let pieces = if tiles { 1 } else { self.decoder.strip_count()? };
        if self.piece == pieces {
            self.page += 1;
            self.piece = 0;
            self.decoder.seek_to_image(self.page)?;
            return self.advance();
        }
        let (columns, rows) = match tiles {
            true => self.decoder.dimensions()?,
            false => self.decoder.chunk_data_dimensions(self.piece),
        };
        self.at = 0;
        self.voxels.resize(columns as usize * rows as usize, T::ZERO);
        match tiles {
            true => self.decoder.read_image_bytes(self.voxels.as_mut_bytes())?,
            false => self.decoder.read_chunk_bytes(self.piece, self.voxels.as_mut_bytes())?,
        }
        self.piece += 1;
        Ok(())
    }
}

impl<T: Plain> Source<T> for Stack<T> {
    fn fill(&mut self, mut voxels: &mut [T]) -> Result<(), Fault> {
        while !voxels.is_empty() {
            if self.at == self.voxels.len() {
                self.advance().map_err(|error| fault(self.page, error))?;
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
        self.pages == 1
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
