//! The program's answers on data/ are the committed ones, byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::cargo::cargo_bin_cmd;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

/// A line of data/cases.tsv.
struct Case {
    name: String,
    file: PathBuf,
    format: String,
    arguments: Vec<String>,
    expected: String,
}

fn cases() -> Vec<Case> {
    let table = fs::read_to_string(data().join("cases.tsv")).unwrap();
    let cases: Vec<Case> = table.lines().skip(1).map(case).collect();
    assert!(!cases.is_empty(), "data/cases.tsv lists no case");
    cases
}

fn case(line: &str) -> Case {
    let fields: Vec<&str> = line.split('\t').collect();
    let [name, file, format, arguments, expected] = fields[..] else {
        panic!("data/cases.tsv: expected 5 fields, found {}: {line}", fields.len())
    };
    Case {
        name: name.to_owned(),
        file: data().join(file),
        format: format.to_owned(),
        arguments: arguments.split(' ').map(str::to_owned).collect(),
        expected: fs::read_to_string(data().join(expected)).unwrap(),
    }
}

/// Standard output of a run, which must succeed.
fn output(case: &Case, extra: &[&str]) -> String {
    let mut lacuna = cargo_bin_cmd!("lacuna");
    let run = lacuna.arg("rips").args(&case.arguments).args(extra).arg(&case.file).assert().success();
    String::from_utf8(run.get_output().stdout.clone()).unwrap()
}

#[test]
fn every_case_gives_its_expected_output() {
    for case in cases() {
        let printed = output(&case, &["--format", &case.format]);
        assert_eq!(printed, case.expected, "case {} of data/cases.tsv", case.name);
    }
}

#[test]
fn formats_are_detected() {
    for case in cases() {
        assert_eq!(output(&case, &[]), case.expected, "case {} of data/cases.tsv", case.name);
    }
}

#[test]
fn answers_do_not_depend_on_threads_or_pair_store() {
    for case in cases() {
        for extra in [["--threads", "1"], ["--threads", "4"], ["--pair-store", "sorted"]] {
            let printed = output(&case, &extra);
            assert_eq!(printed, case.expected, "case {} with {}", case.name, extra.join(" "));
        }
    }
}
