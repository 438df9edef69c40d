//! `lacuna reduce`: pairs in every format, messages, files.

mod backend;
mod input;
mod output;
mod representatives;

use std::fs;

use predicates::prelude::*;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{
    Scratch, TRIANGLE, TRIANGLE_PAIRS, data, lacuna, read, run_of, tells_choices, tells_seconds,
    triangle_words,
};
use assert_cmd::Command;

fn reduce<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    lacuna("reduce", arguments)
}

/// Runs `lacuna reduce` with these arguments and `input` on standard input.
fn reduce_of(input: impl Into<Vec<u8>>, arguments: &[&str]) -> Command {
    run_of("reduce", input, arguments)
}

/// Rows of data/reductions.tsv: file, format, arguments, expected bytes.
fn cases() -> Vec<(String, String, Vec<String>, Vec<u8>)> {
    let table = fs::read_to_string(data("reductions.tsv")).unwrap();
    let case = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, format, arguments, expected] = fields[..] else { panic!("expected 4 fields: {line}") };
        let arguments = arguments.split(' ').map(str::to_owned).collect();
        (file.to_owned(), format.to_owned(), arguments, fs::read(data(expected)).unwrap())
    };
    let cases: Vec<_> = table.lines().skip(1).map(case).collect();
    assert!(cases.len() >= 9, "data/reductions.tsv lists {} cases", cases.len());
    cases
}

#[test]
fn every_case_of_the_example_data_gives_its_expected_output() {
    for (file, format, arguments, expected) in cases() {
        for extra in
            [&["--format", format.as_str()][..], &[], &["--dualize", "on", "--threads", "4", "--check"]]
        {
            let run = reduce(&arguments).args(extra).arg(data(&file)).assert().success();
            assert!(run.get_output().stdout == expected, "{file} {arguments:?} {extra:?}");
        }
    }
}

#[test]
fn every_algorithm_on_every_representation_gives_the_same_pairs() {
    let algorithms = [
        "auto",
        "hypha",
        "hypha-twist",
        "ss-plus",
        "spectral-sequence",
        "twist",
        "standard",
        "row",
        "chunk",
        "lock-free",
    ];
    let expected = fs::read(data("expected/torus_surface_pairs.bin")).unwrap();
    for (k, algorithm) in algorithms.iter().enumerate() {
        for (l, columns) in ["bit-tree", "heap", "full", "sparse", "vector"].iter().enumerate() {
            let dualize = ["auto", "on", "off"][(k + l) % 3];
            let threads = ["1", "2", "4"][(k + 2 * l) % 3];
            let run = reduce(["--output", "phat-binary", "--algorithm", algorithm, "--columns", columns])
                .args(["--dualize", dualize, "--threads", threads])
                .arg(data("torus_surface.bin"))
                .assert()
                .success();
            assert!(run.get_output().stdout == expected, "{algorithm}, {columns}, dualize {dualize}");
        }
    }
}

#[test]
fn the_detected_format_is_said_on_standard_error() {
    let scratch = Scratch::new();
    let file = scratch.file("triangle.dat", TRIANGLE);
    let said = contains("triangle.dat: phat-ascii (the content is text)\n");
    reduce([&file]).assert().success().stdout(TRIANGLE_PAIRS).stderr(said);
    let said = "standard input: phat-binary (the content is not text)\n";
    reduce_of(triangle_words(), &[]).assert().success().stdout(TRIANGLE_PAIRS).stderr(said);
    reduce_of(TRIANGLE, &["--format", "phat-ascii"]).assert().success().stderr(is_empty());
    reduce_of(TRIANGLE, &["--quiet"]).assert().success().stdout(TRIANGLE_PAIRS).stderr(is_empty());
}

#[test]
fn rows_that_do_not_ascend_are_sorted_with_a_warning() {
    let unsorted = TRIANGLE.replace("1 0 1", "1 1 0").replace("3 4 5", "5 3 4");
    let warning = "warning: standard input: line 4: expected ascending rows in column 3; sorted 2 columns\n";
    let assert = reduce_of(unsorted.as_str(), &["--format", "phat-ascii"]).assert().success();
    assert.stdout(TRIANGLE_PAIRS).stderr(warning);
    reduce_of(unsorted, &["--quiet"]).assert().success().stdout(TRIANGLE_PAIRS).stderr(is_empty());
}

#[test]
fn verbose_tells_stages_and_counts() {
    let assert = reduce_of(TRIANGLE, &["-v", "--check", "--format", "phat-ascii"]).assert().success();
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(text.starts_with("7 cells, 9 entries, 3 pairs, 1 essential\n"), "{text}");
    tells_seconds(&text, &["read", "check", "reduce", "write", "total"]);
    let additions = text.lines().find_map(|line| line.strip_prefix("additions"));
    assert!(additions.is_some_and(|rest| rest.trim().parse::<u64>().is_ok()), "{text}");
}

#[test]
fn explain_gives_the_plan() {
    let arguments = ["--explain", "--quiet", "--algorithm", "chunk", "--columns", "heap", "--dualize", "on"];
    let assert = reduce_of(TRIANGLE, &arguments).args(["--threads", "3"]).assert().success();
    let text = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let choices = [
        ("algorithm", "chunk"),
        ("columns", "heap"),
        ("dualize", "on"),
        ("threads", "3"),
        ("index width", "32 bits"),
    ];
    tells_choices(&text, &choices);
    let assert = reduce_of(TRIANGLE, &["--explain"]).assert().success().stdout(TRIANGLE_PAIRS);
    assert.stderr(contains("algorithm ").and(contains("dualize ")));
}

#[test]
fn stats_are_json() {
    let scratch = Scratch::new();
    let stats = scratch.path("stats.json");
    let arguments = ["--stats", stats.to_str().unwrap(), "--algorithm", "twist", "--dualize", "on"];
    reduce_of(TRIANGLE, &arguments).args(["--threads", "2", "--check"]).assert().success();
    let object: Value = serde_json::from_str(&read(&stats)).unwrap();
    assert_eq!(object["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!((&object["file"], &object["format"]), (&"-".into(), &"phat-ascii".into()));
    for (key, count) in [("cells", 7), ("entries", 9), ("max_dim", 2), ("pairs", 3), ("essential", 1)] {
        assert_eq!(object[key], count, "{key}");
    }
    let plan = &object["plan"];
    assert_eq!(
        (&plan["algorithm"], &plan["dualize"], &plan["threads"]),
        (&"twist".into(), &"on".into(), &2.into())
    );
    for key in ["read_seconds", "check_seconds", "reduce_seconds", "write_seconds", "total_seconds"] {
        assert!(object[key].as_f64().is_some_and(|s| s >= 0.0), "{key}: {}", object[key]);
    }
    let figures = &object["figures"];
    assert!(figures["additions"].is_u64() && figures["stages"].is_array(), "{figures}");
    reduce_of(TRIANGLE, &arguments).arg("--check=off").assert().success();
    let object: Value = serde_json::from_str(&read(&stats)).unwrap();
    assert_eq!(object["check_seconds"], Value::Null);
}
