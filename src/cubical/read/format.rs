//! Image file formats that can be read.

use serde::Serialize;
use strum::VariantArray;

use crate::names::named;

/// Input format of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImageFormat {
    /// NumPy array.
    Npy,
    /// PNG, grayscale.
    Png,
    /// TIFF, grayscale, one page or a stack.
    Tiff,
    /// NIfTI-1 or NIfTI-2, header and voxels in one file, optionally compressed.
    Nifti,
    /// DIPHA image data (file type 1).
    Dipha,
    /// Perseus cubical text.
    Perseus,
    /// Voxels without a header.
    Raw,
    /// An array in a NumPy archive.
    Npz,
    /// Netpbm graymap or bitmap.
    Pgm,
}

named!(ImageFormat, "format");
