//! `lacuna vectorize`: the vectors of `gudhi.representations`, and refusals.

use std::fs;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;

use super::{Scratch, lacuna, text_of};

/// GUDHI's vectors of some diagrams, written by `tests/vectors/make.py`.
const EXPECTED: &str = include_str!("../vectors/expected.json");

fn numbers(row: &Value) -> Vec<f64> {
    row.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Files of the diagrams in dimension 1, with bars of another dimension and an essential one.
fn files(scratch: &Scratch, diagrams: &Value) -> Vec<String> {
    let file = |(k, bars): (usize, &Value)| {
        let name = scratch.name(&format!("{k}.csv"));
        let lines =
            bars.as_array().unwrap().iter().map(numbers).map(|bar| format!("1,{},{}\n", bar[0], bar[1]));
        let text: String = lines.collect();
        fs::write(&name, format!("dim,birth,death\n0,-50,100\n{text}2,-40,inf\n")).unwrap();
        name
    };
    diagrams.as_array().unwrap().iter().enumerate().map(file).collect()
}

#[test]
fn vectors_are_those_of_gudhi() {
    let scratch = Scratch::new();
    let expected: Value = serde_json::from_str(EXPECTED).unwrap();
    let files = files(&scratch, &expected["diagrams"]);
    let cases = expected["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 14);
    for case in cases {
        let options: Vec<&str> =
            case["options"].as_array().unwrap().iter().map(|x| x.as_str().unwrap()).collect();
        let text = text_of(lacuna("vectorize", &options).arg("-q").args(&files));
        let found: Vec<Vec<f64>> =
            text.lines().map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
        let vectors: Vec<Vec<f64>> = case["vectors"].as_array().unwrap().iter().map(numbers).collect();
        assert_eq!(found.len(), vectors.len());
        for (row, (found, expected)) in found.iter().zip(&vectors).enumerate() {
            assert_eq!(found.len(), expected.len(), "{options:?}");
            for (column, (a, b)) in found.iter().zip(expected).enumerate() {
                assert!(
                    (a - b).abs() <= 1e-6 * b.abs().max(1e-3),
                    "{options:?}: {a}, not {b}, at ({row}, {column})"
                );
            }
        }
    }
}

#[test]
fn options_of_other_kinds_and_lengths_beyond_memory_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("bars.csv", "dim,birth,death\n1,0,1\n");
    for (kind, option, value, expected) in [
        ("entropy", "--resolution", "5", "--kind image, landscape"),
        ("lengths", "--range", "0,1", "--kind image, landscape"),
        ("betti", "--bandwidth", "2", "applies only to --kind image, not to betti"),
        ("landscape", "--weight", "1", "--kind image or silhouette"),
        ("image", "--count", "3", "--kind landscape or lengths"),
        ("lengths", "--count", "18446744073709551615", "from 1 to 100000"),
        ("silhouette", "--weight", "inf", "a finite number, 0 or more"),
        ("silhouette", "--weight", "-1", "a finite number, 0 or more"),
    ] {
        let run = lacuna("vectorize", ["-q", "--kind", kind, option, value]).arg(&file).assert();
        run.code(2).stderr(contains(option).and(contains(expected)));
    }
}

#[test]
fn arrays_hold_what_texts_do_and_infinite_bars_are_told() {
    let scratch = Scratch::new();
    let array = scratch.name("v.npy");
    let bars = "dim,birth,death\n1,0,2\n1,1,inf\n";
    let options = ["-", "--kind", "lengths", "--count", "3"];
    let text = lacuna("vectorize", options).write_stdin(bars).assert().success();
    text.stdout("2.0,0.0,0.0\n").stderr(contains("1 infinite bar left out"));
    lacuna("vectorize", options).args(["-o", &array]).write_stdin(bars).assert().success();
    let bytes = fs::read(array).unwrap();
    assert!(String::from_utf8_lossy(&bytes).replace(' ', "").contains("(1,3"));
    let doubles: Vec<f64> =
        bytes[bytes.len() - 24..].chunks(8).map(|x| f64::from_le_bytes(x.try_into().unwrap())).collect();
    assert_eq!(doubles, [2.0, 0.0, 0.0]);
    // Betti curves count infinite bars.
    let curve = ["-", "-q", "--kind", "betti", "--range", "0,3", "--resolution", "4"];
    lacuna("vectorize", curve).write_stdin(bars).assert().success().stdout("1.0,2.0,1.0,1.0\n");
}

#[test]
fn what_has_no_vectors_is_refused() {
    let refused = |options: &[&str], input: &str, expected: &str| {
        let mut command = lacuna("vectorize", [&["-"][..], options].concat());
        command.write_stdin(input).assert().code(2).stderr(contains(expected));
    };
    let bars = "1,0,2\n";
    refused(&[], "1\n2 3\n", "expected bars with dimensions, found pairs of cells");
    refused(
        &[],
        "value,vcec,ecc\n1,1,1\n",
        "expected bars with dimensions, found an Euler characteristic curve",
    );
    refused(
        &["--kind", "betti", "--resolution", "3x4"],
        bars,
        "applies only to --kind image, which has two axes",
    );
    refused(
        &["--kind", "betti", "--range", "0,1,0,1"],
        bars,
        "applies only to --kind image, which has two axes",
    );
    refused(&["--range", "1,0"], bars, "the lower first");
    refused(&["--resolution", "0"], bars, "from 1 to 10000");
    refused(&["--bandwidth", "0"], bars, "above 0");
    refused(&["-o", "a.npy", "--output", "csv"], bars, "expected another file name");
}
