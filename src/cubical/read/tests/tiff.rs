//! `tiff`, written by the crate that reads it or by hand; files of other programs are in `data/images`.

use std::io::Cursor;

use ::tiff::encoder::colortype::{self, ColorType as TiffColour};
use ::tiff::encoder::{Compression, DeflateLevel, Predictor, TiffEncoder, TiffValue};
use ::tiff::tags::Tag;

use super::*;

/// A stack of pages, in strips of `strip` rows.
fn tiff<C: TiffColour>(
    pages: &[&[C::Inner]],
    (rows, columns): (u32, u32),
    compression: Compression,
    predictor: Predictor,
    strip: u32,
) -> Vec<u8>
where
    [C::Inner]: TiffValue,
{
    let mut file = Cursor::new(Vec::new());
    let encoder = TiffEncoder::new(&mut file).unwrap();
    let mut encoder = encoder.with_compression(compression).with_predictor(predictor);
    for page in pages {
        let mut image = encoder.new_image::<C>(columns, rows).unwrap();
        image.rows_per_strip(strip).unwrap();
        image.write_data(page).unwrap();
    }
    file.into_inner()
}

macro_rules! every_type {
    ($($t:ident $variant:ident $color:ident),*) => {$(
        let values: Vec<$t> = (0..40).map(|k: u8| (k % 7) as $t).collect();
        for (name, compression) in [
            ("none", Compression::Uncompressed),
            ("LZW", Compression::Lzw),
            ("Deflate", Compression::Deflate(DeflateLevel::Fast)),
            ("PackBits", Compression::Packbits),
        ] {
            for strip in [1, 3, 4] {
                let (first, second) = values.split_at(20);
                let pages = [first, second];
                let stack = tiff::<colortype::$color>(&pages, (4, 5), compression, Predictor::None, strip);
                let expected = AnyImage::$variant(image(&[2, 4, 5], Order::C, values.clone()));
                assert_eq!(load("a", &stack, None), Ok(expected), "{} {name} {strip}", $t::NAME);
                let page = tiff::<colortype::$color>(&[first], (4, 5), compression, Predictor::None, strip);
                let expected = AnyImage::$variant(image(&[4, 5], Order::C, first.to_vec()));
                assert_eq!(load("a", &page, None), Ok(expected), "{} {name} {strip}", $t::NAME);
            }
        }
    )*};
}

#[test]
fn samples_of_every_type() {
    every_type!(u8 U8 Gray8, i8 I8 GrayI8, u16 U16 Gray16, i16 I16 GrayI16, u32 U32 Gray32, i32 I32 GrayI32, u64 U64 Gray64, i64 I64 GrayI64, f32 F32 Gray32Float, f64 F64 Gray64Float);
    let values: Vec<u16> = (0..40).map(|k| 1000 + 3 * k).collect();
    let deflated = Compression::Deflate(DeflateLevel::Fast);
    let file = tiff::<colortype::Gray16>(&[&values], (8, 5), deflated, Predictor::Horizontal, 3);
    assert_eq!(load("a", &file, None), Ok(AnyImage::U16(image(&[8, 5], Order::C, values))));
}

fn plain<C: TiffColour>(pages: &[&[C::Inner]], size: (u32, u32)) -> Vec<u8>
where
    [C::Inner]: TiffValue,
{
    tiff::<C>(pages, size, Compression::Uncompressed, Predictor::None, size.0)
}

#[test]
fn pages_that_are_no_image() {
    let color = plain::<colortype::RGB8>(&[&[0; 12]], (2, 2));
    refused(&color, ImageFormat::Tiff, "page 0: expected gray, found RGB; convert it to gray first");
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    encoder.write_image::<colortype::Gray8>(2, 2, &[0; 4]).unwrap();
    encoder.write_image::<colortype::Gray16>(2, 2, &[0; 4]).unwrap();
    let message = "page 1: expected 2x2 voxels of type u8, as on page 0, found 2x2 voxels of type u16";
    refused(file.get_ref(), ImageFormat::Tiff, message);

    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    let mut page = encoder.new_image::<colortype::Gray8>(2, 2).unwrap();
    page.encoder().write_tag(Tag::ImageDescription, "ImageJ=1.53\nimages=5\nslices=5\n").unwrap();
    page.write_data(&[0; 4]).unwrap();
    let message = "expected 5 pages, the planes that the description names, found 1, and 4 bytes from its data on; save it again with ImageJ or tifffile, or read it as a raw file";
    refused(file.get_ref(), ImageFormat::Tiff, message);

    let not_a_number = plain::<colortype::Gray32Float>(&[&[0.0; 4], &[0.0, 0.0, f32::NAN, 0.0]], (2, 2));
    refused(
        &not_a_number,
        ImageFormat::Tiff,
        "voxel (1, 1, 0): expected a number, found NaN; --nan X replaces such voxels by X, a number, lowest or highest",
    );
}

