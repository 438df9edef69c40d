//! Voxels that lie in their file one after the other: `npy` and `raw`.

use super::*;

/// An array file of version 1.0.
pub(super) fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': ({shape}), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

macro_rules! every_type {
    ($($t:ident $variant:ident $descr:literal),*) => {$(
        let values: Vec<$t> = [0, 1, 2, 3, 100, 127].map(|k: u8| k as $t).to_vec();
        for (mark, bytes) in [
            ("<", values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()),
            (">", values.iter().flat_map(|x| x.to_be_bytes()).collect()),
        ] {
            for (fortran, order) in [(false, Order::C), (true, Order::F)] {
                let file = npy(&format!("{mark}{}", $descr), fortran, "2, 3", &bytes);
                let expected = AnyImage::$variant(image(&[2, 3], order, values.clone()));
                assert_eq!(load("a.npy", &file, None), Ok(expected), "{mark}{}", $descr);
            }
        }
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        for order in [Order::C, Order::F] {
            let raw = Raw { shape: vec![1, 3, 2], dtype: stringify!($t).parse().unwrap(), order };
            let read = read_bytes("a.bin", &bytes, &ImageOptions { raw: Some(raw), ..ImageOptions::default() }).unwrap();
            assert_eq!(read, AnyImage::$variant(image(&[1, 3, 2], order, values.clone())));
        }
    )*};
}

#[test]
fn every_type_in_both_byte_orders_and_both_orders() {
    every_type!(u8 U8 "u1", i8 I8 "i1", u16 U16 "u2", i16 I16 "i2", u32 U32 "u4", i32 I32 "i4", u64 U64 "u8",
        i64 I64 "i8", f32 F32 "f4", f64 F64 "f8");
}

#[test]
fn truth_values_become_bytes() {
    let file = npy("|b1", false, "3,", &[1, 0, 1]);
    assert_eq!(load("a", &file, None), Ok(AnyImage::U8(image(&[3], Order::C, vec![1, 0, 1]))));
    let file = npy("|b1", false, "3,", &[1, 0, 2]);
    let message = format!("byte {}: expected 0 or 1 as a truth value, found 2", file.len() - 1);
    refused(&file, ImageFormat::Npy, &message);
}

#[test]
fn images_of_four_axes() {
    let data: Vec<u8> = (0..24).collect();
    let options = ImageOptions { four_axes: true, ..ImageOptions::default() };
    for (fortran, order) in [(false, Order::C), (true, Order::F)] {
        let file = npy("|u1", fortran, "3, 2, 1, 2, 2", &data);
        let found = read_bytes("a.npy", &file, &options).unwrap();
        assert_eq!(found, AnyImage::U8(image(&[3, 2, 1, 2, 2], order, data.clone())));
        let raw = Raw { shape: vec![3, 2, 2, 2], dtype: VoxelType::U8, order };
        let options = ImageOptions { raw: Some(raw), ..options.clone() };
        let found = read_bytes("a", &data, &options).unwrap();
        assert_eq!(found, AnyImage::U8(image(&[3, 2, 2, 2], order, data.clone())));
    }
    let five = npy("|u1", false, "3, 2, 2, 2, 2", &[0; 48]);
    let message = read_bytes("a.npy", &five, &options).unwrap_err().to_string();
    assert!(message.contains("expected 1 to 4 axes of more than one voxel, found"), "{message}");
}

#[test]
fn arrays_that_are_no_images() {
    let data = [0; 24];
    let place = "byte 10: expected";
    let part = "; save a part of it, such as a[..., 0]";
    for (file, message) in [
        (
            npy("|u1", false, "", &[0]),
            format!("{place} 1 to 3 axes of more than one voxel, found shape []{part}"),
        ),
        (
            npy("|u1", false, "3, 2, 2, 2", &data),
            format!(
                "{place} 1 to 3 axes of more than one voxel, or 4 with --frame all, found shape [3, 2, 2, 2]{part}"
            ),
        ),
        (
            npy("|u1", false, "3, 0", &[]),
            format!("{place} at least one voxel along each axis, found shape [3, 0]{part}"),
        ),
        (
            npy("<c8", false, "3,", &data),
            format!(
                "{place} dtype b1, u1, u2, u4, u8, i1, i2, i4, i8, f2, f4 or f8, found '<c8'; save it as one of these with a.astype(…)"
            ),
        ),
    ] {
        refused(&file, ImageFormat::Npy, &message);
    }
}

#[test]
fn floats_of_16_bits_become_those_of_32() {
    // 1, -2, the greatest, the least above 0, infinity and -0.
    let halves = [0x3c00_u16, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x8000];
    let values = vec![1.0, -2.0, 65_504.0, 2_f32.powi(-24), f32::INFINITY, -0.0];
    for (descr, bytes) in
        [("<f2", halves.map(u16::to_le_bytes).concat()), (">f2", halves.map(u16::to_be_bytes).concat())]
    {
        let found = load("a", &npy(descr, false, "2, 3", &bytes), None);
        assert_eq!(found, Ok(AnyImage::F32(image(&[2, 3], Order::C, values.clone()))));
    }
    let file = npy("<f2", false, "2,", &[0, 0, 1, 0x7e]);
    refused(
        &file,
        ImageFormat::Npy,
        "voxel (1): expected a number, found NaN; --nan X replaces such voxels by X, a number, lowest or highest",
    );
}

