//! What is read as what, and what is refused, format by format.

use super::*;
use crate::cubical::{Image, Order, Shape, Voxel as _};

mod nifti;
mod pipes;
mod plain;
mod png;
mod text;
mod tiff;
mod volumes;
mod zarr;

fn load(name: &str, file: &[u8], format: Option<ImageFormat>) -> Result<AnyImage, String> {
    read_bytes(name, file, &ImageOptions { format, ..ImageOptions::default() })
        .map_err(|error| error.to_string())
}

fn gzip(file: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(file).unwrap();
    packed.finish().unwrap()
}

fn image<T>(axes: &[usize], order: Order, voxels: Vec<T>) -> Image<T> {
    Image::new(Shape::new(axes, order).unwrap(), voxels).unwrap()
}

/// Asserts that a stream that is read in pieces of these lengths, over and over, has the voxels of the image.
fn is_the_same_in_pieces(stream: &mut Stream, whole: &AnyImage, lengths: &[usize]) {
    crate::with_image!(whole, image => {
        let (mut piece, mut all) = (image.voxels().to_vec(), Vec::new());
        for &length in lengths.iter().cycle() {
            let length = length.min(piece.len());
            let count = stream.read(&mut piece[..length]).unwrap();
            all.extend_from_slice(&piece[..count]);
            if count < length {
                break;
            }
        }
        assert_eq!(all, image.voxels());
    });
}

/// Asserts that the file is refused with this message, to which the name and the format are added.
#[track_caller]
fn refused(file: &[u8], format: ImageFormat, message: &str) {
    let expected = format!("file: {message} (format {format})");
    assert_eq!(load("file", file, Some(format)).unwrap_err(), expected);
}

/// Voxels of a file of many pieces, in order and from any place.
#[test]
fn a_file_is_read_by_several_threads() {
    const COUNT: usize = 700_001;
    let number = |k: usize| k as f32 * 0.5;
    let file = |broken: &[usize], cut: usize| {
        let mut bytes: Vec<u8> = (0..COUNT).flat_map(|k| number(k).to_le_bytes()).collect();
        for &place in broken {
            bytes[4 * place..4 * place + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        let raw = Raw { shape: vec![COUNT], dtype: VoxelType::F32, order: Order::C };
        let stream = open(file.path(), &ImageOptions { raw: Some(raw), ..ImageOptions::default() }).unwrap();
        file.as_file().set_len((bytes.len() - cut) as u64).unwrap();
        stream
    };
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut stream = file(&[], 0);
            let places = stream.anywhere().unwrap();
            let mut voxels = vec![0.0; 300_000];
            places.read(400_001, &mut voxels).unwrap();
            assert!(voxels.iter().zip(400_001..).all(|(&voxel, k)| voxel == number(k)));
            let mut all = Vec::new();
            for length in [1, 262_144, 300_000, COUNT] {
                let mut voxels = vec![0.0; length];
                let found = stream.read(&mut voxels).unwrap();
                all.extend_from_slice(&voxels[..found]);
            }
            assert_eq!(all, (0..COUNT).map(number).collect::<Vec<f32>>());
            // The first of two faults is told, whichever thread finds one first.
            let message = |broken: &[usize], cut| {
                file(broken, cut).read(&mut vec![0.0_f32; COUNT]).unwrap_err().to_string()
            };
            let found = message(&[700_000, 262_145, 262_144], 8);
            assert!(found.contains("voxel (262144): expected a number, found NaN"), "{found}");
            let found = message(&[], 8);
            assert!(
                found.contains("byte 2799996: expected 8 more bytes of voxels, found the end of the file"),
                "{found}"
            );
        });
    }
}

#[test]
fn whoever_waits_is_told_how_much_has_been_read() {
    const COUNT: usize = 70 << 20;
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(COUNT as u64).unwrap();
    let raw = Raw { shape: vec![COUNT], dtype: VoxelType::U8, order: Order::C };
    let stream = open(file.path(), &ImageOptions { raw: Some(raw), ..ImageOptions::default() }).unwrap();
    let told = std::cell::RefCell::new(Vec::new());
    let image = stream.image_watched(&|voxels| told.borrow_mut().push(voxels)).unwrap();
    assert_eq!(image.shape().count(), COUNT);
    assert_eq!(told.into_inner(), [64 << 20, 6 << 20]);
}
