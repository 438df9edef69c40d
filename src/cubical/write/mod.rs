//! Writers of images of bytes: what the readers read back.
//!
//! | format | name | content | axes |
//! |---|---|---|---|
//! | `npy` | `*.npy` | NumPy array, `|u1`, in the image's own order | any number |
//! | `png` | `*.png` | PNG, 8 bits, gray | one or two: row, column |
//! | `tiff` | `*.tif`, `*.tiff` | TIFF, 8 bits, gray, deflated; BigTIFF where needed; a page a plane | one to three: page, row, column |
//! | `nifti` | `*.nii` | NIfTI-1, or NIfTI-2 if the image came from one or an axis is longer than 32,767; voxels of unit size unless it came from one | up to seven: x, y, z, … |
//! | `nifti-gz` | `*.nii.gz` | the same, compressed | |
//!
//! A voxel keeps its coordinates along the user's axes ([`crate::cubical`]); where the format has another axis vary fastest, voxels
//! are put in its order. Where voxels lie in space, as a file of the same format said it ([`Geometry`]), is kept by NIfTI and TIFF, and nothing
//! else of the file the image came from.

mod nifti;
mod npy;
#[cfg(feature = "codecs")]
mod png;
#[cfg(feature = "codecs")]
mod tiff;

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use super::geometry::Geometry;
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
    /// It holds fewer axes.
    #[error("format {format}: expected at most 7 axes, found {shape}; npy holds more")]
    Axes {
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
            Format::Nifti | Format::NiftiGz if shape.axes().len() > 7 => {
                return Err(Unwritable::Axes { format: self, shape });
            }
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

    /// The order in which the format has voxels, of an image that has them in another perhaps.
    pub fn order(self, order: Order) -> Order {
        match self {
            Format::Npy => order,
            Format::Png | Format::Tiff => Order::C,
            Format::Nifti | Format::NiftiGz => Order::F,
        }
    }

    /// Writes an image that the format [holds](Format::holds). Where its voxels lie in space is kept if the format says it in the same way.
    ///
    /// # Errors
    /// What `out` answers; the format does not hold the image.
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
            Format::Npy => npy::write(image, out),
            Format::Nifti => nifti::write(image, nifti, out),
            #[cfg(feature = "codecs")]
            Format::Png => png::write(image, out),
            #[cfg(feature = "codecs")]
            Format::Tiff => tiff::write(image, resolution, out),
            #[cfg(feature = "codecs")]
            Format::NiftiGz => nifti::write_compressed(image, nifti, out),
            #[cfg(not(feature = "codecs"))]
            Format::Png | Format::Tiff | Format::NiftiGz => {
                let _ = resolution;
                Err(crate::input::codecs::missing())
            }
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Rows and columns of the planes of an image: a user's two axes as they are, one as a row, and of others the last of those that are longer
/// than 1.
#[cfg(feature = "codecs")]
fn rows_and_columns(shape: Shape) -> [usize; 2] {
    match shape.axes()[..] {
        [rows, columns] => [rows, columns],
        _ => {
            let [_, rows, columns] = shape.in_order(Order::C).extents();
            [rows, columns]
        }
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

#[cfg(all(test, feature = "codecs"))]
mod tests {
    use super::super::AnyImage;
    use super::super::geometry::{NiftiGeometry, Resolution};
    use super::super::read::{Options, open, read_bytes};
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
        format.write(image, None, &mut file).unwrap();
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
                        // A plane in space is a plane where there are only planes.
                        let long = |listed: Vec<(Vec<usize>, u8)>| -> Vec<_> {
                            let is_plane = format == Format::Png && axes.len() == 3;
                            let at =
                                |at: Vec<usize>| if is_plane { vec![at[0], at[at.len() - 1]] } else { at };
                            listed.into_iter().map(|(place, voxel)| (at(place), voxel)).collect()
                        };
                        assert_eq!(long(listed(&read)), long(listed(&image)), "{format} {order:?} {axes:?}");
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
        Format::Nifti.write(&image, None, &mut file).unwrap();
        assert_eq!(file.len(), 544 + 80_000);
        assert_eq!(read_back("a.nii", Format::Nifti, &image), image);
    }

    #[test]
    fn where_voxels_lie_is_kept() {
        let image = image(&[3, 4, 2, 1], Order::F);
        let pixdim = [-1.0, 0.5, 0.25, 3.0, 2.0, 1.0, 1.0, 1.0];
        let srows = std::array::from_fn(|k| k as f64 / 2.0 - 1.0);
        let quaternion = [0.5, -0.25, 0.125, -90.0, 126.0, -72.0];
        for (second, format) in [(false, Format::Nifti), (true, Format::Nifti), (false, Format::NiftiGz)] {
            let geometry = Geometry::Nifti(Box::new(NiftiGeometry {
                second,
                dim_info: 57,
                pixdim,
                xyzt_units: 10,
                qform_code: 1,
                sform_code: 4,
                quaternion,
                srows,
            }));
            let mut file = Vec::new();
            format.write(&image, Some(&geometry), &mut file).unwrap();
            let on_disk = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(on_disk.path(), &file).unwrap();
            let stream = open(on_disk.path(), &Options::default()).unwrap();
            assert_eq!(stream.geometry(), Some(&geometry));
            assert_eq!(stream.image().unwrap(), AnyImage::U8(image.clone()));
        }
        let plane = self::image(&[3, 4], Order::C);
        let geometry = Geometry::Tiff(Resolution { x: [300, 1], y: [1500, 7], unit: 3 });
        let mut file = Vec::new();
        Format::Tiff.write(&plane, Some(&geometry), &mut file).unwrap();
        let on_disk = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(on_disk.path(), &file).unwrap();
        assert_eq!(open(on_disk.path(), &Options::default()).unwrap().geometry(), Some(&geometry));
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
        assert!(Format::Png.write(&image(&[2, 3, 4], Order::C), None, &mut Vec::new()).is_err());
        let long = Shape::new(&[1 << 33], Order::C).unwrap();
        for (format, bits) in [(Format::Png, 31), (Format::Tiff, 32)] {
            assert_eq!(format.holds(long), Err(Unwritable::TooLarge { format, shape: long, bits }));
        }
    }
}