/// A TIFF file whose pages have these entries (tag, type, values), then the data of a plane each.
///
/// Types are 2 for text, 3 for 16 bits, 4 for 32 bits; the offset of the strip is filled in.
struct Written {
    big_endian: bool,
    bytes: Vec<u8>,
    /// Where the place of the next page goes.
    link: usize,
}

impl Written {
    fn new(big_endian: bool) -> Written {
        let mut file = Written { big_endian, bytes: Vec::new(), link: 4 };
        file.bytes.extend(if big_endian { b"MM" } else { b"II" });
        file.put(42, 2);
        file.put(0, 4);
        file
    }

    fn number(&self, number: usize, size: usize) -> Vec<u8> {
        let bytes = (number as u32).to_le_bytes()[..size].to_vec();
        if self.big_endian { bytes.into_iter().rev().collect() } else { bytes }
    }

    fn put(&mut self, number: usize, size: usize) {
        let bytes = self.number(number, size);
        self.bytes.extend(bytes);
    }

    /// Adds a page of 4 columns and 5 rows with `bits` bits a sample, more entries, and its data, which are one strip
    /// unless there are tiles.
    fn page(mut self, bits: usize, others: &[(u16, u16, &[u8])], data: &[u8]) -> Written {
        let mut entries: Vec<(u16, u16, usize, Vec<u8>)> = Vec::new();
        for (tag, value) in [(256, 4), (257, 5), (258, bits), (259, 1), (262, 1), (277, 1), (279, data.len())]
        {
            if !others.iter().any(|(other, ..)| *other == tag) {
                entries.push((tag, 4, 1, self.number(value, 4)));
            }
        }
        for &(tag, kind, value) in others {
            let size = [1, 1, 2, 4][usize::from(kind) - 1];
            entries.push((tag, kind, value.len() / size, value.to_vec()));
        }
        if others.iter().any(|(tag, ..)| *tag == TILE_OFFSETS) {
            entries.retain(|(tag, ..)| *tag != 279);
        } else {
            entries.push((273, 4, 1, self.number(self.bytes.len(), 4)));
        }
        self.bytes.extend(data);
        let mut placed = Vec::new();
        for (tag, kind, count, mut value) in entries {
            if value.len() > 4 {
                let place = self.bytes.len();
                self.bytes.extend(&value);
                value = self.number(place, 4);
            }
            value.resize(4, 0);
            placed.push((tag, kind, count, value));
        }
        placed.sort();
        let here = self.number(self.bytes.len(), 4);
        self.bytes[self.link..self.link + 4].copy_from_slice(&here);
        self.put(placed.len(), 2);
        for (tag, kind, count, value) in placed {
            self.put(tag.into(), 2);
            self.put(kind.into(), 2);
            self.put(count, 4);
            self.bytes.extend(value);
        }
        self.link = self.bytes.len();
        self.put(0, 4);
        self
    }
}

const DESCRIPTION: u16 = 270;
const TILE_OFFSETS: u16 = 324;

fn picked(file: &[u8], channel: Option<usize>, frame: Option<usize>) -> Result<AnyImage, String> {
    let options = ImageOptions { channel, frame, ..ImageOptions::default() };
    read_bytes("file", file, &options).map_err(|error| error.to_string())
}

