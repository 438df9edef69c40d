//! `nifti`: both versions, both byte orders, every type, scaling, and what is refused.

use super::*;

/// What a header says, and the bytes of the voxels.
#[derive(Clone)]
pub(super) struct File {
    second: bool,
    big_endian: bool,
    axes: Vec<i64>,
    code: i16,
    bits: i16,
    start: i64,
    pub(super) scaling: (f64, f64),
    data: Vec<u8>,
}

impl File {
    pub(super) fn new(second: bool, axes: &[i64], code: i16, bits: i16, data: Vec<u8>) -> File {
        let start = if second { 544 } else { 352 };
        File { second, big_endian: false, axes: axes.to_vec(), code, bits, start, scaling: (0.0, 0.0), data }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut file = vec![0; self.start as usize];
        let mut put = |place: usize, mut bytes: Vec<u8>| {
            if self.big_endian {
                bytes.reverse();
            }
            file[place..place + bytes.len()].copy_from_slice(&bytes);
        };
        let extents = std::iter::once(self.axes.len() as i64).chain(self.axes.iter().copied());
        if self.second {
            put(0, 540_i32.to_le_bytes().to_vec());
            extents.enumerate().for_each(|(k, x)| put(16 + 8 * k, x.to_le_bytes().to_vec()));
            put(12, self.code.to_le_bytes().to_vec());
            put(14, self.bits.to_le_bytes().to_vec());
            put(168, self.start.to_le_bytes().to_vec());
            put(176, self.scaling.0.to_le_bytes().to_vec());
            put(184, self.scaling.1.to_le_bytes().to_vec());
            file[4..12].copy_from_slice(b"n+2\0\r\n\x1a\n");
        } else {
            put(0, 348_i32.to_le_bytes().to_vec());
            extents.enumerate().for_each(|(k, x)| put(40 + 2 * k, (x as i16).to_le_bytes().to_vec()));
            put(70, self.code.to_le_bytes().to_vec());
            put(72, self.bits.to_le_bytes().to_vec());
            put(108, (self.start as f32).to_le_bytes().to_vec());
            put(112, (self.scaling.0 as f32).to_le_bytes().to_vec());
            put(116, (self.scaling.1 as f32).to_le_bytes().to_vec());
            file[344..348].copy_from_slice(b"n+1\0");
        }
        file.extend(&self.data);
        file
    }

    fn load(&self) -> Result<AnyImage, String> {
        load("file", &self.bytes(), None)
    }

    #[track_caller]
    fn refused(&self, message: &str) {
        refused(&self.bytes(), ImageFormat::Nifti, message);
    }
}

macro_rules! every_type {
    ($($t:ident $variant:ident $code:literal),*) => {$(
        let values: Vec<$t> = (0..24).map(|k: u8| k as $t).collect();
        for (second, big_endian) in [(false, false), (false, true), (true, false), (true, true)] {
            let bytes = |x: &$t| if big_endian { x.to_be_bytes().to_vec() } else { x.to_le_bytes().to_vec() };
            let data = values.iter().flat_map(bytes).collect();
            let file = File { big_endian, ..File::new(second, &[4, 3, 2], $code, $t::NAME[1..].parse().unwrap(), data) };
            let expected = AnyImage::$variant(image(&[4, 3, 2], Order::F, values.clone()));
            assert_eq!(file.load().as_ref(), Ok(&expected), "{}", $t::NAME);
            assert_eq!(load("file", &gzip(&file.bytes()), None), Ok(expected), "{}", $t::NAME);
        }
    )*};
}

#[test]
fn every_type_in_both_versions_and_byte_orders() {
    every_type!(u8 U8 2, i16 I16 4, i32 I32 8, f32 F32 16, f64 F64 64, i8 I8 256, u16 U16 512, u32 U32 768, i64 I64 1024, u64 U64 1280);
}

