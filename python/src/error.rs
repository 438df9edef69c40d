//! Conversion of the library's errors to exceptions.
//!
//! | exception | cause |
//! |---|---|
//! | `ValueError` | an input, or an option that does not suit it |
//! | `MemoryError` | not enough memory |
//! | `OSError` or a subclass of it | a file cannot be read |
//! | `RuntimeError` | the machine: no threads, no such device, or one whose results differ from the processor's |
//! | `TimeoutError` | the run was stopped by its time limit |
//! | `KeyboardInterrupt`, or any exception of a signal handler | the run was interrupted |
//!
//! Messages are those of the library, with their causes.

use std::any::Any;
use std::error::Error;
use std::io;

use lacuna::{Classified, ErrorKind};
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};

/// An error that can be created without the interpreter's lock.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The input is invalid, or an option does not suit it.
    Value(String),
    /// Not enough memory.
    Memory(String),
    /// A file cannot be read; with the kind of the system's error.
    File(io::ErrorKind, String),
    /// The machine failed.
    Runtime(String),
    /// The run was interrupted.
    Interrupted,
}

impl Failure {
    /// The failure for a panic of the library, which is a bug in it.
    pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Failure::Runtime(format!("a mistake in Lacuna, please report it: {text}"))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Value(text) => PyValueError::new_err(text),
            Failure::Memory(text) => PyMemoryError::new_err(text),
            // Depending on the kind this is a subclass of OSError, such as FileNotFoundError.
            Failure::File(kind, text) => io::Error::new(kind, text).into(),
            Failure::Runtime(text) => PyRuntimeError::new_err(text),
            // An interrupted run usually raises the exception of the interruption; this is for the case without one.
            Failure::Interrupted => PyRuntimeError::new_err("interrupted"),
        }
    }
}

/// The message of an error with its causes.
fn told(error: &dyn Error) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        let own = error.to_string();
        if !text.ends_with(&own) {
            text = format!("{text}: {own}");
        }
        cause = error.source();
    }
    in_words_of_python(&text)
}

/// The text with the options of the program called as they are in the package: `--skip-rows` is `skip_rows`. The
/// package has no second name of `--max-dim`.
pub(crate) fn in_words_of_python(text: &str) -> String {
    let text = text.replace(", --upper-dim", "");
    let mut parts = text.split("--");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let word = part.find(|c: char| c != '-' && !c.is_ascii_lowercase()).unwrap_or(part.len());
        // Two hyphens elsewhere, as in the name of a file, are kept.
        let is_option = word > 0 && !told.ends_with(|c: char| c.is_alphanumeric() || c == '-');
        if is_option {
            told += &part[..word].replace('-', "_");
            told += &part[word..];
        } else {
            told = format!("{told}--{part}");
        }
    }
    told
}

impl<E: Classified + 'static> From<E> for Failure {
    #[warn(clippy::wildcard_enum_match_arm, reason = "a new kind has to be given its exception here")]
    fn from(error: E) -> Self {
        let text = told(&error);
        match error.error_kind() {
            ErrorKind::Input => Failure::Value(text),
            ErrorKind::File(kind) => Failure::File(kind, text),
            ErrorKind::Memory => Failure::Memory(text),
            ErrorKind::Interrupted => Failure::Interrupted,
            ErrorKind::System | ErrorKind::Device => Failure::Runtime(text),
            // The library may add kinds.
            _ => Failure::Runtime(text),
        }
    }
}
