//! What is read as what, and what is refused.

use super::*;

const TEXT: &[u8] = b"0\n0\n0\n1 0 1\n1 0 2\n1 1 2\n2 3 4 5\n";

/// The same as a binary file, its words as given.
fn words(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn binary() -> Vec<u8> {
    words(&[7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 2, 1, 2, 2, 3, 3, 4, 5])
}

fn load(name: &str, bytes: &[u8], format: Option<Format>) -> Result<Loaded, String> {
    let options = Options { format, upper_dim: None };
    read_source(name, bytes, &options).map_err(|error| error.to_string())
}

fn narrow(loaded: Loaded) -> Cells<u32> {
    match loaded.input {
        Input::Narrow(cells) => cells,
        Input::Wide(_) => panic!("64 bits for a handful of cells"),
    }
}

#[test]
fn text_and_binary_are_told_apart_and_hold_the_same() {
    let (text, binary) = (load("a.dat", TEXT, None).unwrap(), load("a.dat", &binary(), None).unwrap());
    assert_eq!((text.format, binary.format), (Format::PhatAscii, Format::PhatBinary));
    assert_eq!(text.detection.as_deref(), Some("the content is text"));
    assert_eq!(binary.detection.as_deref(), Some("the content is not text"));
    assert!(text.warning.is_none() && binary.warning.is_none());
    let cells = narrow(text);
    assert_eq!((cells.matrix.len(), cells.matrix.column(6)), (7, [3, 4, 5].as_slice()));
    assert_eq!((&cells.values, cells.max_dim, cells.cut), (&None, 2, false));
    assert_eq!(cells, narrow(binary));
}

#[test]
fn a_given_format_is_taken_at_its_word() {
    let loaded = load("a.dipha", TEXT, Some(Format::PhatAscii)).unwrap();
    assert_eq!((loaded.format, loaded.detection), (Format::PhatAscii, None));
    let error = load("a", TEXT, Some(Format::PhatBinary)).unwrap_err();
    assert!(error.starts_with("a: byte ") && error.ends_with(" (format phat-binary)"), "{error}");
    let error = load("a", &binary(), Some(Format::PhatAscii)).unwrap_err();
    assert!(error.starts_with("a: line 1: ") && error.ends_with(" (format phat-ascii)"), "{error}");
}

#[test]
fn rows_that_do_not_ascend_are_sorted_and_that_is_said() {
    let loaded = load("a", b"0\n0\n1 1 0\n1 0 1\n1 1 0\n", None).unwrap();
    let warning = "line 3: expected ascending rows in column 2; sorted 2 columns";
    assert_eq!(loaded.warning.as_deref(), Some(warning));
    assert_eq!(narrow(loaded).matrix.column(2), [0, 1]);
    let loaded = load("a", &words(&[3, 0, 0, 0, 0, 1, 2, 1, 0]), None).unwrap();
    assert!(loaded.warning.is_some_and(|w| w.starts_with("byte ") && w.ends_with("sorted 1 column")));
}

#[test]
fn an_empty_file_is_no_matrix() {
    assert_eq!(load("a", b"", None).unwrap_err(), "a: expected a boundary matrix, found an empty file");
    for format in Format::ALL {
        let error = load("a", b"", Some(format)).unwrap_err();
        assert!(error.contains("expected"), "{format}: {error}");
    }
}

#[test]
fn a_greatest_dimension_is_for_complexes_that_are_made_here() {
    for bytes in [TEXT.to_vec(), binary()] {
        let options = Options { format: None, upper_dim: Some(1) };
        let error = read_source("a", &bytes, &options).unwrap_err().to_string();
        assert!(error.contains("--upper-dim"), "{error}");
    }
}

#[test]
fn a_file_and_its_bytes_are_the_same() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), binary()).unwrap();
    let loaded = read_path(file.path(), &Options::default()).unwrap();
    assert_eq!(loaded, load("a", &binary(), None).unwrap());
    let missing = file.path().join("missing");
    let error = read_path(&missing, &Options::default()).unwrap_err();
    assert!(matches!(error, ReadError::Io { .. }) && error.to_string().contains("missing"));
}