#[test]
fn axes_of_one_voxel_are_kept_for_the_user() {
    for axes in [vec![4, 6, 1], vec![24, 1, 1, 1, 1, 1, 1], vec![2, 3, 4, 1], vec![1, 24], vec![1, 6, 1, 4]] {
        let file = File::new(false, &axes, 2, 8, vec![7; 24]);
        let axes: Vec<usize> = axes.into_iter().map(|extent| extent as usize).collect();
        assert_eq!(file.load(), Ok(AnyImage::U8(image(&axes, Order::F, vec![7; 24]))), "{axes:?}");
    }
    let one = File::new(false, &[1, 1, 1, 1], 2, 8, vec![7]);
    assert_eq!(one.load(), Ok(AnyImage::U8(image(&[1; 4], Order::F, vec![7]))));
    File::new(false, &[2, 3, 2, 2], 2, 8, vec![7; 24]).refused(
        "byte 40: expected 1 to 3 axes of more than one voxel, or 4 with --frame all, found shape [2, 3, 2, 2]; --frame N takes one of 2 frames, counted from 0",
    );
}

#[test]
fn a_frame_and_a_component() {
    let data: Vec<u8> = (0..48).collect();
    let picked = |axes: &[i64], channel, frame| {
        let file = File::new(false, axes, 2, 8, data.clone()).bytes();
        let options = ImageOptions { channel, frame, ..ImageOptions::default() };
        let [plain, packed] = [file.clone(), gzip(&file)]
            .map(|file| read_bytes("file", &file, &options).map_err(|error| error.to_string()));
        assert_eq!(plain.is_ok(), packed.is_ok());
        assert!(plain.is_err() || plain == packed);
        plain
    };
    let from = |axes: &[usize], first: usize| {
        let count = axes.iter().product::<usize>();
        Ok(AnyImage::U8(image(axes, Order::F, data[first..first + count].to_vec())))
    };
    assert_eq!(picked(&[2, 3, 2, 4], None, Some(3)), from(&[2, 3, 2], 36));
    assert_eq!(picked(&[2, 3, 2, 1, 4], Some(1), None), from(&[2, 3, 2], 12));
    assert_eq!(picked(&[2, 3, 2, 2, 2], Some(1), Some(0)), from(&[2, 3, 2], 24));
    // Three long axes take no picking.
    assert_eq!(picked(&[2, 6, 1, 4], None, None), from(&[2, 6, 1, 4], 0));
    for (axes, channel, frame, told) in [
        (&[2, 3, 2, 4][..], None, Some(4), "expected a frame from 0 to 3, found frame 4"),
        (&[2, 3, 2, 4], Some(1), None, "expected channel 0, the only one, found channel 1"),
        (&[2, 3, 2, 2, 2], None, None, "--frame N and --channel N take one of each, counted from 0"),
        (&[2, 3, 2, 2, 2], None, Some(0), "--channel N takes one channel, counted from 0"),
        (&[2, 3, 2, 2, 2], Some(0), None, "--frame N takes one of 2 frames, counted from 0"),
    ] {
        let message = picked(axes, channel, frame).unwrap_err();
        assert!(message.contains(told), "{message}");
    }
    let four_axes = |axes: &[i64], channel| {
        let file = File::new(false, axes, 2, 8, data.clone()).bytes();
        read_bytes("file", &file, &ImageOptions { channel, four_axes: true, ..ImageOptions::default() })
    };
    assert_eq!(four_axes(&[2, 3, 2, 4], None).map_err(|error| error.to_string()), from(&[2, 3, 2, 4], 0));
    assert_eq!(
        four_axes(&[2, 3, 2, 2, 2], Some(1)).map_err(|error| error.to_string()),
        from(&[2, 3, 2, 2], 24)
    );
    assert!(four_axes(&[2, 3, 2, 2, 2], None).unwrap_err().to_string().contains("1 to 4 axes"));
    // All frames are in the file, whichever is read.
    let mut short = File::new(false, &[2, 3, 2, 4], 2, 8, data.clone()).bytes();
    short.pop();
    let options = ImageOptions { frame: Some(0), ..ImageOptions::default() };
    let message = read_bytes("file", &short, &options).unwrap_err().to_string();
    assert!(
        message.contains(
            "expected 400 bytes, of which 2x3x2 voxels of type u8 from byte 352 on are read, found 399"
        ),
        "{message}"
    );
}

