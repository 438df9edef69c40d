//! Tests of detection, reading and refusals.

use std::io::Write;

use super::*;
use crate::progress::sums::Sums;

const TEXT: &[u8] = b"0\n0\n0\n1 0 1\n1 0 2\n1 1 2\n2 3 4 5\n";

/// A binary file of the given words.
fn words(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn binary() -> Vec<u8> {
    words(&[7, 0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 1, 2, 0, 2, 1, 2, 1, 2, 2, 3, 3, 4, 5])
}

fn load(name: &str, bytes: &[u8], format: Option<MatrixFormat>) -> Result<LoadedMatrix, String> {
    let options = MatrixReadOptions { format, upper_dim: None };
    read_source(name, bytes, &options).map_err(|error| error.to_string())
}

fn narrow(loaded: LoadedMatrix) -> LoadedComplex<u32> {
    match loaded.input {
        AnyComplex::Narrow(cells) => cells,
        AnyComplex::Wide(_) => panic!("64 bits for a handful of cells"),
    }
}

#[test]
fn text_and_binary_are_told_apart_and_hold_the_same() {
    let (text, binary) = (load("a.dat", TEXT, None).unwrap(), load("a.dat", &binary(), None).unwrap());
    assert_eq!((text.format, binary.format), (MatrixFormat::PhatAscii, MatrixFormat::PhatBinary));
    assert_eq!(text.detection.as_deref(), Some("the content is text"));
    assert_eq!(binary.detection.as_deref(), Some("the content is not text"));
    assert!(text.warning.is_none() && binary.warning.is_none());
    let cells = narrow(text);
    assert_eq!((cells.matrix.len(), cells.matrix.column(6)), (7, [3, 4, 5].as_slice()));
    assert_eq!((&cells.values, cells.max_dim, cells.cut), (&None, 2, false));
    assert_eq!(cells, narrow(binary));
}

/// Texts with the line ends of every system, byte order marks, and UTF-16, in every text format.
#[test]
fn texts_of_every_system() {
    let market = b"%%MatrixMarket matrix coordinate pattern general\n% a comment\n3 3 2\n1 3\n2 3\n";
    for (text, format) in [(TEXT, MatrixFormat::PhatAscii), (&market[..], MatrixFormat::MatrixMarket)] {
        let expected = narrow(load("a", text, None).unwrap());
        let text = std::str::from_utf8(text).unwrap();
        let (mac, dos) = (text.replace('\n', "\r"), text.replace('\n', "\r\n"));
        let wide: Vec<u8> = format!("\u{feff}{mac}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        for other in [mac.clone().into_bytes(), dos.into_bytes(), format!("\u{feff}{mac}").into_bytes(), wide]
        {
            let loaded = load("a", &other, None).unwrap();
            assert_eq!((loaded.format, narrow(loaded)), (format, expected.clone()), "{other:?}");
        }
        let error = load("a", mac.replace("2\r", "x 2\r").as_bytes(), Some(format)).unwrap_err();
        assert!(error.contains("line 3: ") || error.contains("line 5: "), "{error}");
    }
}

#[test]
fn a_given_format_is_taken_at_its_word() {
    let loaded = load("a.dipha", TEXT, Some(MatrixFormat::PhatAscii)).unwrap();
    assert_eq!((loaded.format, loaded.detection), (MatrixFormat::PhatAscii, None));
    let error = load("a", TEXT, Some(MatrixFormat::PhatBinary)).unwrap_err();
    assert!(error.contains("found text in place of") && error.ends_with(" (format phat-binary)"), "{error}");
    // For bytes that are not text, the error names the place where they violate the format.
    let error = load("a", &[0; 12], Some(MatrixFormat::PhatBinary)).unwrap_err();
    assert!(error.starts_with("a: byte ") && error.ends_with(" (format phat-binary)"), "{error}");
    let error = load("a", &binary(), Some(MatrixFormat::PhatAscii)).unwrap_err();
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
    for format in MatrixFormat::ALL {
        let error = load("a", b"", Some(format)).unwrap_err();
        assert!(error.contains("expected"), "{format}: {error}");
    }
}

#[test]
fn a_greatest_dimension_is_for_complexes_that_are_made_here() {
    for bytes in [TEXT.to_vec(), binary()] {
        let options = MatrixReadOptions { format: None, upper_dim: Some(1) };
        let error = read_source("a", &bytes, &options).unwrap_err().to_string();
        assert!(error.contains("--upper-dim"), "{error}");
    }
}

#[test]
fn a_file_and_its_bytes_are_the_same() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), binary()).unwrap();
    let loaded = read_path(file.path(), &MatrixReadOptions::default()).unwrap();
    assert_eq!(loaded, load("a", &binary(), None).unwrap());
    let missing = file.path().join("missing");
    let error = read_path(&missing, &MatrixReadOptions::default()).unwrap_err();
    assert!(matches!(error, MatrixReadError::Io { .. }) && error.to_string().contains("missing"));
}

