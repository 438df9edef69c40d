//! `lacuna compare`: exit codes, output and refusals.

use std::ffi::OsStr;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use super::{SQUARE, SQUARE_TEXT, Scratch, rips_of, stdout_of};

const CSV: &str = "dim,birth,death\n1,1.5,2\n0,0,inf\n0,0,1\n0,0,1.25\n0,0,1\n";

fn compare<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lacuna"));
    command.arg("compare").args(arguments);
    command
}

#[test]
fn the_same_bars_in_any_format_and_order() {
    let scratch = Scratch::new();
    let (text, csv) = (scratch.file("square.txt", SQUARE_TEXT), scratch.file("square.csv", CSV));
    let assert = compare([&text, &csv]).assert().code(0);
    let verdict = format!("same: 5 in {}, 5 in {}, 5 matched\n", text.display(), csv.display());
    assert.stdout(verdict).stderr(contains("square.txt: ripser (").and(contains("square.csv: csv (")));
    compare(["--quiet".as_ref(), text.as_os_str(), text.as_os_str()]).assert().code(0).stderr(is_empty());
}

/// Infinite values differ from deaths that never come, in files that distinguish them.
#[test]
fn infinite_values_of_json() {
    let scratch = Scratch::new();
    let text = |death: &str| {
        format!(
            "{{\"bars\":[{{\"dim\":0,\"birth\":\"-inf\",\"death\":{death}}},{{\"dim\":1,\"birth\":1,\"death\":\"inf\"}}]}}"
        )
    };
    let (a, b) = (scratch.file("a.json", text("null")), scratch.file("b.json", text("\"inf\"")));
    let csv = scratch.file("c.csv", "dim,birth,death\n0,-inf,inf\n1,1,inf\n");
    compare([&a, &a]).assert().code(0);
    compare([&b, &b]).assert().code(0);
    compare([&a, &b]).assert().code(1).stdout(contains("b.json: dim 0 [-inf,inf)\n"));
    compare([&a, &csv]).assert().code(0);
    compare([&csv, &b]).assert().code(0);
    for (wrong, said) in [("\"Infinity\"", "expected a number"), ("[]", "expected a number")] {
        let bad = scratch.file("bad.json", text(wrong));
        compare([&bad, &bad]).assert().code(2).stderr(contains(said).and(contains("line 1")));
    }
}

#[test]
fn all_outputs_of_rips_hold_the_same() {
    let scratch = Scratch::new();
    for a in ["text", "csv", "json", "npy"] {
        let file = scratch.path(a);
        rips_of(SQUARE, &["--output", a, "-o", file.to_str().unwrap()]).assert().success();
        for b in ["text", "csv", "json", "npy"] {
            let piped = stdout_of(rips_of(SQUARE, &["--output", b]));
            compare([file.to_str().unwrap(), "-"]).write_stdin(piped).assert().code(0);
        }
    }
}

#[test]
fn different_bars_are_shown() {
    let scratch = Scratch::new();
    let text = scratch.file("a.txt", SQUARE_TEXT);
    let csv = scratch.file("b.csv", CSV.replace("1,1.5,2", "1,1.5,2.00001\n2,1,2"));
    let (a, b) = (text.to_str().unwrap(), csv.to_str().unwrap());
    let note = format!("note: dimension 2 is absent from {a}: taken as empty\n");
    let last = format!("only in {b}: dim 2 [1.0,2.0)\n");
    let changed = format!("only in {a}: dim 1 [1.5,2.0)\nonly in {b}: dim 1 [1.5,2.00001)\n");
    let counts = |matched| format!("different: 5 in {a}, 6 in {b}, {matched} matched\n");
    compare([a, b]).assert().code(1).stdout(format!("{note}{changed}{last}{}", counts(4)));
    let tolerant = ["--tolerance", "1e-4", a, b];
    compare(tolerant).assert().code(1).stdout(format!("{note}{last}{}", counts(5)));
    let first = changed.split_inclusive('\n').next().unwrap();
    compare(["--show", "1", a, b]).assert().code(1).stdout(format!("{note}{first}and 2 more\n{}", counts(4)));
    compare(["--show", "0", a, b]).assert().code(1).stdout(format!("{note}and 3 more\n{}", counts(4)));
}

