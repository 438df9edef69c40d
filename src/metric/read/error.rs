//! What can be wrong with an input file, and where.

use super::Format;
use crate::input;
use std::fmt;

/// Why an input cannot be read.
pub type ReadError = input::ReadError<Format, Problem>;

impl input::Formats for Format {
    const REMEDY: &'static str = "--format says otherwise";
}

/// One thing that is wrong with an input.
pub type Problem = input::Problem<Place>;

/// A place in an input. Lines and entries count from 1, bytes from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The input as a whole.
    Whole,
    /// A line of text.
    Line(usize),
    /// An entry of a line of text.
    Entry {
        /// The line.
        line: usize,
        /// The entry within the line.
        entry: usize,
    },
    /// An offset into a binary file.
    Byte(usize),
}

impl fmt::Display for Place {
    /// With a colon and a blank after it, or nothing for the whole input.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(line) => write!(f, "line {line}: "),
            Place::Entry { line, entry } => write!(f, "line {line}, entry {entry}: "),
            Place::Byte(offset) => write!(f, "byte {offset}: "),
        }
    }
}

impl From<input::Place> for Place {
    fn from(place: input::Place) -> Self {
        match place {
            input::Place::Whole => Place::Whole,
            input::Place::Line(line) => Place::Line(line),
            input::Place::Byte(byte) => Place::Byte(byte),
        }
    }
}

impl From<input::Problem<input::Place>> for Problem {
    fn from(problem: input::Problem<input::Place>) -> Self {
        problem.map_place(Place::from)
    }
}

/// What was found, in quotes, control characters escaped, cut when long.
pub(crate) fn quote(found: &[u8]) -> String {
    const LONGEST: usize = 32;
    let text = String::from_utf8_lossy(&found[..found.len().min(4 * LONGEST)]);
    let mut shown: String = text.chars().take(LONGEST).collect();
    if shown.len() < found.len() && text.chars().count() > LONGEST {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_printable() {
        assert_eq!(quote(b"abc"), "\"abc\"");
        assert_eq!(quote(b"\x00\xff"), "\"\\0\u{fffd}\"");
        assert_eq!(quote(&[b'x'; 1000]).chars().count(), 32 + 3);
    }
}
