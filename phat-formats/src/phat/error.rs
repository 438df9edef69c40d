//! Errors in PHAT files.

use crate::Dimension;
use std::{fmt, io};

/// A place in a file: a byte of a binary file, counted from 0, or a line of a text, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Offset of the byte.
    Byte(u64),
    /// Number of the line.
    Line(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Byte(byte) => write!(f, "byte {byte}"),
            Place::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// Bound on the bytes of a file. Counts that promise more are reported as such instead of multiplied out.
const MOST: u64 = u64::MAX / 2;

/// An error in a PHAT file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: expected {}, found {}", self.place(), self.expected(), self.found())]
#[non_exhaustive]
pub enum PhatError {
    /// The system cannot read the file.
    Read {
        /// Offset of the bytes to read.
        offset: u64,
        /// Number of bytes to read.
        count: usize,
        /// The system's message.
        error: String,
    },
    /// The file ends before its content does.
    Truncated {
        /// Offset of the truncated field.
        offset: u64,
        /// Name of the field.
        what: &'static str,
        /// Number of bytes of the field.
        expected: u64,
        /// The length of the file.
        found: u64,
    },
    /// The file continues after its content.
    Trailing {
        /// Offset of the end of the content.
        offset: u64,
        /// Number of bytes after it.
        found: u64,
    },
    /// A word of a text is not as expected.
    Word {
        /// Number of the line.
        line: u64,
        /// The expected word, in words.
        what: &'static str,
        /// The word or whatever else is there, as the message shows it.
        found: String,
    },
    /// A text has fewer pairs than its count says.
    FewerPairs {
        /// Number of the line after the last.
        line: u64,
        /// Number of pairs according to the count.
        expected: u64,
        /// Number of pairs found.
        found: u64,
    },
    /// A text has more pairs than its count says.
    MorePairs {
        /// Number of the first surplus line.
        line: u64,
        /// Number of pairs according to the count.
        expected: u64,
        /// The words of the line.
        found: String,
    },
    /// A number is out of range.
    Number {
        /// Place of the number.
        place: Place,
        /// The expected number, in words.
        what: &'static str,
        /// The number found.
        found: i64,
    },
    /// There are more columns or entries than the index type can number.
    TooLarge {
        /// Place at which this is known.
        place: Place,
        /// The greatest number.
        most: usize,
        /// The number found.
        found: u64,
    },
    /// A row is not before its column.
    Row {
        /// Place of the row.
        place: Place,
        /// Number of the column.
        column: usize,
        /// The row found.
        found: i64,
    },
    /// A row is repeated in a column.
    Repeated {
        /// Place of the repetition.
        place: Place,
        /// Number of the column.
        column: usize,
        /// The row found.
        row: usize,
    },
    /// A row is not one dimension below its column.
    RowDimension {
        /// Place of the row.
        place: Place,
        /// Number of the column.
        column: usize,
        /// Dimension of the column.
        dim: Dimension,
        /// The row found.
        row: usize,
        /// Dimension of the row.
        found: Dimension,
    },
    /// A death is not after its birth.
    Order {
        /// Place of the death.
        place: Place,
        /// The birth of the pair.
        birth: u64,
        /// The death of the pair.
        death: u64,
    },
    /// A cell is in two pairs.
    Twice {
        /// Place of the second occurrence.
        place: Place,
        /// Number of the cell.
        cell: u64,
    },
}

impl PhatError {
    pub(super) fn read(offset: u64, count: usize, error: &io::Error) -> Self {
        PhatError::Read { offset, count, error: error.to_string() }
    }

    /// The byte or the line of the error.
    pub fn place(&self) -> Place {
        match *self {
            PhatError::Truncated { found, .. } => Place::Byte(found),
            PhatError::Read { offset, .. } | PhatError::Trailing { offset, .. } => Place::Byte(offset),
            PhatError::Word { line, .. }
            | PhatError::FewerPairs { line, .. }
            | PhatError::MorePairs { line, .. } => Place::Line(line),
            PhatError::Number { place, .. }
            | PhatError::TooLarge { place, .. }
            | PhatError::Row { place, .. }
            | PhatError::Repeated { place, .. }
            | PhatError::RowDimension { place, .. }
            | PhatError::Order { place, .. }
            | PhatError::Twice { place, .. } => place,
        }
    }

    /// The expected content, in words.
    pub fn expected(&self) -> String {
        match self {
            PhatError::Read { count, .. } => format!("{count} bytes that can be read"),
            PhatError::Truncated { offset, what, expected, .. } if *expected >= MOST => {
                format!("more bytes of {what} from byte {offset} on than any file has")
            }
            PhatError::Truncated { offset, what, expected, .. } => {
                format!("{expected} bytes of {what} from byte {offset} on")
            }
            PhatError::Trailing { .. } => "the end of the file".to_owned(),
            PhatError::Word { what, .. } | PhatError::Number { what, .. } => (*what).to_owned(),
            PhatError::FewerPairs { expected, .. } => format!("{expected} pairs"),
            PhatError::MorePairs { expected, .. } => format!("the end of the file after {expected} pairs"),
            PhatError::TooLarge { most, .. } => format!("at most {most} columns and entries"),
            PhatError::Row { column, .. } => {
                format!("a row of column {column} that is from 0 on and below {column}")
            }
            PhatError::Repeated { column, .. } => format!("a row that column {column} does not have yet"),
            PhatError::RowDimension { column, dim, .. } => {
                format!("a boundary cell one dimension below {dim}, that of column {column}")
            }
            PhatError::Order { birth, .. } => format!("a death above the birth {birth}"),
            PhatError::Twice { .. } => "a cell that is in no other pair".to_owned(),
        }
    }

    /// The content found, in words.
    pub fn found(&self) -> String {
        match self {
            PhatError::Read { error, .. } => error.clone(),
            PhatError::Truncated { .. } => "the end of the file".to_owned(),
            PhatError::Trailing { found, .. } => format!("{found} more bytes"),
            PhatError::Word { found, .. } | PhatError::MorePairs { found, .. } => found.clone(),
            PhatError::FewerPairs { found, .. } => format!("the end of the file after {found}"),
            PhatError::Number { found, .. } | PhatError::Row { found, .. } => found.to_string(),
            PhatError::TooLarge { found, .. } => found.to_string(),
            PhatError::Repeated { row, .. } => format!("row {row} again"),
            PhatError::RowDimension { row, found, .. } => format!("row {row} of dimension {found}"),
            PhatError::Order { death, .. } => death.to_string(),
            PhatError::Twice { cell, .. } => cell.to_string(),
        }
    }
}
