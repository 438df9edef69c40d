//! `--representatives cycles`: cells of the cycles, in the formats that can hold them.

use std::fs;

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};

use super::super::representatives::arrays;
use super::super::{Scratch, TRIANGLE, TRIANGLE_PAIRS, data, json_of, lacuna, stdout_of};
use super::{reduce, reduce_of};

const CYCLES: [&str; 2] = ["--representatives", "cycles"];

/// The triangle without its face.
const OPEN: &str = "0\n0\n0\n1 0 1\n1 0 2\n1 1 2\n";

fn stdout(input: &str, options: &[&str]) -> Vec<u8> {
    stdout_of(reduce_of(input, &[&CYCLES[..], options].concat()))
}

fn object(input: &str, options: &[&str]) -> Value {
    serde_json::from_slice(&stdout(input, &[options, &["--output", "json"]].concat())).unwrap()
}

/// Birth cells of the selected classes of the triangle.
fn births(options: &[&str]) -> Vec<u64> {
    let object = object(TRIANGLE, options);
    let found = object["representatives"].as_array().unwrap().iter();
    found.map(|class| class["birth_cell"].as_u64().unwrap()).collect()
}

#[test]
fn json_has_a_list() {
    let class = |dim: u64, birth: u64, death: Option<u64>, cycle: &[u64]| json!({"dim": dim, "birth_cell": birth, "death_cell": death, "cycle": cycle});
    let classes = [
        class(0, 1, Some(3), &[0, 1]),
        class(0, 2, Some(4), &[0, 2]),
        class(1, 5, Some(6), &[3, 4, 5]),
        class(0, 0, None, &[0]),
    ];
    let expected =
        json!({"cells": 7, "pairs": [[1, 3], [2, 4], [5, 6]], "essential": [0], "representatives": classes});
    assert_eq!(object(TRIANGLE, &[]), expected);
    let empty = "\0".repeat(8);
    assert_eq!(object(&empty, &["--format", "phat-binary"])["representatives"], json!([]));
    // Without its face the loop is essential: the column of V.
    let open = object(OPEN, &["--only", "5"]);
    assert_eq!(open["representatives"], json!([class(1, 5, None, &[3, 4, 5])]));
}

#[test]
fn npz_has_flat_arrays() {
    let array =
        |name: &str, shape: &[u64], values: &[f64]| (name.to_owned(), shape.to_vec(), values.to_vec());
    let pairs = [array("pairs", &[3, 2], &[1.0, 3.0, 2.0, 4.0, 5.0, 6.0]), array("essential", &[1], &[0.0])];
    let cycles = [
        array("dims", &[4], &[0.0, 0.0, 1.0, 0.0]),
        array("births", &[4], &[1.0, 2.0, 5.0, 0.0]),
        array("deaths", &[4], &[3.0, 4.0, 6.0, -1.0]),
        array("offsets", &[5], &[0.0, 2.0, 4.0, 7.0, 8.0]),
        array("cells", &[8], &[0.0, 1.0, 0.0, 2.0, 3.0, 4.0, 5.0, 0.0]),
    ];
    assert_eq!(arrays(&stdout(TRIANGLE, &["--output", "npz"])), [&pairs[..], &cycles].concat());
    let alone = reduce_of(TRIANGLE, &["--output", "npz"]).assert().success();
    assert_eq!(arrays(&alone.get_output().stdout), pairs);
}

