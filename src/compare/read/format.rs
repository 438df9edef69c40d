//! The names of the formats of barcodes.

use std::fmt;
use std::str::FromStr;

/// A format of barcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarcodeFormat {
    /// Ripser's text.
    Ripser,
    /// Comma-separated values.
    Csv,
    /// A JSON object.
    Json,
    /// A NumPy array.
    Npy,
    /// DIPHA persistence diagram (file type 2).
    Dipha,
    /// PHAT's pairs as text.
    PhatAscii,
    /// PHAT's pairs in binary.
    PhatBinary,
}

impl BarcodeFormat {
    /// Every format.
    pub const ALL: [BarcodeFormat; 7] = [
        BarcodeFormat::Ripser,
        BarcodeFormat::Csv,
        BarcodeFormat::Json,
        BarcodeFormat::Npy,
        BarcodeFormat::Dipha,
        BarcodeFormat::PhatAscii,
        BarcodeFormat::PhatBinary,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            BarcodeFormat::Ripser => "ripser",
            BarcodeFormat::Csv => "csv",
            BarcodeFormat::Json => "json",
            BarcodeFormat::Npy => "npy",
            BarcodeFormat::Dipha => "dipha",
            BarcodeFormat::PhatAscii => "phat-ascii",
            BarcodeFormat::PhatBinary => "phat-binary",
        }
    }

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        BarcodeFormat::ALL.map(BarcodeFormat::name).join(", ")
    }
}

impl fmt::Display for BarcodeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format: expected one of {}, found {found:?}", BarcodeFormat::names())]
pub struct UnknownBarcodeFormat {
    /// The name found.
    pub found: String,
}

impl FromStr for BarcodeFormat {
    type Err = UnknownBarcodeFormat;

    fn from_str(name: &str) -> Result<Self, UnknownBarcodeFormat> {
        let named = BarcodeFormat::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        named.ok_or_else(|| UnknownBarcodeFormat { found: name.to_owned() })
    }
}
