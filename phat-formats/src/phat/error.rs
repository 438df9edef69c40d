//! What can be wrong with a PHAT file.

use crate::Dimension;
use std::{fmt, io};

/// Where in a file: a byte of a binary one, counted from 0, or a line of a text, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The byte.
    Byte(u64),
    /// The line.
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

/// Bytes that no file has: counts that ask for more are not multiplied out.
const MOST: u64 = u64::MAX / 2;

/// Why a PHAT file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: expected {}, found {}", self.place(), self.expected(), self.found())]
#[non_exhaustive]
pub enum PhatError {
    /// The system cannot read the file.
    Read {
        /// Where it was to be read.
        offset: u64,
        /// The bytes wanted.
        count: usize,
        /// What the system says.
        error: String,
    },
    /// The file ends before its content does.
    Truncated {
        /// Where the cut field starts.
        offset: u64,
        /// The field.
        what: &'static str,
        /// The bytes it has.
        expected: u64,
        /// The length of the file.
        found: u64,
    },
    /// The file goes on after its content.
    Trailing {
        /// Where the content ends.
        offset: u64,
        /// The bytes after it.
        found: u64,
    },
    /// A word that is not what belongs there, of a text.
    Word {
        /// The line.
        line: u64,
        /// What belongs there.
        what: &'static str,
        /// The word, or what else is there, as it is said in the message.
        found: String,
    },
    /// Fewer pairs, of a text, than were promised.
    FewerPairs {
        /// The line after the last.
        line: u64,
        /// The pairs promised.
        expected: u64,
        /// The pairs found.
        found: u64,
    },
    /// More pairs, of a text, than were promised.
    MorePairs {
        /// The first line too many.
        line: u64,
        /// The pairs promised.
        expected: u64,
        /// The line's words.
        found: String,
    },
    /// A number that is out of range.
    Number {
        /// Where the number is.
        place: Place,
        /// What belongs there.
        what: &'static str,
        /// The number found.
        found: i64,
    },
    /// More columns or entries than the index type numbers.
    TooLarge {
        /// Where that shows.
        place: Place,
        /// The greatest number.
        most: usize,
        /// The number found.
        found: u64,
    },
    /// A row that is not before its column.
    Row {
        /// Where the row is.
        place: Place,
        /// The column.
        column: usize,
        /// The row found.
        found: i64,
    },
    /// A row that the column has already.
    Repeated {
        /// Where the row is the second time.
        place: Place,
        /// The column.
        column: usize,
        /// The row.
        row: usize,
    },
    /// A row of another dimension than the column's less 1.
    RowDimension {
        /// Where the row is.
        place: Place,
        /// The column.
        column: usize,
        /// Its dimension.
        dim: Dimension,
        /// The row.
        row: usize,
        /// Its dimension.
        found: Dimension,
    },
    /// A death that is not after the birth.
    Order {
        /// Where the death is.
        place: Place,
        /// The birth.
        birth: u64,
        /// The death.
        death: u64,
    },
    /// A cell that is in another pair already.
    Twice {
        /// Where it is the second time.
        place: Place,
        /// The cell.
        cell: u64,
    },
}

impl PhatError {
    pub(super) fn read(offset: u64, count: usize, error: &io::Error) -> Self {
        PhatError::Read { offset, count, error: error.to_string() }
    }

    /// The byte or the line the error is about.
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

    /// What belongs there.
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

    /// What is there.
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
