//! How `lacuna rips` reads: what is said of a table, and the options that decide.

use std::io::Write;

use predicates::prelude::*;
use predicates::str::contains;

use super::{SQUARE, SQUARE_TEXT, Scratch, rips, rips_of};

/// [`SQUARE`] as pandas writes it.
const LABELLED: &str = ",a,b,c,d\na,0,1,2,1.5\nb,1,0,1.25,2\nc,2,1.25,0,1\nd,1.5,2,1,0\n";

#[test]
fn what_is_left_out_of_a_table_is_said() {
    let said = contains("standard input: distance (")
        .and(contains("standard input: line 1 is left out: a header\n"))
        .and(contains("standard input: column 1 is left out: names of rows\n"));
    rips_of(LABELLED, &[]).assert().success().stdout(SQUARE_TEXT).stderr(said);
    rips_of(LABELLED, &["-q"]).assert().success().stdout(SQUARE_TEXT).stderr("");
    rips_of(LABELLED, &["--format", "distance"]).assert().success().stdout(SQUARE_TEXT);
    rips_of(LABELLED, &["--skip-rows", "1", "--columns", "2-5"]).assert().success().stdout(SQUARE_TEXT);
}

#[test]
fn compressed_files_and_streams() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(SQUARE.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let scratch = Scratch::new();
    rips([scratch.file("square.dist.gz", &packed)]).assert().success().stdout(SQUARE_TEXT);
    let mut stream = rips(["--format", "distance", "-"]);
    stream.write_stdin(packed.clone()).assert().success().stdout(SQUARE_TEXT);
    let cut = scratch.file("cut.gz", &packed[..packed.len() - 12]);
    rips([cut]).assert().code(2).stderr(contains("cut.gz: expected a sound gzip file"));
}

#[test]
fn two_readings_are_an_error_that_an_option_decides() {
    let condensed = "1\n2\n1.5\n1.25\n2\n1\n";
    let choice = contains("--format condensed").and(contains("--format point-cloud"));
    rips_of(condensed, &[]).assert().code(2).stderr(choice);
    rips_of(condensed, &["--format", "condensed"]).assert().success().stdout(SQUARE_TEXT);
    let commas = "0 1 2 1,5\n1 0 1,25 2\n2 1,25 0 1\n1,5 2 1 0\n";
    rips_of(commas, &[]).assert().code(2).stderr(contains("--decimal comma or --decimal point decides"));
    rips_of(commas, &["--decimal", "comma"]).assert().success().stdout(SQUARE_TEXT);
    rips_of(&commas.replace(' ', ";"), &[]).assert().success().stdout(SQUARE_TEXT);
}

#[test]
fn rounding_is_said_and_more_is_refused() {
    let rounded = SQUARE.replacen("0 1 2", "-1e-16 1.0000002 2", 1);
    let said = contains("1 pair of points has two distances").and(contains("not 0 on the diagonal"));
    rips_of(&rounded, &[]).assert().success().stdout(SQUARE_TEXT).stderr(said);
    let asymmetric = SQUARE.replacen("0 1 2", "0 1.1 2", 1);
    rips_of(&asymmetric, &[]).assert().code(2).stderr(contains("--symmetrize lower, upper"));
    let lower = ["--symmetrize", "lower"];
    rips_of(&asymmetric, &lower).assert().success().stdout(SQUARE_TEXT);
}

#[test]
fn values_of_options_that_make_no_sense() {
    for arguments in [
        ["--columns", "3-1"],
        ["--columns", "0"],
        ["--skip-rows", "-1"],
        ["--decimal", "semicolon"],
        ["--symmetrize", "both"],
        ["--key", "a"],
    ] {
        rips_of(SQUARE, &arguments).assert().code(2).stdout("").stderr(contains(arguments[0]));
    }
}
