//! Decides whether the first row is a header, and whether the first column holds row names.

use super::cells::{is_name, is_number, is_quoted, unquoted};
use super::rows;
use crate::metric::read::{Decimal, Problem};

/// Header cells that mark a column of row names.
const NAMES_OF_ROWS: [&str; 8] =
    ["id", "idx", "index", "label", "name", "rownames", "row_names", "unnamed: 0"];

/// How row names are distinguished from numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowNames {
    /// The names are text in every row.
    Text,
    /// The header marks the column as names.
    Header,
}

/// Classification of the first row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// A header.
    Names,
    /// A row of data.
    None,
    /// A header of column numbers, or a row of data that has a name.
    Unclear,
}

/// The first rows, split into cells.
pub(super) struct Look<'a> {
    pub(super) decimal: Decimal,
    pub(super) sample: Vec<Vec<&'a [u8]>>,
}

impl<'a> Look<'a> {
    pub(super) fn cell(&self, row: usize, k: usize) -> Option<&'a [u8]> {
        self.sample.get(row)?.get(k).copied()
    }

    /// Whether a cell of a row is a name; `below` is the cell in the same column of the next row.
    pub(super) fn names(cell: &[u8], below: Option<&[u8]>) -> bool {
        is_name(unquoted(cell)) || is_quoted(cell) && !below.is_some_and(is_quoted)
    }

    /// Classifies the first row.
    pub(super) fn header(&self) -> Header {
        let [first, second, ..] = &self.sample[..] else { return Header::None };
        let short = match second.len().checked_sub(first.len()) {
            Some(short @ (0 | 1)) => short,
            _ => return Header::None,
        };
        // Rows that grow by one form a triangle whose rows have names.
        if short == 1 && self.sample.get(2).is_some_and(|third| third.len() == second.len() + 1) {
            return Header::None;
        }
        if !second.iter().any(|cell| is_number(cell, self.decimal)) {
            return Header::None;
        }
        let is_empty = |k: usize| unquoted(first[k]).is_empty();
        let is_name = |k: usize| is_empty(k) || Look::names(first[k], self.cell(1, k + short));
        if (0..first.len()).all(is_name) && (0..first.len()).any(|k| !is_empty(k)) {
            return Header::Names;
        }
        let counts =
            |from: usize| first.len() > 1 && (1..first.len()).all(|k| whole(first[k]) == Some(k - 1 + from));
        if short == 1 || !is_name(0) || !(counts(0) || counts(1)) {
            return Header::None;
        }
        // A name above names, next to numbers that count up, may be the name of the first row.
        let above_names = Look::names(second[0], self.cell(1, 1));
        if above_names && !is_empty(0) && !calls_rows(first[0]) { Header::Unclear } else { Header::Names }
    }

    /// Whether a first row of a name and numbers that count up is a header, when the rows below have names too. It is
    /// one if the rows below form a square or all have fractions, and it is not if all rows form a square.
    pub(super) fn numbers_are_a_header(&self, text: &[u8], line: usize) -> Result<bool, Problem> {
        let columns = self.sample[0].len() - 1;
        let all = rows(text).filter(|row| row.0 >= line).count();
        if all == columns || all == columns + 1 {
            return Ok(all == columns + 1);
        }
        let fraction = |row: usize, k: usize| {
            self.cell(row, k).is_some_and(|cell| cell.iter().any(|b| b".,eE".contains(b)))
        };
        if columns >= 3 && (1..self.sample.len()).all(|row| (1..=columns).all(|k| fraction(row, k))) {
            return Ok(true);
        }
        let found = "a first line that may number the columns or be a row of data";
        let problem = Problem::line(line + 1, "numbers that can be read in one way only", found);
        Err(problem.note("--skip-rows 1 leaves it out, --skip-rows 0 keeps it"))
    }

    /// How the first column is known to hold row names; `None` if it does not.
    pub(super) fn names_of_rows(&self, header: bool) -> Option<RowNames> {
        let rows = &self.sample[usize::from(header)..];
        // Names must stand next to numbers.
        let wide = rows.iter().flat_map(|row| row.iter().skip(1)).any(|cell| is_number(cell, self.decimal));
        let text = |row: &Vec<&[u8]>| row.first().is_some_and(|cell| Look::names(cell, row.get(1).copied()));
        if wide && rows.iter().all(text) {
            return Some(RowNames::Text);
        }
        if !header || !wide {
            return None;
        }
        let corner = self.sample[0][0];
        let short = self.sample[0].len() < self.sample[1].len();
        (short || unquoted(corner).is_empty() || calls_rows(corner)).then_some(RowNames::Header)
    }
}

/// Whether a header cell marks its column as row names.
pub(super) fn calls_rows(cell: &[u8]) -> bool {
    NAMES_OF_ROWS.iter().any(|name| unquoted(cell).eq_ignore_ascii_case(name.as_bytes()))
}

/// Whole number in a cell, quoted or not.
pub(super) fn whole(cell: &[u8]) -> Option<usize> {
    std::str::from_utf8(unquoted(cell)).ok()?.parse().ok()
}
