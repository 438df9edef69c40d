//! The images of data/ in every format: all have the same voxels at the same coordinates, read as a whole and in
//! pieces. Also the fuzz corpus of the readers.

use std::fs;
use std::path::{Path, PathBuf};

use lacuna::cubical::read::{ImageFormat, ImageOptions, Raw, open, read, read_bytes};
use lacuna::cubical::{Image, Order, Shape, Voxel};
use lacuna::{with_image, with_voxels};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The value at given coordinates by data/README.md: a ring in the plane, a shell in space.
fn expected(at: &[usize]) -> f64 {
    let value = match *at {
        [i, j] => match i.min(7 - i).min(j).min(5 - j) {
            0 => 100 + i + j,
            1 => 10 + (i + j) % 3,
            _ => 50 + 4 * i + j,
        },
        [1 | 2, 1, k @ 1..=3] => return (at[0] + k + 16) as f64,
        [i, j, k] => return ((i + 2 * j + 3 * k) % 5) as f64 - 4.0,
        _ => panic!("{at:?}"),
    };
    value as f64
}

/// A line of data/images.tsv.
struct Case {
    file: PathBuf,
    format: ImageFormat,
    raw: Option<Raw>,
    shape: Vec<usize>,
    dtype: String,
}

fn cases() -> Vec<Case> {
    let table = fs::read_to_string(root().join("data/images.tsv")).unwrap();
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, format, options, shape, dtype] = fields[..] else { panic!("{line}") };
        let shape: Vec<usize> = shape.split(',').map(|extent| extent.parse().unwrap()).collect();
        let order = if options.ends_with("--order f") { Order::F } else { Order::C };
        let raw = Raw { shape: shape.clone(), dtype: dtype.parse().unwrap(), order };
        let raw = options.starts_with("--shape").then_some(raw);
        Case {
            file: root().join("data").join(file),
            format: format.parse().unwrap(),
            raw,
            shape,
            dtype: dtype.into(),
        }
    };
    table.lines().skip(1).map(case).collect()
}

fn check<T: Voxel>(case: &Case, image: &Image<T>) {
    let (name, shape) = (case.file.display(), image.shape());
    assert_eq!((shape.axes(), T::NAME), (case.shape.clone(), case.dtype.as_str()), "{name}");
    for (place, voxel) in image.voxels().iter().enumerate() {
        let at = shape.coordinates(place);
        assert_eq!(voxel.value(), expected(&at), "{name}: {at:?}");
    }
}

#[test]
fn every_format_holds_the_same_image() {
    let cases = cases();
    // An image of VGStudio or Zarr is more than one file, and one of DGtal always has three axes of bytes; the tests of
    // the readers write them.
    let elsewhere = [ImageFormat::Vgi, ImageFormat::Vol, ImageFormat::Zarr];
    for format in ImageFormat::ALL.into_iter().filter(|format| !elsewhere.contains(format)) {
        assert!(cases.iter().any(|case| case.format == format), "{format}");
    }
    for case in &cases {
        for format in [None, Some(case.format)] {
            let options = ImageOptions { format, raw: case.raw.clone(), ..ImageOptions::default() };
            let image = read(&case.file, &options).unwrap();
            with_image!(&image, image => check(case, image));
        }
    }
}

#[test]
fn in_pieces_it_is_the_same() {
    for case in cases() {
        let options = ImageOptions { raw: case.raw, ..ImageOptions::default() };
        let whole = read(&case.file, &options).unwrap();
        for piece in [1, 7, 16, 48, 60, 1000] {
            let mut stream = open(&case.file, &options).unwrap();
            let pieces = with_voxels!(stream.voxel_type(), T => {
                let (shape, mut all) = (stream.shape(), Vec::<T>::new());
                loop {
                    let mut voxels = vec![Default::default(); piece];
                    let count = stream.read(&mut voxels).unwrap();
                    all.extend_from_slice(&voxels[..count]);
                    if count < piece {
                        break;
                    }
                }
                values(&Image::new(shape, all).unwrap())
            });
            assert_eq!(pieces, with_image!(&whole, image => values(image)), "{}", case.file.display());
        }
    }
}

fn values<T: Voxel>(image: &Image<T>) -> (Shape, Vec<f64>) {
    (image.shape(), image.voxels().iter().map(|voxel| voxel.value()).collect())
}

/// A truncated file is an error, unless it is text and truncated inside its last number.
#[test]
fn no_cut_file_is_an_image() {
    for case in cases() {
        let file = fs::read(&case.file).unwrap();
        let options = ImageOptions { format: Some(case.format), raw: case.raw, ..ImageOptions::default() };
        assert!(read_bytes("whole", &file, &options).is_ok());
        let end = match case.format {
            ImageFormat::Perseus => {
                file.trim_ascii_end().iter().rposition(|&byte| byte == b'\n').unwrap() + 1
            }
            _ => file.len(),
        };
        for length in 0..end {
            let cut = read_bytes("cut", &file[..length], &options);
            let expected = cut.is_err_and(|error| error.to_string().contains("expected"));
            assert!(expected, "{}: {length}", case.file.display());
        }
    }
}
