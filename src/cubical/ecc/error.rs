//! Errors of Euler characteristic curves.

use std::io;
use std::path::PathBuf;

use super::bins::BinsError;
use crate::backend;
use crate::cubical::read::ImageReadError;
use crate::cubical::shape::Shape;
use crate::input::Problem;
use crate::memory::Refused;
use crate::progress::Interrupted;
use crate::snapshot::SnapshotError;

/// Reasons why no device can compute the curve of an image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EccError {
    /// The bins are invalid.
    #[error(transparent)]
    Bins(#[from] BinsError),
    /// The bins need the range of the voxels, which takes a pass over all of them to find.
    #[error("expected the range of the bins of {0} voxels beforehand, found none")]
    Range(&'static str),
    /// The standard deviation is not positive and finite.
    #[error("expected a positive standard deviation, found {found}")]
    Sigma {
        /// The standard deviation that was given.
        found: f64,
    },
    /// The number of weights is even.
    #[error("expected an odd number of taps, found {found}")]
    Taps {
        /// The number of taps that was given.
        found: usize,
    },
    /// A voxel is not finite as a 32-bit float, so it cannot be smoothed.
    #[error("voxel {voxel:?}: expected a 32-bit float to be smoothed, found {found}")]
    Infinite {
        /// The coordinates of the voxel.
        voxel: Vec<usize>,
        /// The value of the voxel.
        found: f64,
    },
    /// An axis cannot be periodic.
    #[error(transparent)]
    Periodic(#[from] Problem),
    /// The ranks that share an image find different ones.
    #[error("expected the image that rank 0 reads, {expected}, found {found}")]
    OtherImage {
        /// Shape and voxels of the image of rank 0.
        expected: String,
        /// Shape and voxels of the image of this rank.
        found: String,
    },
    /// The image cannot be read.
    #[error(transparent)]
    Read(#[from] ImageReadError),
    /// A self-check reads the image twice, but it can be read only once.
    #[error("expected a regular file, which can be read by processor and device both, for a self-check")]
    ReadOnce,
    /// The saved sums of an interrupted run belong to another curve.
    #[error("expected sums of the curve that is asked for, found others")]
    Since,
    /// The checkpoint of the curve cannot be resumed from.
    #[error(transparent)]
    Checkpoint(Box<SnapshotError>),
    /// The memory limit is too low for the thinnest slabs.
    #[error("expected at least {needed} bytes of memory for an image of {shape} voxels, found {limit}")]
    Slabs {
        /// The shape of the image.
        shape: Shape,
        /// Bytes needed with the thinnest slabs.
        needed: usize,
        /// The memory limit in bytes.
        limit: usize,
    },
    /// The system refuses memory, although the limit allows it.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The system started no thread to read or to add up voxels.
    #[error(
        "cannot start a thread for the voxels: {0}; the system's limits of processes and memory (ulimit -u, \
         ulimit -v) may allow more"
    )]
    Threads(io::Error),
    /// Rows that exceed the memory limit could not be written to temporary files.
    #[error("{}: cannot keep rows that {limit} bytes of memory have no room for: {error}", directory.display())]
    Spill {
        /// The directory of the temporary files.
        directory: PathBuf,
        /// The memory limit in bytes.
        limit: usize,
        /// The error of the system.
        error: io::Error,
    },
    /// The [`Progress`](crate::progress::Progress) ended the run early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl From<SnapshotError> for EccError {
    fn from(error: SnapshotError) -> Self {
        EccError::Checkpoint(Box::new(error))
    }
}

/// Reasons why the curve of an image could not be computed by the chosen device.
pub type MachineError = backend::MachineError<EccError>;

/// Any error of a curve ends the run on either device.
impl<E: Into<EccError>> From<E> for MachineError {
    fn from(error: E) -> Self {
        MachineError::Stage(error.into())
    }
}
