//! Checks that images are read back as they were written.

use super::*;
use crate::cubical::geometry::{Geometry, NiftiGeometry, Resolution};
use crate::cubical::read::{ImageFormat, ImageOptions, Raw, open, read_bytes};
use crate::cubical::{AnyImage, Image, Order, Shape, VoxelType};

fn image(axes: &[usize], order: Order) -> Image<u8> {
    let shape = Shape::new(axes, order).unwrap();
    Image::new(shape, (0..shape.count()).map(|place| (place * place % 251) as u8).collect()).unwrap()
}

fn read_back(format: ImageFile, image: &Image<u8>) -> Image<u8> {
    let mut file = Vec::new();
    format.write(&image.clone().into(), None, &mut file).unwrap();
    match read_bytes("file", &file, &ImageOptions::default()).unwrap() {
        AnyImage::U8(read) => read,
        other => panic!("{format}: {other:?}"),
    }
}

#[test]
fn one_axis_is_a_row_where_there_is_nothing_else() {
    let image = image(&[7], Order::C);
    for format in [ImageFile::Npy, ImageFile::Png, ImageFile::Tiff, ImageFile::Nifti, ImageFile::NiftiGz] {
        let read = read_back(format, &image);
        assert_eq!(read.voxels(), image.voxels());
        let row = matches!(format, ImageFile::Png | ImageFile::Tiff);
        assert_eq!(read.shape().axes(), if row { vec![1, 7] } else { vec![7] }, "{format}");
    }
}

#[test]
fn long_axes_make_a_second_nifti() {
    let image = image(&[2, 40_000], Order::F);
    let mut file = Vec::new();
    ImageFile::Nifti.write(&image.clone().into(), None, &mut file).unwrap();
    assert_eq!(file.len(), 544 + 80_000);
    assert_eq!(read_back(ImageFile::Nifti, &image), image);
}

#[test]
fn where_voxels_lie_is_kept() {
    let image = image(&[3, 4, 2, 1], Order::F);
    let pixdim = [-1.0, 0.5, 0.25, 3.0, 2.0, 1.0, 1.0, 1.0];
    let srows: [f64; 12] = std::array::from_fn(|k| k as f64 / 2.0 - 1.0);
    let quaternion = [0.5, -0.25, 0.125, -90.0, 126.0, -72.0];
    for (second, format) in [(false, ImageFile::Nifti), (true, ImageFile::Nifti), (false, ImageFile::NiftiGz)]
    {
        let fields = [
            pixdim.to_vec(),
            vec![57.0],
            vec![10.0],
            vec![1.0],
            vec![4.0],
            quaternion.to_vec(),
            srows.to_vec(),
        ];
        let geometry = Geometry::Nifti(Box::new(NiftiGeometry { second, fields }));
        let mut file = Vec::new();
        format.write(&image.clone().into(), Some(&geometry), &mut file).unwrap();
        let on_disk = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(on_disk.path(), &file).unwrap();
        let stream = open(on_disk.path(), &ImageOptions::default()).unwrap();
        assert_eq!(stream.geometry(), Some(&geometry));
        assert_eq!(stream.image().unwrap(), AnyImage::U8(image.clone()));
    }
    let plane = self::image(&[3, 4], Order::C);
    let geometry = Geometry::Tiff(Resolution { x: [300, 1], y: [1500, 7], unit: 3 });
    let mut file = Vec::new();
    ImageFile::Tiff.write(&plane.into(), Some(&geometry), &mut file).unwrap();
    let on_disk = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(on_disk.path(), &file).unwrap();
    assert_eq!(open(on_disk.path(), &ImageOptions::default()).unwrap().geometry(), Some(&geometry));
}

#[test]
fn what_cannot_be_written() {
    let space = Shape::new(&[2, 3, 4], Order::C).unwrap();
    let error = ImageFile::Png.holds(space, VoxelType::U8).unwrap_err().to_string();
    assert_eq!(
        error,
        "format png: expected an image of one or two axes, found 2x3x4; tiff, npy and nifti hold three"
    );
    assert!(ImageFile::Png.write(&image(&[2, 3, 4], Order::C).into(), None, &mut Vec::new()).is_err());
    let long = Shape::new(&[1 << 33], Order::C).unwrap();
    for (format, bits) in [(ImageFile::Png, 31), (ImageFile::Tiff, 32)] {
        assert_eq!(
            format.holds(long, VoxelType::U8),
            Err(Unwritable::TooLarge { format, shape: long, bits })
        );
    }
}

/// Coordinates and value of each voxel, by coordinates.
fn exact(image: &AnyImage) -> Vec<(Vec<usize>, String)> {
    let voxel = |place| (image.shape().coordinates(place), image.exact(place).to_string());
    let mut listed: Vec<_> = (0..image.shape().count()).map(voxel).collect();
    listed.sort();
    listed
}

fn images() -> Vec<AnyImage> {
    let mut images = Vec::new();
    for axes in [&[7][..], &[1, 4], &[3, 4], &[3, 1, 2], &[2, 3, 4], &[40, 30, 2]] {
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
            if format.holds(image.shape(), image.voxel_type()).is_err() {
                assert_eq!(format, ImageFile::Png);
                continue;
            }
            let mut file = Vec::new();
            format.write(&image, None, &mut file).unwrap();
            let raw =
                Raw { shape: image.shape().axes(), dtype: image.voxel_type(), order: image.shape().order() };
            let options = match format {
                ImageFile::Raw => {
                    ImageOptions { format: Some(ImageFormat::Raw), raw: Some(raw), ..ImageOptions::default() }
                }
                _ => ImageOptions::default(),
            };
            let read = read_bytes("file", &file, &options).unwrap_or_else(|error| panic!("{error}"));
            let typed = !matches!(format, ImageFile::Dipha | ImageFile::Perseus);
            assert!(!typed || read.voxel_type() == image.voxel_type(), "{format}");
            // PNG and TIFF have planes, and a line is a plane of one row; a PNG has no third axis.
            let is_plane = matches!(format, ImageFile::Png | ImageFile::Tiff);
            let coordinates = |at: Vec<usize>| match at[..] {
                [column] if is_plane => vec![0, column],
                [first, .., last] if format == ImageFile::Png => vec![first, last],
                _ => at,
            };
            let listed = |image: &AnyImage| -> Vec<(Vec<usize>, String)> {
                exact(image).into_iter().map(|(at, value)| (coordinates(at), value)).collect()
            };
            assert_eq!(listed(&read), listed(&image), "{format} {}", image.shape());
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
            exact(&read_bytes("file", &file, &ImageOptions::default()).unwrap()),
            exact(&image),
            "{format}"
        );
    }
    let large = AnyImage::from_slice(&[(1_u64 << 53) + 1, 0], &[2]).unwrap();
    for format in ImageFile::ALL {
        let refused = matches!(format, ImageFile::Dipha | ImageFile::Perseus);
        assert_eq!(format.holds_values(&large).is_err(), refused, "{format}");
    }
}
