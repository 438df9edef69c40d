//! Number of threads, and messages when they cannot be started.

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::{contains, is_empty};

use super::{SQUARE, SQUARE_TEXT, Scratch, TRIANGLE, data, lacuna, rips_of};

/// A stack size that no system can map, so that no thread can be started.
const IMPOSSIBLE_STACK: (&str, &str) = ("RUST_MIN_STACK", "1125899906842624");

/// Runs of every computing command, with their exit codes when no thread can be started.
fn runs(scratch: &Scratch) -> Vec<(Command, i32)> {
    let matrix = scratch.file("matrix.dat", TRIANGLE);
    let bars = data("expected/rings.csv");
    let image = data("cubical/shell.npy");
    let [image, matrix, bars] = [&image, &matrix, &bars].map(|path| path.to_str().unwrap());
    let out = scratch.name("out");
    let skeleton = scratch.name("skeleton.npy");
    vec![
        (rips_of(SQUARE, &[]), 1),
        (lacuna("cubical", [image]), 1),
        (lacuna("ecc", [image]), 1),
        (lacuna("thin", [image, "-o", &skeleton]), 1),
        (lacuna("convert", [image, &out]), 1),
        (lacuna("reduce", [matrix]), 1),
        (lacuna("phat", ["--ascii", matrix, &out]), 1),
        // For compare, 1 means that the files differ.
        (lacuna("compare", [bars, bars]), 2),
    ]
}

#[test]
fn threads_that_cannot_be_started_are_an_error_that_says_how_many_and_what_helps() {
    let scratch = Scratch::new();
    for (mut run, code) in runs(&scratch) {
        let run = run.env(IMPOSSIBLE_STACK.0, IMPOSSIBLE_STACK.1).env("RAYON_NUM_THREADS", "3");
        let said = contains("error: cannot start 3 threads").and(contains("--threads"));
        run.assert().code(code).stdout(is_empty()).stderr(said.and(contains("panicked").not()));
    }
    assert_eq!(scratch.names(), ["matrix.dat"]);
}

/// On a machine with little memory, some threads start, and then none.
#[cfg(target_os = "linux")]
#[test]
fn a_pool_that_starts_in_part_ends_at_once() {
    let scratch = Scratch::new();
    let square = scratch.file("square.txt", SQUARE);
    for limit in [300_000, 600_000] {
        let script = format!("ulimit -v {limit}; exec \"$0\" rips \"$1\"");
        let mut run = Command::new("sh");
        run.args(["-c", &script, env!("CARGO_BIN_EXE_lacuna")]).arg(&square);
        run.env("RAYON_NUM_THREADS", "1000").timeout(std::time::Duration::from_secs(300));
        let output = run.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{limit}: {:?}\n{said}", output.status);
        assert!(!said.contains("panicked"), "{limit}: {said}");
    }
}

#[test]
fn more_threads_than_help_are_cut_with_a_note() {
    let note = |asked: &str| contains(format!("{asked}: ")).and(contains(" threads started"));
    let many = "--threads 5000";
    rips_of(SQUARE, &["--threads", "5000"]).assert().success().stdout(SQUARE_TEXT).stderr(note(many));
    let quiet = ["--threads", "5000", "--quiet"];
    rips_of(SQUARE, &quiet).assert().success().stdout(SQUARE_TEXT).stderr(is_empty());
    let mut by_variable = rips_of(SQUARE, &[]);
    by_variable.env("RAYON_NUM_THREADS", "5000");
    by_variable.assert().success().stdout(SQUARE_TEXT).stderr(note("RAYON_NUM_THREADS=5000"));
    let scratch = Scratch::new();
    let matrix = scratch.name("matrix.dat");
    scratch.file("matrix.dat", TRIANGLE);
    let mut reduce = lacuna("reduce", ["--threads", "5000", "--algorithm", "ss-plus", &matrix]);
    reduce.timeout(std::time::Duration::from_secs(300)).assert().success().stderr(note(many));
}
