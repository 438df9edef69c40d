//! What the readers of all commands share: where the bytes of a file come from, the containers and texts that hold numbers, and the error
//! that says why a file cannot be read, and where.
//!
//! | module | what it holds |
//! |---|---|
//! | `text` | texts of every system, their lines, words of them in messages |
//! | `npy`, `npz` | NumPy's arrays and archives of them, SciPy's sparse matrices |
//! | `matrix_market`, `triplets` | Matrix Market's files, sparse matrices as lists of entries |
//! | `gzip`, `codecs` | compressed files, and their refusal in a build without the feature `codecs` |
//! | `foreign` | files of other programs, known by how they begin |
//! | `source` | files and standard input |

pub(crate) mod codecs;
pub(crate) mod foreign;
pub(crate) mod gzip;
pub(crate) mod matrix_market;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod source;
pub(crate) mod text;
pub(crate) mod triplets;

use std::fmt;
use std::io;

use crate::memory::Refused;

/// The formats of one kind of file.
pub trait Formats: Copy + fmt::Debug + fmt::Display + 'static {
    /// What to do when a format was detected wrongly, as an error says it.
    const REMEDY: &'static str;
}

/// Why an input cannot be read: `F` are its formats, `P` is what can be wrong with it.
#[derive(Debug, thiserror::Error)]
pub enum ReadError<F: Formats, P> {
    /// The file cannot be opened or read, or memory for it is refused: an error of the kind [`OutOfMemory`](io::ErrorKind::OutOfMemory).
    #[error("{file}: {error}")]
    Io {
        /// The file, as it was named.
        file: String,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// The content is not what its format promises.
    #[error("{file}: {problem}{}", Reason(*format, detection.as_deref()))]
    Malformed {
        /// The file, as it was named.
        file: String,
        /// The format it was read in; `None` when none could be chosen.
        format: Option<F>,
        /// Why that format, when it was not given.
        detection: Option<String>,
        /// What is wrong, and where.
        problem: Box<P>,
    },
}

impl<F: Formats, P> ReadError<F, P> {
    /// Whether memory for the input was refused, which is no fault of the file.
    pub fn is_refusal_of_memory(&self) -> bool {
        matches!(self, ReadError::Io { error, .. } if error.kind() == io::ErrorKind::OutOfMemory)
    }

    /// This error, with another name for the file.
    pub(crate) fn renamed(self, name: &str) -> Self {
        let file = name.to_owned();
        match self {
            ReadError::Io { error, .. } => ReadError::Io { file, error },
            ReadError::Malformed { format, detection, problem, .. } => {
                ReadError::Malformed { file, format, detection, problem }
            }
        }
    }
}

impl<F: Formats, P> ReadError<F, Problem<P>> {
    /// The error that a problem of a file is: that memory was refused is none of its content.
    pub(crate) fn of(
        file: String,
        format: Option<F>,
        detection: Option<String>,
        problem: Problem<P>,
    ) -> Self {
        match problem.refused {
            Some(refused) => ReadError::Io { file, error: no_room(*refused) },
            None => ReadError::Malformed { file, format, detection, problem: Box::new(problem) },
        }
    }
}

/// The failure to read what there is no memory for.
pub(crate) fn no_room(refused: Refused) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, refused)
}

/// One thing that is wrong with an input: `P` are its places, which display with a colon and a blank, or as nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}expected {expected}, found {found}{}", note.as_ref().map(|n| format!("; {n}")).unwrap_or_default())]
pub struct Problem<P> {
    /// Where it is.
    pub place: P,
    /// What belongs there.
    pub expected: String,
    /// What is there.
    pub found: String,
    /// A remedy, when there is an obvious one.
    pub note: Option<String>,
    /// The memory that was refused, where nothing else is wrong.
    pub(crate) refused: Option<Box<Refused>>,
}

/// What is wrong with an `.npz` archive, a Matrix Market file or a file compressed with gzip.
pub type SparseProblem = Problem<Place>;

impl<P> Problem<P> {
    pub(crate) fn new(place: P, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Problem { place, expected: expected.into(), found: found.into(), note: None, refused: None }
    }

    /// The problem that there is no memory for what is at `place`.
    pub(crate) fn of_memory(place: P, refused: Refused) -> Self {
        let problem = Problem::new(place, "memory for what the file holds", refused.to_string());
        Problem { refused: Some(Box::new(refused)), ..problem }
    }

    /// Adds a remedy to those there are.
    pub(crate) fn also(mut self, note: &str) -> Self {
        self.note = Some(self.note.map_or_else(|| note.to_owned(), |first| format!("{first}; {note}")));
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// A place in a file. Lines, and entries of a line, count from 1, bytes from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole, or an array of it that the message names.
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
    /// Writes the place with a colon and a blank after it, and nothing for the whole file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(line) => write!(f, "line {line}: "),
            Place::Entry { line, entry } => write!(f, "line {line}, entry {entry}: "),
            Place::Byte(offset) => write!(f, "byte {offset}: "),
        }
    }
}

/// The tail of a message that says which format was read and how it was chosen.
struct Reason<'a, F>(Option<F>, Option<&'a str>);

impl<F: Formats> fmt::Display for Reason<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason(Some(format), Some(why)) => write!(f, " (taken for {format}: {why}; {})", F::REMEDY),
            Reason(Some(format), None) => write!(f, " (format {format})"),
            Reason(None, _) => Ok(()),
        }
    }
}
