//! Reading text files.
//!
//! The text is cut at line ends, and threads parse its parts in three passes: the first counts lines, columns and
//! entries, so that every part knows its place and the matrix is allocated once; the second reads the dimensions; the
//! third reads the rows, which are checked against the dimensions of earlier columns.

use super::column::Column;
use super::{Findings, Read, Unsorted};
use crate::error::END;
use crate::phat::text::{Words, integer, is_blank, lines};
use crate::{BoundaryMatrix, Dimension, FormatError, Index, Place};
use rayon::prelude::*;
use std::mem::take;

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
    let texts = cut(text, least);
    let counts: Vec<Counts> = texts.par_iter().map(|text| Counts::of(text)).collect();
    let total = counts.iter().fold(Counts::default(), |sum, &counts| sum.and(counts));
    if total.columns.max(total.entries) > I::MOST {
        return Err(super::too_large(Place::Line(1), I::MOST, total.columns.max(total.entries) as u64));
    }
    let dims = dimensions(&texts, &counts, total.columns);
    let mut offsets = vec![I::default(); total.columns + 1];
    let mut rows = vec![I::default(); total.entries];
    let (starts, last) = offsets.split_at_mut(total.columns);
    last[0] = I::from_usize(total.entries);
    let parts = parts(&texts, &counts, starts, &mut rows);
    let findings = parts.into_par_iter().map(|part| part.store(&dims));
    let findings = findings.reduce(Findings::default, |mut sum, findings| {
        sum.add(findings);
        sum
    });
    findings.read(|| BoundaryMatrix::from_checked(dims, offsets, rows))
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

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    lines: u64,
    columns: usize,
    entries: usize,
}

impl Counts {
    fn of(text: &[u8]) -> Self {
        let mut counts = Counts { lines: lines(text).count() as u64, ..Counts::default() };
        for (_, line) in column_lines(text) {
            counts.columns += 1;
            counts.entries += word_count(line) - 1;
        }
        counts
    }

    fn and(self, other: Counts) -> Counts {
        Counts {
            lines: self.lines + other.lines,
            columns: self.columns + other.columns,
            entries: self.entries + other.entries,
        }
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

/// Reads the dimensions of all columns. An invalid dimension is 0 here; its line becomes an error later.
fn dimensions(texts: &[&[u8]], counts: &[Counts], columns: usize) -> Vec<Dimension> {
    let mut dims = vec![0; columns];
    let mut rest = dims.as_mut_slice();
    let parts: Vec<_> = counts.iter().map(|counts| take_first(&mut rest, counts.columns)).collect();
    texts.par_iter().zip(parts).for_each(|(text, part)| {
        for (dim, (number, line)) in part.iter_mut().zip(column_lines(text)) {
            let word = Words::new(number, line).next().and_then(integer);
            *dim = word.and_then(|word| word.try_into().ok()).unwrap_or(0);
        }
    });
    dims
}

fn take_first<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, others) = take(rest).split_at_mut(count);
    *rest = others;
    first
}

/// A part of the text, and the parts of the matrix that it fills.
struct Part<'a, I> {
    text: &'a [u8],
    /// Numbers of lines, columns and entries before the part.
    before: Counts,
    starts: &'a mut [I],
    rows: &'a mut [I],
}

fn parts<'a, I>(
    texts: &[&'a [u8]],
    counts: &[Counts],
    mut starts: &'a mut [I],
    mut rows: &'a mut [I],
) -> Vec<Part<'a, I>> {
    let mut before = Counts::default();
    let part = |(&text, &counts): (&&'a [u8], &Counts)| {
        let starts = take_first(&mut starts, counts.columns);
        let part = Part { text, before, starts, rows: take_first(&mut rows, counts.entries) };
        before = before.and(counts);
        part
    };
    texts.iter().zip(counts).map(part).collect()
}

impl<I: Index> Part<'_, I> {
    /// Checks and stores the rows, up to the first invalid line.
    fn store(mut self, dims: &[Dimension]) -> Findings {
        let mut findings = Findings::default();
        let mut entry = self.before.entries;
        let mut numbers = Vec::new();
        let columns = (self.before.columns..).zip(self.starts);
        for ((column, start), (line, text)) in columns.zip(column_lines(self.text)) {
            let line = self.before.lines + line;
            *start = I::from_usize(entry);
            match store_line(column, Words::new(line, text), dims, &mut numbers, &mut self.rows) {
                Ok(true) => {}
                Ok(false) => findings.unsorted(Unsorted { column, place: Place::Line(line) }),
                Err(error) => {
                    findings.error(error);
                    break;
                }
            }
            entry += numbers.len();
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
    let out = take_first(rows, numbers.len());
    Column { number, dim }.read(numbers.iter().copied(), |row| dims[row], |_| place, out)
}