#[test]
fn scaled_voxels_are_their_values() {
    let stored = [-3_i16, 0, 1000];
    let data: Vec<u8> = stored.iter().flat_map(|x| x.to_le_bytes()).collect();
    for second in [false, true] {
        let file = |scaling| File { scaling, ..File::new(second, &[3], 4, 16, data.clone()) };
        let unscaled = AnyImage::I16(image(&[3], Order::F, stored.to_vec()));
        for scaling in [(0.0, 5.0), (1.0, 0.0), (f64::NAN, 1.0), (f64::INFINITY, 1.0)] {
            assert_eq!(file(scaling).load().as_ref(), Ok(&unscaled), "{scaling:?}");
        }
        for (slope, inter) in [(2.5, -0.75), (1.0, 4.0), (-1.0, 0.0)] {
            let values = stored.iter().map(|&x| slope * f64::from(x) + inter).collect();
            let expected = AnyImage::F64(image(&[3], Order::F, values));
            assert_eq!(file((slope, inter)).load(), Ok(expected), "{slope} {inter}");
        }
        let place = if second { 176 } else { 112 };
        file((2.0, f64::NAN))
            .refused(&format!("byte {place}: expected a finite intercept with the slope 2, found NaN"));
    }
    let stored = [0.1_f32, f32::INFINITY, -2.0];
    let data: Vec<u8> = stored.iter().flat_map(|x| x.to_le_bytes()).collect();
    let file = File { scaling: (3.0, 1.0), ..File::new(false, &[3], 16, 32, data) };
    let values = stored.iter().map(|&x| (3.0 * f64::from(x) + 1.0) as f32).collect();
    assert_eq!(file.load(), Ok(AnyImage::F32(image(&[3], Order::F, values))));
    let vast =
        File { scaling: (1e30, 1.0), data: [1e20_f32, 0.0, 1.0].map(f32::to_le_bytes).concat(), ..file };
    let expected = "expected scaled values that fit the type of the voxels, \
        found 1000000015047466200000000000000 · 100000002004087730000 + 1";
    vast.refused(expected);
}

#[test]
fn headers_that_cannot_be() {
    let first = File::new(false, &[2, 3], 2, 8, vec![7; 6]);
    let second = File::new(true, &[2, 3], 2, 8, vec![7; 6]);
    let types = "a data type for u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 (2, 4, 8, 16, 64, 256, 512, 768, 1024 or 1280)";
    for (file, message) in [
        (File { code: 128, bits: 24, ..first.clone() }, format!("byte 70: expected {types}, found 128")),
        (File { code: 32, ..second.clone() }, format!("byte 12: expected {types}, found 32")),
        (File { bits: 16, ..first.clone() }, "byte 72: expected 8 bits of a u8, found 16".to_owned()),
        (File { axes: vec![], ..first.clone() }, "byte 40: expected 1 to 7 axes, found 0".to_owned()),
        (
            File { axes: vec![2, -3], ..second.clone() },
            "byte 16: expected at least one voxel along each axis, found shape [2, -3]".to_owned(),
        ),
        (
            File { axes: vec![2, 0], ..first.clone() },
            "byte 40: expected at least one voxel along each axis, found shape [2, 0]".to_owned(),
        ),
        (
            File { axes: vec![i64::MAX, i64::MAX, 1], ..second.clone() },
            format!("byte 16: expected fewer than 2^63 voxels, found shape [{0}, {0}, 1]", i64::MAX),
        ),
        (
            File { start: 349, ..first.clone() },
            "byte 108: expected a whole number from 352 on, where the voxels start, found 349".to_owned(),
        ),
        (
            File { start: 541, ..second.clone() },
            "byte 168: expected a whole number from 544 on, where the voxels start, found 541".to_owned(),
        ),
    ] {
        file.refused(&message);
    }
    let mut pair = first.bytes();
    pair[344..348].copy_from_slice(b"ni1\0");
    assert!(load("file", &pair, None).unwrap_err().contains("makes a single .nii file of both"));
    pair[344..348].copy_from_slice(b"oops");
    refused(&pair, ImageFormat::Nifti, "byte 344: expected NIfTI's magic bytes, n+1 or n+2, found \"oops\"");
    pair[344..348].fill(0);
    assert!(load("file.hdr", &pair, Some(ImageFormat::Nifti)).unwrap_err().contains("a header of ANALYZE"));
    refused(
        b"abcdef",
        ImageFormat::Nifti,
        "byte 0: expected 348 or 540, the size of a NIfTI header, found 1684234849",
    );
    refused(
        b"ab",
        ImageFormat::Nifti,
        "byte 2: expected the size of a NIfTI header, found the end of the file",
    );
    refused(
        &first.bytes()[..300],
        ImageFormat::Nifti,
        "byte 300: expected a header of 348 bytes, found the end of the file",
    );
}

