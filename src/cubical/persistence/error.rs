//! Why an image has no classes.

use crate::cubical::shape::Shape;
use crate::memory::Refused;
use crate::snapshot::SnapshotError;

/// Why an image has no persistence here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PersistenceError {
    /// More voxels than are numbered.
    #[error(
        "expected an image that takes fewer than {most} places with a rim around it, found {} voxels of {shape}; \
         it has to be cropped or downsampled (`lacuna ecc` takes images of any size)", shape.count()
    )]
    TooLarge {
        /// The image.
        shape: Shape,
        /// Places, the rim included, that are too many.
        most: usize,
    },
    /// There is not memory enough.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// What another run has kept of it cannot be gone on from.
    #[error(transparent)]
    Checkpoint(#[from] SnapshotError),
}
