//! Errors of input files, with their place.

use std::io;

use phat_formats::dipha::FileType;
use phat_formats::{ColumnError, FormatError};

use super::format::MatrixFormat;
use crate::cells::ComplexError;
use crate::input;
use crate::input::SparseProblem;
use crate::memory::Refused;

/// The error of an input that cannot be read.
pub type MatrixReadError = input::ReadError<MatrixFormat, MatrixFileProblem>;

impl input::Formats for MatrixFormat {
    const REMEDY: &'static str = "--format says otherwise";
}

/// A problem of an input file.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixFileProblem {
    /// The file is empty.
    #[error("expected a boundary matrix, found an empty file")]
    Empty,
    /// A file of PHAT or DIPHA violates its format.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The complex of an image or of distances cannot be built.
    #[error(transparent)]
    Complex(#[from] ComplexError),
    /// Distances or a sparse matrix cannot be read, or a sparse matrix is not a boundary matrix.
    #[error(transparent)]
    Sparse(#[from] SparseProblem),
    /// A column of a sparse matrix cannot be part of a boundary matrix.
    #[error("{0}; columns and rows are the cells in filtration order, facets before cofacets")]
    Column(#[from] ColumnError),
    /// The file holds something else, which another command may accept.
    #[error("expected a boundary matrix, found {found}; {advice}")]
    Other {
        /// The content of the file.
        found: &'static str,
        /// The advice to the user.
        advice: String,
    },
    /// The system reported an error while the file was read.
    #[error("expected a file that can be read, found: {found}")]
    Read {
        /// The system's message.
        found: String,
    },
    /// A DIPHA file has a type that holds no complex.
    #[error("byte 8: expected DIPHA file type 0, 1, 7 or 8, found {found}")]
    FileType {
        /// The type found.
        found: FileType,
    },
    /// A maximal dimension was requested for a format that lists its cells.
    #[error(
        "expected no highest dimension (--max-dim, --upper-dim) with a boundary matrix: its cells are those of the file"
    )]
    UpperDim,
    /// No maximal dimension was requested for distances, which have 2^n cells.
    #[error(
        "expected a highest dimension (--max-dim) with distances, found none: all their cells are 2^points"
    )]
    NoUpperDim,
}

impl MatrixFileProblem {
    /// The memory that was refused, where nothing else is wrong.
    pub(super) fn refused(&self) -> Option<Refused> {
        match self {
            MatrixFileProblem::Sparse(problem) => problem.refused.as_deref().copied(),
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