#[test]
fn voxels_start_after_an_extension() {
    let file = File { start: 32_000, ..File::new(false, &[2, 3], 2, 8, vec![7; 6]) };
    let expected = Ok(AnyImage::U8(image(&[2, 3], Order::F, vec![7; 6])));
    assert_eq!(file.load(), expected);
    assert_eq!(load("file", &gzip(&file.bytes()), None), expected);
}

#[test]
fn files_that_end_early_or_late() {
    // Random bytes, which do not become shorter, of more than the head that is kept.
    let data: Vec<u8> = (0..40_000_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let file = File::new(false, &[200, 200], 2, 8, data).bytes();
    refused(
        &file[..file.len() - 1],
        ImageFormat::Nifti,
        "expected 40352 bytes, 200x200 voxels of type u8 from byte 352 on, found 40351",
    );
    refused(
        &gzip(&file[..file.len() - 1]),
        ImageFormat::Nifti,
        "byte 40351: expected 1 more bytes of voxels, found the end of the file",
    );
    let longer = [&file[..], &[0]].concat();
    refused(&gzip(&longer), ImageFormat::Nifti, "byte 40352: expected the end of the file, found more bytes");
    let packed = gzip(&file);
    assert!(load("file", &packed, None).is_ok());
    for length in [3, 10, 300, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
        let error = load("file", &packed[..length], None).unwrap_err();
        assert!(
            error.contains("more of a file compressed with gzip, found its data broken"),
            "{length}: {error}"
        );
    }
    // Two files compressed one after the other are one.
    let (front, back) = file.split_at(20_000);
    let joined = [gzip(front), gzip(back)].concat();
    assert_eq!(load("file", &joined, None), load("file", &file, None));
    let other = load("a.gz", &gzip(b"not an image"), None).unwrap_err();
    assert!(other.contains("found text that begins with \"not an image\""), "{other}");
}

#[test]
fn a_header_alone_takes_no_memory() {
    let file = File { axes: vec![30_000, 30_000, 30_000], ..File::new(false, &[1], 64, 64, vec![0; 8]) };
    assert!(file.load().unwrap_err().contains("expected 216000000000352 bytes"));
    let error = load("file", &gzip(&file.bytes()), None).unwrap_err();
    assert!(error.contains("expected 216000000000352 bytes"), "{error}");
    let longer = File { data: vec![0; 20_000], ..file };
    let error = load("file", &gzip(&longer.bytes()), None).unwrap_err();
    assert!(error.contains("more bytes of voxels, found the end of the file"), "{error}");
}
