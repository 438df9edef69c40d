//! What can be wrong with a DIPHA file.

use super::{FileType, Flavour, MAGIC};
use crate::Dimension;
use std::io;

/// Bytes that no file has: counts that ask for more are not multiplied out.
const MOST: usize = usize::MAX / 2;

/// Why a DIPHA file cannot be read. Offsets are in bytes from the start of the file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("byte {}: expected {}, found {}", self.offset(), self.expected(), self.found())]
#[non_exhaustive]
pub enum DiphaError {
    /// The file does not begin with the magic number.
    Magic {
        /// The number found.
        found: i64,
    },
    /// A file type there is not.
    UnknownType {
        /// The number found.
        found: i64,
    },
    /// A file of another type.
    WrongType {
        /// The type the reader is for.
        expected: FileType,
        /// The type found.
        found: FileType,
    },
    /// A count that is negative, or whose content would have more bytes than can be addressed.
    Count {
        /// Where the count is.
        offset: usize,
        /// What it counts.
        what: &'static str,
        /// The number found.
        found: i64,
    },
    /// The file ends before its content does.
    Truncated {
        /// Where the cut field starts.
        offset: usize,
        /// The field.
        what: &'static str,
        /// The bytes it has.
        expected: usize,
        /// The length of the file.
        found: usize,
    },
    /// The file goes on after its content.
    Trailing {
        /// Where the content ends.
        offset: usize,
        /// The bytes after it.
        found: usize,
    },
    /// A point index that is out of range.
    Index {
        /// Where the index is.
        offset: usize,
        /// The number of points.
        points: usize,
        /// The index found.
        found: i64,
    },
    /// A number that is out of range.
    Number {
        /// Where the number is.
        offset: usize,
        /// What belongs there.
        what: &'static str,
        /// The number found.
        found: i64,
    },
    /// The system cannot read the file.
    Read {
        /// Where it was to be read.
        offset: usize,
        /// The bytes wanted.
        count: usize,
        /// What the system says.
        error: String,
    },
    /// More cells or entries than the index type numbers.
    TooLarge {
        /// Where their number is.
        offset: usize,
        /// The greatest number.
        most: usize,
        /// The number found.
        found: usize,
    },
    /// An entry offset that is out of range.
    Offset {
        /// Where the offset is.
        offset: usize,
        /// The least it may be.
        least: usize,
        /// The most it may be.
        most: usize,
        /// The offset found.
        found: i64,
    },
    /// An entry that is no cell.
    Cell {
        /// Where the entry is.
        offset: usize,
        /// The number of cells.
        cells: usize,
        /// The entry found.
        found: i64,
    },
    /// An entry that its cell has already.
    Repeated {
        /// Where the entry is the second time.
        offset: usize,
        /// The cell.
        cell: usize,
        /// The entry.
        entry: usize,
    },
    /// An entry of the wrong dimension.
    EntryDimension {
        /// Where the entry is.
        offset: usize,
        /// Whether it is in a boundary or a coboundary.
        flavour: Flavour,
        /// The cell.
        cell: usize,
        /// Its dimension.
        dim: Dimension,
        /// The entry.
        entry: usize,
        /// Its dimension.
        found: Dimension,
    },
    /// An entry whose value is on the wrong side of its cell's.
    EntryValue {
        /// Where the entry is.
        offset: usize,
        /// Whether it is in a boundary or a coboundary.
        flavour: Flavour,
        /// The cell.
        cell: usize,
        /// Its value.
        value: f64,
        /// The entry.
        entry: usize,
        /// Its value.
        found: f64,
    },
    /// A value that cannot be: not a number, or on the wrong side of another.
    Value {
        /// Where the value is.
        offset: usize,
        /// What belongs there.
        what: &'static str,
        /// The value found.
        found: f64,
        /// What it has to be on the right side of.
        other: Option<f64>,
    },
}

impl DiphaError {
    pub(super) fn read(offset: usize, count: usize, error: &io::Error) -> Self {
        DiphaError::Read { offset, count, error: error.to_string() }
    }

