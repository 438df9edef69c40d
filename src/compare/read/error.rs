//! Errors of barcode files.

use super::BarcodeFormat;
use crate::input;

/// A problem of a barcode file.
pub type Problem = input::Problem<input::Place>;

/// The error of a barcode that cannot be read.
pub type ReadError = input::ReadError<BarcodeFormat, Problem>;

impl input::Formats for BarcodeFormat {
    const REMEDY: &'static str = "a format can be given";
}