#[test]
fn a_channel_of_a_hyperstack() {
    // The unit is a micrometre in Latin-1.
    let text = b"ImageJ=1.53t\nimages=6\nchannels=2\nslices=3\nhyperstack=true\nunit=\xb5m\n\0";
    let data: Vec<u8> = (0..120).collect();
    let planes =
        |picked: &[usize]| picked.iter().flat_map(|&plane| data[20 * plane..][..20].to_vec()).collect();
    let mut listed = Written::new(false);
    for (k, plane) in data.chunks(20).enumerate() {
        let description: &[(u16, u16, &[u8])] = &[(DESCRIPTION, 2, text)];
        listed = listed.page(8, if k == 0 { description } else { &[] }, plane);
    }
    // The data of one page, which those of the others follow.
    let following = Written::new(true).page(8, &[(DESCRIPTION, 2, text), (279, 4, &[0, 0, 0, 20])], &data);
    for file in [listed.bytes, following.bytes] {
        let message = picked(&file, None, None).unwrap_err();
        let told = "file: expected planes along one axis, found 3 slices of 2 channels; --channel N takes one channel, counted from 0";
        assert!(message.starts_with(told), "{message}");
        for channel in [0, 1] {
            let voxels = planes(&[channel, channel + 2, channel + 4]);
            let expected = AnyImage::U8(image(&[3, 5, 4], Order::C, voxels));
            assert_eq!(picked(&file, Some(channel), None), Ok(expected));
        }
        assert!(picked(&file, Some(2), None).unwrap_err().contains("expected a channel from 0 to 1"));
        assert!(picked(&file, Some(0), Some(1)).unwrap_err().contains("expected frame 0, the only one"));
    }
}

#[test]
fn data_that_follow_the_only_page() {
    let text = b"ImageJ=1.53t\nimages=3\nslices=3\n\0";
    for big_endian in [false, true] {
        let values: Vec<u16> = (0..60).map(|k| 1000 + 7 * k).collect();
        let bytes = |x: &u16| if big_endian { x.to_be_bytes() } else { x.to_le_bytes() };
        let data: Vec<u8> = values.iter().flat_map(bytes).collect();
        let size = if big_endian { [0, 0, 0, 40] } else { [40, 0, 0, 0] };
        let file = Written::new(big_endian).page(16, &[(DESCRIPTION, 2, text), (279, 4, &size)], &data).bytes;
        let expected = AnyImage::U16(image(&[3, 5, 4], Order::C, values));
        assert_eq!(load("a", &file, None).as_ref(), Ok(&expected));
        let on_disk = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(on_disk.path(), &file).unwrap();
        assert_eq!(read(on_disk.path(), &ImageOptions::default()).unwrap(), expected);
    }
}

#[test]
fn strips_of_all_rows() {
    let data: Vec<u8> = (0..20).collect();
    let file = Written::new(false).page(8, &[(278, 4, &[0xff; 4])], &data).bytes;
    assert_eq!(load("a", &file, None), Ok(AnyImage::U8(image(&[5, 4], Order::C, data))));
}

#[test]
fn copies_and_masks_are_no_pages() {
    let data: Vec<u8> = (0..20).collect();
    let mut file = Written::new(false).page(8, &[], &data);
    for kind in [1, 4, 5] {
        file = file.page(8, &[(254, 4, &[kind, 0, 0, 0]), (256, 4, &[2, 0, 0, 0])], &data[..10]);
    }
    assert_eq!(load("a", &file.bytes, None), Ok(AnyImage::U8(image(&[5, 4], Order::C, data))));
}

#[test]
fn samples_of_few_bits_and_of_16_bit_floats() {
    let rows = [0b1010_0000, 0b0110_0000, 0, 0xf0, 0b0001_1111];
    let file = Written::new(false).page(1, &[], &rows).bytes;
    let bits = vec![255, 0, 255, 0, 0, 255, 255, 0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 255];
    assert_eq!(load("a", &file, None), Ok(AnyImage::U8(image(&[5, 4], Order::C, bits))));
    let file = Written::new(false).page(2, &[], &[0b0001_1011, 0, 0xff, 0, 0]).bytes;
    let AnyImage::U8(two) = load("a", &file, None).unwrap() else { panic!() };
    assert_eq!(two.voxels()[..4], [0, 85, 170, 255]);
    let file = Written::new(true).page(4, &[], &[0x01, 0x9f, 0, 0, 0, 0, 0, 0, 0, 0]).bytes;
    let AnyImage::U8(four) = load("a", &file, None).unwrap() else { panic!() };
    assert_eq!(four.voxels()[..4], [0, 17, 153, 255]);
    let halves: Vec<u8> = (0..20).flat_map(|k: u16| (0x3c00 + k).to_be_bytes()).collect();
    let file = Written::new(true).page(16, &[(339, 3, &[0, 3])], &halves).bytes;
    let expected = (0..20_u8).map(|k| 1.0 + f32::from(k) / 1024.0).collect();
    assert_eq!(load("a", &file, None), Ok(AnyImage::F32(image(&[5, 4], Order::C, expected))));
}

