//! `png`: gray images of PNG, of 1, 2, 4, 8 or 16 bits.
//!
//! Axes are row and column. Grays of 1, 2 and 4 bits are spread over 0 … 255, as PNG says they mean, and as Pillow and OpenCV read
//! them; those of 8 and 16 bits are as they are in the file, whatever its gamma. A palette all of whose colours are gray is read as
//! these. Colour, transparency and animations are errors: which gray a colour stands for is for the user to say.

use std::io::{Cursor, ErrorKind};

use ::png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Reader, Transformations};

use super::bytes::Bytes;
use super::error::{Context, Fault, ImagePlace, ImageProblem, room, shape_at};
use super::stream::{AnyStream, Decoded, Stream};
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
    let mut file = Cursor::new(bytes.into_vec()?);
    let length = file.get_ref().len() as u64;
    let most = length.saturating_mul(MOST_DEFLATED).saturating_add(ROOM);
    let limits = Limits { bytes: usize::try_from(most).unwrap_or(usize::MAX) };
    let mut decoder = Decoder::new_with_limits(&mut file, limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(fault)?;
    let wide = check_gray(&reader)?;
    let reader_is_palette = reader.info().color_type == ColorType::Indexed;
    let (columns, rows) = reader.info().size();
    let shape = shape_at(ImagePlace::Byte(16), &[rows.into(), columns.into()], Order::C)?;
    let size = reader.output_buffer_size().filter(|&size| size as u64 <= most);
    let size = size.ok_or_else(|| {
        let expected = format!("data for {shape} voxels");
        ImageProblem::new(ImagePlace::Whole, expected, format!("{length} bytes, which cannot hold as many"))
    })?;
    room(&Vec::<u8>::new(), size)?;
    let mut gray = vec![0; size];
    reader.next_frame(&mut gray).map_err(fault)?;
    reader.finish().map_err(fault)?;
    let end = file.position();
    if end < length {
        let found = format!("{} more bytes", length - end);
        return Err(ImageProblem::new(ImagePlace::Byte(end), "the end of the file", found).into());
    }
    if reader_is_palette {
        // Three equal bytes a pixel.
        let gray = gray.as_chunks::<3>().0.iter().map(|&[gray, ..]| gray).collect();
        return Ok(AnyStream::U8(Stream::new(shape, Box::new(Decoded::new(gray)), context.clone())));
    }
    Ok(if wide {
        let (pairs, _) = gray.as_chunks();
        let gray = pairs.iter().map(|&pair| u16::from_be_bytes(pair)).collect();
        AnyStream::U16(Stream::new(shape, Box::new(Decoded::new(gray)), context.clone()))
    } else {
        AnyStream::U8(Stream::new(shape, Box::new(Decoded::new(gray)), context.clone()))
    })
}

/// An error unless there is one gray image; whether it has 16 bits.
fn check_gray(reader: &Reader<&mut Cursor<Vec<u8>>>) -> Result<bool, ImageProblem> {
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
