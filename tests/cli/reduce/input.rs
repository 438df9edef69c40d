//! Wrong usage and wrong input: exit code 2, nothing on standard output, and on standard error the place, what was
//! expected and what was found. PHAT accepts most of these files, with wrong or invented pairs.

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, ends_with, is_empty, starts_with};

use super::super::{Scratch, TRIANGLE, lacuna, packed, text_of, triangle_words, words};
use super::{reduce, reduce_of};

/// Both commands refuse this content with a message.
fn refuse(format: &str, content: &[u8], fragment: &str) {
    let scratch = Scratch::new();
    let file = scratch.file("matrix.in", content);
    let said = || contains("error: ").and(contains("matrix.in: ")).and(contains(fragment));
    let assert = reduce(["--format".as_ref(), format.as_ref(), file.as_os_str()]).assert().code(2);
    assert.stdout(is_empty()).stderr(said());
    let mode = if format == "phat-ascii" { "--ascii" } else { "--binary" };
    let pairs = scratch.path("pairs.out");
    let assert = lacuna("phat", [mode.as_ref(), file.as_os_str(), pairs.as_os_str()]).assert().code(2);
    assert.stdout(is_empty()).stderr(said());
    assert_eq!(scratch.names(), ["matrix.in"], "{fragment}");
}

fn refuse_words(numbers: &[i64], fragment: &str) {
    refuse("phat-binary", &words(numbers), fragment);
}

fn refuse_text(text: &str, fragment: &str) {
    refuse("phat-ascii", text.as_bytes(), fragment);
}

#[test]
fn truncated() {
    let whole = triangle_words();
    for length in 1..whole.len() {
        refuse("phat-binary", &whole[..length], "byte ");
    }
}

#[test]
fn going_on_after_the_last_column() {
    refuse("phat-binary", &[triangle_words(), vec![0; 8]].concat(), "expected the end of the file");
    refuse("phat-binary", &[triangle_words(), vec![0; 3]].concat(), "byte ");
}

#[test]
fn empty_or_of_five_bytes() {
    refuse("phat-binary", b"", "expected");
    refuse("phat-ascii", b"", "expected");
    refuse("phat-binary", &[7, 0, 0, 0, 0], "byte ");
    let error = "error: standard input: expected a boundary matrix, found an empty file\n";
    reduce_of("", &[]).assert().code(2).stdout(is_empty()).stderr(error);
    reduce_of([7, 0, 0, 0, 0], &[]).assert().code(2).stdout(is_empty()).stderr(contains("phat-binary"));
}

#[test]
fn counts_beyond_the_file() {
    for count in [8, 1 << 20, 1 << 40, 1 << 60, i64::MAX] {
        let mut numbers = vec![count];
        numbers.extend([0, 0].repeat(7));
        refuse_words(&numbers, "byte ");
        refuse_words(&[1, 1, count], "bytes of rows");
    }
    for count in [-1, i64::MIN] {
        refuse_words(&[count, 0, 0], &format!("byte 0: expected a number of columns, found {count}"));
        refuse_words(&[1, 1, count], &format!("found {count}"));
    }
}

#[test]
fn rows_out_of_range() {
    for row in [3, 4, 100, i64::MAX] {
        let expected = format!("expected a row of column 2 that is from 0 on and below 2, found {row}");
        refuse_words(&[3, 0, 0, 0, 0, 1, 2, 0, row], &format!("byte 64: {expected}"));
        refuse_text(&format!("0\n0\n1 0 {row}\n"), &format!("line 3: {expected}"));
    }
}

#[test]
fn negative_rows() {
    for row in [-1, -2, i64::MIN] {
        let expected = format!("expected a row of column 2 that is from 0 on and below 2, found {row}");
        refuse_words(&[3, 0, 0, 0, 0, 1, 2, row, 0], &format!("byte 56: {expected}"));
        refuse_text(&format!("0\n0\n1 {row} 0\n"), &format!("line 3: {expected}"));
    }
}

#[test]
fn rows_twice() {
    refuse_words(
        &[3, 0, 0, 0, 0, 1, 2, 1, 1],
        "expected a row that column 2 does not have yet, found row 1 again",
    );
    refuse_text("0\n0\n1 1 1\n", "line 3: expected a row that column 2 does not have yet, found row 1 again");
    refuse_text("0\n0\n1 1 0 1\n", "found row 1 again");
}

#[test]
fn columns_that_hold_themselves_or_later_ones() {
    refuse_words(&[3, 0, 0, 0, 0, 1, 1, 2], "byte 56: expected a row of column 2");
    refuse_text("0\n0\n1 2\n", "line 3: expected a row of column 2");
    refuse_words(
        &[3, 0, 0, 1, 2, 0, 2, 0, 0],
        "expected a row of column 1 that is from 0 on and below 1, found 2",
    );
    refuse_text("0\n1 0 2\n0\n", "line 2: expected a row of column 1");
}

