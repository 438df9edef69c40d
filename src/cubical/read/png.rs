//! `png`: grayscale PNG images of 1, 2, 4, 8 or 16 bits.
//!
//! Axes are row and column. Grays of 1, 2 and 4 bits are spread over 0 to 255, as the PNG standard says, and as Pillow
//! and OpenCV read them; those of 8 and 16 bits are read as they are in the file, whatever its gamma. A palette all of
//! whose colours are gray is read as these grays. Colour, transparency and animations are errors: the user has to say
//! which gray a colour stands for.

use std::io::{ErrorKind, SeekFrom};

use ::png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Reader, Transformations};

use super::bytes::{Bytes, Seekable};
use super::error::{Fault, ImageProblem, Place, resize, shape_at};
use super::layout::swap;
use super::stream::{Stream, in_memory, in_pieces};
use crate::cubical::shape::Order;
use crate::cubical::voxel::VoxelType;

/// Greatest expansion of Deflate: 258 bytes of two bits, rounded up.
pub(super) const MOST_DEFLATED: u64 = 1032;

/// Spreads a gray of fewer than 8 bits over 0 to 255.
pub(super) fn spread(gray: u8, bits: usize) -> u8 {
    gray * (u8::MAX / (u8::MAX >> (8 - bits)))
}

/// Bytes that the decoder needs for itself, in addition to the image.
const ROOM: u64 = 1 << 20;

pub(super) fn open(bytes: Bytes) -> Result<Stream, Fault> {
    let (mut file, length) = bytes.into_seekable()?;
    check_end(&mut *file, length)?;
    let most = length.saturating_mul(MOST_DEFLATED).saturating_add(ROOM);
    let limits = Limits { bytes: usize::try_from(most).unwrap_or(usize::MAX) };
    let mut decoder = Decoder::new_with_limits(file, limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(fault)?;
    let pixel = pixel_of(&reader)?;
    let (columns, rows) = reader.info().size();
    let shape = shape_at(Place::Byte(16), &[rows.into(), columns.into()], Order::C, false)?;
    let size = reader.output_buffer_size().filter(|&size| size as u64 <= most);
    let size = size.ok_or_else(|| {
        let expected = format!("data for {shape} voxels");
        ImageProblem::whole(expected, format!("{length} bytes, which cannot hold as many"))
    })?;
    let mut voxels = Vec::new();
    let source = if reader.info().interlaced {
        // The rows come several times, each time with more pixels.
        let mut pixels = Vec::new();
        resize(&mut pixels, size)?;
        reader.next_frame(&mut pixels).map_err(fault)?;
        pixel.to_voxels(&pixels, &mut voxels);
        reader.finish().map_err(fault)?;
        in_memory(voxels)
    } else {
        let mut left = rows;
        in_pieces(move |voxels, _| {
            let row = reader.next_row().map_err(fault)?;
            let row = row.ok_or_else(|| ImageProblem::whole("a sound PNG file", "the end of its rows"))?;
            pixel.to_voxels(row.data(), voxels);
            left -= 1;
            if left == 0 { reader.finish().map_err(fault) } else { Ok(()) }
        })
    };
    let voxels = if matches!(pixel, Pixel::Wide) { VoxelType::U16 } else { VoxelType::U8 };
    Ok(Stream::new(shape, voxels, source))
}

/// Checks that the file ends with the last chunk. Chunks that are cut short are left to the decoder.
fn check_end(file: &mut dyn Seekable, length: u64) -> Result<(), Fault> {
    // After the signature there are chunks, each of a length, a name, as many bytes and a checksum.
    let (mut at, mut is_last) = (8, false);
    while at + 12 <= length && !is_last {
        let mut size_and_name = [0; 8];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut size_and_name)?;
        let [a, b, c, d, name @ ..] = size_and_name;
        at += 12 + u64::from(u32::from_be_bytes([a, b, c, d]));
        is_last = name == *b"IEND";
    }
    if is_last && at < length {
        return Err(ImageProblem::at(at, "the end of the file", format!("{} more bytes", length - at)).into());
    }
    Ok(file.rewind()?)
}

/// Layout of a decoded pixel.
#[derive(Debug, Clone, Copy)]
enum Pixel {
    /// A byte.
    Byte,
    /// Two bytes, the most significant first.
    Wide,
    /// Three equal bytes, of a gray palette.
    Palette,
}

impl Pixel {
    /// Replaces voxels by those of these pixels.
    fn to_voxels(self, pixels: &[u8], voxels: &mut Vec<u8>) {
        voxels.clear();
        match self {
            Pixel::Byte => voxels.extend_from_slice(pixels),
            Pixel::Wide => {
                voxels.extend_from_slice(pixels);
                if cfg!(target_endian = "little") {
                    swap(voxels, 2);
                }
            }
            Pixel::Palette => voxels.extend(pixels.iter().step_by(3)),
        }
    }
}

/// The layout of the pixels, after checking that there is one gray image.
fn pixel_of(reader: &Reader<Box<dyn Seekable>>) -> Result<Pixel, ImageProblem> {
    let info = reader.info();
    let is_indexed = info.color_type == ColorType::Indexed;
    let frames = info.animation_control.map_or(1, |animation| animation.num_frames);
    let is_gray = |palette: &[u8]| palette.as_chunks().0.iter().all(|[r, g, b]| r == g && g == b);
    let found = match reader.output_color_type() {
        (ColorType::Grayscale, _) if frames > 1 => {
            return Err(ImageProblem::whole("one image", format!("an animation of {frames}")));
        }
        (ColorType::Grayscale, BitDepth::Sixteen) => return Ok(Pixel::Wide),
        (ColorType::Grayscale, _) => return Ok(Pixel::Byte),
        (ColorType::Rgb, _) if is_indexed && frames == 1 && info.palette.as_deref().is_some_and(is_gray) => {
            return Ok(Pixel::Palette);
        }
        (ColorType::GrayscaleAlpha, _) => "gray with transparency",
        _ if is_indexed => "a palette of colours",
        (ColorType::Rgb | ColorType::Indexed, _) => "red, green and blue",
        (ColorType::Rgba, _) => "red, green and blue with transparency",
    };
    Err(ImageProblem::at(25, "gray", found).note("convert it to gray first"))
}

fn fault(error: DecodingError) -> Fault {
    let found = match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            "the end of the file".to_owned()
        }
        DecodingError::IoError(error) => return error.into(),
        error => error.to_string(),
    };
    Fault::of("a sound PNG file", found)
}
