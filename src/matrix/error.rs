//! Errors of a reduction.

use phat_formats::{ColumnError, NotAComplex};

use super::leftmost_ones::ScanError;
use crate::backend::ThreadsError;
use crate::progress::Interrupted;
use crate::snapshot::SnapshotError;

/// An error between the columns of a matrix and its pairs. Errors in a file are
/// [`MatrixReadError`](super::read::MatrixReadError)s.
#[derive(Debug, Clone, thiserror::Error)]
pub enum MatrixError {
    /// A column cannot be part of a boundary matrix.
    #[error(transparent)]
    Column(#[from] ColumnError),
    /// A boundary has a boundary, so the matrix is not that of a complex.
    #[error(transparent)]
    NotAComplex(#[from] NotAComplex),
    /// A scan of leftmost ones failed, or its verification found a wrong result.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The system could not start the threads that the plan asks for.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The checkpoint of the reduction cannot be resumed.
    #[error(transparent)]
    Checkpoint(#[from] SnapshotError),
    /// [`Progress`](crate::progress::Progress) ended the reduction early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
