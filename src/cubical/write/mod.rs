//! Writers of images: what the readers read back. [`ImageOutputFormat`] are those of skeletons, which are images of bytes; [`ImageFile`] are
//! all of them, for voxels of any type.
//!
//! | format | name | content | axes |
//! |---|---|---|---|
//! | `npy` | `*.npy` | NumPy array, in the image's own order | any number |
//! | `png` | `*.png` | PNG, 8 or 16 bits, gray | one or two: row, column |
//! | `tiff` | `*.tif`, `*.tiff` | TIFF, gray, deflated; BigTIFF where needed; a page a plane | one to three: page, row, column |
//! | `nifti` | `*.nii` | NIfTI-1, or NIfTI-2 if the image came from one or an axis is longer than 32,767; voxels of unit size unless it came from one | up to seven: x, y, z, … |
//! | `nifti-gz` | `*.nii.gz` | the same, compressed | |
//! | `dipha` | | DIPHA's image data: doubles | any number: x, y, z |
//! | `perseus` | `*.perseus` | Perseus' text: doubles, shortest digits | any number: x, y, z |
//! | `raw` | `*.raw` | voxels alone, little-endian, in the image's own order | any number |
//!
//! A voxel keeps its coordinates along the user's axes ([`crate::cubical`]); where the format has another axis vary fastest, voxels
//! are put in its order. Where voxels lie in space, as a file of the same format said it ([`Geometry`](super::geometry::Geometry)), is kept by NIfTI and TIFF, and nothing
//! else of the file the image came from.

mod axes;
mod dipha;
mod file;
mod format;
mod nifti;
mod npy;
mod perseus;
#[cfg(feature = "codecs")]
mod png;
#[cfg(all(test, feature = "codecs"))]
mod tests;
#[cfg(feature = "codecs")]
mod tiff;
mod voxel;

pub use file::ImageFile;
pub use format::{ImageOutputFormat, UnknownName, Unwritable};
