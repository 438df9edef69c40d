//! Image output formats, and the images that each can hold.

use std::io::{self, Write};

use serde::Serialize;
use strum::VariantArray;

use super::{dipha, metaimage, nifti, npy, nrrd, perseus, raw};
#[cfg(feature = "codecs")]
use super::{png, tiff};
use crate::cubical::geometry::Geometry;
use crate::cubical::image::AnyImage;
use crate::cubical::shape::{Order, Shape, ShapeError};
use crate::cubical::value::Inexact;
use crate::cubical::voxel::VoxelType;
use crate::names::named;

/// Output format of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImageFile {
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
    /// DIPHA image data.
    Dipha,
    /// Perseus text.
    Perseus,
    /// Voxels without a header.
    Raw,
    /// NRRD, header and voxels in one file.
    Nrrd,
    /// MetaImage, header and voxels in one file.
    Metaimage,
}

named!(ImageFile);

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
        format: ImageFile,
        /// The shape of the image.
        shape: Shape,
    },
    /// Images of four axes are not written.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The format holds fewer axes.
    #[error("format {format}: expected at most 7 axes, found {shape}; npy holds more")]
    Axes {
        /// The format.
        format: ImageFile,
        /// The shape of the image.
        shape: Shape,
    },
    /// An extent is too great for the format.
    #[error("format {format}: expected extents below 2^{bits}, found {shape}")]
    TooLarge {
        /// The format.
        format: ImageFile,
        /// The shape of the image.
        shape: Shape,
        /// Number of bits of an extent in the format.
        bits: u32,
    },
    /// The format does not support the voxel type.
    #[error("format png: expected voxels of u8 or u16, found {found}; tiff, npy and nifti hold every type")]
    VoxelType {
        /// The voxel type.
        found: VoxelType,
    },
}

impl ImageFile {
    /// Checks that the format can hold images of this shape and voxel type.
    ///
    /// # Errors
    /// [`Unwritable`]: the reason why not.
    pub fn holds(self, shape: Shape, voxels: VoxelType) -> Result<(), Unwritable> {
        shape.check_three()?;
        let bits = match self {
            ImageFile::Nifti | ImageFile::NiftiGz if shape.axes().len() > 7 => {
                return Err(Unwritable::Axes { format: self, shape });
            }
            ImageFile::Png if shape.dim() == 3 => return Err(Unwritable::Space { format: self, shape }),
            ImageFile::Png if !matches!(voxels, VoxelType::U8 | VoxelType::U16) => {
                return Err(Unwritable::VoxelType { found: voxels });
            }
            ImageFile::Png => 31,
            ImageFile::Tiff => 32,
            _ => return Ok(()),
        };
        if shape.extents().into_iter().any(|extent| extent as u64 >= 1 << bits) {
            return Err(Unwritable::TooLarge { format: self, shape, bits });
        }
        Ok(())
    }

    /// Checks that the format can represent every voxel.
    ///
    /// # Errors
    /// [`Inexact`]: the first integer beyond 2^53 without an exact double.
    pub fn holds_values(self, image: &AnyImage) -> Result<(), Inexact> {
        // Doubles hold all integers of 32 bits.
        let is_wide = matches!(image, AnyImage::U64(_) | AnyImage::I64(_));
        if is_wide && matches!(self, ImageFile::Dipha | ImageFile::Perseus) {
            return (0..image.shape().count())
                .try_for_each(|place| image.exact(place).exact_double().map(drop));
        }
        Ok(())
    }

    /// The order of voxels in this format, for an image in the given order.
    pub fn order(self, order: Order) -> Order {
        match self {
            ImageFile::Npy | ImageFile::Raw => order,
            ImageFile::Png | ImageFile::Tiff => Order::C,
            ImageFile::Nifti
            | ImageFile::NiftiGz
            | ImageFile::Dipha
            | ImageFile::Perseus
            | ImageFile::Nrrd
            | ImageFile::Metaimage => Order::F,
        }
    }

    /// Writes an image that the format [holds](ImageFile::holds). `geometry` is written if it is that of the same
    /// format.
    ///
    /// # Errors
    /// The error of `out`; the format does not hold the image; an error of which [`Inexact`] is the source.
    pub fn write(self, image: &AnyImage, geometry: Option<&Geometry>, out: &mut dyn Write) -> io::Result<()> {
        self.holds(image.shape(), image.voxel_type()).map_err(io::Error::other)?;
        self.holds_values(image).map_err(io::Error::other)?;
        match self {
            ImageFile::Npy => npy::write(image, out),
            ImageFile::Nifti => nifti::write(image, geometry, out),
            ImageFile::Dipha => dipha::write(image, out),
            ImageFile::Perseus => perseus::write(image, out),
            ImageFile::Nrrd => nrrd::write(image, geometry, out),
            ImageFile::Metaimage => metaimage::write(image, geometry, out),
            ImageFile::Raw => raw::write(image.bytes(), image.voxel_type().bytes(), out),
            #[cfg(feature = "codecs")]
            ImageFile::Png => png::write(image, out),
            #[cfg(feature = "codecs")]
            ImageFile::Tiff => tiff::write(image, geometry, out),
            #[cfg(feature = "codecs")]
            ImageFile::NiftiGz => {
                let mut packed = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
                nifti::write(image, geometry, &mut packed)?;
                packed.finish().map(drop)
            }
            #[cfg(not(feature = "codecs"))]
            ImageFile::Png | ImageFile::Tiff | ImageFile::NiftiGz => Err(crate::input::codecs::missing()),
        }
    }
}
