//! Why a barcode cannot be read.

use super::BarcodeFormat;
use crate::input;

/// One thing that is wrong with a file of bars.
pub type Problem = input::Problem<input::Place>;

/// Why a barcode cannot be read.
pub type ReadError = input::ReadError<BarcodeFormat, Problem>;

impl input::Formats for BarcodeFormat {
    const REMEDY: &'static str = "a format can be given";
}
