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
        ("1\n3\n1\nnan\n3\n", "voxel (1): expected a number, found NaN"),
    ] {
        refused(text.as_bytes(), Format::Perseus, message);
    }
    let long = ["1\n1\n", &"1".repeat(10_000)].concat();
    let error = load("a", long.as_bytes(), None).unwrap_err();
    assert!(error.contains("line 3: expected a number, found \"1111"), "{error}");
}

#[test]
fn dipha_images() {
    let file = |axes: &[usize], values: &[f64]| {
        let mut file = Vec::new();
        write_image(&mut file, axes, values.iter().copied()).unwrap();
        file
    };
    let values = [1.0, 2.0, 3.0, f64::NEG_INFINITY, 5.0, 6.0];
    for axes in [&[6][..], &[3, 2], &[1, 3, 2]] {
        assert_eq!(load("a", &file(axes, &values), None), numbers(values.to_vec(), axes));
    }
    let good = file(&[3, 2], &values);
    refused(
        &good[..95],
        Format::Dipha,
        "expected 96 bytes, 3x2 voxels of type f64 from byte 48 on, found 95",
    );
    refused(
        &file(&[1, 3, 2, 1], &values),
        Format::Dipha,
        "byte 24: expected 1 to 3 axes, found shape [1, 3, 2, 1]",
    );
    refused(
        &file(&[2, 2], &[0.0, 1.0, f64::NAN, f64::NAN]),
        Format::Dipha,
        "voxel (0, 1): expected a number, found NaN",
    );
    let mut other = good.clone();
    other[8] = 2;
    refused(
        &other,
        Format::Dipha,
        "byte 8: expected DIPHA file type 1 (image data), found 2 (persistence diagram)",
    );
    for length in 0..48 {
        let error = load("file", &good[..length], Some(Format::Dipha)).unwrap_err();
        assert!(error.contains("found the end of the file"), "{length}: {error}");
    }
}
