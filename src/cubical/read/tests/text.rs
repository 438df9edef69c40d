//! `perseus` and `dipha`.

use phat_formats::dipha::write_image;

use super::*;

fn numbers(values: Vec<f64>, axes: &[usize]) -> Result<AnyImage, String> {
    Ok(AnyImage::F64(image(axes, Order::F, values)))
}

#[test]
fn a_number_a_line() {
    let expected = numbers(vec![1.0, -1.0, 2.5e-3, f64::INFINITY, 4.0, -0.5], &[3, 2]);
    for text in [
        "2\n3\n2\n1\n-1\n2.5e-3\ninf\n4\n-0.5\n",
        "2\r\n3\r\n2\r\n\r\n1.0\r\n-1\r\n 0.0025 \r\n\tinf\r\n4\r\n-.5",
        "2\r3\r2\r\r1\r-1\r2.5e-3\rinf\r4\r-0.5\r",
        "\n\n2\n3\n2\n1\n-1\n25e-4\ninfinity\n4\n-5e-1\n\n\n",
    ] {
        assert_eq!(load("a.txt", text.as_bytes(), None), expected, "{text:?}");
    }
    assert_eq!(load("a", b"1\n1\n7", None), numbers(vec![7.0], &[1]));
    assert_eq!(load("a", b"3\n1\n2\n1\n7\n8\n", None), numbers(vec![7.0, 8.0], &[1, 2, 1]));
}

#[test]
fn text_that_is_no_image() {
    for (text, message) in [
        ("", "line 0: expected the number of axes, 1 to 3, found the end of the file"),
        ("two\n", "line 1: expected the number of axes, 1 to 3, found \"two\""),
        ("4\n1\n1\n1\n1\n5\n", "line 1: expected the number of axes, 1 to 3, found \"4\""),
        ("2\n3\n", "line 2: expected the extent of axis 2 of 2, found the end of the file"),
        ("2\n3 2\n", "line 2: expected the extent of axis 1 of 2, found \"3 2\""),
        (
            "2\n3\n-2\n1\n",
            "line 3: expected the extent of axis 2, found \"-2\"; a negative one says that the image is periodic, which is not read",
        ),
        ("2\n3\n0\n1\n", "line 3: expected at least one voxel along each axis, found shape [3, 0]"),
        (
            "2\n100\n100\n1\n2\n3\n",
            "expected at least 19999 bytes, a line for each of 100x100 voxels, found 16",
        ),
        ("1\n3\n10\n20\n", "line 4: expected the value of voxel [2] of 3, found the end of the file"),
        ("1\n3\n10\nx\n30\n", "line 4: expected the value of voxel [1] of 3, found \"x\""),
        ("1\n3\n10 20\n30\n", "line 3: expected the value of voxel [0] of 3, found \"10 20\""),
        ("1\n3\n1\n2\n3\n\n4\n", "line 7: expected the end of the file after 3 values, found \"4\""),
        (
            "1\n3\n1\nnan\n3\n",
            "voxel (1): expected a number, found NaN; --nan X replaces such voxels by X, a number, lowest or highest",
        ),
    ] {
        refused(text.as_bytes(), ImageFormat::Perseus, message);
    }
    for text in ["1\r3\r7\r\rx\r9\r", "1\r\n3\r\n7\r\n\r\nx\r\n9", "1\n3\n7\n\nx\n9"] {
        let error = load("a", text.as_bytes(), None).unwrap_err();
        assert!(error.contains("line 5: "), "{error}");
    }
    let long = ["1\n1\n", &"1".repeat(10_000)].concat();
    let error = load("a", long.as_bytes(), None).unwrap_err();
    assert!(error.contains("line 3: expected a number, found \"1111"), "{error}");
}

