//! Why nothing can be computed of an image.

use super::ecc;
use super::persistence;
use super::shape::ShapeError;
use super::thinning::machine as thinning;
use super::value::Inexact;
use crate::backend::ThreadsError;
use crate::progress::Interrupted;

/// Why an image has no diagram, no curve or no skeleton. Why a file is no image is [`read::ImageReadError`](super::read::ImageReadError).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CubicalError {
    /// There is no such image.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Persistent homology: the image is too large, there is too little memory, or a device was asked for and does not find it.
    #[error(transparent)]
    Persistence(#[from] persistence::MachineError),
    /// Representatives: a bar is not there, or there is too little memory.
    #[error(transparent)]
    Representatives(#[from] persistence::representatives::RepresentativesError),
    /// The Euler characteristic curve: there are no such bins, or a device was asked for and does not find it.
    #[error(transparent)]
    Curve(#[from] ecc::MachineError),
    /// Thinning: the rule does not suit the image, or a device was asked for and does not find it.
    #[error(transparent)]
    Thinning(#[from] thinning::MachineError),
    /// The diagram holds doubles, and a voxel is an integer that no double is.
    #[error(transparent)]
    Inexact(#[from] Inexact),
    /// The threads could not be started.
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    /// The run was ended early, as its [`Progress`](crate::progress::Progress) wanted.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
