//! `png`, written by the crate that reads it; files of other programs are in `data/images`.

use ::png::{BitDepth, ColorType, Encoder};

use super::*;

fn png(columns: u32, rows: u32, color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, columns, rows);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == ColorType::Indexed {
        encoder.set_palette(vec![0, 0, 0, 255, 0, 0]);
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
        (ColorType::Indexed, 1, "a palette of colours"),
    ] {
        let file = png(2, 2, color, BitDepth::Eight, &vec![0; 4 * bytes]);
        let message = format!("byte 25: expected gray, found {found}; convert it to gray first");
        refused(&file, ImageFormat::Png, &message);
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 2, 2);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_animated(2, 0).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0; 4]).unwrap();
    writer.write_image_data(&[1; 4]).unwrap();
    writer.finish().unwrap();
    refused(&file, ImageFormat::Png, "expected one image, found an animation of 2");
}

#[test]
fn pngs_that_end_early_or_late() {
    let data: Vec<u8> = (0..700_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let file = png(35, 20, ColorType::Grayscale, BitDepth::Eight, &data);
    for length in 0..file.len() {
        let error = load("file", &file[..length], Some(ImageFormat::Png)).unwrap_err();
        assert!(error.starts_with("file: expected a sound PNG file, found "), "{length}: {error}");
    }
    let longer = [&file[..], b"x"].concat();
    let message = format!("byte {}: expected the end of the file, found 1 more bytes", file.len());
    refused(&longer, ImageFormat::Png, &message);
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
    refused(&huge, ImageFormat::Png, &message);
}

/// The check sum of a chunk of PNG.
fn crc(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

#[test]
fn a_palette_of_grays_is_read_as_these() {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 3, 2);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Two);
    encoder.set_palette(vec![9, 9, 9, 200, 200, 200, 0, 0, 0]);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0b0001_1000, 0b1000_0100]).unwrap();
    writer.finish().unwrap();
    let expected = image(&[2, 3], Order::C, vec![9, 200, 0, 0, 9, 200]);
    assert_eq!(load("a", &file, None), Ok(AnyImage::U8(expected)));
}

/// A row is decoded when it is asked for: what is wrong with a later one is not known before.
#[test]
fn rows_are_decoded_as_they_are_asked_for() {
    let (columns, rows) = (300_usize, 2000_usize);
    let voxels: Vec<u8> = (0..columns * rows).map(|k| ((k * k) >> 7) as u8).collect();
    let file = png(columns as u32, rows as u32, ColorType::Grayscale, BitDepth::Eight, &voxels);
    let expected = AnyImage::U8(image(&[rows, columns], Order::C, voxels.clone()));
    assert_eq!(load("a", &file, None), Ok(expected));
    let cut = file[..file.len() / 2].to_vec();
    let mut stream = open_bytes("a", Bytes::of(cut), &ImageOptions::default()).unwrap();
    let mut front = vec![0; 10 * columns + 7];
    stream.read(&mut front).unwrap();
    assert_eq!(front, voxels[..front.len()]);
    let error = stream.read(&mut vec![0_u8; columns * rows]).unwrap_err().to_string();
    assert!(error.contains("expected a sound PNG file, found the end of the file"), "{error}");
}

/// Two rows of one column, each a pass of its own: made by hand, since no encoder here interlaces.
#[test]
fn interlaced_images_are_decoded_whole() {
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], data: &[u8]| {
        file.extend((data.len() as u32).to_be_bytes());
        let content = [kind, data].concat();
        file.extend(&content);
        file.extend(crc(&content).to_be_bytes());
    };
    let header = [&2_u32.to_be_bytes()[..], &2_u32.to_be_bytes(), &[8, 0, 0, 0, 1]].concat();
    chunk(b"IHDR", &header);
    // The first pass has the first pixel, the sixth the one beside it, the seventh the second row.
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, &[0, 1, 0, 2, 0, 3, 4]).unwrap();
    chunk(b"IDAT", &packed.finish().unwrap());
    chunk(b"IEND", &[]);
    assert_eq!(load("a", &file, None), Ok(AnyImage::U8(image(&[2, 2], Order::C, vec![1, 2, 3, 4]))));
    file.push(0);
    let message = format!("byte {}: expected the end of the file, found 1 more bytes", file.len() - 1);
    refused(&file, ImageFormat::Png, &message);
}
