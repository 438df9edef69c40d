//! What can be wrong with a file of distances, and where.

use super::Format;
use crate::input;

pub use crate::input::Place;

/// Why a file of distances cannot be read.
pub type ReadError = input::ReadError<Format, Problem>;

impl input::Formats for Format {
    const REMEDY: &'static str = "--format says otherwise";
}

/// One thing that is wrong with a file of distances.
pub type Problem = input::Problem<Place>;
