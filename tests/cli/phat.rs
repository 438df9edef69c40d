//! `lacuna phat`: options and files of PHAT.

use std::fs;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::{contains, is_empty};

use super::{Scratch, TRIANGLE, TRIANGLE_PAIRS, data, lacuna, read, triangle_words, words};

fn phat<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = lacuna("phat", arguments);
    command.env_remove("OMP_NUM_THREADS");
    command
}

/// The pairs file for data/NAME with these options, and standard output.
fn pairs_of(options: &[&str], name: &str) -> (Vec<u8>, String) {
    let scratch = Scratch::new();
    let pairs = scratch.path("pairs");
    let run = phat(options).arg(data(name)).arg(&pairs).assert().success().stderr(is_empty());
    assert_eq!(scratch.names(), ["pairs"]);
    (fs::read(pairs).unwrap(), String::from_utf8(run.get_output().stdout.clone()).unwrap())
}

const COLUMNS: [&str; 8] = [
    "--vector_vector",
    "--vector_heap",
    "--vector_set",
    "--vector_list",
    "--full_pivot_column",
    "--sparse_pivot_column",
    "--heap_pivot_column",
    "--bit_tree_pivot_column",
];

const ALGORITHMS: [&str; 6] =
    ["--standard", "--twist", "--chunk", "--chunk_sequential", "--spectral_sequence", "--row"];

#[test]
fn binary_files_unless_told_otherwise() {
    let expected = fs::read(data("expected/torus_surface_pairs.bin")).unwrap();
    assert_eq!(pairs_of(&[], "torus_surface.bin"), (expected.clone(), String::new()));
    assert_eq!(pairs_of(&["--ascii", "--binary"], "torus_surface.bin").0, expected);
    let expected = fs::read(data("expected/octahedron_surface_pairs.dat")).unwrap();
    assert_eq!(pairs_of(&["--ascii"], "octahedron_surface.dat").0, expected);
}

#[test]
fn every_algorithm_on_all_columns_primal_and_dual() {
    let expected = fs::read(data("expected/octahedron_surface_pairs.bin")).unwrap();
    for algorithm in ALGORITHMS {
        for columns in COLUMNS {
            for dualize in [&["--dualize"][..], &[]] {
                let options = [&[algorithm, columns], dualize].concat();
                assert!(pairs_of(&options, "octahedron_surface.bin").0 == expected, "{options:?}");
            }
        }
    }
}

#[test]
fn the_example_of_phat_s_readme() {
    let scratch = Scratch::new();
    let text = scratch.file("single_triangle.dat", format!("# A simple matrix\n{TRIANGLE}"));
    let text = text.to_str().unwrap();
    phat(["--ascii", text, &scratch.name("pairs.dat")]).assert().success().stdout(is_empty());
    assert_eq!(read(&scratch.path("pairs.dat")), TRIANGLE_PAIRS);
    let file = scratch.file("single_triangle.bin", triangle_words());
    phat([file.to_str().unwrap(), &scratch.name("pairs.bin")]).assert().success();
    assert_eq!(fs::read(scratch.path("pairs.bin")).unwrap(), words(&[3, 1, 3, 2, 4, 5, 6]));
}

#[test]
fn verbose_speaks_phat_s_words_on_standard_output() {
    let said = pairs_of(&["--verbose", "--ascii", "--dualize"], "triangle.dat").1;
    let lines: Vec<&str> = said.lines().collect();
    let starts = [
        "Reading input file ",
        "Reading input file took ",
        "Dualizing ...",
        "Dualizing took ",
        "Computing persistence pairs ...",
        "Computing persistence pairs took ",
        "Writing output file ",
        "Writing output file took ",
    ];
    assert_eq!(lines.len(), starts.len(), "{said}");
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{line}");
        if let Some(seconds) = line.split_once(" took ").map(|(_, rest)| rest) {
            let seconds: f64 = seconds.strip_suffix('s').unwrap().parse().unwrap();
            assert!((0.0..60.0).contains(&seconds), "{line}");
        }
    }
    assert!(lines[0].ends_with("triangle.dat in ascii mode"), "{said}");
    let said = pairs_of(&["--verbose"], "torus_surface.bin").1;
    assert!(said.contains("in binary mode") && !said.contains("Dualizing"), "{said}");
}

#[test]
fn the_number_of_threads_is_openmp_s() {
    for threads in ["1", "2", " 4 ", "3,2"] {
        let scratch = Scratch::new();
        let pairs = scratch.path("pairs");
        phat(["--chunk"])
            .args([data("torus_surface.bin"), pairs.clone()])
            .env("OMP_NUM_THREADS", threads)
            .assert()
            .success();
        assert_eq!(fs::read(pairs).unwrap(), fs::read(data("expected/torus_surface_pairs.bin")).unwrap());
    }
    // The first of several numbers is that of the outermost level.
    for (threads, first) in [("0", "0"), ("-1", "-1"), ("two", "two"), ("", ""), (",2", "")] {
        let error = contains(format!(
            "error: OMP_NUM_THREADS: expected a number of threads from 1 to 65535, found {first}\n"
        ));
        phat(["no-such-input", "/dev/null"]).env("OMP_NUM_THREADS", threads).assert().code(2).stderr(error);
    }
}

#[test]
fn rows_that_do_not_ascend_are_sorted_with_a_warning() {
    let scratch = Scratch::new();
    let file = scratch.file("matrix.dat", TRIANGLE.replace("3 4 5", "4 3 5"));
    let warning =
        contains("warning: ").and(contains("line 7: expected ascending rows in column 6; sorted 1 column"));
    let pairs = scratch.path("pairs");
    phat(["--ascii"]).args([&file, &pairs]).assert().success().stderr(warning);
    assert_eq!(read(&pairs), TRIANGLE_PAIRS);
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let scratch = Scratch::new();
    let file = scratch.file("matrix.bin", triangle_words());
    for pairs in [scratch.path("missing/pairs"), scratch.0.path().to_path_buf()] {
        let refused = contains(format!("error: {}: expected a path that can be written", pairs.display()));
        phat([&file, &pairs]).assert().code(2).stdout(is_empty()).stderr(refused);
    }
    #[cfg(target_os = "linux")]
    phat([file.as_path(), "/dev/full".as_ref()]).assert().code(1).stderr(contains("cannot write /dev/full"));
}

#[test]
fn a_text_is_no_binary_file() {
    let scratch = Scratch::new();
    let said = contains("found text in place of PHAT's binary format").and(contains("--ascii"));
    phat([data("triangle.dat"), scratch.path("out")]).assert().code(2).stderr(said);
}

#[test]
fn wrong_usage() {
    for arguments in [&["--bogus", "in", "out"][..], &["in"], &[], &["in", "out", "more"], &["in", "-"]] {
        phat(arguments).assert().code(2).stdout(is_empty()).stderr(contains("error: "));
    }
}

#[test]
fn help_names_every_spelling() {
    let assert = phat(["--help"]).assert().success().stderr(is_empty());
    let text = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    let others = [
        "--ascii",
        "--binary",
        "--dualize",
        "--verbose",
        "OMP_NUM_THREADS",
        "Exit codes:",
        "<INPUT> <OUTPUT>",
    ];
    for option in ALGORITHMS.iter().chain(&COLUMNS).chain(&others) {
        assert!(text.contains(option), "no {option} in\n{text}");
    }
}
