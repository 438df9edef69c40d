//! Several inputs of `lacuna rips`: their barcodes go into a directory, and one that fails does not stop the others.

use std::fs;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};
use serde_json::Value;

use super::{SQUARE, SQUARE_TEXT, Scratch, read, rips};

#[test]
fn each_has_its_file_and_one_that_fails_does_not_stop_the_others() {
    let scratch = Scratch::new();
    let [a, b, c] = [("a.txt", SQUARE), ("b.txt", "0 1\nx 0\n"), ("c.txt", SQUARE)]
        .map(|(name, content)| scratch.file(name, content).to_str().unwrap().to_owned());
    let (bars, stats) = (scratch.name("bars"), scratch.name("stats.json"));
    let run = rips([&a, &b, &c, "-o", &bars, "--stats", &stats]).assert().code(2).stdout(is_empty());
    run.stderr(contains("b.txt: ").and(contains("error: 1 of 3 inputs have no answer")));
    for name in ["a.txt.txt", "c.txt.txt"] {
        assert_eq!(read(&scratch.path("bars").join(name)), SQUARE_TEXT, "{name}");
    }
    assert_eq!(fs::read_dir(&bars).unwrap().count(), 2);
    let stats: Value = serde_json::from_str(&read(stats.as_ref())).unwrap();
    assert_eq!((&stats["failed"], stats["inputs"].as_array().unwrap().len()), (&1.into(), 2));
    assert_eq!(stats["inputs"][1]["plan"]["points"], 4);
}

#[test]
fn the_files_of_a_directory() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("clouds")).unwrap();
    for name in ["clouds/a.txt", "clouds/b.txt", "clouds/.hidden"] {
        scratch.file(name, SQUARE);
    }
    let (clouds, bars) = (scratch.name("clouds"), scratch.name("bars"));
    rips([&clouds, "-o", &bars, "--output", "csv", "-q"]).assert().success().stderr(is_empty());
    let mut names: Vec<_> = fs::read_dir(&bars).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a.txt.csv", "b.txt.csv"]);
    rips([&clouds]).assert().code(2).stderr(contains("expected a directory for the answers"));
}

#[test]
fn an_answer_never_takes_the_place_of_another_input() {
    let scratch = Scratch::new();
    let [a, b] = ["a", "a.txt"].map(|name| scratch.file(name, SQUARE).to_str().unwrap().to_owned());
    let here = scratch.0.path().to_str().unwrap();
    rips([&a, &b, "-o", here]).assert().code(2).stderr(contains("expected an output that is not the input"));
    assert_eq!((read(a.as_ref()), read(b.as_ref())), (SQUARE.to_owned(), SQUARE.to_owned()));
    assert_eq!(scratch.names(), ["a", "a.txt", "a.txt.txt"]);
}
