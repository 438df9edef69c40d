//! Checks that images are read back as they were written.

use std::path::Path;

use super::*;
use crate::cubical::geometry::{Geometry, NiftiGeometry, Resolution};
use crate::cubical::read::{ImageOptions, open, read_bytes};
use crate::cubical::{AnyImage, Image, Order, Shape};

fn image(axes: &[usize], order: Order) -> Image<u8> {
    let shape = Shape::new(axes, order).unwrap();
    Image::new(shape, (0..shape.count()).map(|place| (place * place % 251) as u8).collect()).unwrap()
}

/// Coordinates and value of each voxel, sorted by coordinates.
fn listed(image: &Image<u8>) -> Vec<(Vec<usize>, u8)> {
    let voxel = |(place, &voxel)| (image.shape().coordinates(place), voxel);
    let mut listed: Vec<_> = image.voxels().iter().enumerate().map(voxel).collect();
    listed.sort();
    listed
}

fn read_back(name: &str, format: ImageOutputFormat, image: &Image<u8>) -> Image<u8> {
    let mut file = Vec::new();
    format.write(image, None, &mut file).unwrap();
    match read_bytes(name, &file, &ImageOptions::default()).unwrap() {
        AnyImage::U8(read) => read,
        other => panic!("{format}: {other:?}"),
    }
}

const FORMATS: [(ImageOutputFormat, &str); 5] = [
    (ImageOutputFormat::Npy, "a.npy"),
    (ImageOutputFormat::Png, "a.PNG"),
    (ImageOutputFormat::Tiff, "a.tiff"),
    (ImageOutputFormat::Nifti, "a.nii"),
    (ImageOutputFormat::NiftiGz, "b/a.nii.gz"),
];

#[test]
fn images_read_back_with_the_same_coordinates() {
    for order in [Order::C, Order::F] {
        for axes in [&[3, 5][..], &[1, 4], &[2, 3, 4], &[3, 1, 2], &[40, 30, 2]] {
            let image = image(axes, order);
            for (format, name) in FORMATS {
                assert_eq!(ImageOutputFormat::of_name(Path::new(name)), Ok(format));
                if format.holds(image.shape()).is_err() {
                    assert!(format == ImageOutputFormat::Png && axes.len() == 3);
                } else {
                    let read = read_back(name, format, &image);
                    // Formats that hold planes only read a plane in space back as a plane.
                    let long = |listed: Vec<(Vec<usize>, u8)>| -> Vec<_> {
                        let is_plane = format == ImageOutputFormat::Png && axes.len() == 3;
                        let at = |at: Vec<usize>| if is_plane { vec![at[0], at[at.len() - 1]] } else { at };
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
        let row = matches!(format, ImageOutputFormat::Png | ImageOutputFormat::Tiff);
        assert_eq!(read.shape().axes(), if row { vec![1, 7] } else { vec![7] }, "{format}");
    }
}

#[test]
fn long_axes_make_a_second_nifti() {
    let image = image(&[2, 40_000], Order::F);
    let mut file = Vec::new();
    ImageOutputFormat::Nifti.write(&image, None, &mut file).unwrap();
    assert_eq!(file.len(), 544 + 80_000);
    assert_eq!(read_back("a.nii", ImageOutputFormat::Nifti, &image), image);
}

#[test]
fn where_voxels_lie_is_kept() {
    let image = image(&[3, 4, 2, 1], Order::F);
    let pixdim = [-1.0, 0.5, 0.25, 3.0, 2.0, 1.0, 1.0, 1.0];
    let srows = std::array::from_fn(|k| k as f64 / 2.0 - 1.0);
    let quaternion = [0.5, -0.25, 0.125, -90.0, 126.0, -72.0];
    for (second, format) in [
        (false, ImageOutputFormat::Nifti),
        (true, ImageOutputFormat::Nifti),
        (false, ImageOutputFormat::NiftiGz),
    ] {
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
        let stream = open(on_disk.path(), &ImageOptions::default()).unwrap();
        assert_eq!(stream.geometry(), Some(&geometry));
        assert_eq!(stream.image().unwrap(), AnyImage::U8(image.clone()));
    }
    let plane = self::image(&[3, 4], Order::C);
    let geometry = Geometry::Tiff(Resolution { x: [300, 1], y: [1500, 7], unit: 3 });
    let mut file = Vec::new();
    ImageOutputFormat::Tiff.write(&plane, Some(&geometry), &mut file).unwrap();
    let on_disk = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(on_disk.path(), &file).unwrap();
    assert_eq!(open(on_disk.path(), &ImageOptions::default()).unwrap().geometry(), Some(&geometry));
}

#[test]
fn what_cannot_be_written() {
    let error = ImageOutputFormat::of_name(Path::new("a.jpg")).unwrap_err().to_string();
    assert_eq!(error, "expected a name that ends in .png, .tif, .tiff, .npy, .nii or .nii.gz, found a.jpg");
    let space = Shape::new(&[2, 3, 4], Order::C).unwrap();
    let error = ImageOutputFormat::Png.holds(space).unwrap_err().to_string();
    assert_eq!(
        error,
        "format png: expected an image of one or two axes, found 2x3x4; tiff, npy and nifti hold three"
    );
    assert!(ImageOutputFormat::Png.write(&image(&[2, 3, 4], Order::C), None, &mut Vec::new()).is_err());
    let long = Shape::new(&[1 << 33], Order::C).unwrap();
    for (format, bits) in [(ImageOutputFormat::Png, 31), (ImageOutputFormat::Tiff, 32)] {
        assert_eq!(format.holds(long), Err(Unwritable::TooLarge { format, shape: long, bits }));
    }
}
