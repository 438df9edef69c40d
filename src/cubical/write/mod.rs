//! Writers of images, in formats that [`read`](crate::cubical::read) reads back. [`ImageFile`] lists them.
//!
//! | format | name | content | axes |
//! |---|---|---|---|
//! | `npy` | `*.npy` | NumPy array, in the image's own order | any number |
//! | `png` | `*.png` | PNG, 8 or 16 bits, grayscale | one or two: row, column |
//! | `tiff` | `*.tif`, `*.tiff` | TIFF, grayscale, deflate; BigTIFF if needed | one to three: page, row, column |
//! | `nifti` | `*.nii` | NIfTI-1 or, where needed, NIfTI-2 (see below) | up to seven: x, y, z, … |
//! | `nifti-gz` | `*.nii.gz` | the same, gzip-compressed | |
//! | `nrrd` | `*.nrrd` | NRRD, uncompressed | any number, in the header's order |
//! | `metaimage` | `*.mha` | MetaImage, uncompressed, in one file | any number: x, y, z |
//! | `dipha` | | DIPHA image data: doubles | any number: x, y, z |
//! | `perseus` | `*.perseus` | Perseus text: doubles, fewest digits | any number: x, y, z |
//! | `raw` | `*.raw` | voxels only, little-endian, in the image's own order | any number |
//!
//! A voxel keeps its coordinates along the user's axes ([`crate::cubical`]); voxels are reordered if another axis
//! varies fastest in the format. NIfTI-2 is written if the image came from it or an axis is longer than 32,767. NIfTI,
//! TIFF, NRRD and MetaImage keep the position and size of voxels stated by a file of the same format
//! ([`Geometry`](super::geometry::Geometry)); without it, NIfTI voxels have unit size. Nothing else of the original
//! file is kept.

mod axes;
mod dipha;
mod format;
mod metaimage;
mod nifti;
mod npy;
mod nrrd;
mod perseus;
#[cfg(feature = "codecs")]
mod png;
mod raw;
#[cfg(all(test, feature = "codecs"))]
mod tests;
#[cfg(feature = "codecs")]
mod tiff;

pub use format::{ImageFile, Unwritable};