#[test]
fn pairs_of_cells() {
    let scratch = Scratch::new();
    let a = scratch.file("a", "2\n1 3\n2 4\n");
    let b = scratch.file("b", "2\n2 4\n1 3\n");
    let c = scratch.file("c", "2\n2 4\n1 5\n");
    compare([&a, &b]).assert().code(0).stdout(contains("same: 2 in"));
    let shown = format!("only in {}: (1,3)\nonly in {}: (1,5)\n", a.display(), c.display());
    compare([&a, &c]).assert().code(1).stdout(contains(shown));
}

#[test]
fn what_cannot_be_compared() {
    let scratch = Scratch::new();
    let pairs = scratch.file("a.pairs", "1\n1 3\n");
    let text = scratch.file("b.txt", SQUARE_TEXT);
    let expected = "b.txt: expected two files of one kind, found pairs of cells and bars with values";
    compare([&pairs, &text]).assert().code(2).stdout(is_empty()).stderr(contains(expected));
    let twice = "error: expected different files, found standard input twice";
    compare(["-", "-"]).write_stdin("").assert().code(2).stdout(is_empty()).stderr(contains(twice));
}

#[test]
fn files_that_cannot_be_read() {
    let scratch = Scratch::new();
    let good = scratch.file("good.txt", SQUARE_TEXT);
    let good = good.to_str().unwrap();
    for (content, message) in [
        ("", "bad: expected a barcode, found an empty file"),
        ("hello\n", "bad: line 1: expected a barcode: a line of persistence intervals, commas"),
        ("dim,birth,death\n0,x,1\n", "bad: line 2, entry 2: expected a number, found \"x\" (taken for csv: "),
        ("3\n1 3\n", "bad: line 3: expected 3 pairs, found the end of the file after 1"),
        ("{\"bars\":[", "bad: line 1: expected an object with bars"),
    ] {
        let bad = scratch.file("bad", content);
        let bad = bad.to_str().unwrap();
        for files in [[good, bad], [bad, good]] {
            let assert = compare(files).assert().code(2).stdout(is_empty());
            assert.stderr(contains("error: ").and(contains(message)));
        }
    }
    let missing = scratch.path("missing");
    compare([good, missing.to_str().unwrap()])
        .assert()
        .code(2)
        .stdout(is_empty())
        .stderr(contains("missing: "));
}

#[test]
fn a_format_can_be_given() {
    let scratch = Scratch::new();
    let good = scratch.file("good.txt", SQUARE_TEXT);
    let good = good.to_str().unwrap();
    for (option, name) in [("--format-a", "a"), ("--format-b", "b")] {
        compare([option, "ripser", good, good]).assert().code(0);
        let refused = compare([option, "json", good, good]).assert().code(2).stdout(is_empty());
        refused.stderr(contains("(format json)"));
        let unknown = compare([option, "xml", good, good]).assert().code(2).stdout(is_empty());
        unknown.stderr(contains(
            "expected one of ripser, csv, json, npy, npz, dipha, gudhi, perseus, phat-ascii, phat-binary",
        ));
        assert!(option.ends_with(name));
    }
}

#[test]
fn misuse() {
    for t in ["-1", "nan", "x", ""] {
        let refused = compare(["--tolerance", t, "a", "b"]).assert().code(2).stdout(is_empty());
        refused.stderr(contains("expected a non-negative number or inf, found"));
    }
    compare(["a"]).assert().code(2).stdout(is_empty()).stderr(contains("<B>"));
    compare(["--show", "-1", "a", "b"]).assert().code(2).stderr(contains("expected a whole number"));
}

