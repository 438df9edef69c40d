//! The names of the input formats.

use std::fmt;
use std::str::FromStr;

/// The input formats of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// NumPy array.
    Npy,
    /// An array of an archive of NumPy arrays.
    Npz,
    /// PNG, gray.
    Png,
    /// Netpbm's graymap or bitmap.
    Pgm,
    /// TIFF, gray, one page or a stack.
    Tiff,
    /// NIfTI-1 or NIfTI-2, header and voxels in one file, perhaps compressed.
    Nifti,
    /// DIPHA image data (file type 1).
    Dipha,
    /// Perseus' text.
    Perseus,
    /// Voxels without a header.
    Raw,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 9] = [
        Format::Npy,
        Format::Png,
        Format::Tiff,
        Format::Nifti,
        Format::Dipha,
        Format::Perseus,
        Format::Raw,
        Format::Npz,
        Format::Pgm,
    ];

    /// The name, as `--format` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Png => "png",
            Format::Pgm => "pgm",
            Format::Tiff => "tiff",
            Format::Nifti => "nifti",
            Format::Dipha => "dipha",
            Format::Perseus => "perseus",
            Format::Raw => "raw",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(format.name().to_ascii_uppercase().parse(), Ok(format));
        }
        let error = "tif".parse::<Format>().unwrap_err().to_string();
        assert!(Format::ALL.iter().all(|format| error.contains(format.name())), "{error}");
    }
}
