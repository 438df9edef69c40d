//! Errors of persistent homology of images.

use crate::backend;
use crate::cubical::shape::Shape;
use crate::diagram::SelectionError;
use crate::memory::Refused;
use crate::snapshot::SnapshotError;

/// Reasons why the persistent homology of an image could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PersistenceError {
    /// The image has more voxels than can be numbered.
    #[error(
        "expected an image that takes fewer than {most} places with a rim around it, found {} voxels of {shape}; \
         it has to be cropped or downsampled (`lacuna ecc` takes images of any size)", shape.count()
    )]
    TooLarge {
        /// The shape of the image.
        shape: Shape,
        /// The number of places, including the rim, from which on an image is too large.
        most: usize,
    },
    /// The bars for representatives cannot be selected.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// Memory does not suffice.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The checkpoint of another run cannot be resumed from.
    #[error(transparent)]
    Checkpoint(#[from] SnapshotError),
}

/// Reasons why the persistent homology of an image could not be computed on the device of a backend.
pub type MachineError = backend::MachineError<PersistenceError>;

impl From<PersistenceError> for MachineError {
    fn from(error: PersistenceError) -> Self {
        MachineError::Stage(error)
    }
}
