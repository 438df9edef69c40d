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
    /// NRRD of Teem, header and voxels in one file or in several.
    Nrrd,
    /// MetaImage of ITK, header and voxels in one file or in several.
    Metaimage,
    /// Volume of VGStudio: voxels, and a header in another file.
    Vgi,
    /// Volume of DGtal.
    Vol,
    /// Array of a Zarr directory, version 2 or 3.
    Zarr,
}

named!(ImageFormat, "format");
