//! `png`: gray images of PNG, of 1, 2, 4, 8 or 16 bits.
//!
//! Axes are row and column. Grays of 1, 2 and 4 bits are spread over 0 … 255, as PNG says they mean, and as Pillow and OpenCV read
//! them; those of 8 and 16 bits are as they are in the file, whatever its gamma. A palette all of whose colours are gray is read as
//! these. Colour, transparency and animations are errors: which gray a colour stands for is for the user to say.

use std::io::{self, BufRead, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Reader, Transformations};

use super::bytes::{Bytes, Seekable};
use super::error::{Context, Fault, ImagePlace, ImageProblem, room, shape_at};
use super::stream::{AnyStream, Decoded, Source, Stream};
use crate::cubical::image::Voxel;
use crate::cubical::shape::Order;

/// Deflate makes at most so many bytes of one: 258 of two bits, rounded up.
pub(super) const MOST_DEFLATED: u64 = 1032;

/// A gray of fewer than 8 bits, spread over 0 … 255.
pub(super) fn spread(gray: u8, bits: usize) -> u8 {
    gray * (u8::MAX / (u8::MAX >> (8 - bits)))
}

/// What the decoder needs for itself, beyond the image.
const ROOM: u64 = 1 << 20;

pub(super) fn open(bytes: Bytes, context: &Context) -> Result<AnyStream, Fault> {
    let (file, length) = bytes.into_seekable()?;
    let most = length.saturating_mul(MOST_DEFLATED).saturating_add(ROOM);
    let limits = Limits { bytes: usize::try_from(most).unwrap_or(usize::MAX) };
    let at = Arc::new(AtomicU64::new(0));
    let mut decoder = Decoder::new_with_limits(Placed { file, at: Arc::clone(&at) }, limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let reader = decoder.read_info().map_err(fault)?;
    let wide = check_gray(&reader)?;
    let (columns, rows) = reader.info().size();
    let shape = shape_at(ImagePlace::Byte(16), &[rows.into(), columns.into()], Order::C)?;
    let size = reader.output_buffer_size().filter(|&size| size as u64 <= most);
    let size = size.ok_or_else(|| {
        let expected = format!("data for {shape} voxels");
        ImageProblem::new(ImagePlace::Whole, expected, format!("{length} bytes, which cannot hold as many"))
    })?;
    // A gray of a palette is three equal bytes.
    let step = if reader.info().color_type == ColorType::Indexed { 3 } else { 1 };
    let is_interlaced = reader.info().interlaced;
    let mut rows = Rows { reader, at, length, step, row: Vec::new(), next: 0 };
    let mut gray = Vec::new();
    if is_interlaced {
        // Its rows come several times, of more pixels each time.
        room(&gray, size)?;
        gray.resize(size, 0);
        rows.reader.next_frame(&mut gray).map_err(fault)?;
        rows.end()?;
    }
    let context = context.clone();
    Ok(match (wide, is_interlaced) {
        (true, false) => AnyStream::U16(Stream::new(shape, Box::new(rows), context)),
        (false, false) => AnyStream::U8(Stream::new(shape, Box::new(rows), context)),
        (true, true) => {
            AnyStream::U16(Stream::new(shape, Box::new(Decoded::new(voxels_of(&gray, step))), context))
        }
        (false, true) => {
            AnyStream::U8(Stream::new(shape, Box::new(Decoded::new(voxels_of(&gray, step))), context))
        }
    })
}

/// A voxel that the first bytes of a pixel are, the highest first.
trait Gray: Voxel {
    fn of_pixel(pixel: &[u8]) -> Self;
}

impl Gray for u8 {
    fn of_pixel(pixel: &[u8]) -> u8 {
        pixel[0]
    }
}

impl Gray for u16 {
    fn of_pixel(pixel: &[u8]) -> u16 {
        u16::from_be_bytes([pixel[0], pixel[1]])
    }
}

fn voxels_of<T: Gray>(gray: &[u8], step: usize) -> Vec<T> {
    gray.chunks_exact(step * size_of::<T>()).map(T::of_pixel).collect()
}

/// The voxels of an image, decoded row by row.
struct Rows {
    reader: Reader<Placed>,
    /// The place in the file up to which it has been read.
    at: Arc<AtomicU64>,
    length: u64,
    /// Samples of a pixel.
    step: usize,
    /// The last row that was decoded.
    row: Vec<u8>,
    /// The first byte of it that has not been given.
    next: usize,
}

impl Rows {
    /// Reads to the end of the image, behind which there is nothing.
    fn end(&mut self) -> Result<(), Fault> {
        self.reader.finish().map_err(fault)?;
        let end = self.at.load(Ordering::Relaxed);
        if end < self.length {
            let found = format!("{} more bytes", self.length - end);
            return Err(ImageProblem::new(ImagePlace::Byte(end), "the end of the file", found).into());
        }
        Ok(())
    }

    /// Decodes the next row.
    fn advance(&mut self) -> Result<(), Fault> {
        let row = self.reader.next_row().map_err(fault)?;
        let row = row
            .ok_or_else(|| ImageProblem::new(ImagePlace::Whole, "a sound PNG file", "the end of its rows"))?;
        self.row.clear();
        self.row.extend_from_slice(row.data());
        self.next = 0;
        Ok(())
    }
}

impl<T: Gray> Source<T> for Rows {
    fn fill(&mut self, mut voxels: &mut [T]) -> Result<(), Fault> {
        let size = self.step * size_of::<T>();
        while !voxels.is_empty() {
            if self.next == self.row.len() {
                self.advance()?;
            }
            let given = &self.row[self.next..];
            let (front, rest) = voxels.split_at_mut((given.len() / size).min(voxels.len()));
            front.iter_mut().zip(given.chunks_exact(size)).for_each(|(to, pixel)| *to = T::of_pixel(pixel));
            self.next += front.len() * size;
            voxels = rest;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        self.end()
    }

    fn is_measured(&self) -> bool {
        // The file is long enough for the image to come out of it.
        true
    }
}

/// A file, and the place up to which it has been read, which the decoder does not tell.
struct Placed {
    file: Box<dyn Seekable>,
    at: Arc<AtomicU64>,
}

impl Read for Placed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.at.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl BufRead for Placed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.file.consume(count);
        self.at.fetch_add(count as u64, Ordering::Relaxed);
    }
}

