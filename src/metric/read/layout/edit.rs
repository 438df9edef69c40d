//! Replaces what is not a number by blanks of the same length.

use super::cells::{is_number, is_quoted, split};
use crate::input::text::{lines, quote};
use crate::metric::matrix::counted;
use crate::metric::read::{Columns, Decimal, Place, Problem, text};
use std::borrow::Cow;

/// Parts of the text to be blanked out or replaced.
pub(super) struct Edit {
    /// Number of lines to skip at the top.
    pub(super) skipped: usize,
    /// Line of the header, 0-based.
    pub(super) header: Option<usize>,
    /// Columns to keep; `None` for all.
    pub(super) columns: Option<Columns>,
    /// The byte between cells; `None` for blanks.
    pub(super) delimiter: Option<u8>,
    pub(super) decimal: Decimal,
    /// Whether the first cell of every row must be a name.
    pub(super) text_in_first: bool,
}

impl Edit {
    pub(super) const NONE: Edit = Edit {
        skipped: 0,
        header: None,
        columns: None,
        delimiter: None,
        decimal: Decimal::Point,
        text_in_first: false,
    };

    pub(super) fn apply<'a>(&self, text: &'a [u8]) -> Result<Cow<'a, [u8]>, Problem> {
        let by_cells =
            self.columns.is_some() || self.decimal == Decimal::Comma || memchr::memchr(b'"', text).is_some();
        if self.skipped == 0 && self.header.is_none() && !by_cells {
            return Ok(Cow::Borrowed(text));
        }
        let mut edited = text.to_vec();
        for (number, range) in lines(text).enumerate() {
            if number < self.skipped || self.header == Some(number) {
                edited[range].fill(b' ');
            } else if by_cells {
                self.edit_row(number, &text[range.clone()], &mut edited[range])?;
            } else if self.header.is_none_or(|header| number > header) {
                break;
            }
        }
        Ok(Cow::Owned(edited))
    }

    pub(super) fn edit_row(&self, number: usize, line: &[u8], edited: &mut [u8]) -> Result<(), Problem> {
        let at = text::skip_blanks(line, 0);
        if at == line.len() || text::is_comment(line, at) {
            return Ok(());
        }
        let (mut count, mut fault) = (0, None);
        split(line, self.delimiter, |cell| {
            count += 1;
            let content = cell.of(line);
            if count == 1 && self.text_in_first && is_number(content, self.decimal) && !is_quoted(content) {
                let place = Place::Entry { line: number + 1, entry: 1 };
                fault = Some(Problem::new(place, "the name of a row, as in the rows before", quote(content)));
            }
            if self.columns.as_ref().is_some_and(|columns| !columns.contains(count)) {
                edited[cell.start..cell.next].fill(b' ');
                return;
            }
            if is_quoted(content) {
                edited[cell.start] = b' ';
                edited[cell.end - 1] = b' ';
            }
            if self.decimal == Decimal::Comma {
                let points = content.contains(&b'.');
                if fault.is_none() && points {
                    let place = Place::Entry { line: number + 1, entry: count };
                    let problem = Problem::new(place, "a number with a decimal comma", quote(content));
                    fault = Some(problem.note("--decimal point takes commas for separators"));
                }
                for byte in edited[cell.start..cell.end].iter_mut().filter(|byte| **byte == b',') {
                    *byte = b'.';
                }
            }
        });
        let needed = self.columns.as_ref().map_or(0, Columns::needed);
        match fault {
            Some(fault) => Err(fault),
            None if count < needed && !self.text_in_first => {
                let columns = self.columns.as_ref().map(Columns::to_string).unwrap_or_default();
                let expected = format!("column {needed}, of columns {columns}");
                Err(Problem::line(number + 1, expected, counted(count)))
            }
            None => Ok(()),
        }
    }
}
