//! The names of the input formats.

use std::fmt;
use std::str::FromStr;

/// The input formats of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
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

impl ImageFormat {
    /// Every format.
    pub const ALL: [ImageFormat; 9] = [
        ImageFormat::Npy,
        ImageFormat::Png,
        ImageFormat::Tiff,
        ImageFormat::Nifti,
        ImageFormat::Dipha,
        ImageFormat::Perseus,
        ImageFormat::Raw,
        ImageFormat::Npz,
        ImageFormat::Pgm,
    ];

    /// The name, as `--format` takes it.
    pub fn name(self) -> &'static str {
        match self {
            ImageFormat::Npy => "npy",
            ImageFormat::Npz => "npz",
            ImageFormat::Png => "png",
            ImageFormat::Pgm => "pgm",
            ImageFormat::Tiff => "tiff",
            ImageFormat::Nifti => "nifti",
            ImageFormat::Dipha => "dipha",
            ImageFormat::Perseus => "perseus",
            ImageFormat::Raw => "raw",
        }
    }

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        ImageFormat::ALL.map(ImageFormat::name).join(", ")
    }
}

impl fmt::Display for ImageFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no format's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("format: expected one of {}, found {found:?}", ImageFormat::names())]
pub struct UnknownImageFormat {
    /// The name found.
    pub found: String,
}

impl FromStr for ImageFormat {
    type Err = UnknownImageFormat;

    fn from_str(name: &str) -> Result<Self, UnknownImageFormat> {
        let named = ImageFormat::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        named.ok_or_else(|| UnknownImageFormat { found: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for format in ImageFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(format.name().to_ascii_uppercase().parse(), Ok(format));
        }
        let error = "tif".parse::<ImageFormat>().unwrap_err().to_string();
        assert!(ImageFormat::ALL.iter().all(|format| error.contains(format.name())), "{error}");
    }
}
