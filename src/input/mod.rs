//! Input shared by the readers of all commands: sources of bytes, containers and texts of numbers, and the error that
//! says why and where a file cannot be read.
//!
//! | module | what it holds |
//! |---|---|
//! | `text` | texts of every system, their lines, words of them in messages |
//! | `npy`, `npz` | NumPy's arrays and archives of them, SciPy's sparse matrices |
//! | `matrix_market`, `triplets` | Matrix Market's files, sparse matrices as lists of entries |
//! | `gzip` | compressed files |
//! | `codecs` | the refusal of images in a build without the feature `codecs` |
//! | `foreign` | files of other programs, known by how they begin |
//! | `source` | files and standard input |
//! | `mapped` | numbers that are not read at once, but as they are looked at |
//! | `kind` | what a file holds: an image, a boundary matrix, distances or a diagram |

#[cfg(not(feature = "codecs"))]
pub(crate) mod codecs;
pub(crate) mod foreign;
pub(crate) mod gzip;
pub(crate) mod kind;
pub(crate) mod mapped;
pub(crate) mod matrix_market;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod source;
pub(crate) mod text;
pub(crate) mod triplets;

use std::fmt;
use std::io;

use phat_formats::{ColumnError, FormatError};

use crate::memory::Refused;

/// The formats of one kind of file.
pub trait Formats: Copy + fmt::Debug + fmt::Display + 'static {
    /// Remedy against a wrongly detected format, for error messages.
    const REMEDY: &'static str;
}

/// Error of reading an input. `F` are its formats.
#[derive(Debug, thiserror::Error)]
pub enum ReadError<F: Formats> {
    /// The file cannot be opened or read, or memory for it is refused, as [`OutOfMemory`](io::ErrorKind::OutOfMemory).
    #[error("{file}: {error}")]
    Io {
        /// The file, as it was named.
        file: String,
        /// Error of the system.
        #[source]
        error: io::Error,
    },
    /// The content does not conform to the format.
    #[error("{file}: {problem}{}", reason(*format, detection.as_deref()))]
    Malformed {
        /// The file, as it was named.
        file: String,
        /// Format in which it was read; `None` if none could be chosen.
        format: Option<F>,
        /// Reason for the choice, unless the format was given.
        detection: Option<String>,
        /// The problem and its place.
        problem: Box<Problem>,
    },
}

impl<F: Formats> ReadError<F> {
    /// Returns this error with another name for the file.
    pub(crate) fn renamed(self, name: &str) -> Self {
        let file = name.to_owned();
        match self {
            ReadError::Io { error, .. } => ReadError::Io { file, error },
            ReadError::Malformed { format, detection, problem, .. } => {
                ReadError::Malformed { file, format, detection, problem }
            }
        }
    }

    /// Turns a problem into an error. A refusal of memory becomes [`ReadError::Io`], since the content is not at fault.
    pub(crate) fn of(file: String, format: Option<F>, detection: Option<String>, problem: Problem) -> Self {
        match problem.refused {
            Some(refused) => ReadError::Io { file, error: no_room(*refused) },
            None => ReadError::Malformed { file, format, detection, problem: Box::new(problem) },
        }
    }
}

/// The I/O error for memory that was refused.
pub(crate) fn no_room(refused: Refused) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, refused)
}

/// A problem of an input, or of an output that was asked for: where, what was expected, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}expected {expected}, found {found}{}", note.as_ref().map(|n| format!("; {n}")).unwrap_or_default())]
pub struct Problem {
    /// Place of the problem.
    pub place: Place,
    /// Expected content.
    pub expected: String,
    /// Content that was found.
    pub found: String,
    /// A remedy, when there is an obvious one.
    pub note: Option<String>,
    /// The memory that was refused, where nothing else is wrong.
    pub(crate) refused: Option<Box<Refused>>,
}

impl Problem {
    pub(crate) fn new(place: Place, expected: impl Into<String>, found: impl fmt::Display) -> Self {
        Problem { place, expected: expected.into(), found: found.to_string(), note: None, refused: None }
    }

    /// A problem of the input as a whole.
    pub(crate) fn whole(expected: impl Into<String>, found: impl fmt::Display) -> Self {
        Problem::new(Place::Whole, expected, found)
    }

    /// A problem in a line of text.
    pub(crate) fn line(line: usize, expected: impl Into<String>, found: impl fmt::Display) -> Self {
        Problem::new(Place::Line(line), expected, found)
    }

    /// The problem that memory for the content at `place` is refused.
    pub(crate) fn of_memory(place: Place, refused: Refused) -> Self {
        let problem = Problem::new(place, "memory for what the file holds", refused);
        Problem { refused: Some(Box::new(refused)), ..problem }
    }

    /// Adds a remedy to the existing ones.
    pub(crate) fn also(mut self, note: &str) -> Self {
        self.note = Some(self.note.map_or_else(|| note.to_owned(), |first| format!("{first}; {note}")));
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// A place in an input. Lines and entries count from 1; bytes, pages and coordinates count from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The input as a whole, or an array in it that the message names.
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
    /// An offset into a binary file, or into the content of a compressed file.
    Byte(usize),
    /// A page of a stack of images.
    Page(usize),
    /// A voxel, by its coordinates along the user's axes.
    Voxel(Vec<usize>),
    /// A place in words, such as points or an entry of a matrix in memory, or the name of an option.
    Named(String),
}

impl fmt::Display for Place {
    /// Writes the place followed by a colon and a blank; writes nothing for the whole input.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(line) => write!(f, "line {line}: "),
            Place::Entry { line, entry } => write!(f, "line {line}, entry {entry}: "),
            Place::Byte(offset) => write!(f, "byte {offset}: "),
            Place::Page(page) => write!(f, "page {page}: "),
            Place::Voxel(coordinates) => {
                let coordinates: Vec<String> = coordinates.iter().map(usize::to_string).collect();
                write!(f, "voxel ({}): ", coordinates.join(", "))
            }
            Place::Named(place) => write!(f, "{place}: "),
        }
    }
}

impl From<FormatError> for Problem {
    fn from(error: FormatError) -> Self {
        let place = match error.place {
            phat_formats::Place::Byte(byte) => Place::Byte(byte as usize),
            phat_formats::Place::Line(line) => Place::Line(line as usize),
        };
        Problem::new(place, error.expected, error.found)
    }
}

impl From<ColumnError> for Problem {
    /// The problem that a column of a sparse matrix cannot be part of a boundary matrix.
    fn from(ColumnError { column, expected, found, .. }: ColumnError) -> Self {
        let note = "columns and rows are the cells in filtration order, facets before cofacets";
        Problem::new(Place::Named(format!("column {column}")), expected, found).note(note)
    }
}

impl From<io::Error> for Problem {
    /// The problem that the system reported an error while the file was read.
    fn from(error: io::Error) -> Self {
        match error.get_ref().and_then(|error| error.downcast_ref::<Refused>()) {
            Some(refused) => Problem::of_memory(Place::Whole, *refused),
            None => Problem::whole("a file that can be read", error),
        }
    }
}

/// The tail of a message that says which format was read and how it was chosen.
fn reason<F: Formats>(format: Option<F>, detection: Option<&str>) -> String {
    match (format, detection) {
        (Some(format), Some(why)) => format!(" (taken for {format}: {why}; {})", F::REMEDY),
        (Some(format), None) => format!(" (format {format})"),
        (None, _) => String::new(),
    }
}
