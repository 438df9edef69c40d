//! Images of voxels of any type as files.

use std::io::{self, Write};

use serde::Serialize;

use super::format::{ImageOutputFormat, Unwritable};
use super::voxel::little_endian;
use super::{dipha, nifti, npy, perseus};
#[cfg(feature = "codecs")]
use super::{png, tiff};
use crate::cubical::geometry::Geometry;
use crate::cubical::image::AnyImage;
use crate::cubical::value::Inexact;
use crate::names::named;
use crate::with_image;

/// The formats that images are converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
    /// NIfTI in one file.
    Nifti,
    /// NIfTI in one file, compressed.
    NiftiGz,
    /// DIPHA's image data.
    Dipha,
    /// Perseus' text.
    Perseus,
    /// Voxels without a header.
    Raw,
}

named!(ImageFile);

impl ImageFile {
    /// Every format.
    pub const ALL: [ImageFile; 8] = [
        ImageFile::Npy,
        ImageFile::Png,
        ImageFile::Tiff,
        ImageFile::Nifti,
        ImageFile::NiftiGz,
        ImageFile::Dipha,
        ImageFile::Perseus,
        ImageFile::Raw,
    ];

    /// The format of skeletons that this is, if it is one.
    fn of_skeletons(self) -> Option<ImageOutputFormat> {
        match self {
            ImageFile::Npy => Some(ImageOutputFormat::Npy),
            ImageFile::Png => Some(ImageOutputFormat::Png),
            ImageFile::Tiff => Some(ImageOutputFormat::Tiff),
            ImageFile::Nifti => Some(ImageOutputFormat::Nifti),
            ImageFile::NiftiGz => Some(ImageOutputFormat::NiftiGz),
            ImageFile::Dipha | ImageFile::Perseus | ImageFile::Raw => None,
        }
    }

    /// Whether the format can hold an image of this shape and type.
    ///
    /// # Errors
    /// Why not.
    pub fn holds(self, image: &AnyImage) -> Result<(), Unwritable> {
        if let Some(format) = self.of_skeletons() {
            format.holds(image.shape())?;
        }
        match (self, image) {
            (ImageFile::Png, AnyImage::U8(_) | AnyImage::U16(_)) => Ok(()),
            (ImageFile::Png, _) => Err(Unwritable::VoxelType { found: image.voxel_type() }),
            _ => Ok(()),
        }
    }

    /// Whether every voxel is a number that the format has.
    ///
    /// # Errors
    /// [`Inexact`]: the first integer past 2^53 that no double is.
    pub fn holds_values(self, image: &AnyImage) -> Result<(), Inexact> {
        // Doubles hold all integers of 32 bits.
        let is_wide = matches!(image, AnyImage::U64(_) | AnyImage::I64(_));
        match self {
            ImageFile::Dipha | ImageFile::Perseus if is_wide => {
                (0..image.shape().count()).try_for_each(|place| image.exact(place).exact_double().map(drop))
            }
            ImageFile::Npy
            | ImageFile::Png
            | ImageFile::Tiff
            | ImageFile::Nifti
            | ImageFile::NiftiGz
            | ImageFile::Dipha
            | ImageFile::Perseus
            | ImageFile::Raw => Ok(()),
        }
    }

    /// Writes an image that the format [holds](ImageFile::holds). Where its voxels lie in space is kept if the format says it in the same
    /// way.
    ///
    /// # Errors
    /// What `out` answers; the format does not hold the image; an error of which [`Inexact`] is the source.
    pub fn write(self, image: &AnyImage, geometry: Option<&Geometry>, out: &mut dyn Write) -> io::Result<()> {
        self.holds(image).map_err(io::Error::other)?;
        self.holds_values(image).map_err(io::Error::other)?;
        let of_nifti = match geometry {
            Some(Geometry::Nifti(geometry)) => Some(&**geometry),
            _ => None,
        };
        #[cfg(feature = "codecs")]
        let resolution = match geometry {
            Some(Geometry::Tiff(resolution)) => Some(resolution),
            _ => None,
        };
        with_image!(image, image => match self {
            ImageFile::Npy => npy::write(image, out),
            ImageFile::Nifti => nifti::write(image, of_nifti, out),
            ImageFile::Dipha => dipha::write(image, out),
            ImageFile::Perseus => perseus::write(image, out),
            ImageFile::Raw => little_endian(image.voxels(), out),
            #[cfg(feature = "codecs")]
            ImageFile::Png => png::write(image, out),
            #[cfg(feature = "codecs")]
            ImageFile::Tiff => tiff::write(image, resolution, out),
            #[cfg(feature = "codecs")]
            ImageFile::NiftiGz => nifti::write_compressed(image, of_nifti, out),
            #[cfg(not(feature = "codecs"))]
            ImageFile::Png | ImageFile::Tiff | ImageFile::NiftiGz => {
                let _ = image;
                Err(crate::input::codecs::missing())
            }
        })
    }
}

