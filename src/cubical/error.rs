//! Errors of computations on images.

use super::ecc;
use super::persistence;
use super::persistence::via_matrix::ViaMatrixError;
use super::shape::ShapeError;
use super::thinning;
use super::value::Inexact;
use crate::backend::ThreadsError;
use crate::progress::Interrupted;

/// Reasons why a diagram, curve or skeleton of an image could not be computed. Errors of reading a file are
/// [`read::ImageReadError`](super::read::ImageReadError).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CubicalError {
    /// The shape and the voxels do not make an image.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Persistent homology failed: the image is too large, a selected bar does not exist, memory is too short, or the
    /// requested device failed.
    #[error(transparent)]
    Persistence(#[from] persistence::MachineError),
    /// Persistent homology by a boundary matrix failed: of an image of four axes, or for cycles of one with periodic
    /// axes.
    #[error(transparent)]
    Matrix(#[from] ViaMatrixError),
    /// The Euler characteristic curve failed: the bins are invalid, or the requested device failed.
    #[error(transparent)]
    Curve(#[from] ecc::MachineError),
    /// Thinning failed: the rule does not suit the image, or the requested device failed.
    #[error(transparent)]
    Thinning(#[from] thinning::MachineError),
    /// The diagram holds doubles, but a voxel is an integer without an exact double.
    #[error(transparent)]
    Inexact(#[from] Inexact),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The [`Progress`](crate::progress::Progress) ended the run early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}

impl From<persistence::PersistenceError> for CubicalError {
    fn from(error: persistence::PersistenceError) -> Self {
        CubicalError::Persistence(error.into())
    }
}