#[test]
fn help_says_what_the_exit_codes_mean() {
    let help = compare(["--help"]).assert().success();
    for part in [
        "Exit codes:",
        "the files hold the same",
        "the files differ",
        "--tolerance <T>",
        "--format-b <FORMAT>",
    ] {
        let text = String::from_utf8_lossy(&help.get_output().stdout).into_owned();
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    for format in lacuna::compare::read::BarcodeFormat::ALL {
        assert!(String::from_utf8_lossy(&help.get_output().stdout).contains(&format.to_string()), "{format}");
    }
}

/// If the result cannot be written, the exit code is not 1, which means that the files differ.
#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_no_difference() {
    let scratch = Scratch::new();
    let good = scratch.file("good.txt", SQUARE_TEXT);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lacuna"))
        .args(["compare".as_ref(), good.as_os_str(), good.as_os_str()])
        .stdout(std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error: cannot write standard output: "));
}

#[test]
fn compressed_bars_are_read_by_every_command() {
    let scratch = Scratch::new();
    let pack =
        |name: &str, content: &[u8]| scratch.file(name, super::packed(content)).to_str().unwrap().to_owned();
    let csv = scratch.file("bars.csv", CSV).to_str().unwrap().to_owned();
    let packed = pack("packed.csv.gz", CSV.as_bytes());
    compare([&csv, &packed]).assert().success().stdout(contains("same: 5"));
    compare([&csv, &pack("text.gz", SQUARE_TEXT.as_bytes())]).assert().success();
    let perseus = pack("bars_1.txt.gz", b"1.5 2\n");
    compare([&perseus, &scratch.file("one.csv", "dim,birth,death\n1,1.5,2\n").to_str().unwrap().to_owned()])
        .assert()
        .success();
    super::lacuna("distance", [&csv, &packed, "--dim", "1"]).assert().success().stdout("dim 1: 0.0\n");
    super::lacuna("plot", [&packed, "-q"]).assert().success().stdout(contains("<svg"));
    super::lacuna("vectorize", [&packed, "-q", "--kind", "betti", "--resolution", "2"]).assert().success();
    let json = scratch.name("bars.json");
    super::lacuna("convert", [&packed, &json]).assert().success();
    compare([&csv, &json]).assert().success();
    let curve = pack("curve.csv.gz", b"value,vcec,ecc\n0,1,1\n1,-1,0\n");
    super::lacuna("plot", [&curve, "-q"]).assert().success().stdout(contains("<svg"));
    // With 35615 pairs, the file begins with the magic bytes of gzip.
    let pairs: Vec<i64> = std::iter::once(35615).chain(0..2 * 35615).collect();
    let pairs = scratch.file("pairs.bin", super::words(&pairs));
    compare([&pairs, &pairs]).assert().success().stdout(contains("same: 35615"));
}

#[test]
fn a_barcode_without_bars_is_read_in_every_format() {
    let scratch = Scratch::new();
    let empty = scratch.file("empty.csv", "dim,birth,death\n").to_str().unwrap().to_owned();
    for name in ["a.txt", "a.csv", "a.json", "a.npy", "a.npz", "a.diagram"] {
        let written = scratch.name(name);
        super::lacuna("convert", ["--from", "diagram", &empty, &written]).assert().success();
        compare([&empty, &written]).assert().success().stdout(contains("same: 0"));
        let again = scratch.name("again.csv");
        super::lacuna("convert", ["--from", "diagram", &written, &again]).assert().success();
        assert_eq!(super::read(again.as_ref()), "dim,birth,death\n", "{name}");
    }
    let none = scratch.file("none.dat", "0\n").to_str().unwrap().to_owned();
    for name in ["p.bin", "p.json", "p.npz", "p.dat"] {
        let written = scratch.name(name);
        super::lacuna("convert", ["--from", "diagram", &none, &written]).assert().success();
        compare([&none, &written]).assert().success();
    }
}
