//! Why a barcode cannot be read.

use std::fmt;

use super::Format;
use crate::metric::read::Problem;

/// Why a barcode cannot be read.
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
    #[error("{file}: {problem}{}", Reason(*format, *detection))]
    Malformed {
        /// The file, as it was named.
        file: String,
        /// The format it was read in; `None` when none could be chosen.
        format: Option<Format>,
        /// Why that format, when it was not given.
        detection: Option<&'static str>,
        /// What is wrong, and where.
        problem: Box<Problem>,
    },
}

/// The tail of a message that says which format was read and how it was chosen.
struct Reason(Option<Format>, Option<&'static str>);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason(Some(format), Some(why)) => {
                write!(f, " (taken for {format}: {why}; a format can be given)")
            }
            Reason(Some(format), None) => write!(f, " (format {format})"),
            Reason(None, _) => Ok(()),
        }
    }
}
