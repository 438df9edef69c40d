//! Tables that hold more than numbers: a header, row names, columns that are not requested, quotes, decimal commas.
//!
//! What is left out becomes blanks of the same length, and a decimal comma becomes a point. So the number parser needs
//! to know nothing of all this, and every offset in the text stays the same as in the file.
//!
//! **What is recognised** in the first rows, and reported in a note:
//! - A first row of names is a header, and so is one of column numbers after a name or nothing (`,0,1,2`). The header
//!   has as many cells as the rows below it, or one less, as R writes it.
//! - The first column holds names of rows when it holds text, when the header has nothing above it, or calls it `id`,
//!   `index` and the like.
//! - `2,5` between semicolons, tabs or quotes is a decimal comma.
//!
//! Numbers that may be meant as a header or as row names are left to [`super::detect`], which examines the rest of the
//! table.

mod cells;
mod decimal;
mod edit;
mod header;
#[cfg(test)]
mod tests;

use super::options::{Columns, Decimal};
use super::{Context, text};
use crate::input::Problem;
use crate::input::text::lines;
use cells::{cells_of, delimiter_of, unquoted};
use decimal::decimal_of;
use edit::Edit;
use header::{Header, Look, RowNames};
use std::borrow::Cow;
use std::ops::Range;

/// Maximal number of rows that are examined to find the layout of a table.
const SAMPLE_ROWS: usize = 64;

/// Rows that are examined whatever their length. Past this and [`SAMPLE_BYTES`], no more are, since the sample is
/// parsed again with the rest.
const LEAST_ROWS: usize = 4;
const SAMPLE_BYTES: usize = 1 << 12;

/// A text of numbers only, and what was removed to get it.
#[derive(Debug)]
pub(super) struct NumbersOnly<'a> {
    pub(super) text: Cow<'a, [u8]>,
    /// Header names of the columns that are read.
    pub(super) names: Vec<String>,
    /// Whether a column of row names is left out.
    pub(super) rows_named: bool,
}

/// Reduces `text` to numbers, and adds notes on what was left out or replaced.
pub(super) fn numbers_only<'a>(text: &'a [u8], context: &mut Context) -> Result<NumbersOnly<'a>, Problem> {
    let options = &context.options;
    let skipped = options.skip_rows.unwrap_or(0);
    let rows = sample_of(rows(text).skip_while(|row| row.0 < skipped));
    let sample: Vec<&[u8]> = rows.iter().map(|row| &text[row.1.clone()]).collect();
    let asked = options.columns.is_some() || options.decimal == Some(Decimal::Comma);
    if !asked && sample.iter().all(|line| is_plain(line)) {
        let edit = Edit { skipped, ..Edit::NONE };
        return Ok(NumbersOnly { text: edit.apply(text)?, names: Vec::new(), rows_named: false });
    }
    let decimal = match options.decimal {
        Some(decimal) => decimal,
        None => decimal_of(&rows, &sample)?,
    };
    if decimal == Decimal::Comma && options.decimal.is_none() {
        context.notes.push("commas within numbers are decimal commas".to_owned());
    }
    let delimiter = delimiter_of(&sample, decimal);
    let look = Look { decimal, sample: sample.iter().map(|line| cells_of(line, delimiter)).collect() };
    let header = match look.header() {
        Header::Names => true,
        Header::None => false,
        Header::Unclear if options.skip_rows.is_some() => false,
        Header::Unclear => look.numbers_are_a_header(text, rows[0].0)?,
    };
    let header = header.then(|| rows[0].0);
    let names_of_rows = if options.columns.is_none() { look.names_of_rows(header.is_some()) } else { None };
    let columns = options.columns.clone().or_else(|| names_of_rows.map(|_| Columns::from(2)));
    let mut names = Vec::new();
    if let Some(line) = header {
        context.notes.push(format!("line {} is left out: a header", line + 1));
        // A header without a name for the column of row names is one cell short.
        let short = look.sample[0].len() < look.sample[1].len();
        let read =
            |k: &usize| columns.as_ref().is_none_or(|columns| columns.contains(k + 1 + usize::from(short)));
        let name = |k: usize| String::from_utf8_lossy(unquoted(look.sample[0][k])).into_owned();
        names = (0..look.sample[0].len()).filter(read).map(name).collect();
    }
    if names_of_rows.is_some() {
        context.notes.push("column 1 is left out: names of rows".to_owned());
    }
    let text_in_first = names_of_rows == Some(RowNames::Text);
    let edit = Edit { skipped, header, columns, delimiter, decimal, text_in_first };
    Ok(NumbersOnly { text: edit.apply(text)?, names, rows_named: names_of_rows.is_some() })
}

/// Removes the first row of numbers, the first column, or both.
pub(super) fn without(text: &[u8], first_row: bool, first_column: bool) -> Result<Vec<u8>, Problem> {
    let header = rows(text).next().filter(|_| first_row).map(|row| row.0);
    let columns = first_column.then(|| Columns::from(2));
    let sample: Vec<&[u8]> = sample_of(rows(text)).into_iter().map(|row| &text[row.1]).collect();
    let delimiter = delimiter_of(&sample, Decimal::Point);
    let edit = Edit { header, columns, delimiter, ..Edit::NONE };
    edit.apply(text).map(Cow::into_owned)
}

/// Number (0-based) and byte range of every line that is neither blank nor a comment.
fn rows(text: &[u8]) -> impl Iterator<Item = (usize, Range<usize>)> {
    lines(text).enumerate().filter(|(_, range)| {
        let line = &text[range.clone()];
        let at = text::skip_blanks(line, 0);
        at < line.len() && !text::is_comment(line, at)
    })
}

/// The rows that are examined to find the layout.
fn sample_of(rows: impl Iterator<Item = (usize, Range<usize>)>) -> Vec<(usize, Range<usize>)> {
    let mut bytes = 0;
    let mut sample = Vec::new();
    for row in rows.take(SAMPLE_ROWS) {
        bytes += row.1.len();
        sample.push(row);
        if sample.len() >= LEAST_ROWS && bytes > SAMPLE_BYTES {
            break;
        }
    }
    sample
}

/// Whether a line holds only numbers, and no comma that may be a decimal one.
fn is_plain(line: &[u8]) -> bool {
    let mut after_comma = memchr::memchr_iter(b',', line).map(|at| line.get(at + 1));
    let other = line.trim_ascii().iter().any(|b| matches!(b, b';' | b'\t' | b' '));
    let suspicious = if other {
        after_comma.any(|next| next.is_some_and(u8::is_ascii_digit))
    } else {
        after_comma.any(|next| next == Some(&b'0'))
    };
    !suspicious && text::is_numbers(line)
}
