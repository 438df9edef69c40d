//! Errors of input files, with their place.

use super::format::MatrixFormat;
use crate::cells::ComplexError;
use crate::input::{self, Place, Problem};

/// The error of an input that cannot be read.
pub type MatrixReadError = input::ReadError<MatrixFormat>;

impl input::Formats for MatrixFormat {
    const REMEDY: &'static str = "--format says otherwise";
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