#[test]
fn graymaps_and_bitmaps() {
    let gray = |values: &[u8]| Ok(AnyImage::U8(image(&[2, 3], Order::C, values.to_vec())));
    let wide = |values: &[u16]| Ok(AnyImage::U16(image(&[2, 3], Order::C, values.to_vec())));
    for (file, expected) in [
        (&b"P5 3 2 255\n\x00\x01\x02\xff\x0a\x20"[..], gray(&[0, 1, 2, 255, 10, 32])),
        (b"P5\n# made by hand\n3 # columns\n2\n7\n\0\x01\x02\x03\x04\x07", gray(&[0, 1, 2, 3, 4, 7])),
        (b"P5 3 2 256 \0\x01\x01\0\x01\0\0\0\0\0\0\x09", wide(&[1, 256, 256, 0, 0, 9])),
        (b"P2\n3 2\n9\n0 1 2\n3 # c 8\n 4 9", gray(&[0, 1, 2, 3, 4, 9])),
        (b"P2 3 2 65535 0 1 2 300 65535 9\n", wide(&[0, 1, 2, 300, 65_535, 9])),
        (b"P1\n3 2\n101\n0 1 1\n", gray(&[0, 255, 0, 255, 0, 0])),
        (b"P4 3 2\n\xa0\x60", gray(&[0, 255, 0, 255, 0, 0])),
        // Blanks at the end of the file.
        (b"P5 3 2 255\n\x00\x01\x02\xff\x0a\x20\n", gray(&[0, 1, 2, 255, 10, 32])),
        (b"P5 3 2 255\n\x0a\x0a\x0a\x0a\x0a\x0a\r\n \n", gray(&[10; 6])),
        (b"P4 3 2\n\xa0\x60\n", gray(&[0, 255, 0, 255, 0, 0])),
    ] {
        assert_eq!(load("a", file, None), expected, "{:?}", String::from_utf8_lossy(file));
    }
    for (file, message) in [
        (&b"P5 3"[..], "byte 4: expected the number of rows, found the end of the file"),
        (b"P5 3 x", "byte 5: expected the number of rows, found \"x\""),
        (b"P5 3 0 9 ", "byte 6: expected at least one voxel along each axis, found shape [0, 3]"),
        (b"P5 3 2 70000 ", "byte 12: expected a greatest value from 1 to 65535, found 70000"),
        (b"P5 3 2 9 abcde", "expected 15 bytes, 2x3 voxels of type u8 from byte 9 on, found 14"),
        (b"P5 3 2 9 abcdef\ng", "byte 16: expected the end of the file, found 1 more bytes"),
        (b"P5 1 1 9 \x01P5 1 1 9 \x01", "byte 10: expected the end of the file, found 10 more bytes"),
        (b"P4 3 2 a", "expected 9 bytes, 2x3 bits from byte 7 on, found 8"),
        (b"P4 3 2 ab\nc", "expected 9 bytes, 2x3 bits from byte 7 on, found 11"),
        (b"P2 3 2 9 0 1 2 3 4 10", "byte 21: expected the value of voxel [1, 2], at most 9, found 10"),
        (b"P2 3 2 9 0 1 2 3 4 5 6", "byte 21: expected the end of the file, found 1 more bytes"),
        (
            b"P2 3000 2000 9 0 1",
            "byte 14: expected at least 11999999 bytes of values of 2000x3000 voxels, found 4",
        ),
        (b"P1 3 2 101012", "byte 12: expected the value of voxel [1, 2], at most 1, found \"2\""),
        (b"P6 3 2 9 ", "byte 0: expected P1, P2, P4 or P5, found \"P6\""),
    ] {
        refused(file, ImageFormat::Pgm, message);
    }
}

#[test]
fn dipha_images() {
    let file = |axes: &[usize], values: &[f64]| {
        let mut file = Vec::new();
        write_image(&mut file, axes, values.iter().copied()).unwrap();
        file
    };
    let values = [1.0, 2.0, 3.0, f64::NEG_INFINITY, 5.0, 6.0];
    for axes in [&[6][..], &[3, 2], &[1, 3, 2], &[1, 3, 2, 1]] {
        assert_eq!(load("a", &file(axes, &values), None), numbers(values.to_vec(), axes));
    }
    let good = file(&[3, 2], &values);
    refused(
        &good[..95],
        ImageFormat::Dipha,
        "expected 96 bytes, 3x2 voxels of type f64 from byte 48 on, found 95",
    );
    refused(
        &file(&[2, 2, 2, 2], &[0.0; 16]),
        ImageFormat::Dipha,
        "byte 24: expected 1 to 3 axes of more than one voxel, or 4 with --frame all, found shape [2, 2, 2, 2]",
    );
    refused(
        &file(&[2, 2], &[0.0, 1.0, f64::NAN, f64::NAN]),
        ImageFormat::Dipha,
        "voxel (0, 1): expected a number, found NaN; --nan X replaces such voxels by X, a number, lowest or highest",
    );
    let mut other = good.clone();
    other[8] = 2;
    refused(
        &other,
        ImageFormat::Dipha,
        "byte 8: expected DIPHA file type 1 (image data), found 2 (persistence diagram)",
    );
    for length in 0..48 {
        let error = load("file", &good[..length], Some(ImageFormat::Dipha)).unwrap_err();
        assert!(error.contains("found the end of the file"), "{length}: {error}");
    }
}
