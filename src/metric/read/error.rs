//! Errors of the readers of distances.

use super::DistanceFormat;
use crate::input;

pub use crate::input::Place;

/// Why a file of distances cannot be read.
pub type ReadError = input::ReadError<DistanceFormat>;

impl input::Formats for DistanceFormat {
    const REMEDY: &'static str = "--format says otherwise";
}

/// A problem in a file of distances.
pub type Problem = input::Problem;
