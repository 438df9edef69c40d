//! What can be wrong with an input file, and where.

use std::io;

use phat_formats::dipha::{DiphaError, FileType};
use phat_formats::phat::PhatError;

use super::Format;
use crate::cells::FiltrationError;
use crate::input;
use crate::input::SparseProblem;
use crate::matrix::ColumnError;

/// Why an input cannot be read.
pub type ReadError = input::ReadError<Format, Problem>;

impl input::Formats for Format {
    const REMEDY: &'static str = "--format says otherwise";
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
    /// An image or distances whose complex cannot be made.
    #[error(transparent)]
    Filtration(#[from] FiltrationError),
    /// Distances or a sparse matrix that cannot be read, or a sparse matrix that is no boundary matrix.
    #[error(transparent)]
    Sparse(#[from] SparseProblem),
    /// A column of a sparse matrix that cannot be part of a boundary matrix.
    #[error("{0}; columns and rows are the cells in filtration order, facets before cofacets")]
    Column(#[from] ColumnError),
    /// A file that holds something else, which another command may take.
    #[error("expected a boundary matrix, found {found}; {advice}")]
    Other {
        /// What the file holds.
        found: &'static str,
        /// What to do with it.
        advice: String,
    },
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
        "expected no highest dimension (--max-dim, --upper-dim) with a boundary matrix: its cells are those of the file"
    )]
    UpperDim,
    /// No greatest dimension was asked for where there are 2^n cells.
    #[error(
        "expected a highest dimension (--max-dim) with distances, found none: all their cells are 2^points"
    )]
    NoUpperDim,
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Problem::Read { found: error.to_string() }
    }
}