#[test]
fn dimensions_out_of_range() {
    for dim in [256, 300, -1, i64::MAX] {
        refuse_words(&[1, dim, 0], &format!("byte 8: expected a dimension from 0 to 255, found {dim}"));
        refuse_text(&format!("{dim}\n"), &format!("line 1: expected a dimension from 0 to 255, found {dim}"));
    }
}

#[test]
fn boundary_cells_of_the_wrong_dimension() {
    let expected =
        "expected a boundary cell one dimension below 2, that of column 2, found row 0 of dimension 0";
    refuse_words(&[3, 0, 0, 0, 0, 2, 2, 0, 1], expected);
    refuse_text("0\n0\n2 0 1\n", &format!("line 3: {expected}"));
    refuse_text("0\n0 0\n", "line 2: expected a boundary cell one dimension below 0");
}

#[test]
fn what_is_no_number() {
    for word in ["x", "1.5", "0x1", "1e3", "--1", "99999999999999999999"] {
        refuse_text(&format!("0\n0\n1 0 {word}\n"), "line 3: expected");
        refuse_text(&format!("0\n{word}\n"), "line 2: expected");
    }
}

#[test]
fn a_comment_after_a_blank() {
    refuse_text("0\n #1\n0\n", "line 2: expected");
    refuse_text("0\n0\n1 0 1 # an edge\n", "line 3: expected");
    let text = format!("# a triangle\n\n{}# the end\n", TRIANGLE.replace('\n', "\r\n"));
    reduce_of(text, &[]).assert().success().stdout(super::TRIANGLE_PAIRS);
}

/// ∂∂ = 0 fails if an edge has other vertices than the triangle.
#[test]
fn boundaries_with_a_boundary_are_refused() {
    let text = TRIANGLE.replace("1 1 2", "1 0 1");
    let said = "error: standard input: column 6: expected a boundary without boundary, found row ";
    for check in [&[][..], &["--check"], &["--check=on"]] {
        let assert = reduce_of(text.as_str(), check).arg("-q").assert().code(2).stdout(is_empty());
        let remedy = "left over in the boundary of its boundary; --check=off reduces it all the same\n";
        assert.stderr(starts_with(said).and(ends_with(remedy)));
    }
    reduce_of(text.as_str(), &["-q", "--check=off"]).assert().success();
    reduce_of(TRIANGLE, &["--check"]).assert().success().stdout(super::TRIANGLE_PAIRS);
    let scratch = Scratch::new();
    let (file, pairs) = (scratch.file("matrix.dat", text), scratch.path("pairs"));
    let phat = |check: &[&str]| {
        let files = [file.as_os_str(), pairs.as_os_str()];
        lacuna("phat", ["--ascii".as_ref()].into_iter().chain(files)).args(check).assert()
    };
    phat(&[]).code(2).stderr(contains("column 6: ").and(contains("--check=off")));
    phat(&["--check=off"]).success();
}

/// A path of three vertices of dimensions 0, 1 and 2: by the matrix, the middle one is both born and dies.
#[test]
fn essential_cells_of_what_is_no_complex_are_counted() {
    let scratch = Scratch::new();
    let stats = scratch.path("stats.json");
    for algorithm in ["standard", "row", "twist", "lock-free", "chunk", "spectral-sequence", "sieve", "hypha"]
    {
        let arguments = ["--check=off", "--algorithm", algorithm, "--stats", stats.to_str().unwrap()];
        let found = text_of(reduce_of("0\n1 0\n2 1\n", &arguments));
        let cells: std::collections::HashSet<&str> =
            found.lines().skip(1).flat_map(str::split_whitespace).collect();
        let object: serde_json::Value = serde_json::from_str(&super::super::read(&stats)).unwrap();
        assert_eq!(object["essential"], 3 - cells.len(), "{algorithm}: {found}");
    }
}