    /// The byte the error is about.
    pub fn offset(&self) -> usize {
        match *self {
            DiphaError::Magic { .. } => 0,
            DiphaError::UnknownType { .. } | DiphaError::WrongType { .. } => 8,
            DiphaError::Truncated { found, .. } => found,
            DiphaError::Count { offset, .. }
            | DiphaError::Trailing { offset, .. }
            | DiphaError::Index { offset, .. }
            | DiphaError::Number { offset, .. }
            | DiphaError::Read { offset, .. }
            | DiphaError::TooLarge { offset, .. }
            | DiphaError::Offset { offset, .. }
            | DiphaError::Cell { offset, .. }
            | DiphaError::Repeated { offset, .. }
            | DiphaError::EntryDimension { offset, .. }
            | DiphaError::EntryValue { offset, .. }
            | DiphaError::Value { offset, .. } => offset,
        }
    }

    /// What belongs there.
    pub fn expected(&self) -> String {
        match self {
            DiphaError::Magic { .. } => format!("DIPHA's magic number {MAGIC}"),
            DiphaError::UnknownType { .. } => "a DIPHA file type (0, 1, 2, 7 or 8)".to_owned(),
            DiphaError::WrongType { expected, .. } => format!("DIPHA file type {expected}"),
            DiphaError::Count { what, .. } | DiphaError::Number { what, .. } => (*what).to_owned(),
            DiphaError::Read { count, .. } => format!("{count} bytes that can be read"),
            DiphaError::TooLarge { most, .. } => format!("at most {most} cells and entries"),
            DiphaError::Offset { least, most, .. } => format!("an entry offset from {least} to {most}"),
            DiphaError::Cell { cells, .. } => format!("a cell below {cells}"),
            DiphaError::Repeated { cell, .. } => format!("an entry that cell {cell} does not have yet"),
            DiphaError::EntryDimension { flavour: Flavour::Boundary, cell, dim, .. } => {
                format!("a boundary cell one dimension below {dim}, that of cell {cell}")
            }
            DiphaError::EntryDimension { flavour: Flavour::Coboundary, cell, dim, .. } => {
                format!("a coboundary cell one dimension above {dim}, that of cell {cell}")
            }
            DiphaError::EntryValue { flavour: Flavour::Boundary, cell, value, .. } => {
                format!("a boundary cell whose value is not above {value}, that of cell {cell}")
            }
            DiphaError::EntryValue { flavour: Flavour::Coboundary, cell, value, .. } => {
                format!("a coboundary cell whose value is not below {value}, that of cell {cell}")
            }
            DiphaError::Value { what, other: None, .. } => (*what).to_owned(),
            DiphaError::Value { what, other: Some(other), .. } => format!("{what} {other}"),
            DiphaError::Truncated { offset, what, expected, .. } if *expected >= MOST => {
                format!("more bytes of {what} from byte {offset} on than any file has")
            }
            DiphaError::Truncated { offset, what, expected, .. } => {
                format!("{expected} bytes of {what} from byte {offset} on")
            }
            DiphaError::Trailing { .. } => "the end of the file".to_owned(),
            DiphaError::Index { points, .. } => format!("a point index below {points}"),
        }
    }

    /// What is there.
    pub fn found(&self) -> String {
        match self {
            DiphaError::Magic { found }
            | DiphaError::UnknownType { found }
            | DiphaError::Count { found, .. }
            | DiphaError::Index { found, .. }
            | DiphaError::Number { found, .. }
            | DiphaError::Offset { found, .. }
            | DiphaError::Cell { found, .. } => found.to_string(),
            DiphaError::Read { error, .. } => error.clone(),
            DiphaError::TooLarge { found, .. } => found.to_string(),
            DiphaError::Repeated { entry, .. } => format!("cell {entry} again"),
            DiphaError::EntryDimension { entry, found, .. } => format!("cell {entry} of dimension {found}"),
            DiphaError::EntryValue { entry, found, .. } => format!("cell {entry} with the value {found}"),
            DiphaError::Value { found, .. } => found.to_string(),
            DiphaError::WrongType { found, .. } => found.to_string(),
            DiphaError::Truncated { .. } => "the end of the file".to_owned(),
            DiphaError::Trailing { found, .. } => format!("{found} more bytes"),
        }
    }
}
