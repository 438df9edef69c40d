//! The names of the input formats.

use serde::Serialize;

use crate::names::{self, named};

/// The input formats of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
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

    /// The names of all formats, for messages.
    pub(super) fn names() -> String {
        names::list(&Format::ALL)
    }
}

named!(Format, "format");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
            assert_eq!(format.to_string().to_ascii_uppercase().parse(), Ok(format));
        }
        let error = "tif".parse::<Format>().unwrap_err().to_string();
        assert!(Format::ALL.iter().all(|format| error.contains(&format.to_string())), "{error}");
    }
}
