//! Valid and damaged archives, as NumPy and SciPy write them.

use super::*;
use crate::input::npy::tests::file;
use crate::input::triplets::Triplets;
use flate2::write::DeflateEncoder;
use rawzip::ZipArchiveWriter;
use std::io::Write;

/// Makes an archive of arrays as NumPy writes it.
pub(crate) fn archive(arrays: &[(&str, Vec<u8>)], deflated: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut zip = ZipArchiveWriter::new(&mut bytes);
    for (name, array) in arrays {
        let method = if deflated { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
        let (mut entry, config) =
            zip.new_file(format!("{name}.npy")).compression_method(method).start().unwrap();
        let descriptor = if deflated {
            let mut writer = config.wrap(DeflateEncoder::new(&mut entry, flate2::Compression::default()));
            writer.write_all(array).unwrap();
            let (encoder, descriptor) = writer.finish().unwrap();
            encoder.finish().unwrap();
            descriptor
        } else {
            let mut writer = config.wrap(&mut entry);
            writer.write_all(array).unwrap();
            writer.finish().unwrap().1
        };
        entry.finish(descriptor).unwrap();
    }
    zip.finish().unwrap();
    bytes
}

fn longs(values: &[i64]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    file("<i8", false, &format!("({},)", values.len()), &bytes)
}

/// The matrix with rows (0 1 0) and (2 0 −3), compressed by rows.
fn by_rows() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("indices", longs(&[1, 2, 0])),
        ("indptr", longs(&[0, 1, 3])),
        ("format", file("|S3", false, "()", b"csr")),
        ("shape", longs(&[2, 3])),
        ("data", longs(&[1, -3, 2])),
    ]
}

fn sparse(arrays: &[(&str, Vec<u8>)]) -> Result<Triplets, String> {
    let bytes = archive(arrays, true);
    Archive::open(&bytes).and_then(|archive| archive.sparse()).map_err(|problem| problem.to_string())
}

fn entries(found: &Triplets) -> Vec<(usize, usize, f64)> {
    let mut entries: Vec<_> =
        found.entries.iter().map(|entry| (entry.row, entry.column, entry.value)).collect();
    entries.sort_by_key(|&(row, column, _)| (row, column));
    entries
}

#[test]
fn arrays_by_name() {
    for deflated in [false, true] {
        let bytes = archive(&by_rows(), deflated);
        let found = Archive::open(&bytes).unwrap();
        assert_eq!(found.names().collect::<Vec<_>>(), ["indices", "indptr", "format", "shape", "data"]);
        assert_eq!(found.read("shape").unwrap(), longs(&[2, 3]));
        assert!(found.is_sparse());
        let missing = found.read("row").unwrap_err().to_string();
        assert_eq!(missing, "expected an array called \"row\" in the archive, found none");
        let several = found.single().unwrap_err().to_string();
        assert!(several.contains("found 5: indices, indptr, format, shape, data; save the one"), "{several}");
        let one = archive(&[("arr_0", longs(&[7]))], deflated);
        assert_eq!(Archive::open(&one).unwrap().single().unwrap(), longs(&[7]));
    }
}

