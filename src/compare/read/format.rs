//! The names of the formats of barcodes.

use serde::Serialize;

use crate::names::{self, named};

/// A format of barcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BarcodeFormat {
    /// Ripser's text.
    Ripser,
    /// Comma-separated values.
    Csv,
    /// A JSON object.
    Json,
    /// A NumPy array.
    Npy,
    /// An archive of NumPy arrays with an array `bars`.
    Npz,
    /// DIPHA persistence diagram (file type 2).
    Dipha,
    /// GUDHI's text: dimension, birth, death.
    Gudhi,
    /// Perseus' output: birth, death; the name ends with the dimension.
    Perseus,
    /// PHAT's pairs as text.
    PhatAscii,
    /// PHAT's pairs in binary.
    PhatBinary,
}

impl BarcodeFormat {
    /// Every format.
    pub const ALL: [BarcodeFormat; 10] = [
        BarcodeFormat::Ripser,
        BarcodeFormat::Csv,
        BarcodeFormat::Json,
        BarcodeFormat::Npy,
        BarcodeFormat::Npz,
        BarcodeFormat::Dipha,
        BarcodeFormat::Gudhi,
        BarcodeFormat::Perseus,
        BarcodeFormat::PhatAscii,
        BarcodeFormat::PhatBinary,
    ];

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        names::list(&BarcodeFormat::ALL)
    }
}

named!(BarcodeFormat, "format");
