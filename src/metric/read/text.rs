//! Numbers in text: the grammar every text format shares, and a parallel reader of whole tables.
//!
//! ```text
//! file    := [BOM] line ('\n' line)*
//! line    := blank* ('#' | '%') anything                a comment, skipped
//!          | blank* [ number (gap number)* [gap] ] ['#' anything]   a row; skipped when it has no number
//! gap     := blank+ | blank* separator blank*
//! blank   := ' ' | TAB | CR | VT | FF
//! separator := ',' | ';' | ':' | '|'
//! number  := decimal with optional sign, fraction and exponent | ["+"|"-"] ("inf" | "infinity"), any case
//! ```
//!
//! Beforehand, [`plain`](crate::input::text::plain) converts UTF-16 to UTF-8 and single CRs at line ends to LF;
//! [`super::layout`] replaces headers, row names, quotes and decimal commas by blanks and points.
//!
//! Numbers are rounded to `f32` directly and correctly from the decimal (as in Ripser). NaN and finite decimals that
//! overflow `f32` are errors in every format. Ripser accepts *any* character as a separator, and silently stops reading
//! at the first text that is not a number; here both are errors.
//!
//! Only the numbers and the row ends are stored. To report an error, lines and entries are counted again from the start
//! of the text.

mod places;
#[cfg(test)]
mod tests;

pub(super) use places::{fault_problem, row_line, value_problem};

use crate::input::Problem;
use crate::input::text::lines;
use crate::metric::matrix::counted;
use crate::metric::square;
use crate::parallel;
use std::ops::Range;

/// Minimal size in bytes of the pieces that are parsed in parallel.
const PIECE: usize = 1 << 18;

const NUMBER: &str = "a number";
const SINGLE: &str = "a number that fits single precision (below 3.4028236e38)";

/// A token that was not expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// Offset of the token in bytes.
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

/// All numbers of a text, row by row.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The numbers, row after row.
    pub(super) values: Vec<f32>,
    /// For each row, the number of values up to its end.
    ends: Vec<usize>,
}

impl Table {
    /// Parses all numbers of `text`, of which there must be any.
    pub(super) fn parse(text: &[u8]) -> Result<Self, Problem> {
        let table = Table::parse_pieces(text).map_err(|fault| fault_problem(text, fault))?;
        if table.values.is_empty() {
            let found = if text.is_empty() { "an empty file" } else { "no number in the file" };
            return Err(Problem::whole("at least one point", found));
        }
        Ok(table)
    }

    fn parse_pieces(text: &[u8]) -> Result<Self, Fault> {
        let most = text.len() / PIECE;
        if most < 2 {
            return Table::parse_piece(text, 0..text.len());
        }
        let ranges = pieces(text, most.min(rayon::current_num_threads()));
        let tables = parallel::map(ranges.len(), &|k| Table::parse_piece(text, ranges[k].clone()));
        tables.into_iter().collect::<Result<_, Fault>>().map(Table::join)
    }

    fn parse_piece(text: &[u8], piece: Range<usize>) -> Result<Self, Fault> {
        let mut table = Table::default();
        // The shortest entry takes two bytes, a digit and a separator; a usual one about eight.
        table.values.reserve(piece.len() / 8);
        for line in lines(&text[piece.clone()]) {
            let before = table.values.len();
            let offset = piece.start + line.start;
            scan_line(&text[offset..piece.start + line.end], |_, value| table.values.push(value))
                .map_err(|fault| Fault { at: fault.at + offset, ..fault })?;
            if table.values.len() > before {
                table.ends.push(table.values.len());
            }
        }
        Ok(table)
    }

    fn join(mut tables: Vec<Table>) -> Self {
        if tables.len() == 1 {
            return tables.swap_remove(0);
        }
        let mut all = Table::default();
        all.values.reserve_exact(tables.iter().map(|t| t.values.len()).sum());
        for table in tables {
            let shift = all.values.len();
            all.values.extend_from_slice(&table.values);
            all.ends.extend(table.ends.iter().map(|end| end + shift));
        }
        all
    }

    /// Number of rows; none of them is empty.
    pub(super) fn rows(&self) -> usize {
        self.ends.len()
    }