#[test]
fn axes_of_one_voxel_make_no_difference() {
    let values: Vec<u8> = (0..6).collect();
    for shape in ["2, 3", "2, 3, 1", "2, 1, 3", "1, 2, 3", "1, 1, 2, 1, 3"] {
        for (fortran, order) in [(false, Order::C), (true, Order::F)] {
            let axes: Vec<usize> = shape.split(", ").map(|extent| extent.parse().unwrap()).collect();
            let read = load("a", &npy("|u1", fortran, shape, &values), None).unwrap();
            assert_eq!(read, AnyImage::U8(image(&axes, order, values.clone())));
            assert_eq!((read.shape().dim(), read.shape().axes()), (2, axes));
        }
    }
}

#[test]
fn arrays_of_an_archive() {
    use crate::input::npz::tests::archive;
    let plane = npy("|u1", true, "2, 3", &[0, 1, 2, 3, 4, 5]);
    let line = npy("<u2", false, "2,", &[7, 0, 8, 0]);
    let keyed = |file: &[u8], key: Option<&str>| {
        let options = ImageOptions { key: key.map(str::to_owned), ..ImageOptions::default() };
        read_bytes("a.npz", file, &options).map_err(|error| error.to_string())
    };
    let expected = || Ok(AnyImage::U8(image(&[2, 3], Order::F, vec![0, 1, 2, 3, 4, 5])));
    for deflated in [false, true] {
        let one = archive(&[("arr_0", plane.clone())], deflated);
        assert_eq!(load("a", &one, None), expected());
        assert_eq!(keyed(&one, Some("arr_0")), expected());
        let two = archive(&[("line", line.clone()), ("plane", plane.clone())], deflated);
        assert_eq!(keyed(&two, Some("plane")), expected());
        let message = keyed(&two, None).unwrap_err();
        let told = "expected an archive of one array, found 2: line, plane; --key NAME takes one of them";
        assert!(message.contains(told), "{message}");
        let message = keyed(&two, Some("x")).unwrap_err();
        assert!(message.contains("expected an array called \"x\", found line, plane"), "{message}");
        let mut broken = one.clone();
        broken.truncate(one.len() / 2);
        assert!(keyed(&broken, None).unwrap_err().contains("expected"));
    }
    let message = keyed(&plane, Some("x")).unwrap_err();
    assert!(
        message
            .contains("expected an npz file, of which to take the array \"x\", found a file of format npy"),
        "{message}"
    );
}

#[test]
fn a_format_without_channels_has_one() {
    let file = npy("|u1", false, "2,", &[7, 8]);
    let picked = |channel, frame| {
        let options = ImageOptions { channel, frame, ..ImageOptions::default() };
        read_bytes("a", &file, &options).map_err(|error| error.to_string())
    };
    assert!(picked(Some(0), Some(0)).is_ok());
    assert!(picked(Some(1), None).unwrap_err().contains("expected channel 0, the only one, found channel 1"));
    assert!(picked(None, Some(2)).unwrap_err().contains("expected frame 0, the only one, found frame 2"));
}

#[test]
fn a_file_is_as_long_as_its_voxels() {
    let file = npy("<u2", false, "2, 3", &[0; 12]);
    let start = file.len() - 12;
    let expected = format!("expected {} bytes, 2x3 voxels of type u16 from byte {start} on", file.len());
    for length in [start, file.len() - 1] {
        refused(&file[..length], ImageFormat::Npy, &format!("{expected}, found {length}"));
    }
    let longer = [&file[..], &[0]].concat();
    refused(&longer, ImageFormat::Npy, &format!("{expected}, found {}", longer.len()));
    // A hundred bytes that promise 10^12 voxels.
    let file = npy("<f8", false, "10000, 10000, 10000", &[0; 8]);
    let error = load("file", &file, None).unwrap_err();
    assert!(error.contains("expected 8000000000"), "{error}");
}

#[test]
fn a_stream_gives_the_image_in_pieces_of_any_size() {
    let values: Vec<u16> = (0..600_000_u32).map(|k| (k % 65_521) as u16).collect();
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_be_bytes()).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), npy(">u2", false, "300, 2000", &bytes)).unwrap();
    for piece in [7, 4096, 700_000] {
        let mut stream = open(file.path(), &ImageOptions::default()).unwrap();
        let (mut all, mut buffer) = (Vec::<u16>::new(), vec![0; piece]);
        loop {
            let count = stream.read(&mut buffer).unwrap();
            all.extend(&buffer[..count]);
            if count < piece {
                break;
            }
        }
        assert!(all == values, "in pieces of {piece}");
        assert_eq!(stream.read(&mut buffer).unwrap(), 0);
    }
}

