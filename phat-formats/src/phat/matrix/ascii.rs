//! Reading text files.
//!
//! The text is cut at line ends, and threads parse its parts in two passes. The first counts lines and entries and
//! reads the dimensions, so that every part knows its place and the matrix is allocated once. The second reads the rows
//! and checks them against the dimensions of earlier columns.

use super::column::Column;
use super::{Findings, Read, Unsorted};
use crate::error::END;
use crate::parallel::{each_of, into_inner, lock, map};
use crate::phat::text::{Words, integer, is_blank, lines};
use crate::{BoundaryMatrix, Dimension, FormatError, Index, Place};
use std::sync::Mutex;

/// Minimum number of bytes in a part.
const PART: usize = 256 * 1024;

const DIMENSION: &str = "a dimension from 0 to 255";

/// Reads the matrix of a text file.
///
/// # Errors
/// The first violation in the file: an empty file; a word that is not a number, such as a `#` that is not the first
/// character of its line; a dimension beyond 255; a row that is not before its column, is repeated, or has the wrong
/// dimension. Also: more columns or entries than `I` can number.
pub fn read_ascii<I: Index>(text: &[u8]) -> Result<Read<I>, FormatError> {
    read_parts(text, PART)
}

/// Like [`read_ascii`], in parts of at least `least` bytes.
pub(super) fn read_parts<I: Index>(text: &[u8], least: usize) -> Result<Read<I>, FormatError> {
    if text.is_empty() {
        return Err(FormatError::new(Place::Line(1), "a column", END));
    }
    let parts = cut(text, least);
    let scans = map(parts.len(), &|part| Scan::of(parts[part]));
    let dims: Vec<Dimension> = scans.iter().flat_map(|scan| &scan.dims).copied().collect();
    let entries = scans.iter().map(|scan| scan.entries).sum();
    if dims.len().max(entries) > I::MOST {
        return Err(super::too_large(Place::Line(1), I::MOST, dims.len().max(entries) as u64));
    }
    let mut offsets = vec![I::default(); dims.len() + 1];
    offsets[dims.len()] = I::from_usize(entries);
    let mut rows = vec![I::default(); entries];
    let (mut starts_left, mut rows_left) = (&mut offsets[..], &mut rows[..]);
    let (mut line, mut column, mut entry) = (0, 0, 0);
    let mut parts = Vec::with_capacity(scans.len());
    for scan in &scans {
        let starts = starts_left.split_off_mut(..scan.dims.len()).unwrap_or_default();
        let rows = rows_left.split_off_mut(..scan.entries).unwrap_or_default();
        parts.push(Part { text: scan.text, line, column, entry, starts, rows });
        (line, column, entry) = (line + scan.lines, column + scan.dims.len(), entry + scan.entries);
    }
    let findings = Mutex::<Findings>::default();
    each_of(parts.into_iter(), &|part| {
        let found = part.store(&dims);
        lock(&findings).add(found);
    });
    into_inner(findings).read(|| BoundaryMatrix::from_checked(dims, offsets, rows))
}

/// Cuts a text after line ends.
fn cut(mut text: &[u8], least: usize) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    while !text.is_empty() {
        let searched = least.saturating_sub(1).min(text.len());
        let end = memchr::memchr(b'\n', &text[searched..]).map_or(text.len(), |end| searched + end + 1);
        let (part, rest) = text.split_at(end);
        parts.push(part);
        text = rest;
    }
    parts
}

/// Iterates over the lines that are columns.
fn column_lines(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    lines(text).filter(|(_, line)| !line.starts_with(b"#") && !line.iter().all(|&byte| is_blank(byte)))
}

/// A part of the text, with the numbers of its lines and entries and the dimensions of its columns.
struct Scan<'a> {
    text: &'a [u8],
    lines: u64,
    entries: usize,
    dims: Vec<Dimension>,
}

impl<'a> Scan<'a> {
    /// Scans a part. An invalid dimension is 0 here; its line becomes an error later.
    fn of(text: &'a [u8]) -> Self {
        let mut scan = Scan { text, lines: lines(text).count() as u64, entries: 0, dims: Vec::new() };
        for (number, line) in column_lines(text) {
            let dim = Words::new(number, line).next().and_then(integer);
            scan.dims.push(dim.and_then(|dim| dim.try_into().ok()).unwrap_or(0));
            scan.entries += word_count(line) - 1;
        }
        scan
    }
}

/// Number of words in a line.
fn word_count(line: &[u8]) -> usize {
    let mut blank = true;
    line.iter()
        .filter(|&&byte| {
            let was_blank = std::mem::replace(&mut blank, is_blank(byte));
            was_blank && !blank
        })
        .count()
}

/// A part of the text, and the parts of the matrix that it fills.
struct Part<'a, I> {
    text: &'a [u8],
    /// Numbers of lines, columns and entries before the part.
    line: u64,
    column: usize,
    entry: usize,
    starts: &'a mut [I],
    rows: &'a mut [I],
}

impl<I: Index> Part<'_, I> {
    /// Checks and stores the rows, up to the first invalid line.
    fn store(mut self, dims: &[Dimension]) -> Findings {
        let mut findings = Findings::default();
        let mut numbers = Vec::new();
        let columns = (self.column..).zip(self.starts);
        for ((column, start), (line, text)) in columns.zip(column_lines(self.text)) {
            let line = self.line + line;
            *start = I::from_usize(self.entry);
            match store_line(column, Words::new(line, text), dims, &mut numbers, &mut self.rows) {
                Ok(true) => {}
                Ok(false) => findings.unsorted(Unsorted { column, place: Place::Line(line) }),
                Err(error) => {
                    findings.error = Some(error);
                    break;
                }
            }
            self.entry += numbers.len();
        }
        findings
    }
}

/// Parses a line through the buffer `numbers`, stores its rows at the beginning of `rows`, and advances `rows` past
/// them. Returns whether the rows ascended.
fn store_line<I: Index>(
    number: usize,
    mut words: Words,
    dims: &[Dimension],
    numbers: &mut Vec<i64>,
    rows: &mut &mut [I],
) -> Result<bool, FormatError> {
    let place = words.place();
    let found = words.number(DIMENSION)?;
    let dim = found.try_into().map_err(|_| FormatError::new(place, DIMENSION, found))?;
    numbers.clear();
    while !words.is_empty() {
        numbers.push(words.number("a row")?);
    }
    let out = rows.split_off_mut(..numbers.len()).unwrap_or_default();
    Column { number, dim }.read(numbers.iter().copied(), |row| dims[row], |_| place, out)
}