    /// The length of row `r`.
    pub(super) fn row_len(&self, r: usize) -> usize {
        self.ends[r] - if r == 0 { 0 } else { self.ends[r - 1] }
    }

    /// The numbers of row `r`.
    pub(super) fn row(&self, r: usize) -> &[f32] {
        &self.values[self.ends[r] - self.row_len(r)..self.ends[r]]
    }

    /// The lengths of the rows.
    pub(super) fn row_lens(&self) -> impl Iterator<Item = usize> {
        (0..self.rows()).map(|r| self.row_len(r))
    }

    /// Common length of all rows; `None` if they differ.
    pub(super) fn width(&self) -> Option<usize> {
        let first = self.row_lens().next()?;
        self.row_lens().all(|len| len == first).then_some(first)
    }

    /// Whether the table has n rows of n entries with zeros on the diagonal, up to rounding.
    pub(super) fn is_square_with_zero_diagonal(&self) -> bool {
        let n = self.rows();
        self.width() == Some(n) && square::has_zero_diagonal(n, &|i, j| self.values[i * n + j])
    }

    /// Rejects the first number that is not valid.
    pub(super) fn check_values(
        &self,
        text: &[u8],
        expected: &str,
        good: impl Fn(f32) -> bool,
    ) -> Result<(), Problem> {
        match self.values.iter().position(|&v| !good(v)) {
            Some(k) => Err(value_problem(text, k, expected)),
            None => Ok(()),
        }
    }

    /// Rejects the first number that is not a distance.
    pub(super) fn check_distances(&self, text: &[u8]) -> Result<(), Problem> {
        self.check_values(text, "a non-negative distance or inf", |d| d >= 0.0)
    }

    /// Rejects the first row whose length differs from that of the first row.
    pub(super) fn check_width(&self, text: &[u8]) -> Result<usize, Problem> {
        let width = self.row_len(0);
        match self.row_lens().position(|len| len != width) {
            None => Ok(width),
            Some(r) => Err(Problem::line(
                row_line(text, r),
                format!("{} as in line {}", counted(width), row_line(text, 0)),
                counted(self.row_len(r)),
            )),
        }
    }
}

/// Splits a text into ranges of about equal length that end at line ends.
fn pieces(text: &[u8], count: usize) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut ranges = Vec::with_capacity(count);
    for k in 1..=count {
        let aim = (text.len() / count * k).max(start);
        let end = if k == count {
            text.len()
        } else {
            memchr::memchr(b'\n', &text[aim..]).map_or(text.len(), |e| aim + e + 1)
        };
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Passes every number of a line, with its offset, to `emit`.
#[inline]
fn scan_line(line: &[u8], mut emit: impl FnMut(usize, f32)) -> Result<(), Fault> {
    let mut at = skip_blanks(line, 0);
    if is_comment(line, at) {
        return Ok(());
    }
    while at < line.len() {
        let (value, after) = match number(line, at) {
            Err(_) if line[at] == b'#' => return Ok(()),
            found => found?,
        };
        emit(at, value);
        at = gap(line, after).ok_or(Fault { at, expected: NUMBER })?;
    }
    Ok(())
}

/// Whether a line is a comment, given the offset `at` of its first nonblank byte: `#` in many programs, `%` in MATLAB.
#[inline]
pub(super) fn is_comment(line: &[u8], at: usize) -> bool {
    matches!(line.get(at), Some(b'#' | b'%'))
}

/// Parses the number at `at`; returns it with its end.
#[inline]
pub(super) fn number(line: &[u8], at: usize) -> Result<(f32, usize), Fault> {
    if let Some(whole) = short_whole(line, at) {
        return Ok(whole);
    }
    let (value, length) =
        fast_float2::parse_partial::<f32, _>(&line[at..]).map_err(|_| Fault { at, expected: NUMBER })?;
    if !value.is_finite() {
        special(&line[at..], value).map_err(|expected| Fault { at, expected })?;
    }
    Ok((value, at + length))
}

/// A number of one to seven digits without sign, fraction and exponent, which single precision holds, with its end.
/// Hops and ranks are such numbers, and the general way takes ten times as many instructions.
#[inline]
fn short_whole(line: &[u8], at: usize) -> Option<(f32, usize)> {
    let (mut value, mut end) = (0, at);
    while let Some(digit) = line.get(end).filter(|byte| byte.is_ascii_digit()) {
        if end == at + 7 {
            return None;
        }
        value = 10 * value + u32::from(digit - b'0');
        end += 1;
    }
    let goes_on = matches!(line.get(end), Some(b'.' | b'e' | b'E'));
    (end > at && !goes_on).then_some((value as f32, end))
}

/// Checks that a value that is not finite was written as infinity.
#[cold]
fn special(token: &[u8], value: f32) -> Result<(), &'static str> {
    let first = token.iter().find(|b| !matches!(b, b'+' | b'-'));
    match first {
        Some(b'0'..=b'9' | b'.') => Err(SINGLE),
        _ if value.is_nan() => Err(NUMBER),
        _ => Ok(()),
    }
}

