//! `perseus`: the text format of Perseus' `cubtop`, which GUDHI also reads.
//!
//! One number per line, where lines end with LF, CRLF or CR: the number of axes, the extent of each, and the values,
//! the first axis fastest. Blank lines are skipped, and blanks around numbers are ignored. Values are read as `f64`,
//! including `inf`.
//!
//! A negative extent marks a periodic axis, which is an error here. Perseus takes the value −1 as a missing cube; here,
//! as in GUDHI, it is an ordinary value.

use std::io::{self, BufRead, BufReader, Read};

use super::bytes::Bytes;
use super::error::{Fault, ImageProblem, Place, shape_at};
use super::stream::{Stop, Stream};
use crate::cubical::shape::{Order, Shape};
use crate::cubical::voxel::VoxelType;
use crate::input::text::quote;

/// Greatest length of a line in bytes, longer than any number.
const LONGEST_LINE: u64 = 4096;

/// Whether this byte ends a line. A CR alone does, as in old Macintosh files; the LF of a CRLF then ends an empty line.
fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Whether a file starts with lines of one integer each: a number of axes, then as many extents.
pub(super) fn looks_like(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| is_end(byte)).map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let mut number = || lines.next().and_then(|line| str::from_utf8(line).ok()?.parse::<i64>().ok());
    let Some(dim @ 1..=64) = number() else { return false };
    (0..dim).all(|_| number().is_some())
}

pub(super) fn open(bytes: Bytes) -> Result<Stream, Fault> {
    let length = bytes.length();
    let reader: Box<dyn Read + Send> = Box::new(bytes.into_reader());
    let mut lines = Lines { reader: BufReader::with_capacity(1 << 16, reader), line: Vec::new(), number: 0 };
    let shape = lines.shape()?;
    // Each value takes at least a digit and, except for the last, a line end.
    let least = 2 * (shape.count() as u64) - 1;
    if let Some(length) = length.filter(|&length| length < least) {
        return Err(Fault::of(format!("at least {least} bytes, a line for each of {shape} voxels"), length));
    }
    let mut read = 0;
    let source = Box::new(move |voxels: &mut [u8], _: Stop<'_>| {
        for voxel in voxels.as_chunks_mut().0 {
            *voxel = lines.value(shape, read)?.to_ne_bytes();
            read += 1;
        }
        if read == shape.count() { lines.end(read) } else { Ok(()) }
    });
    let is_measured = length.is_some();
    Ok(Stream { is_measured, ..Stream::new(shape, VoxelType::F64, source) })
}

/// Reads the lines that are not blank.
struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
    number: usize,
}

impl Lines {
    /// The next line, without surrounding blanks; `None` at the end of the file.
    fn next(&mut self) -> Result<Option<&[u8]>, Fault> {
        loop {
            if !self.read()? {
                return Ok(None);
            }
            self.number += 1;
            if self.line.len() as u64 == LONGEST_LINE && !self.line.last().copied().is_some_and(is_end) {
                return Err(self.problem("a number").into());
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(self.line.trim_ascii()));
            }
        }
    }

    /// Reads up to the end of a line (LF, CRLF or CR) or the greatest length. Returns `false` at the end of the file.
    fn read(&mut self) -> io::Result<bool> {
        let was_return = self.line.last() == Some(&b'\r');
        if was_return && self.reader.fill_buf()?.first() == Some(&b'\n') {
            self.reader.consume(1);
        }
        self.line.clear();
        loop {
            let held = self.reader.fill_buf()?;
            let held = &held[..held.len().min(LONGEST_LINE as usize - self.line.len())];
            if held.is_empty() {
                return Ok(!self.line.is_empty());
            }
            let end = memchr::memchr2(b'\n', b'\r', held);
            let count = end.map_or(held.len(), |end| end + 1);
            self.line.extend_from_slice(&held[..count]);
            self.reader.consume(count);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The problem that the last line is not as expected, or that there is none.
    fn problem(&self, expected: impl Into<String>) -> ImageProblem {
        let is_end = self.line.is_empty();
        let found = if is_end { "the end of the file".to_owned() } else { quote(self.line.trim_ascii()) };
        ImageProblem::line(self.number, expected, found)
    }

    /// Parses the next line as an integer.
    fn integer(&mut self, expected: impl Into<String>) -> Result<i64, Fault> {
        let number = self.next()?.and_then(|line| str::from_utf8(line).ok()?.parse().ok());
        number.ok_or_else(|| self.problem(expected).into())
    }

    fn shape(&mut self) -> Result<Shape, Fault> {
        let expected = "the number of axes, 1 to 3";
        let dim = self.integer(expected)?;
        if !(1..=3).contains(&dim) {
            return Err(self.problem(expected).into());
        }
        let mut axes = Vec::new();
        for axis in 1..=dim {
            let extent = self.integer(format!("the extent of axis {axis} of {dim}"))?;
            axes.push(u64::try_from(extent).map_err(|_| {
                let problem = self.problem(format!("the extent of axis {axis}"));
                problem.note("a negative one says that the image is periodic, which is not read")
            })?);
        }
        Ok(shape_at(Place::Line(self.number), &axes, Order::F, false)?)
    }

    /// The value of voxel number `place`, on the next line.
    fn value(&mut self, shape: Shape, place: usize) -> Result<f64, Fault> {
        let value = self.next()?.and_then(|line| fast_float2::parse(line).ok());
        value.ok_or_else(|| {
            let voxel = shape.coordinates(place);
            self.problem(format!("the value of voxel {voxel:?} of {shape}")).into()
        })
    }

    /// Checks that nothing follows the last of `count` values.
    fn end(&mut self, count: usize) -> Result<(), Fault> {
        match self.next()? {
            None => Ok(()),
            Some(_) => Err(self.problem(format!("the end of the file after {count} values")).into()),
        }
    }
}
