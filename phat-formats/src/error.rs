//! Errors in files, with their place.

use std::fmt;

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

/// The found content where a file ends too early.
pub(crate) const END: &str = "the end of the file";

/// An error in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}, found {found}")]
#[non_exhaustive]
pub struct FormatError {
    /// The byte or the line of the error.
    pub place: Place,
    /// The expected content, in words.
    pub expected: String,
    /// The content found, in words.
    pub found: String,
}

impl FormatError {
    pub(crate) fn new(place: Place, expected: impl Into<String>, found: impl ToString) -> Self {
        FormatError { place, expected: expected.into(), found: found.to_string() }
    }

    /// An error at an offset in bytes.
    #[cold]
    pub(crate) fn at(offset: usize, expected: impl Into<String>, found: impl ToString) -> Self {
        FormatError::new(Place::Byte(offset as u64), expected, found)
    }

    /// The file, `length` bytes long, ends before a field of `expected` bytes does.
    pub(crate) fn truncated(offset: u64, what: &str, expected: u64, length: u64) -> Self {
        let expected = match expected {
            MOST.. => format!("more bytes of {what} from byte {offset} on than any file has"),
            _ => format!("{expected} bytes of {what} from byte {offset} on"),
        };
        FormatError::new(Place::Byte(length), expected, END)
    }

    /// The file continues after its content, which ends at `offset`.
    pub(crate) fn trailing(offset: u64, more: u64) -> Self {
        FormatError::new(Place::Byte(offset), END, format!("{more} more bytes"))
    }
}

/// A binary file of the given words.
#[cfg(test)]
pub(crate) fn binary(words: &[i64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Checks that every beginning of a file, and the file with one more byte, are errors that say so.
#[cfg(test)]
pub(crate) fn check_cuts(file: &[u8], read: &dyn Fn(&[u8]) -> Result<(), FormatError>) {
    for length in 0..file.len() {
        let error = read(&file[..length]).unwrap_err();
        assert!(error.place == Place::Byte(length as u64) && error.found == END, "{length}: {error}");
    }
    let longer = [file, &[0]].concat();
    assert_eq!(read(&longer), Err(FormatError::trailing(file.len() as u64, 1)));
}