#[test]
fn not_a_number_is_named_by_its_users_coordinates() {
    let mut values = [0.0_f32, f32::INFINITY, f32::NEG_INFINITY, 3.0, 4.0, f32::MAX];
    let file = |values: &[f32], fortran| {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        npy("<f4", fortran, "2, 3", &bytes)
    };
    let read = load("file", &file(&values, false), None).unwrap();
    assert_eq!(read, AnyImage::F32(image(&[2, 3], Order::C, values.to_vec())));
    (values[3], values[5]) = (f32::NAN, f32::NAN);
    refused(
        &file(&values, false),
        ImageFormat::Npy,
        "voxel (1, 0): expected a number, found NaN; --nan X replaces such voxels by X, a number, lowest or highest",
    );
    refused(
        &file(&values, true),
        ImageFormat::Npy,
        "voxel (1, 1): expected a number, found NaN; --nan X replaces such voxels by X, a number, lowest or highest",
    );
}

#[test]
fn what_goes_with_a_raw_file() {
    let raw = Raw { shape: vec![2, 3], dtype: VoxelType::I16, order: Order::C };
    let refused = |file: &[u8], format, raw: Option<&Raw>| {
        let options = ImageOptions { format, raw: raw.cloned(), ..ImageOptions::default() };
        read_bytes("a.raw", file, &options).unwrap_err().to_string()
    };
    assert_eq!(
        refused(&[0; 11], None, Some(&raw)),
        "a.raw: expected 12 bytes, 2x3 voxels of type i16, found 11 (format raw)"
    );
    let empty = Raw { shape: vec![0], ..raw.clone() };
    assert_eq!(
        refused(&[], Some(ImageFormat::Raw), Some(&empty)),
        "a.raw: expected at least one voxel along each axis, found shape [0] (format raw)"
    );
    assert!(
        refused(&[0; 12], Some(ImageFormat::Raw), None).contains("expected shape and type of the voxels")
    );
    assert!(refused(&[0; 12], Some(ImageFormat::Npy), Some(&raw)).contains("only with format raw"));
    assert!(refused(&[0; 12], None, None).contains("--format can be npy, png"));
    assert_eq!(refused(&[], None, None), "a.raw: expected an image, found an empty file");
    let huge = Raw { shape: vec![1 << 31, 1 << 31], dtype: VoxelType::F64, order: Order::C };
    assert!(refused(&[0; 12], None, Some(&huge)).contains("expected fewer than 2^64 bytes"));
}

#[test]
fn a_stream_names_a_voxel_far_into_the_image() {
    let mut values = vec![0.0_f64; 200_000];
    values[150_001] = f64::NAN;
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let raw = Raw { shape: vec![200, 1000], dtype: VoxelType::F64, order: Order::F };
    let mut stream = open(file.path(), &ImageOptions { raw: Some(raw), ..ImageOptions::default() }).unwrap();
    let mut buffer = vec![0.0; 150_000];
    assert_eq!(stream.read(&mut buffer).unwrap(), 150_000);
    let error = stream.read(&mut buffer).unwrap_err().to_string();
    assert!(error.contains(": voxel (1, 750): expected a number, found NaN"), "{error}");
}

#[test]
fn files_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let missing = open(&folder.path().join("missing"), &ImageOptions::default()).unwrap_err();
    assert!(matches!(&missing, ImageReadError::Io { file, .. } if file.ends_with("missing")), "{missing}");
    let folder = open(folder.path(), &ImageOptions::default()).unwrap_err();
    assert!(matches!(folder, ImageReadError::Io { .. }), "{folder}");
}

#[test]
fn a_value_takes_the_place_of_nan() {
    let values = [1.0, f32::NAN, -f32::NAN, f32::INFINITY];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let file = npy("<f4", false, "4,", &bytes);
    let replaced = |nan| {
        let options = ImageOptions { nan: Some(nan), ..ImageOptions::default() };
        let memory = read_bytes("a", &file, &options).map_err(|error| error.to_string());
        let on_disk = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(on_disk.path(), &file).unwrap();
        let read = open(on_disk.path(), &options).and_then(Stream::image);
        assert_eq!(read.is_ok(), memory.is_ok());
        if let (Ok(read), Ok(memory)) = (read, &memory) {
            assert_eq!(read, *memory);
        }
        memory
    };
    for nan in [0.0, -2.5, f32::NEG_INFINITY, f32::INFINITY] {
        let expected = AnyImage::F32(image(&[4], Order::C, vec![1.0, nan, nan, f32::INFINITY]));
        assert_eq!(replaced(nan.into()), Ok(expected));
    }
    let error = replaced(1e300).unwrap_err();
    assert!(error.contains("expected a value for NaN that voxels of type f32 have, found 1"), "{error}");
    // Integers have none.
    let options = ImageOptions { nan: Some(0.5), ..ImageOptions::default() };
    let bytes = read_bytes("a", &npy("|u1", false, "2,", &[3, 4]), &options).unwrap();
    assert_eq!(bytes, AnyImage::U8(image(&[2], Order::C, vec![3, 4])));
}