#[test]
fn classes_are_chosen() {
    assert_eq!(births(&[]), [1, 2, 5, 0]);
    assert_eq!(births(&["--only", "5,1"]), [1, 5]);
    assert_eq!(births(&["--only", "5", "--only", "0"]), [5, 0]);
    assert_eq!(births(&["--min-persistence", "2"]), [1, 2, 0]);
    assert_eq!(births(&["--min-persistence", "3"]), [0]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    for format in ["phat-ascii", "phat-binary", "csv", "dipha"] {
        let run = reduce_of(TRIANGLE, &[&CYCLES[..], &["--output", format]].concat()).assert().code(2);
        let said = format!("expected --output json or npz, which can hold cycles, found {format}");
        run.stdout("").stderr(contains(said));
    }
    reduce_of(TRIANGLE, &CYCLES).assert().code(2).stdout("").stderr(contains("can hold cycles, found none"));
    let json = |options: &[&str]| {
        reduce_of(TRIANGLE, &[options, &["--output", "json"]].concat()).assert().code(2).stdout("")
    };
    let with = |options: &[&str]| json(&[&CYCLES[..], options].concat());
    for option in [["--only", "5"], ["--min-persistence", "1"]] {
        json(&option).stderr(contains("--representatives <KIND,...>"));
    }
    with(&["--only", "5", "--min-persistence", "1"]).stderr(contains("cannot be used with"));
    with(&["--check=off"]).stderr(contains("--check: expected on with --representatives"));
    with(&["--only", "x"]).stderr(contains("expected the number of a cell, 0 or more, found x"));
    with(&["--only", "-1"]).stderr(contains("found -1"));
    with(&["--min-persistence", "1.5"]).stderr(contains("expected a whole number, 0 or more, found 1.5"));
    with(&["--only", "5,6"])
        .stderr(contains("class of cell 6: ").and(contains("destroys the class of cell 5")));
    with(&["--only", "7"]).stderr(contains("class of cell 7: expected a cell below 7"));
    with(&["--longest", "1"]).stderr(contains("--longest"));
    json(&["--representatives", "cocycles"]).stderr(contains("cycles"));
}

/// The file of an image does not number its cells.
#[test]
fn an_image_is_refused() {
    let options = [&CYCLES[..], &["--output", "json", "--max-dim", "1"]].concat();
    for file in ["rings.complex", "octahedron.dipha"] {
        let run = reduce(&options).arg(data(file)).assert().code(2).stdout("");
        run.stderr(contains(
            "expected a boundary matrix, whose columns are cells, found an image or distances",
        ));
    }
}

#[test]
fn the_matrix_of_a_file_with_values_tells_values_too() {
    let scratch = Scratch::new();
    let matrix = scratch.name("shell.complex");
    lacuna("convert", ["-q", data("cubical/shell.npy").to_str().unwrap(), &matrix]).assert().success();
    let object = json_of(reduce(CYCLES).args(["--output", "json", &matrix]));
    let classes = object["representatives"].as_array().unwrap().iter();
    let of = |dim: u64| classes.clone().filter(move |class| class["dim"] == dim);
    let cavity = of(2).find(|class| class["birth"] != class["death"]).unwrap();
    assert_eq!((&cavity["birth"], &cavity["death"]), (&json!(1.0), &json!(9.0)));
    // The cycle around a cavity is closed: at least the six faces of a voxel.
    assert!(cavity["cycle"].as_array().unwrap().len() >= 6, "{cavity}");
    assert_eq!(of(0).filter(|class| class["death_cell"].is_null()).count(), 1);
}

/// Every algorithm, dualized or not, at any number of threads gives the same bytes; the pairs are the same as without
/// cycles.
#[test]
fn the_cycles_depend_on_nothing_but_the_matrix() {
    let torus = data("torus_surface.bin");
    let run = |options: &[&str], format: &str| {
        let run =
            reduce(CYCLES).args(["-q", "--output", format]).args(options).arg(&torus).assert().success();
        run.get_output().stdout.clone()
    };
    let (json, npz) = (run(&[], "json"), run(&[], "npz"));
    assert!(run(&["--threads", "1"], "npz") == npz && run(&["--threads", "4"], "npz") == npz);
    let algorithms = [
        "sieve",
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
    for algorithm in algorithms {
        for dualize in ["on", "off"] {
            for threads in ["1", "4"] {
                let options = ["--algorithm", algorithm, "--dualize", dualize, "--threads", threads];
                assert!(run(&options, "json") == json, "{options:?}");
            }
        }
    }
    let mut object: Value = serde_json::from_slice(&json).unwrap();
    let count = object["representatives"].as_array().unwrap().len();
    let essential = object["essential"].as_array().unwrap().len();
    assert_eq!((count, essential), (object["pairs"].as_array().unwrap().len() + essential, 4));
    object.as_object_mut().unwrap().remove("representatives");
    let without = reduce(["-q", "--output", "json"]).arg(&torus).assert().success();
    assert_eq!(object, serde_json::from_slice::<Value>(&without.get_output().stdout).unwrap());
}

#[test]
fn statistics_and_messages_count_cycles() {
    let scratch = Scratch::new();
    let stats = scratch.name("stats.json");
    let options = ["--output", "json", "-v", "--explain", "--dualize", "on", "--stats", &stats];
    let run = reduce_of(OPEN, &[&CYCLES[..], &options].concat()).assert().success();
    run.stderr(
        contains("representatives cycles: columns of the matrix itself are reduced")
            .and(contains("cycles: additions")),
    );
    let record: Value = serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap();
    assert_eq!((&record["cycles"], &record["cycles_additions"]), (&json!(4), &json!(2)));
    assert!(record["cycles_seconds"].is_f64());
    let run = reduce_of(TRIANGLE, &["-v", "--stats", &stats]).assert().success();
    run.stdout(TRIANGLE_PAIRS).stderr(contains("cycles").not());
    let record: Value = serde_json::from_str(&fs::read_to_string(&stats).unwrap()).unwrap();
    assert_eq!(record.get("cycles"), None);
}

/// `lacuna compare` reads the output.
#[test]
fn compare_reads_pairs_beside_cycles() {
    let scratch = Scratch::new();
    let pairs = scratch.file("pairs.txt", TRIANGLE_PAIRS);
    for format in ["json", "npz"] {
        let file = scratch.file(&format!("pairs.{format}"), stdout(TRIANGLE, &["--output", format]));
        lacuna("compare", [&pairs, &file]).assert().success();
        let other = scratch.file("other.txt", "2\n1 3\n2 4\n");
        lacuna("compare", [&other, &file]).assert().code(1);
    }
}