#[test]
fn sparse_matrices_of_scipy_and_of_matrix_market() {
    let sparse = |name: &str| format!("{}/tests/data/sparse/{name}.npz", env!("CARGO_MANIFEST_DIR"));
    for name in ["triangle_csr", "triangle_csc", "triangle_coo", "triangle_dia", "triangle_stored"] {
        let assert = reduce([sparse(name)]).assert().success().stdout(super::TRIANGLE_PAIRS);
        assert.stderr(contains(format!("{name}.npz: npz (begins as zip archives do)\n")));
    }
    let market = "%%MatrixMarket matrix coordinate integer general\n7 7 9\n1 4 -1\n2 4 1\n1 5 -1\n3 5 1\n2 6 -1\n3 6 1\n\
        4 7 1\n5 7 -1\n6 7 1\n";
    reduce_of(market, &["-q"]).assert().success().stdout(super::TRIANGLE_PAIRS);
    reduce_of(market, &["-q", "--format", "matrix-market"]).assert().success();
    let packed = packed(market.as_bytes());
    reduce_of(packed, &["-q"]).assert().success().stdout(super::TRIANGLE_PAIRS);
    for (wrong, said) in [
        (market.replace("7 7 9", "7 8 9"), "expected a square matrix, whose rows and columns are all cells"),
        (market.replace("4 7 1", "4 7 2"), "line 9: expected entries 0, 1 or -1, found 2 in row 3, column 6"),
        (market.replace("2 6 -1", "7 6 -1"), "column 5: expected rows below 5, found 6"),
        (
            market.replace("4 7 1", "1 7 1"),
            "column 6: expected boundary cells one dimension below 1, found row 4",
        ),
        (market.replace("4 7 1", "5 7 1"), "column 6: expected a row above 4, found 4"),
        (market.replace("4 7 1\n", "4 7 0\n"), "column 6: expected a boundary without boundary"),
    ] {
        reduce_of(wrong, &["-q"]).assert().code(2).stdout(is_empty()).stderr(contains(said));
    }
}

#[test]
fn what_is_compressed_is_read_as_what_it_holds() {
    reduce_of(packed(TRIANGLE.as_bytes()), &["-q"]).assert().success().stdout(super::TRIANGLE_PAIRS);
    reduce_of(packed(&triangle_words()), &["-q"]).assert().success().stdout(super::TRIANGLE_PAIRS);
    let cut = packed(&triangle_words());
    let assert = reduce_of(&cut[..cut.len() - 9], &["-q"]).assert().code(2).stdout(is_empty());
    assert.stderr(contains("expected a sound gzip file"));
}

#[test]
fn other_files_are_told_where_to_go() {
    for (content, place, said) in [
        (
            &b"\x93NUMPY\x01\0v\0{}"[..],
            "byte 0: ",
            "found a NumPy array; a boundary matrix is saved with scipy.sparse.save_npz",
        ),
        (b"\x89PNG\r\n\x1a\n0000000000000000", "byte 0: ", "found a PNG image; lacuna cubical reads images"),
        (
            b"0.0 1.5\n1.5 0.0\n",
            "",
            "found a table of numbers that are no cells; lacuna rips takes distances",
        ),
    ] {
        let assert = reduce_of(content, &[]).assert().code(2).stdout(is_empty());
        assert.stderr(contains(format!("error: standard input: {place}expected a boundary matrix, {said}")));
    }
}

#[test]
fn no_cells_at_all() {
    for content in [words(&[0]), b"# nothing\n".to_vec()] {
        reduce_of(content, &["-q", "--check"]).assert().success().stdout("0\n");
    }
}

#[test]
fn values_out_of_range() {
    let cases = [
        (["--threads", "0"], "expected a number of threads from 1"),
        (["--algorithm", "magic"], "invalid value 'magic' for '--algorithm <ALGORITHM>'"),
        (["--columns", "list"], "bit-tree, heap, full, sparse, vector"),
        (["--dualize", "maybe"], "auto, on, off"),
        (["--output", "text"], "invalid value 'text' for '--output <FORMAT>'"),
        (
            ["--format", "npy"],
            "expected one of phat-ascii, phat-binary, dipha, npz, matrix-market, found \"npy\"",
        ),
        (["--upper-dim", "-1"], "expected a whole number, 0 or more, found -1"),
        (["--upper-dim", "1"], "--upper-dim"),
        (["--stats", "-"], "expected the path of a file, found -"),
    ];
    for (arguments, fragment) in cases {
        reduce_of(TRIANGLE, &arguments).assert().code(2).stdout(is_empty()).stderr(contains(fragment));
    }
    reduce_of(TRIANGLE, &["-v", "-q"]).assert().code(2).stderr(contains("cannot be used with"));
    reduce::<&str>([]).assert().code(2).stdout(is_empty()).stderr(contains("<FILE>"));
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_refused_is_an_error() {
    let scratch = Scratch::new();
    // Forty million vertices in a sparse file: all its words but the first are zeros.
    let vertices = 40_000_000_u64;
    let matrix = scratch.file("vertices.bin", vertices.to_le_bytes());
    std::fs::File::options().write(true).open(&matrix).unwrap().set_len(8 + 16 * vertices).unwrap();
    for format in ["phat-binary", "phat-ascii"] {
        let run = format!("{} reduce --threads 1 --format {format}", env!("CARGO_BIN_EXE_lacuna"));
        let script = format!("ulimit -v 300000; exec {run} {}", matrix.display());
        let said =
            contains("vertices.bin: ").and(contains("out of memory: ")).and(contains("panicked").not());
        let mut command = assert_cmd::Command::new("sh");
        command.args(["-c", &script]).assert().code(1).stdout(is_empty()).stderr(said);
    }
}
