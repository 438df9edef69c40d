//! Errors of persistent homology of images.

use crate::backend;
use crate::cubical::shape::{Shape, ShapeError};
use crate::diagram::SelectionError;
use crate::input::Problem;
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
        most: u64,
    },
    /// The values need so many bits that the image has too many voxels.
    #[error(
        "expected an image that takes fewer than {most} places with a rim around it, as its values differ in too many bits to be \
         compared beside more, found {} voxels of {shape}; as 8- or 16-bit voxels it may be larger", shape.count()
    )]
    TooWide {
        /// The shape of the image.
        shape: Shape,
        /// The number of places, including the rim, from which on an image of such values is too large.
        most: u64,
    },
    /// The image has more than three axes.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// An axis cannot be periodic, or the mask has another shape.
    #[error(transparent)]
    Invalid(#[from] Problem),
    /// The image has more critical cells of one dimension than can be numbered.
    #[error(
        "expected fewer than {} critical cells of a dimension, found {found}; the image has to be cropped or smoothed",
        u32::MAX
    )]
    TooCritical {
        /// The number of critical cells of one dimension.
        found: u64,
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
