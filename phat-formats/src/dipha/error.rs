//! What can be wrong with a DIPHA file.

use super::{FileType, MAGIC};

/// Why a DIPHA file cannot be read. Offsets are in bytes from the start of the file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("byte {}: expected {}, found {}", self.offset(), self.expected(), self.found())]
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
    /// A dimension that is out of range.
    Dimension {
        /// Where the dimension is.
        offset: usize,
        /// What belongs there.
        what: &'static str,
        /// The dimension found.
        found: i64,
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
    /// The byte the error is about.
    pub fn offset(&self) -> usize {
        match *self {
            DiphaError::Magic { .. } => 0,
            DiphaError::UnknownType { .. } | DiphaError::WrongType { .. } => 8,
            DiphaError::Truncated { found, .. } => found,
            DiphaError::Count { offset, .. }
            | DiphaError::Trailing { offset, .. }
            | DiphaError::Index { offset, .. }
            | DiphaError::Dimension { offset, .. }
            | DiphaError::Value { offset, .. } => offset,
        }
    }

    /// What belongs there.
    pub fn expected(&self) -> String {
        match self {
            DiphaError::Magic { .. } => format!("DIPHA's magic number {MAGIC}"),
            DiphaError::UnknownType { .. } => "a DIPHA file type (0, 1, 2, 7 or 8)".to_owned(),
            DiphaError::WrongType { expected, .. } => format!("DIPHA file type {expected}"),
            DiphaError::Count { what, .. } | DiphaError::Dimension { what, .. } => (*what).to_owned(),
            DiphaError::Value { what, other: None, .. } => (*what).to_owned(),
            DiphaError::Value { what, other: Some(other), .. } => format!("{what} {other}"),
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
            | DiphaError::Dimension { found, .. } => found.to_string(),
            DiphaError::Value { found, .. } => found.to_string(),
            DiphaError::WrongType { found, .. } => found.to_string(),
            DiphaError::Truncated { .. } => "the end of the file".to_owned(),
            DiphaError::Trailing { found, .. } => format!("{found} more bytes"),
        }
    }
}