#[cfg(all(test, feature = "codecs"))]
mod tests {
    use super::*;
    use crate::cubical::read::{ImageFormat, ImageOptions, Raw, read_bytes};
    use crate::cubical::{Image, Order, Shape};

    /// Coordinates and value of each voxel, by coordinates.
    fn listed(image: &AnyImage) -> Vec<(Vec<usize>, String)> {
        let voxel = |place| (image.shape().coordinates(place), image.exact(place).to_string());
        let mut listed: Vec<_> = (0..image.shape().count()).map(voxel).collect();
        listed.sort();
        listed
    }

    fn images() -> Vec<AnyImage> {
        let mut images = Vec::new();
        for axes in [&[7][..], &[3, 4], &[2, 3, 4]] {
            for order in [Order::C, Order::F] {
                let shape = Shape::new(axes, order).unwrap();
                let numbers = || (0..shape.count()).map(|place| place * place % 120);
                macro_rules! push {
                    ($($t:ident),*) => {$(
                        let voxels = numbers().map(|number| number as $t).collect::<Vec<$t>>();
                        images.push(AnyImage::from(Image::new(shape, voxels).unwrap()));
                    )*};
                }
                push!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);
                let fractions = numbers().map(|number| number as f64 / 7.0 - 3.0).collect::<Vec<f64>>();
                images.push(Image::new(shape, fractions).unwrap().into());
            }
        }
        images
    }

    #[test]
    fn what_is_written_is_read_back() {
        for image in images() {
            for format in ImageFile::ALL {
                if format.holds(&image).is_err() {
                    assert_eq!(format, ImageFile::Png);
                    continue;
                }
                let mut file = Vec::new();
                format.write(&image, None, &mut file).unwrap();
                let raw = Raw {
                    shape: image.shape().axes(),
                    dtype: image.voxel_type().parse().unwrap(),
                    order: image.shape().order(),
                };
                let options = match format {
                    ImageFile::Raw => ImageOptions {
                        format: Some(ImageFormat::Raw),
                        raw: Some(raw),
                        ..ImageOptions::default()
                    },
                    _ => ImageOptions::default(),
                };
                let read = read_bytes("file", &file, &options).unwrap_or_else(|error| panic!("{error}"));
                let typed = !matches!(format, ImageFile::Dipha | ImageFile::Perseus);
                assert!(!typed || read.voxel_type() == image.voxel_type(), "{format}");
                // PNG, TIFF and NIfTI have planes, and a line is a plane of one row.
                let values = |image: &AnyImage| -> Vec<String> {
                    listed(image).into_iter().map(|(_, value)| value).collect()
                };
                assert_eq!(values(&read), values(&image), "{format} {}", image.shape());
                if image.shape().dim() > 1 {
                    assert_eq!(listed(&read), listed(&image), "{format} {}", image.shape());
                }
            }
        }
    }

    #[test]
    fn infinities_survive_and_integers_are_not_rounded() {
        let image = AnyImage::from_slice(&[f64::INFINITY, -1.5, f64::NEG_INFINITY, 0.1], &[2, 2]).unwrap();
        for format in [ImageFile::Perseus, ImageFile::Dipha, ImageFile::Tiff, ImageFile::Nifti] {
            let mut file = Vec::new();
            format.write(&image, None, &mut file).unwrap();
            assert_eq!(
                listed(&read_bytes("file", &file, &ImageOptions::default()).unwrap()),
                listed(&image),
                "{format}"
            );
        }
        let large = AnyImage::from_slice(&[(1_u64 << 53) + 1, 0], &[2]).unwrap();
        for format in ImageFile::ALL {
            let refused = matches!(format, ImageFile::Dipha | ImageFile::Perseus);
            assert_eq!(format.holds_values(&large).is_err(), refused, "{format}");
        }
    }
}