impl Seek for Placed {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        let at = self.file.seek(place)?;
        self.at.store(at, Ordering::Relaxed);
        Ok(at)
    }
}

/// An error unless there is one gray image; whether it has 16 bits.
fn check_gray(reader: &Reader<Placed>) -> Result<bool, ImageProblem> {
    let info = reader.info();
    let frames = info.animation_control.map_or(1, |animation| animation.num_frames);
    let is_gray = |palette: &[u8]| palette.as_chunks().0.iter().all(|[r, g, b]| r == g && g == b);
    let found = match reader.output_color_type() {
        (ColorType::Grayscale, _) if frames > 1 => {
            let found = format!("an animation of {frames}");
            return Err(ImageProblem::new(ImagePlace::Whole, "one image", found));
        }
        (ColorType::Grayscale, depth) => return Ok(depth == BitDepth::Sixteen),
        (ColorType::Rgb, _)
            if frames == 1 && info.palette.as_ref().is_some_and(|palette| is_gray(palette)) =>
        {
            return Ok(false);
        }
        (ColorType::GrayscaleAlpha, _) => "gray with transparency",
        _ if info.color_type == ColorType::Indexed => "a palette of colours",
        (ColorType::Rgb | ColorType::Indexed, _) => "red, green and blue",
        (ColorType::Rgba, _) => "red, green and blue with transparency",
    };
    Err(ImageProblem::new(ImagePlace::Byte(25), "gray", found).note("convert it to gray first"))
}

fn fault(error: DecodingError) -> Fault {
    let found = match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            "the end of the file".to_owned()
        }
        DecodingError::IoError(error) => return error.into(),
        error => error.to_string(),
    };
    ImageProblem::new(ImagePlace::Whole, "a sound PNG file", found).into()
}
