//! The names of the formats of barcodes.

use std::fmt;
use std::str::FromStr;

/// A format of barcodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
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

impl Format {
    /// Every format.
    pub const ALL: [Format; 7] = [
        Format::Ripser,
        Format::Csv,
        Format::Json,
        Format::Npy,
        Format::Dipha,
        Format::PhatAscii,
        Format::PhatBinary,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Ripser => "ripser",
            Format::Csv => "csv",
            Format::Json => "json",
            Format::Npy => "npy",
            Format::Dipha => "dipha",
            Format::PhatAscii => "phat-ascii",
            Format::PhatBinary => "phat-binary",
        }
    }

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        Format::ALL.map(Format::name).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format: expected one of {}, found {found:?}", Format::names())]
pub struct UnknownFormat {
    /// The name found.
    pub found: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let named = Format::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        named.ok_or_else(|| UnknownFormat { found: name.to_owned() })
    }
}