#[test]
fn sparse_matrices_of_each_format() {
    let expected = [(0, 1, 1.0), (1, 0, 2.0), (1, 2, -3.0)];
    let by_rows = by_rows();
    let found = sparse(&by_rows).unwrap();
    assert_eq!((found.rows, found.columns, &entries(&found)[..]), (2, 3, &expected[..]));
    let format = |name: &str| {
        file("<U3", false, "()", &name.bytes().flat_map(|byte| [byte, 0, 0, 0]).collect::<Vec<_>>())
    };
    let by_columns = [
        ("indices", longs(&[1, 0, 1])),
        ("indptr", longs(&[0, 1, 2, 3])),
        ("format", format("csc")),
        ("shape", longs(&[2, 3])),
        ("data", file("<f4", false, "(3,)", &[0, 0, 0, 0x40, 0, 0, 0x80, 0x3f, 0, 0, 0x40, 0xc0])),
    ];
    assert_eq!(entries(&sparse(&by_columns).unwrap()), expected);
    let coordinates = [
        ("row", longs(&[1, 0, 1])),
        ("col", longs(&[2, 1, 0])),
        ("format", format("coo")),
        ("shape", longs(&[2, 3])),
        ("data", longs(&[-3, 1, 2])),
    ];
    assert_eq!(entries(&sparse(&coordinates).unwrap()), expected);
    let diagonals = [
        ("offsets", longs(&[1, -1])),
        ("format", format("dia")),
        ("shape", longs(&[2, 3])),
        ("data", file("|i1", false, "(2, 3)", &[9, 1, 0xfd, 2, 9, 9])),
    ];
    assert_eq!(entries(&sparse(&diagonals).unwrap()), expected);
}

#[test]
fn what_does_not_agree_is_named() {
    let with = |name: &'static str, array: Vec<u8>| {
        let mut arrays = by_rows();
        arrays.iter_mut().find(|(of, _)| *of == name).unwrap().1 = array;
        sparse(&arrays).unwrap_err()
    };
    assert_eq!(
        with("format", file("|S3", false, "()", b"bsr")),
        "expected a sparse matrix of format csr, csc, coo or dia, found format \"bsr\"; save A.tocsc() or A.tocsr() instead of A"
    );
    assert_eq!(
        with("indptr", longs(&[0, 3])),
        "expected one number more in \"indptr\" than the 2 rows or columns, found 2"
    );
    assert_eq!(
        with("indptr", longs(&[0, 4, 3])),
        "expected \"indptr\" that ascends from 0 to at most the 3 entries, found it from 0 to 3"
    );
    assert_eq!(
        with("indices", longs(&[1, 3, 0])),
        "expected numbers below 3 in element 1 of \"indices\", found 3"
    );
    assert_eq!(with("shape", longs(&[6])), "expected a sparse matrix of two axes, found the shape [6]");
    let complex = with("data", file("<c8", false, "(3,)", &[0; 24]));
    assert!(complex.contains("or b1 in array \"data\", found \"<c8\""), "{complex}");
    // Two diagonals of 2^63 numbers: their product is 0 in 64 bits.
    let diagonals = [
        ("offsets", longs(&[1, -1])),
        ("format", file("|S3", false, "()", b"dia")),
        ("shape", longs(&[2, 3])),
        ("data", file("|i1", false, "(0, 9223372036854775808)", &[])),
    ];
    let expected = "expected 9223372036854775808 numbers in \"data\" for each of \"offsets\", found 0 for 2";
    assert_eq!(sparse(&diagonals).unwrap_err(), expected);
}

#[test]
fn damage_is_noticed() {
    let good = archive(&[("x", vec![7; 1000])], false);
    let mut flipped = good.clone();
    flipped[500] ^= 1;
    let damaged = |bytes: &[u8]| match Archive::open(bytes) {
        Ok(archive) => archive.single().unwrap_err().to_string(),
        Err(problem) => problem.to_string(),
    };
    assert!(damaged(&flipped).starts_with("expected a sound array \"x\", found "), "{}", damaged(&flipped));
    assert!(damaged(&good[..900]).starts_with("expected a zip archive of NumPy arrays, found "));
    // A member that decompresses to more bytes than the directory says.
    let mut bomb = archive(&[("x", vec![0; 1 << 20])], true);
    let size = (1u32 << 20).to_le_bytes();
    let directory = bomb.windows(4).rposition(|bytes| bytes == size).unwrap();
    bomb[directory..directory + 4].copy_from_slice(&10u32.to_le_bytes());
    assert!(damaged(&bomb).starts_with("expected a sound array \"x\", found "), "{}", damaged(&bomb));
    for end in 0..good.len() {
        damaged(&good[..end]);
    }
}
