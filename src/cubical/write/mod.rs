//! Writers of images of bytes: what the readers read back.
//!
//! | format | name | content | axes |
//! |---|---|---|---|
//! | `npy` | `*.npy` | NumPy array, `|u1`, in the image's own order | one to three |
//! | `png` | `*.png` | PNG, 8 bits, gray | one or two: row, column |
//! | `tiff` | `*.tif`, `*.tiff` | TIFF, 8 bits, gray, deflated; BigTIFF where needed; a page a plane | one to three: page, row, column |
//! | `nifti` | `*.nii` | NIfTI-1, or NIfTI-2 if an axis is longer than 32,767; voxels of unit size | one to three: x, y, z |
//! | `nifti-gz` | `*.nii.gz` | the same, compressed | |
//!
//! A voxel keeps its coordinates along the user's axes ([`crate::cubical`]); where the format has another axis vary fastest, voxels
//! are put in its order. Nothing else is kept of the file the image came from.

mod nifti;
mod npy;
mod png;
mod tiff;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use super::{Image, Order, Shape};

/// The output formats of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
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
}

/// The name of a file tells no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a name that ends in .png, .tif, .tiff, .npy, .nii or .nii.gz, found {found}")]
pub struct UnknownName {
    /// The name.
    pub found: String,
}

