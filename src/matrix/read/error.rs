//! What can be wrong with an input file, and where.

use std::io;

use phat_formats::ColumnError;
use phat_formats::dipha::{DiphaError, FileType};
use phat_formats::phat::PhatError;

use super::format::MatrixFormat;
use crate::cells::ComplexError;
use crate::input;
use crate::input::SparseProblem;
use crate::memory::Refused;

/// Why an input cannot be read.
pub type MatrixReadError = input::ReadError<MatrixFormat, MatrixFileProblem>;

impl input::Formats for MatrixFormat {
    const REMEDY: &'static str = "--format says otherwise";
}

/// One thing that is wrong with an input.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixFileProblem {
    /// The file is empty.
    #[error("expected a boundary matrix, found an empty file")]
    Empty,
    /// A PHAT file that breaks the rules of its format.
    #[error(transparent)]
    Phat(#[from] PhatError),
    /// A DIPHA file that breaks the rules of its format.
    #[error(transparent)]
    Dipha(#[from] DiphaError),
    /// An image or distances whose complex cannot be made.
    #[error(transparent)]
    Complex(#[from] ComplexError),
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

impl MatrixFileProblem {
    /// The memory that was refused, where nothing else is wrong.
    pub(super) fn refused(&self) -> Option<Refused> {
        match self {
            MatrixFileProblem::Sparse(problem) => problem.refused,
            MatrixFileProblem::Complex(ComplexError::Memory(refused)) => Some(*refused),
            _ => None,
        }
    }
}

impl From<io::Error> for MatrixFileProblem {
    fn from(error: io::Error) -> Self {
        if let Some(refused) = error.get_ref().and_then(|error| error.downcast_ref::<Refused>()) {
            return MatrixFileProblem::Complex(ComplexError::Memory(*refused));
        }
        MatrixFileProblem::Read { found: error.to_string() }
    }
}
