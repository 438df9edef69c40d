//! Why a barcode cannot be read.

use super::Format;
use crate::input;
use crate::metric::read::Problem;

/// Why a barcode cannot be read.
pub type ReadError = input::ReadError<Format, Problem>;

impl input::Formats for Format {
    const REMEDY: &'static str = "a format can be given";
}