/// A format cannot hold an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// It holds planes.
    #[error(
        "format {format}: expected an image of one or two axes, found {shape}; tiff, npy and nifti hold three"
    )]
    Space {
        /// The format.
        format: Format,
        /// The image's shape.
        shape: Shape,
    },
    /// Its extents are too great.
    #[error("format {format}: expected extents below 2^{bits}, found {shape}")]
    TooLarge {
        /// The format.
        format: Format,
        /// The image's shape.
        shape: Shape,
        /// Bits of an extent.
        bits: u32,
    },
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 5] = [Format::Npy, Format::Png, Format::Tiff, Format::Nifti, Format::NiftiGz];

    /// The format that the name of a file tells, whatever the case of its letters.
    ///
    /// # Errors
    /// [`UnknownName`]: it tells none.
    pub fn of_name(path: &Path) -> Result<Format, UnknownName> {
        let name = path.to_string_lossy().to_lowercase();
        let known = [
            (".npy", Format::Npy),
            (".png", Format::Png),
            (".tif", Format::Tiff),
            (".tiff", Format::Tiff),
            (".nii", Format::Nifti),
            (".nii.gz", Format::NiftiGz),
        ];
        let format = known.into_iter().find(|(ending, _)| name.ends_with(ending));
        format.map(|(_, format)| format).ok_or_else(|| UnknownName { found: path.display().to_string() })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Npy => "npy",
            Format::Png => "png",
            Format::Tiff => "tiff",
            Format::Nifti => "nifti",
            Format::NiftiGz => "nifti-gz",
        }
    }

    /// Whether it can hold images of a shape.
    ///
    /// # Errors
    /// Why not.
    pub fn holds(self, shape: Shape) -> Result<(), Unwritable> {
        let bits = match self {
            Format::Npy | Format::Nifti | Format::NiftiGz => return Ok(()),
            Format::Png if shape.dim() == 3 => return Err(Unwritable::Space { format: self, shape }),
            Format::Png => 31,
            Format::Tiff => 32,
        };
        if shape.extents().into_iter().any(|extent| extent as u64 >= 1 << bits) {
            return Err(Unwritable::TooLarge { format: self, shape, bits });
        }
        Ok(())
    }

    /// Writes an image that the format [holds](Format::holds).
    ///
    /// # Errors
    /// What `out` answers; the format does not hold the image.
    pub fn write(self, image: &Image<u8>, out: &mut dyn Write) -> io::Result<()> {
        self.holds(image.shape()).map_err(io::Error::other)?;
        match self {
            Format::Npy => npy::write(image, out),
            Format::Png => png::write(image, out),
            Format::Tiff => tiff::write(image, out),
            Format::Nifti => nifti::write(image, out),
            Format::NiftiGz => nifti::write_compressed(image, out),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The voxels of an image in some order of its user's axes.
fn in_order(image: &Image<u8>, order: Order) -> Cow<'_, [u8]> {
    let shape = image.shape();
    if shape.order() == order || shape.dim() == 1 {
        return Cow::Borrowed(image.voxels());
    }
    // The other order is the slowest axis become the fastest.
    let [planes, rows, columns] = shape.extents();
    let mut voxels = Vec::with_capacity(shape.count());
    for column in 0..columns {
        for row in 0..rows {
            voxels.extend((0..planes).map(|plane| image.voxels()[(plane * rows + row) * columns + column]));
        }
    }
    Cow::Owned(voxels)
}

#[cfg(test)]
mod tests {
    use super::super::AnyImage;
    use super::super::read::{Options, read_bytes};
    use super::*;

    fn image(axes: &[usize], order: Order) -> Image<u8> {
        let shape = Shape::new(axes, order).unwrap();
        Image::new(shape, (0..shape.count()).map(|place| (place * place % 251) as u8).collect()).unwrap()
    }

    /// Coordinates and value of each voxel, in the order of the coordinates.
    fn listed(image: &Image<u8>) -> Vec<(Vec<usize>, u8)> {
        let voxel = |(place, &voxel)| (image.shape().coordinates(place), voxel);
        let mut listed: Vec<_> = image.voxels().iter().enumerate().map(voxel).collect();
        listed.sort();
        listed
    }

    fn read_back(name: &str, format: Format, image: &Image<u8>) -> Image<u8> {
        let mut file = Vec::new();
        format.write(image, &mut file).unwrap();
        match read_bytes(name, &file, &Options::default()).unwrap() {
            AnyImage::U8(read) => read,
            other => panic!("{format}: {other:?}"),
        }
    }

    const FORMATS: [(Format, &str); 5] = [
        (Format::Npy, "a.npy"),
        (Format::Png, "a.PNG"),
        (Format::Tiff, "a.tiff"),
        (Format::Nifti, "a.nii"),
        (Format::NiftiGz, "b/a.nii.gz"),
    ];

    #[test]
    fn images_read_back_with_the_same_coordinates() {
        for order in [Order::C, Order::F] {
            for axes in [&[3, 5][..], &[1, 4], &[2, 3, 4], &[3, 1, 2], &[40, 30, 2]] {
                let image = image(axes, order);
                for (format, name) in FORMATS {
                    assert_eq!(Format::of_name(Path::new(name)), Ok(format));
                    if format.holds(image.shape()).is_err() {
                        assert!(format == Format::Png && axes.len() == 3);
                    } else {
                        let read = read_back(name, format, &image);
                        assert_eq!(listed(&read), listed(&image), "{format} {order:?} {axes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn one_axis_is_a_row_where_there_is_nothing_else() {
        let image = image(&[7], Order::C);
        for (format, name) in FORMATS {
            let read = read_back(name, format, &image);
            assert_eq!(read.voxels(), image.voxels());
            let row = matches!(format, Format::Png | Format::Tiff);
            assert_eq!(read.shape().axes(), if row { vec![1, 7] } else { vec![7] }, "{format}");
        }
    }

    #[test]
    fn long_axes_make_a_second_nifti() {
        let image = image(&[2, 40_000], Order::F);
        let mut file = Vec::new();
        Format::Nifti.write(&image, &mut file).unwrap();
        assert_eq!(file.len(), 544 + 80_000);
        assert_eq!(read_back("a.nii", Format::Nifti, &image), image);
    }

    #[test]
    fn what_cannot_be_written() {
        let error = Format::of_name(Path::new("a.jpg")).unwrap_err().to_string();
        assert_eq!(
            error,
            "expected a name that ends in .png, .tif, .tiff, .npy, .nii or .nii.gz, found a.jpg"
        );
        let space = Shape::new(&[2, 3, 4], Order::C).unwrap();
        let error = Format::Png.holds(space).unwrap_err().to_string();
        assert_eq!(
            error,
            "format png: expected an image of one or two axes, found 2x3x4; tiff, npy and nifti hold three"
        );
        assert!(Format::Png.write(&image(&[2, 3, 4], Order::C), &mut Vec::new()).is_err());
        let long = Shape::new(&[1 << 33], Order::C).unwrap();
        for (format, bits) in [(Format::Png, 31), (Format::Tiff, 32)] {
            assert_eq!(format.holds(long), Err(Unwritable::TooLarge { format, shape: long, bits }));
        }
    }
}
