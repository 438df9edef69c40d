//! Why a matrix has no pairs.

use phat_formats::{ColumnError, NotAComplex};

use super::leftmost_ones::ScanError;
use crate::backend::ThreadsError;
use crate::progress::Interrupted;
use crate::snapshot::SnapshotError;

/// What can go wrong from the columns of a matrix to its pairs. (What can be wrong with a file is a
/// [`MatrixReadError`](super::read::MatrixReadError).)
#[derive(Debug, Clone, thiserror::Error)]
pub enum MatrixError {
    /// A column cannot be part of a boundary matrix.
    #[error(transparent)]
    Column(#[from] ColumnError),
    /// A boundary has a boundary, so the matrix is not that of a complex.
    #[error(transparent)]
    NotAComplex(#[from] NotAComplex),
    /// A scan of leftmost ones failed, or was found wrong.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The system does not start the threads that the plan asks for.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// What is kept of the reduction cannot be gone on from.
    #[error(transparent)]
    Checkpoint(#[from] SnapshotError),
    /// The reduction was ended early, as its [`Progress`](crate::progress::Progress) wanted.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