/// End of the gap after a number; `None` if other text directly follows the number.
#[inline]
pub(super) fn gap(line: &[u8], at: usize) -> Option<usize> {
    let mut after = skip_blanks(line, at);
    if line.get(after).is_some_and(|&b| is_separator(b)) {
        after = skip_blanks(line, after + 1);
    }
    (after > at || at == line.len()).then_some(after)
}

#[inline]
pub(super) fn skip_blanks(line: &[u8], mut at: usize) -> usize {
    while line.get(at).is_some_and(|&b| is_blank(b)) {
        at += 1;
    }
    at
}

/// Like [`skip_blanks`], but stops at a blank that is the separator of cells.
pub(super) fn skip_blanks_but(line: &[u8], mut at: usize, separator: Option<u8>) -> usize {
    while line.get(at).is_some_and(|&b| is_blank(b) && Some(b) != separator) {
        at += 1;
    }
    at
}

/// Whether a line holds only numbers.
pub(super) fn is_numbers(line: &[u8]) -> bool {
    scan_line(line, |_, _| {}).is_ok()
}

/// Whether the first `width` numbers of a text are integers and all others have fractions, as when a program writes
/// column numbers above floating-point values.
pub(super) fn is_whole_then_fractions(text: &[u8], width: usize) -> bool {
    let mut seen = 0;
    let mut all = true;
    for line in lines(text) {
        let line = &text[line];
        let _ = scan_line(line, |at, _| {
            let fraction = token(&line[at..]).iter().any(|b| matches!(b, b'.' | b'e' | b'E' | b'n'));
            all &= fraction == (seen >= width);
            seen += 1;
        });
        if !all {
            return false;
        }
    }
    seen > width
}

/// Whether a text is exactly one number.
pub(super) fn is_number(text: &[u8]) -> bool {
    matches!(number(text, 0), Ok((_, end)) if end == text.len())
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b',' | b';' | b':' | b'|')
}

/// The token at the beginning of `text`, up to the next blank, separator or line end.
pub(super) fn token(text: &[u8]) -> &[u8] {
    let ends = |&b: &u8| b == b'\n' || is_blank(b) || is_separator(b);
    match text.iter().position(ends) {
        // A separator in place of a number is the token itself.
        Some(0) => &text[..1],
        Some(end) => &text[..end],
        None => text,
    }
}

/// A note if the text has integers that single precision cannot tell from their neighbours.
pub(super) fn rounded_integers(text: &[u8], table: &Table) -> Option<String> {
    const EXACT: f32 = 16_777_216.0;
    if !table.values.iter().any(|v| v.abs() >= EXACT && v.is_finite()) {
        return None;
    }
    let mut count = 0u64;
    for line in lines(text) {
        let line = &text[line];
        let _ = scan_line(line, |at, value| {
            let written =
                fast_float2::parse_partial::<f64, _>(&line[at..]).map_or(0.0, |(written, _)| written);
            count += u64::from(written.is_finite() && written.fract() == 0.0 && written != f64::from(value));
        });
    }
    let what = if count == 1 { "whole number is" } else { "whole numbers are" };
    (count > 0).then(|| {
        format!("{count} {what} rounded to single precision, which is exact up to 16777216; a .npy file of doubles is not rounded")
    })
}
