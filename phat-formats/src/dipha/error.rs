//! Errors in DIPHA files.

use super::{FileType, Flavour, MAGIC};
use crate::Dimension;
use std::io;

/// Bound on the bytes of a file. Counts that promise more are reported as such instead of multiplied out.
const MOST: usize = usize::MAX / 2;

/// An error in a DIPHA file. Offsets are in bytes from the start of the file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("byte {}: expected {}, found {}", self.offset(), self.expected(), self.found())]
#[non_exhaustive]
pub enum DiphaError {
    /// The file does not begin with the magic number.
    Magic {
        /// The number found.
        found: i64,
    },
    /// The file type does not exist.
    UnknownType {
        /// The number found.
        found: i64,
    },
    /// The file has another type.
    WrongType {
        /// The type that the reader expects.
        expected: FileType,
        /// The type found.
        found: FileType,
    },
    /// A count is negative, or its content would exceed the address space.
    Count {
        /// Offset of the count.
        offset: usize,
        /// Name of the counted things.
        what: &'static str,
        /// The number found.
        found: i64,
    },
    /// The file ends before its content does.
    Truncated {
        /// Offset of the truncated field.
        offset: usize,
        /// Name of the field.
        what: &'static str,
        /// Number of bytes of the field.
        expected: usize,
        /// The length of the file.
        found: usize,
    },
    /// The file continues after its content.
    Trailing {
        /// Offset of the end of the content.
        offset: usize,
        /// Number of bytes after it.
        found: usize,
    },
    /// A point index is out of range.
    Index {
        /// Offset of the index.
        offset: usize,
        /// Number of points.
        points: usize,
        /// The index found.
        found: i64,
    },
    /// A number is out of range.
    Number {
        /// Offset of the number.
        offset: usize,
        /// The expected number, in words.
        what: &'static str,
        /// The number found.
        found: i64,
    },
    /// The system cannot read the file.
    Read {
        /// Offset of the bytes to read.
        offset: usize,
        /// Number of bytes to read.
        count: usize,
        /// The system's message.
        error: String,
    },
    /// There are more cells or entries than the index type can number.
    TooLarge {
        /// Offset of their count.
        offset: usize,
        /// The greatest number.
        most: usize,
        /// The number found.
        found: usize,
    },
    /// An entry offset is out of range.
    Offset {
        /// Offset of the entry offset.
        offset: usize,
        /// The least allowed value.
        least: usize,
        /// The greatest allowed value.
        most: usize,
        /// The value found.
        found: i64,
    },
    /// An entry is not a cell.
    Cell {
        /// Offset of the entry.
        offset: usize,
        /// Number of cells.
        cells: usize,
        /// The entry found.
        found: i64,
    },
    /// An entry is repeated for the same cell.
    Repeated {
        /// Offset of the repetition.
        offset: usize,
        /// Number of the cell.
        cell: usize,
        /// Number of the entry's cell.
        entry: usize,
    },
    /// An entry has the wrong dimension.
    EntryDimension {
        /// Offset of the entry.
        offset: usize,
        /// Whether the entry is in a boundary or a coboundary.
        flavour: Flavour,
        /// Number of the cell.
        cell: usize,
        /// Dimension of the cell.
        dim: Dimension,
        /// Number of the entry's cell.
        entry: usize,
        /// Dimension of the entry.
        found: Dimension,
    },
    /// The value of an entry is on the wrong side of its cell's value.
    EntryValue {
        /// Offset of the entry.
        offset: usize,
        /// Whether the entry is in a boundary or a coboundary.
        flavour: Flavour,
        /// Number of the cell.
        cell: usize,
        /// Value of the cell.
        value: f64,
        /// Number of the entry's cell.
        entry: usize,
        /// Value of the entry.
        found: f64,
    },
    /// A value is invalid: not a number, or on the wrong side of another.
    Value {
        /// Offset of the value.
        offset: usize,
        /// The expected value, in words.
        what: &'static str,
        /// The value found.
        found: f64,
        /// The other value that bounds it.
        other: Option<f64>,
    },
}

impl DiphaError {
    pub(super) fn read(offset: usize, count: usize, error: &io::Error) -> Self {
        DiphaError::Read { offset, count, error: error.to_string() }
    }

    /// The byte offset of the error.
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

    /// The expected content, in words.
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

    /// The content found, in words.
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
