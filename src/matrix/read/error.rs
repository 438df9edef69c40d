//! What can be wrong with an input file, and where.

use std::{fmt, io};

use phat_formats::dipha::{DiphaError, FileType};
use phat_formats::phat::PhatError;

use super::Format;
use crate::filtration::FiltrationError;
use crate::metric;

/// Why an input cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("{file}: {error}")]
    Io {
        /// The file, as it was named.
        file: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The content is not what its format promises.
    #[error("{file}: {problem}{}", Reason(*format, detection.as_deref()))]
    Malformed {
        /// The file, as it was named.
        file: String,
        /// The format it was read in; `None` when none could be chosen.
        format: Option<Format>,
        /// Why that format, when it was not given.
        detection: Option<String>,
        /// What is wrong, and where.
        problem: Box<Problem>,
    },
}

/// The tail of a message that says which format was read and how it was chosen.
struct Reason<'a>(Option<Format>, Option<&'a str>);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason(Some(format), Some(why)) => {
                write!(f, " (taken for {format}: {why}; --format says otherwise)")
            }
            Reason(Some(format), None) => write!(f, " (format {format})"),
            Reason(None, _) => Ok(()),
        }
    }
}

/// One thing that is wrong with an input.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// There is nothing in it.
    #[error("expected a boundary matrix, found an empty file")]
    Empty,
    /// A PHAT file that breaks the rules of its format.
    #[error(transparent)]
    Phat(#[from] PhatError),
    /// A DIPHA file that does.
    #[error(transparent)]
    Dipha(#[from] DiphaError),
    /// Distances that are none.
    #[error(transparent)]
    Distances(#[from] metric::read::Problem),
    /// An image or distances whose complex cannot be made.
    #[error(transparent)]
    Filtration(#[from] FiltrationError),
    /// What the system says of a file while it is read.
    #[error("expected a file that can be read, found: {found}")]
    Read {
        /// What the system says.
        found: String,
    },
    /// A DIPHA file of a type that holds no complex.
    #[error("byte 8: expected DIPHA file type 0, 1, 7 or 8, found {found}")]
    FileType {
        /// The type found.
        found: FileType,
    },
    /// A greatest dimension was asked for where cells are given one by one.
    #[error(
        "expected no greatest dimension (--upper-dim) with a boundary matrix: its cells are those of the file"
    )]
    UpperDim,
    /// No greatest dimension was asked for where there are 2^n cells.
    #[error(
        "expected a greatest dimension (--upper-dim) with distances, found none: all their cells are 2^points"
    )]
    NoUpperDim,
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Problem::Read { found: error.to_string() }
    }
}