/// Three points at distances 1, 2 and 4.1.
fn distances() -> Vec<u8> {
    let mut file = Vec::new();
    let distance = [[0.0, 1.0, 2.0], [1.0, 0.0, 4.1], [2.0, 4.1, 0.0]];
    phat_formats::dipha::write_distance_matrix(&mut file, 3, |i, j| distance[i][j]).unwrap();
    file
}

fn load_up_to(upper_dim: Option<usize>, bytes: &[u8]) -> Result<LoadedComplex<u32>, String> {
    let options = MatrixReadOptions { format: None, upper_dim };
    read_source("a", bytes, &options).map(narrow).map_err(|error| error.to_string())
}

#[test]
fn distances_keep_their_doubles_and_need_a_greatest_dimension() {
    let error = load_up_to(None, &distances()).unwrap_err();
    assert!(error.contains("expected a highest dimension (--max-dim) with distances"), "{error}");
    let edges = load_up_to(Some(1), &distances()).unwrap();
    // 4.1 would be a different number in single precision.
    assert_eq!(edges.values, Some(vec![0.0, 0.0, 0.0, 0.5, 1.0, 2.05]));
    assert_eq!((edges.max_dim, edges.cut), (1, true));
    let all = load_up_to(Some(9), &distances()).unwrap();
    assert_eq!((all.matrix.len(), all.max_dim, all.cut), (7, 9, false));
    let mut negative = distances();
    negative[32..40].copy_from_slice(&(-1.0f64).to_le_bytes());
    let error = load_up_to(Some(1), &negative).unwrap_err();
    assert!(error.contains("byte 32: expected a non-negative distance or inf, found -1"), "{error}");
}

#[test]
fn images_are_taken_whole_or_cut() {
    let mut file = Vec::new();
    let values = [1.0, 3.0, 2.0, 0.5];
    phat_formats::dipha::write_image(&mut file, &[2, 2], values.into_iter()).unwrap();
    let whole = load_up_to(None, &file).unwrap();
    assert_eq!((whole.matrix.len(), whole.max_dim, whole.cut), (9, 2, false));
    assert_eq!(whole.values.as_ref().map(|values| (values[0], values[8])), Some((0.5, 3.0)));
    let edges = load_up_to(Some(1), &file).unwrap();
    assert_eq!((edges.matrix.len(), edges.max_dim, edges.cut), (8, 1, true));
    assert!(!load_up_to(Some(7), &file).unwrap().cut);
}

#[test]
fn weighted_boundary_matrices_have_their_cells_and_values() {
    use phat_formats::dipha::{Flavour, WeightedBoundaryMatrix, write_boundary_matrix};
    let matrix = narrow(load("a", TEXT, None).unwrap()).matrix;
    let values = vec![0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 2.0];
    let complex = WeightedBoundaryMatrix { matrix, values, max_dim: 2 };
    for flavour in [Flavour::Boundary, Flavour::Coboundary] {
        let mut file = Vec::new();
        write_boundary_matrix(&mut file, &complex, flavour).unwrap();
        let cells = load_up_to(None, &file).unwrap();
        assert_eq!((&cells.matrix, cells.values.as_ref()), (&complex.matrix, Some(&complex.values)));
        assert_eq!((cells.max_dim, cells.cut), (2, false));
        assert!(load_up_to(Some(1), &file).unwrap_err().contains("--max-dim"));
    }
}

#[test]
fn a_diagram_is_no_complex() {
    let mut file = Vec::new();
    phat_formats::dipha::write_diagram(&mut file, [].into_iter()).unwrap();
    let error = load_up_to(None, &file).unwrap_err();
    let expected = "byte 8: expected DIPHA file type 0, 1, 7 or 8, found 2 (persistence diagram)";
    assert!(error.contains(expected), "{error}");
    for length in 8..16 {
        assert!(load_up_to(None, &file[..length]).unwrap_err().starts_with("a: byte "));
    }
}

#[test]
fn binary_files_are_watched_and_others_are_not() {
    let seen_of = |content: &[u8]| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        let seen = Sums::default();
        let read = read_path_watched(file.path(), &MatrixReadOptions::default(), &Backend::default(), &seen);
        (read.is_ok(), seen.last().map(|seen| (seen.stage, seen.total, seen.done)))
    };
    // 7 columns with 9 entries.
    assert_eq!(seen_of(&binary()), (true, Some(("reading", 16, 16))));
    assert_eq!(seen_of(TEXT), (true, None));
    let mut wrong = binary();
    wrong[8 * 23] = 9;
    assert_eq!(seen_of(&wrong), (false, Some(("reading", 16, 0))));
    let wrong = &wrong[..8 * 3 + 1];
    assert_eq!(seen_of(wrong), (false, None));
}
