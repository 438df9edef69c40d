//! `png` and `tiff`, written by the crates that read them; files of other programs are in `data/images`.

use std::io::Cursor;

use ::png::{BitDepth, ColorType, Encoder};
use ::tiff::encoder::colortype::{self, ColorType as TiffColour};
use ::tiff::encoder::{Compression, DeflateLevel, Predictor, TiffEncoder, TiffValue};
use ::tiff::tags::Tag;

use super::*;

fn png(columns: u32, rows: u32, color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, columns, rows);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == ColorType::Indexed {
        encoder.set_palette(vec![0; 6]);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    file
}

#[test]
fn grays_of_every_depth() {
    for (depth, data, values) in [
        (BitDepth::One, vec![0b1010_0000, 0b0110_0000], vec![255, 0, 255, 0, 255, 255]),
        (BitDepth::Two, vec![0b0001_1000, 0b1100_0000], vec![0, 85, 170, 255, 0, 0]),
        (BitDepth::Four, vec![0x01, 0xf0, 0x9a, 0xb0], vec![0, 17, 255, 153, 170, 187]),
        (BitDepth::Eight, vec![1, 2, 3, 4, 5, 255], vec![1, 2, 3, 4, 5, 255]),
    ] {
        let file = png(3, 2, ColorType::Grayscale, depth, &data);
        assert_eq!(load("a", &file, None), Ok(AnyImage::U8(image(&[2, 3], Order::C, values))), "{depth:?}");
    }
    let file = png(1, 2, ColorType::Grayscale, BitDepth::Sixteen, &[1, 2, 0xff, 0xfe]);
    assert_eq!(load("a", &file, None), Ok(AnyImage::U16(image(&[2, 1], Order::C, vec![0x102, 0xfffe]))));
}

#[test]
fn what_is_not_gray() {
    for (color, bytes, found) in [
        (ColorType::Rgb, 3, "red, green and blue"),
        (ColorType::Rgba, 4, "red, green and blue with transparency"),
        (ColorType::GrayscaleAlpha, 2, "gray with transparency"),
        (ColorType::Indexed, 1, "a palette"),
    ] {
        let file = png(2, 2, color, BitDepth::Eight, &vec![0; 4 * bytes]);
        let message = format!("byte 25: expected gray, found {found}; convert it to gray first");
        refused(&file, Format::Png, &message);
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 2, 2);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_animated(2, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0; 4]).unwrap();
    writer.write_image_data(&[1; 4]).unwrap();
    writer.finish().unwrap();
    refused(&file, Format::Png, "expected one image, found an animation of 2");
}

#[test]
fn pngs_that_end_early_or_late() {
    let data: Vec<u8> = (0..700_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let file = png(35, 20, ColorType::Grayscale, BitDepth::Eight, &data);
    for length in 0..file.len() {
        let error = load("file", &file[..length], Some(Format::Png)).unwrap_err();
        assert!(error.starts_with("file: expected a sound PNG file, found "), "{length}: {error}");
    }
    let longer = [&file[..], b"x"].concat();
    let message = format!("byte {}: expected the end of the file, found 1 more bytes", file.len());
    refused(&longer, Format::Png, &message);
    // A header of 2^62 voxels.
    let mut huge = png(1, 1, ColorType::Grayscale, BitDepth::Eight, &[0]);
    huge[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    let sum = crc(&huge[12..29]);
    huge[29..33].copy_from_slice(&sum.to_be_bytes());
    let error = load("file", &huge, None).unwrap_err();
    assert!(error.contains("expected"), "{error}");
    // One of 10^8, which decoding would have to allocate.
    huge[16..24].copy_from_slice(&[0, 0, 0x27, 0x10, 0, 0, 0x27, 0x10]);
    let sum = crc(&huge[12..29]);
    huge[29..33].copy_from_slice(&sum.to_be_bytes());
    let message = format!(
        "expected data for 10000x10000 voxels, found {} bytes, which cannot hold as many",
        huge.len()
    );
    refused(&huge, Format::Png, &message);
}

/// The check sum of PNG's chunks, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| (sum >> 1) ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

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
    refused(&color, Format::Tiff, "page 0: expected gray, found RGB; convert it to gray first");
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    encoder.write_image::<colortype::Gray8>(2, 2, &[0; 4]).unwrap();
    encoder.write_image::<colortype::Gray16>(2, 2, &[0; 4]).unwrap();
    let message = "page 1: expected 2x2 voxels of type u8, as on page 0, found 2x2 voxels of type u16";
    refused(file.get_ref(), Format::Tiff, message);

    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    let mut page = encoder.new_image::<colortype::Gray8>(2, 2).unwrap();
    page.encoder().write_tag(Tag::ImageDescription, "ImageJ=1.53\nimages=5\nslices=5\n").unwrap();
    page.write_data(&[0; 4]).unwrap();
    let message = "expected 5 pages, the images of the stack that ImageJ describes, found 1; save it as BigTIFF or as a raw file";
    refused(file.get_ref(), Format::Tiff, message);

    let not_a_number = plain::<colortype::Gray32Float>(&[&[0.0; 4], &[0.0, 0.0, f32::NAN, 0.0]], (2, 2));
    refused(&not_a_number, Format::Tiff, "voxel (1, 1, 0): expected a number, found NaN");
}

#[test]
fn tiffs_that_are_cut() {
    let data: Vec<u8> = (0..700_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for compression in [Compression::Uncompressed, Compression::Lzw, Compression::Packbits] {
        let file = tiff::<colortype::Gray8>(&[&data[..]; 3], (35, 20), compression, Predictor::None, 8);
        assert!(load("file", &file, None).is_ok());
        for length in (0..file.len()).step_by(7) {
            let error = load("file", &file[..length], Some(Format::Tiff)).unwrap_err();
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
    refused(&file, Format::Tiff, &message);
}
