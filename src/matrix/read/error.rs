//! Errors of input files, with their place.

use std::io;

use phat_formats::ColumnError;

use super::format::MatrixFormat;
use crate::cells::ComplexError;
use crate::input::{self, Place, Problem};
use crate::memory::Refused;

/// The error of an input that cannot be read.
pub type MatrixReadError = input::ReadError<MatrixFormat>;

impl input::Formats for MatrixFormat {
    const REMEDY: &'static str = "--format says otherwise";
}

impl From<ColumnError> for Problem {
    /// The problem that a column of a sparse matrix cannot be part of a boundary matrix.
    fn from(ColumnError { column, expected, found, .. }: ColumnError) -> Self {
        let note = "columns and rows are the cells in filtration order, facets before cofacets";
        Problem::new(Place::Named(format!("column {column}")), expected, found).note(note)
    }
}

impl From<ComplexError> for Problem {
    fn from(error: ComplexError) -> Self {
        match error {
            ComplexError::Invalid(problem) | ComplexError::TooLarge(problem) => problem,
            ComplexError::Memory(refused) => Problem::of_memory(Place::Whole, refused),
            ComplexError::Column(error) => error.into(),
        }
    }
}

impl From<io::Error> for Problem {
    /// The problem that the system reported an error while the file was read.
    fn from(error: io::Error) -> Self {
        match error.get_ref().and_then(|error| error.downcast_ref::<Refused>()) {
            Some(refused) => Problem::of_memory(Place::Whole, *refused),
            None => Problem::new(Place::Whole, "a file that can be read", error.to_string()),
        }
    }
}
