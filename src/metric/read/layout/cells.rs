//! Cells of a row: delimiters, and the classification of cells as numbers, names or quoted text.

use crate::metric::read::{Decimal, text};

/// A cell of a row. Its content, including quotes, is `start..end`; the next cell begins at `next`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) next: usize,
}

impl Cell {
    pub(super) fn of<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        &line[self.start..self.end]
    }
}

/// The byte between the cells of a row, given how commas are to be understood; `None` if it is blanks.
pub(super) fn delimiter_of(sample: &[&[u8]], decimal: Decimal) -> Option<u8> {
    let occurs = |byte: u8| sample.iter().any(|line| unquoted_bytes(line).any(|(_, b)| b == byte));
    let candidates: &[u8] = if decimal == Decimal::Comma { b";\t," } else { b";\t,|" };
    let among_quotes = |byte: u8| byte != b',' || decimal == Decimal::Point || has_quoted_commas(sample);
    candidates.iter().copied().find(|&byte| occurs(byte) && among_quotes(byte))
}

/// Whether any comma is between quotes.
pub(super) fn has_quoted_commas(sample: &[&[u8]]) -> bool {
    sample.iter().any(|line| {
        let all = memchr::memchr_iter(b',', line).count();
        all > unquoted_bytes(line).filter(|&(_, b)| b == b',').count()
    })
}

/// The bytes of a line outside quotes, with their offsets.
pub(super) fn unquoted_bytes(line: &[u8]) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut inside = false;
    line.iter().copied().enumerate().filter(move |&(_, byte)| {
        inside ^= byte == b'"';
        !inside && byte != b'"'
    })
}

/// The contents of the cells of a line.
pub(super) fn cells_of(line: &[u8], delimiter: Option<u8>) -> Vec<&[u8]> {
    let mut cells = Vec::new();
    split(line, delimiter, |cell| cells.push(cell.of(line)));
    cells
}

/// Passes every cell of a line to `emit`. A separator at the end of the line does not begin another cell.
pub(super) fn split(line: &[u8], delimiter: Option<u8>, mut emit: impl FnMut(Cell)) {
    let ends = |byte: u8| delimiter.map_or(byte.is_ascii_whitespace(), |delimiter| byte == delimiter);
    let mut at = text::skip_blanks_but(line, 0, delimiter);
    while at < line.len() {
        let start = at;
        let mut inside = false;
        while at < line.len() && (inside || !ends(line[at])) {
            inside ^= line[at] == b'"';
            at += 1;
        }
        let end = start + line[start..at].trim_ascii_end().len();
        if delimiter.is_some() && at < line.len() {
            at += 1;
        }
        at = text::skip_blanks_but(line, at, delimiter);
        emit(Cell { start, end, next: at });
    }
}

/// Content of a cell without surrounding quotes.
pub(super) fn unquoted(cell: &[u8]) -> &[u8] {
    cell.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(cell).trim_ascii()
}

pub(super) fn is_quoted(cell: &[u8]) -> bool {
    cell.len() >= 2 && cell.starts_with(b"\"") && cell.ends_with(b"\"")
}

/// Whether a cell holds a number.
pub(super) fn is_number(cell: &[u8], decimal: Decimal) -> bool {
    let cell = unquoted(cell);
    match decimal {
        Decimal::Point => !cell.is_empty() && text::is_number(cell),
        Decimal::Comma => is_decimal(cell),
    }
}

/// Whether a cell holds a number that may contain a decimal comma but no point.
pub(super) fn is_decimal(cell: &[u8]) -> bool {
    let with_point: Vec<u8> = cell.iter().map(|&byte| if byte == b',' { b'.' } else { byte }).collect();
    !cell.is_empty() && !cell.contains(&b'.') && text::is_number(&with_point)
}

/// Whether a cell holds a name: it begins with a letter and is neither a number nor a word for a missing value, or it
/// is a date with the year first.
pub(super) fn is_name(cell: &[u8]) -> bool {
    const MISSING: [&str; 5] = ["nan", "na", "n/a", "null", "none"];
    let begins = cell.first().is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_' || b >= 0x80);
    let missing = MISSING.iter().any(|word| cell.eq_ignore_ascii_case(word.as_bytes()));
    let fits = |(byte, form): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == form };
    let is_date = cell.len() >= 10 && cell.iter().zip(b"0000-00-00").all(fits);
    is_date
        || begins
        && !missing
        && !text::is_number(cell)
        // Fractions such as ½ are not letters, though they are not ASCII either.
        && std::str::from_utf8(cell).map_or(true, |cell| cell.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}
