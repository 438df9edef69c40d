//! Image output formats, and the images that each can hold.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::{nifti, npy};
#[cfg(feature = "codecs")]
use super::{png, tiff};
use crate::cubical::geometry::Geometry;
use crate::cubical::image::Image;
use crate::cubical::shape::{Order, Shape};
use crate::names::named;

/// Output format of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImageOutputFormat {
    /// NumPy array.
    Npy,
    /// PNG.
    Png,
    /// TIFF.
    Tiff,
    /// NIfTI, header and voxels in one file.
    Nifti,
    /// NIfTI in one file, gzip-compressed.
    NiftiGz,
}

/// Error: the format cannot be determined from the name of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a name that ends in .png, .tif, .tiff, .npy, .nii or .nii.gz, found {found}")]
#[non_exhaustive]
pub struct UnknownName {
    /// The name of the file.
    pub found: String,
}

/// Reasons why a format cannot hold an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unwritable {
    /// The format holds planar images only.
    #[error(
        "format {format}: expected an image of one or two axes, found {shape}; tiff, npy and nifti hold three"
    )]
    Space {
        /// The format.
        format: ImageOutputFormat,
        /// The shape of the image.
        shape: Shape,
    },
    /// The format holds fewer axes.
    #[error("format {format}: expected at most 7 axes, found {shape}; npy holds more")]
    Axes {
        /// The format.
        format: ImageOutputFormat,
        /// The shape of the image.
        shape: Shape,
    },
    /// An extent is too great for the format.
    #[error("format {format}: expected extents below 2^{bits}, found {shape}")]
    TooLarge {
        /// The format.
        format: ImageOutputFormat,
        /// The shape of the image.
        shape: Shape,
        /// Number of bits of an extent in the format.
        bits: u32,
    },
    /// The format does not support the voxel type.
    #[error("format png: expected voxels of u8 or u16, found {found}; tiff, npy and nifti hold every type")]
    VoxelType {
        /// NumPy name of the voxel type.
        found: &'static str,
    },
}

impl ImageOutputFormat {
    /// All formats.
    pub const ALL: [ImageOutputFormat; 5] = [
        ImageOutputFormat::Npy,
        ImageOutputFormat::Png,
        ImageOutputFormat::Tiff,
        ImageOutputFormat::Nifti,
        ImageOutputFormat::NiftiGz,
    ];

    /// The format for the extension of a file name, ignoring case.
    ///
    /// # Errors
    /// [`UnknownName`]: the name has no known extension.
    pub fn of_name(path: &Path) -> Result<ImageOutputFormat, UnknownName> {
        let name = path.to_string_lossy().to_lowercase();
        let known = [
            (".npy", ImageOutputFormat::Npy),
            (".png", ImageOutputFormat::Png),
            (".tif", ImageOutputFormat::Tiff),
            (".tiff", ImageOutputFormat::Tiff),
            (".nii", ImageOutputFormat::Nifti),
            (".nii.gz", ImageOutputFormat::NiftiGz),
        ];
        let format = known.into_iter().find(|(ending, _)| name.ends_with(ending));
        format.map(|(_, format)| format).ok_or_else(|| UnknownName { found: path.display().to_string() })
    }

    /// Checks that the format can hold images of this shape.
    ///
    /// # Errors
    /// [`Unwritable`]: the reason why not.
    pub fn holds(self, shape: Shape) -> Result<(), Unwritable> {
        let bits = match self {
            ImageOutputFormat::Nifti | ImageOutputFormat::NiftiGz if shape.axes().len() > 7 => {
                return Err(Unwritable::Axes { format: self, shape });
            }
            ImageOutputFormat::Npy | ImageOutputFormat::Nifti | ImageOutputFormat::NiftiGz => return Ok(()),
            ImageOutputFormat::Png if shape.dim() == 3 => {
                return Err(Unwritable::Space { format: self, shape });
            }
            ImageOutputFormat::Png => 31,
            ImageOutputFormat::Tiff => 32,
        };
        if shape.extents().into_iter().any(|extent| extent as u64 >= 1 << bits) {
            return Err(Unwritable::TooLarge { format: self, shape, bits });
        }
        Ok(())
    }

    /// The order of voxels in this format, for an image in the given order.
    pub fn order(self, order: Order) -> Order {
        match self {
            ImageOutputFormat::Npy => order,
            ImageOutputFormat::Png | ImageOutputFormat::Tiff => Order::C,
            ImageOutputFormat::Nifti | ImageOutputFormat::NiftiGz => Order::F,
        }
    }

    /// Writes an image that the format [holds](ImageOutputFormat::holds). `geometry` is written if it is that of the
    /// same format.
    ///
    /// # Errors
    /// The error of `out`, or that the format does not hold the image.
    pub fn write(
        self,
        image: &Image<u8>,
        geometry: Option<&Geometry>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.holds(image.shape()).map_err(io::Error::other)?;
        let nifti = match geometry {
            Some(Geometry::Nifti(geometry)) => Some(&**geometry),
            _ => None,
        };
        let resolution = match geometry {
            Some(Geometry::Tiff(resolution)) => Some(resolution),
            _ => None,
        };
        match self {
            ImageOutputFormat::Npy => npy::write(image, out),
            ImageOutputFormat::Nifti => nifti::write(image, nifti, out),
            #[cfg(feature = "codecs")]
            ImageOutputFormat::Png => png::write(image, out),
            #[cfg(feature = "codecs")]
            ImageOutputFormat::Tiff => tiff::write(image, resolution, out),
            #[cfg(feature = "codecs")]
            ImageOutputFormat::NiftiGz => nifti::write_compressed(image, nifti, out),
            #[cfg(not(feature = "codecs"))]
            ImageOutputFormat::Png | ImageOutputFormat::Tiff | ImageOutputFormat::NiftiGz => {
                let _ = resolution;
                Err(crate::input::codecs::missing())
            }
        }
    }
}

named!(ImageOutputFormat);
