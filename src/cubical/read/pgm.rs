//! `pgm`: Netpbm's portable graymaps and bitmaps, as text (`P2`, `P1`) or as bytes (`P5`, `P4`).
//!
//! Axes are row and column. The values of a graymap are read as they are in the file, whatever its greatest value:
//! as `u8`, or as `u16` if that is above 255. A 1 of a bitmap, which is black, is read as 0 and a 0 as 255, as OpenCV
//! and Pillow do.
//!
//! Blanks may follow the raster, such as a newline; other images may not.
//!
//! Source: Netpbm's pages pgm(5) and pbm(5).

use super::bytes::{Bytes, Tail};
use super::error::{Fault, ImageProblem, Place, shape_at, with_room};
use super::layout::FileLayout;
use super::stream::{Stream, in_memory};
use crate::cubical::shape::{Order, Shape};
use crate::cubical::voxel::VoxelType;

/// Whether a file begins as a graymap or a bitmap does.
pub(super) fn has_magic(head: &[u8]) -> bool {
    matches!(head, [b'P', b'1' | b'2' | b'4' | b'5', next, ..] if next.is_ascii_whitespace() || *next == b'#')
}

pub(super) fn open(bytes: Bytes) -> Result<Stream, Fault> {
    let mut header = Numbers { bytes: bytes.head(), at: 2 };
    let kind = match bytes.head() {
        [b'P', kind @ (b'1' | b'2' | b'4' | b'5'), ..] => *kind,
        head => {
            let found = String::from_utf8_lossy(&head[..head.len().min(2)]);
            return Err(ImageProblem::at(0, "P1, P2, P4 or P5", format!("{found:?}")).into());
        }
    };
    let columns = header.next(false, || "the number of columns".to_owned())?;
    let rows = header.next(false, || "the number of rows".to_owned())?;
    let shape = shape_at(header.place(), &[rows, columns], Order::C, false)?;
    let is_map = kind == b'1' || kind == b'4';
    let greatest = if is_map { 1 } else { header.next(false, || "the greatest value".to_owned())? };
    if !(1..=65_535).contains(&greatest) {
        return Err(ImageProblem::new(header.place(), "a greatest value from 1 to 65535", greatest).into());
    }
    // A single blank follows.
    let start = header.at as u64 + 1;
    let voxels = if greatest > 255 { VoxelType::U16 } else { VoxelType::U8 };
    let source = match kind {
        b'5' => {
            let layout = FileLayout::new(shape, voxels, start);
            return FileLayout { big_endian: true, tail: Tail::Blanks, ..layout }.open(bytes);
        }
        b'4' => bitmap(bytes, shape, start)?,
        _ => text(bytes, shape, start - 1, greatest, is_map)?,
    };
    Ok(Stream::new(shape, voxels, in_memory(source)))
}

/// Reads rows of bits, each beginning with a byte, the first in the highest bit.
fn bitmap(mut bytes: Bytes, shape: Shape, start: u64) -> Result<Vec<u8>, Fault> {
    let axes = shape.axes();
    let (rows, columns) = (axes[0], axes[1]);
    let end = (rows as u64).checked_mul(columns.div_ceil(8) as u64).and_then(|size| size.checked_add(start));
    let problem = |found: u64| {
        let end = end.map_or("more than 2^64".to_owned(), |end| end.to_string());
        ImageProblem::whole(format!("{end} bytes, {shape} bits from byte {start} on"), found)
    };
    if let Some(length) = bytes.length().filter(|&length| end.is_none_or(|end| length < end)) {
        return Err(problem(length).into());
    }
    bytes.skip_to(start)?;
    let packed = bytes.into_vec()?;
    let found = start + packed.len() as u64;
    let bits = end.and_then(|end| packed.split_at_checked(usize::try_from(end - start).ok()?));
    let Some((packed, _)) = bits.filter(|(_, rest)| rest.iter().all(u8::is_ascii_whitespace)) else {
        return Err(problem(found).into());
    };
    let mut voxels = with_room(shape.count())?;
    for row in packed.chunks(columns.div_ceil(8)) {
        voxels.extend((0..columns).map(|k| if row[k / 8] >> (7 - k % 8) & 1 == 1 { 0 } else { 255 }));
    }
    Ok(voxels)
}

/// Reads numbers between blanks. The digits of a bitmap need no blanks between them.
fn text(bytes: Bytes, shape: Shape, start: u64, greatest: u64, is_map: bool) -> Result<Vec<u8>, Fault> {
    let file = bytes.into_vec()?;
    // The header was within the first bytes.
    let found = file.len() - start as usize;
    // A value takes a digit and, unless it is a bit, a blank after it.
    let least = if is_map { shape.count() } else { 2 * shape.count() - 1 };
    if found < least {
        let expected = format!("at least {least} bytes of values of {shape} voxels");
        return Err(ImageProblem::at(start, expected, found).into());
    }
    let mut numbers = Numbers { bytes: &file, at: start as usize };
    let size = if greatest > 255 { 2 } else { 1 };
    let mut voxels = with_room(size * shape.count())?;
    for place in 0..shape.count() {
        let what = || format!("the value of voxel {:?}, at most {greatest}", shape.coordinates(place));
        let value = numbers.next(is_map, what)?;
        if value > greatest {
            return Err(ImageProblem::new(numbers.place(), what(), value).into());
        }
        match (is_map, size) {
            (true, _) => voxels.push(255 * (1 - value as u8)),
            (false, 1) => voxels.push(value as u8),
            (false, _) => voxels.extend((value as u16).to_ne_bytes()),
        }
    }
    numbers.skip();
    if numbers.at < file.len() {
        let found = format!("{} more bytes", file.len() - numbers.at);
        return Err(ImageProblem::new(numbers.place(), "the end of the file", found).into());
    }
    Ok(voxels)
}

/// Reads integers from a text with blanks and comments before them.
struct Numbers<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Numbers<'_> {
    /// The current position, for messages.
    fn place(&self) -> Place {
        Place::Byte(self.at)
    }

    /// Skips blanks and comments, which extend from `#` to the end of the line.
    fn skip(&mut self) {
        let is_skipped = |byte: &&u8| **byte == b'#' || byte.is_ascii_whitespace();
        while let Some(byte) = self.bytes.get(self.at).filter(is_skipped) {
            let rest = &self.bytes[self.at..];
            let end = || memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
            self.at += if *byte == b'#' { end() } else { 1 };
        }
    }

    /// The next number, which in a bitmap is a digit, 0 or 1.
    fn next(&mut self, is_bit: bool, what: impl Fn() -> String) -> Result<u64, ImageProblem> {
        self.skip();
        let rest = &self.bytes[self.at..];
        let count = match rest {
            [first, ..] if is_bit => usize::from(matches!(first, b'0' | b'1')),
            _ => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        };
        if count == 0 {
            let end = || "the end of the file".to_owned();
            let found = rest.first().map_or_else(end, |&byte| format!("{:?}", char::from(byte).to_string()));
            return Err(ImageProblem::new(self.place(), what(), found));
        }
        self.at += count;
        let add = |number: u64, digit: &u8| number.saturating_mul(10).saturating_add((digit - b'0').into());
        Ok(rest[..count].iter().fold(0, add))
    }
}