#[test]
fn what_to_do_with_a_tiff_that_is_not_read() {
    let refused = |others: &[(u16, u16, &[u8])], told: &str| {
        let file = Written::new(false).page(8, others, &[0; 20]).bytes;
        let message = load("a", &file, None).unwrap_err();
        assert!(message.contains(told), "{message}");
    };
    for (compression, name) in [(7, "ModernJPEG"), (50_000_u32, "ZSTD"), (4, "Fax4")] {
        let told = format!("found {name}; rewrite it, as with `tiffcp -c zip IN OUT`");
        refused(&[(259, 4, &compression.to_le_bytes())], &told);
    }
    refused(
        &[(262, 4, &[0; 4])],
        "expected gray with 0 for black, found gray with 0 for white; some programs invert",
    );
    refused(&[(262, 4, &[3, 0, 0, 0])], "expected gray, found a palette; convert it to gray first");
    refused(&[(33_629, 4, &[0; 12])], "expected a page for each plane, found a MetaMorph stack of 3 planes");
}

#[test]
fn tiffs_that_are_cut() {
    let data: Vec<u8> = (0..700_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for compression in [Compression::Uncompressed, Compression::Lzw, Compression::Packbits] {
        let file = tiff::<colortype::Gray8>(&[&data[..]; 3], (35, 20), compression, Predictor::None, 8);
        assert!(load("file", &file, None).is_ok());
        for length in (0..file.len()).step_by(7) {
            let error = load("file", &file[..length], Some(ImageFormat::Tiff)).unwrap_err();
            assert!(error.starts_with("file: page ") && error.contains(": expected "), "{length}: {error}");
        }
    }
}

#[test]
fn a_tiff_that_promises_more_than_it_holds() {
    // The tags of width and height, 256 and 257, each an entry of 12 bytes with the value in the last four.
    let mut file = plain::<colortype::Gray8>(&[&[0; 4]], (2, 2));
    for tag in [256_u16, 257] {
        let entry = file.windows(4).position(|w| w[..2] == tag.to_le_bytes() && w[2] == 4).unwrap();
        file[entry + 8..entry + 12].copy_from_slice(&100_000_u32.to_le_bytes());
    }
    let entry = file.windows(4).position(|w| w[..2] == 278_u16.to_le_bytes()).unwrap();
    file[entry + 8..entry + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let message = format!(
        "page 0: expected data for 10000000000 voxels of type u8, found a file of {} bytes, which cannot hold as many",
        file.len()
    );
    refused(&file, ImageFormat::Tiff, &message);
}

/// A page of 20 rows and 40 columns in tiles of 16 × 16, of which the last ones are cut.
fn tiled(bits: usize, sample: impl Fn(usize, usize) -> u8) -> Vec<u8> {
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for (top, left) in (0..2).flat_map(|down| (0..3).map(move |across| (16 * down, 16 * across))) {
        // The data follow the header of 8 bytes.
        offsets.extend((8 + data.len() as u32).to_le_bytes());
        for row in top..top + 16 {
            let samples: Vec<u8> = (left..left + 16).map(|column| sample(row, column)).collect();
            match bits {
                4 => data.extend(samples.chunks(2).map(|pair| pair[0] << 4 | pair[1])),
                _ => data.extend(samples),
            }
        }
    }
    let sizes = [(256 * bits / 8) as u32; 6].map(u32::to_le_bytes).concat();
    let (columns, rows, side) = (&[40, 0], &[20, 0], &[16, 0]);
    let tiles: [(u16, u16, &[u8]); 6] = [
        (256, 3, columns),
        (257, 3, rows),
        (322, 3, side),
        (323, 3, side),
        (TILE_OFFSETS, 4, &offsets),
        (325, 4, &sizes),
    ];
    Written::new(false).page(bits, &tiles, &data).bytes
}

#[test]
fn tiles_make_rows() {
    let value = |row: usize, column: usize| (7 * row + column) as u8;
    let places = || (0..20).flat_map(|row| (0..40).map(move |column| (row, column)));
    let expected: Vec<u8> = places().map(|(row, column)| value(row, column)).collect();
    assert_eq!(load("a", &tiled(8, value), None), Ok(AnyImage::U8(image(&[20, 40], Order::C, expected))));
    let nibble = |row: usize, column: usize| value(row, column) % 16;
    let expected: Vec<u8> = places().map(|(row, column)| 17 * nibble(row, column)).collect();
    assert_eq!(load("a", &tiled(4, nibble), None), Ok(AnyImage::U8(image(&[20, 40], Order::C, expected))));
}
