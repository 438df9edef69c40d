//! Tests of valid and refused files of each format.

use super::*;
use crate::input::npy::tests::file as npy_file;
use phat_formats::dipha::DiagramPoint;

fn bars(file: impl AsRef<[u8]>) -> Bars {
    match read_bytes("f", file.as_ref(), None).unwrap().barcode {
        Barcode::Bars(bars) => bars,
        Barcode::CellPairs(pairs) => panic!("{pairs:?}"),
    }
}

fn error(bytes: &[u8], format: Option<BarcodeFormat>) -> String {
    read_bytes("f", bytes, format).unwrap_err().to_string()
}

fn bar(dim: u32, birth: f64, death: f64) -> DiagramPoint {
    DiagramPoint { dim, birth, death, essential: death == f64::INFINITY }
}

#[test]
fn names_read_back() {
    for format in BarcodeFormat::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error = "xml".parse::<BarcodeFormat>().unwrap_err().to_string();
    assert!(error.ends_with("dipha, gudhi, perseus, phat-ascii, phat-binary, found \"xml\""), "{error}");
}

#[test]
fn ripsers_text() {
    let text = "value range: [1,2]\r\n\npersistence intervals in dim 0:\r\n [0,1.5)\r\n [0, )\n\
                persistence intervals in dim 1:\n[1e-05 , inf)\n\npersistence intervals in dim 2:\n";
    let read = bars(text);
    assert_eq!(read.bars, [bar(0, 0.0, 1.5), bar(0, 0.0, f64::INFINITY), bar(1, 1e-5, f64::INFINITY)]);
    assert_eq!(read.dims.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
}

/// Texts with the line ends of every system, byte order marks, and UTF-16.
#[test]
fn texts_of_every_system() {
    let ripser = "value range: [1,2]\npersistence intervals in dim 0:\n [0,1.5)\n [0, )\n";
    for text in [ripser, "dim,birth,death\n0,0,1.5\n1,0.5,inf\n", "2\n0 1\n2 5\n"] {
        let expected = read_bytes("f", text.as_bytes(), None).unwrap();
        let (mac, dos) = (text.replace('\n', "\r"), text.replace('\n', "\r\n"));
        let wide: Vec<u8> = format!("\u{feff}{mac}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        for other in
            [mac.clone().into_bytes(), dos.into_bytes(), format!("\u{feff}{text}").into_bytes(), wide]
        {
            assert_eq!(read_bytes("f", &other, None).unwrap(), expected, "{other:?}");
        }
    }
    let error = error(b"dim,birth,death\r0,0,1\r0,x,1\r", None);
    assert!(error.contains("line 3"), "{error}");
    // The number of pairs begins with the bytes of a byte order mark.
    let binary = [0xfeff_u64.to_le_bytes(); 1].concat();
    assert_eq!(detect::detect("f", &binary).unwrap().0, BarcodeFormat::PhatBinary);
}

#[test]
fn texts_that_are_not_ripsers() {
    let heading = "persistence intervals in dim 0:\n";
    for (text, message) in [
        (
            "[0,1)\npersistence intervals in dim 0:\n".to_owned(),
            "line 1: expected the heading of a dimension",
        ),
        (format!("{heading} [0,1)\n{heading}"), "line 3: expected a dimension that was not there before"),
        (format!("{heading} [0,1]\n"), "line 2: expected a bar, [birth,death) or [birth, ), found \"[0,1]\""),
        (format!("{heading} [0 1)\n"), "line 2: expected a bar"),
        (format!("{heading} [0,1\n"), "line 2: expected a bar"),
        (format!("{heading} [,1)\n"), "line 2: expected a number, found \"\""),
        (format!("{heading} [0,nan)\n"), "line 2: expected a number, found \"nan\""),
        (format!("{heading} [0,1,2)\n"), "line 2: expected a number, found \"1,2\""),
        (format!("{heading}done\n"), "line 2: expected a bar"),
        ("persistence intervals in dim -1:\n".to_owned(), "line 1: expected a dimension"),
        ("persistence intervals in dim 4294967296:\n".to_owned(), "line 1: expected a dimension"),
    ] {
        let found = error(text.as_bytes(), None);
        assert!(found.contains(message), "{text:?}: {found}");
    }
    assert!(
        error(b"0,1", Some(BarcodeFormat::Ripser))
            .contains("expected a line `persistence intervals in dim 0:`")
    );
}

#[test]
fn comma_separated_values() {
    let read = bars("\u{feff}Dim, Birth, Death\r\n0,0.5,inf\r\n\n\"1\",1,2e0\n");
    assert_eq!((read.bars, read.whole), (vec![bar(0, 0.5, f64::INFINITY), bar(1, 1.0, 2.0)], false));
    let read = bars("0,3,inf\n1,1,2\n");
    assert_eq!((read.bars, read.whole), (vec![bar(0, 3.0, f64::INFINITY), bar(1, 1.0, 2.0)], true));
    assert!(bars("dim,birth,death\n").bars.is_empty());
    // Bars of superlevel sets die at minus infinity.
    let read = bars("dim,birth,death\n0,9,-inf\n0,5,-inf\n").bars;
    assert!(read.iter().all(|bar| bar.essential), "{read:?}");
}

#[test]
fn values_that_are_not_bars() {
    for (text, message) in [
        ("dim,birth,death\n0,1\n", "line 2: expected 3 entries, dim,birth,death, found 2"),
        ("dim,birth,death\n0,1,2,3\n", "line 2: expected 3 entries, dim,birth,death, found 4"),
        ("birth,death,dim\n0,1,2\n", "line 1, entry 1: expected a dimension"),
        ("0,1,2\ndim,birth,death\n", "line 2, entry 1: expected a dimension"),
        ("0.5,1,2\n", "line 1, entry 1: expected a dimension"),
        (
            "0,1,2\n\n-1,1,2\n",
            "line 3, entry 1: expected a dimension: a whole number from 0 to 4294967295, found \"-1\"",
        ),
        ("0,x,2\n", "line 1, entry 2: expected a number, found \"x\""),
        ("0,1,\n", "line 1, entry 3: expected a number, found \"\""),
        ("0,1,NaN\n", "line 1, entry 3: expected a number, found \"NaN\""),
        ("0,1,1e999\n", "line 1, entry 3: expected a number that fits double precision"),
    ] {
        let found = error(text.as_bytes(), None);
        assert!(found.contains(message), "{text:?}: {found}");
    }
}

#[test]
fn json_objects() {
    let read = bars(r#"{"max_dim": 2, "x": [1], "bars": [{"dim":0,"birth":0.1,"death":null}]}"#);
    assert_eq!((read.bars, read.max_dim), (vec![bar(0, 0.1, f64::INFINITY)], Some(2)));
    let read = bars(r#"{"max_dim": 0, "unfinished": [1, 2], "bars": [{"dim":0,"birth":0.1,"death":null}]}"#);
    assert!(read.unfinished.iter().eq(&[1, 2]) && read.has_dim(0) && !read.has_dim(1));
    // An unfinished dimension does not count as known, although it has bars.
    let read = bars(r#"{"max_dim": 1, "unfinished": [1], "bars": [{"dim":1,"birth":0.1,"death":null}]}"#);
    assert!(!read.has_dim(1));
    let pairs = read_bytes("f", br#"{"cells":4,"pairs":[[1,3]],"essential":[0,2]}"#, None).unwrap().barcode;
    let expected = CellPairs { pairs: vec![(1, 3)], essential: Some(vec![0, 2]) };
    assert_eq!(pairs, Barcode::CellPairs(expected));
}

#[test]
fn objects_that_are_not_barcodes() {
    for (text, message) in [
        ("{}", "expected bars or pairs, found neither"),
        (r#"{"bars":[],"pairs":[]}"#, "expected bars or pairs, found both"),
        (r#"{"bars":[],"max_dim":65536}"#, "expected a max_dim up to 65535, found 65536"),
        ("{\n\"bars\":[{\"dim\":0,\"birth\":1}]}", "line 2: expected an object with bars"),
        (r#"{"bars":[{"dim":0,"birth":null,"death":1}]}"#, "line 1: expected an object with bars"),
        (r#"{"bars":[{"dim":-1,"birth":0,"death":1}]}"#, "line 1: expected an object with bars"),
        (r#"{"bars":[{"dim":0,"birth":1e999,"death":1}]}"#, "number out of range"),
        (r#"{"bars":[]"#, "EOF"),
        (r#"{"bars":[]} x"#, "trailing"),
        (r#"{"pairs":[[1,3],[3,3]]}"#, "expected pair 2: a death above the birth 3, found 3"),
        (r#"{"cells":3,"pairs":[[1,3]]}"#, "expected cells below 3, found 3"),
        (r#"{"cells":3,"pairs":[],"essential":[5]}"#, "expected cells below 3, found 5"),
        (r#"{"pairs":[[1,-3]]}"#, "line 1: expected an object with bars"),
    ] {
        let found = error(text.as_bytes(), None);
        assert!(found.contains(message), "{text:?}: {found}");
    }
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn arrays() {
    let expected = vec![bar(0, 0.5, f64::INFINITY), bar(2, 1.0, 1.25)];
    let inf = f64::INFINITY;
    let rows = [0.0, 0.5, inf, 2.0, 1.0, 1.25];
    let columns = [0.0, 2.0, 0.5, 1.0, inf, 1.25];
    let singles: Vec<u8> = rows.iter().flat_map(|&x| (x as f32).to_be_bytes()).collect();
    for file in [
        npy_file("<f8", false, "(2, 3)", &doubles(&rows)),
        npy_file("<f8", true, "(2, 3)", &doubles(&columns)),
        npy_file(">f4", false, "(2, 3)", &singles),
    ] {
        assert_eq!(bars(file).bars, expected);
    }
}

#[test]
fn arrays_that_are_not_barcodes() {
    let nan = f64::NAN;
    for (file, message) in [
        (
            npy_file("<f8", false, "(6,)", &doubles(&[0.0; 6])),
            "expected an array of 3 columns: dim, birth, death, found shape [6]",
        ),
        (
            npy_file("<f8", false, "(3, 2)", &doubles(&[0.0; 6])),
            "expected an array of 3 columns: dim, birth, death, found shape [3, 2]",
        ),
        (
            npy_file("<f8", false, "(2, 3)", &doubles(&[0.0; 5])),
            "expected 2 × 3 elements of 8 bytes after the header, found 40 bytes",
        ),
        (
            npy_file("<f8", false, "(1, 3)", &doubles(&[0.0; 4])),
            "expected 1 × 3 elements of 8 bytes after the header",
        ),
        (npy_file("<c8", false, "(1, 3)", &[0; 24]), "byte 10: expected dtype f2, f4"),
        (npy_file("<f8", false, "(1, 3)", &doubles(&[0.5, 0.0, 1.0])), "found 0.5 in row 0"),
        (
            npy_file("<f8", false, "(1, 3)", &doubles(&[0.0, nan, 1.0])),
            "expected numbers, found NaN in row 0",
        ),
        (
            npy_file("<f8", true, "(2, 3)", &doubles(&[0.0, 0.0, 0.0, 0.0, 1.0, nan])),
            "expected numbers, found NaN in row 1",
        ),
    ] {
        let found = error(&file, None);
        assert!(found.contains(message), "{found}");
    }
    assert!(error(b"0,1,2", Some(BarcodeFormat::Npy)).contains("byte 0: expected NumPy's magic bytes"));
}

#[test]
fn diagrams_and_pairs() {
    let words = |words: &[i64]| words.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let one = 1f64.to_bits() as i64;
    let file = words(&[8_067_171_840, 2, 1, -2, 0, one]);
    let read = bars(&file).bars[0];
    assert_eq!((read.essential, read.dim, read.death), (true, 1, 1.0));
    assert!(error(&file[..40], None).contains("byte 40: expected 24 bytes of points from byte 24 on"));
    assert!(error(&words(&[8_067_171_840, 7, 0]), None).contains("byte 8: expected DIPHA file type 2"));

    let expected = Barcode::CellPairs(CellPairs { pairs: vec![(1, 3)], essential: None });
    for file in [&b"1\n1 3\n"[..], &words(&[1, 1, 3])] {
        assert_eq!(read_bytes("f", file, None).unwrap().barcode, expected);
    }
    assert!(error(b"1\n1 x\n", None).contains("line 2: expected the cell of a death, found \"x\""));
    assert!(error(&words(&[2, 1, 3]), None).contains("byte 24: expected 32 bytes of pairs from byte 8 on"));
}

#[test]
fn formats_are_told_apart() {
    for (text, format) in [
        ("value range: [1,2]\npersistence intervals in dim 0:\n", BarcodeFormat::Ripser),
        ("\n dim,birth,death\n", BarcodeFormat::Csv),
        (" {\"pairs\":[]}", BarcodeFormat::Json),
        ("\r\n0\r\n", BarcodeFormat::PhatAscii),
        ("\0\0\0\0\0\0\0\0", BarcodeFormat::PhatBinary),
    ] {
        let loaded = read_bytes("f", text.as_bytes(), None).unwrap();
        assert_eq!((loaded.format, loaded.detection.is_some()), (format, true), "{text:?}");
        let given = read_bytes("f", text.as_bytes(), Some(format)).unwrap();
        assert_eq!((given.barcode, given.detection), (loaded.barcode, None));
    }
    for (text, message) in [
        ("", "f: expected a barcode, found an empty file"),
        (" \n\n", "f: expected a barcode, found a file of blanks"),
        (
            "\nhello\n",
            "f: line 2: expected a barcode: a line of persistence intervals, commas, a number of pairs, or {, found \"hello\"",
        ),
    ] {
        assert!(error(text.as_bytes(), None).starts_with(message), "{text:?}");
    }
}

#[test]
fn a_message_says_what_the_file_was_taken_for() {
    let detected = error(b"1\n", None);
    assert!(detected.ends_with(" (taken for phat-ascii: its first line is a number; a format can be given)"));
    assert!(error(b"1\n", Some(BarcodeFormat::PhatAscii)).ends_with(" (format phat-ascii)"));
}

#[test]
fn tables_of_gudhi_and_perseus() {
    let inf = f64::INFINITY;
    let expected = vec![bar(1, 0.5, 1.25), bar(0, 0.0, inf)];
    for text in ["1 0.5 1.25\n0 0 inf\n", "2  1 0.5 1.25 \r\n\n# no more\n2 0 0 inf\n"] {
        let loaded = read_bytes("f", text.as_bytes(), None).unwrap();
        assert_eq!(loaded.format, BarcodeFormat::Gudhi);
        let Barcode::Bars(read) = loaded.barcode else { panic!("bars") };
        assert_eq!(read.bars, expected);
    }
    let loaded = read_bytes("a/out_2.txt", b"3 7\n4 -1\n", None).unwrap();
    assert_eq!(loaded.format, BarcodeFormat::Perseus);
    let Barcode::Bars(read) = loaded.barcode else { panic!("bars") };
    assert_eq!(read.bars, [bar(2, 3.0, 7.0), bar(2, 4.0, inf)]);
    for (name, text, message) in [
        ("f", "1 2 3\n1 2\n", "line 2: expected 3 numbers, as in the first line"),
        ("f", "0.5 2 3\n", "line 1: expected a dimension"),
        ("f", "1 x 3 4 5\n", "expected a barcode"),
        ("out.txt", "3 4\n", "expected a barcode"),
    ] {
        let found = read_bytes(name, text.as_bytes(), None).unwrap_err().to_string();
        assert!(found.contains(message), "{text:?}: {found}");
    }
    let found = read_bytes("out.txt", b"3 4\n", Some(BarcodeFormat::Perseus)).unwrap_err().to_string();
    assert!(found.contains("expected a name that ends with the dimension"), "{found}");
}

#[test]
fn tables_of_cubical_ripser() {
    let greatest = f64::MAX;
    let rows =
        [0.0, 1.0, greatest, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let expected = vec![bar(0, 1.0, f64::INFINITY), bar(1, 2.0, 3.0)];
    let text = "0,1,1.7976931348623157e+308,0,0,0,0,0,0\n1,2,3,4,5,6,7,8,9\n";
    for file in [npy_file("<f8", false, "(2, 9)", &doubles(&rows)), text.as_bytes().to_vec()] {
        assert_eq!(bars(file).bars, expected);
    }
}
