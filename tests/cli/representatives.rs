//! `--representatives`: simplices and chains of the bars, in every format that can hold them.

use std::path::Path;
use std::{fs, io::Read};

use predicates::prelude::*;
use predicates::str::contains;
use rawzip::ZipArchive;
use serde_json::{Value, json};

use super::{SQUARE, SQUARE_TEXT, Scratch, json_of, read, rips, rips_of, stdout_of};

const SIMPLICES: [&str; 2] = ["--representatives", "simplices"];

/// Simplices of [`SQUARE`] in `csv`.
const SQUARE_CSV: &str = "\
dim,birth,death,birth_simplex,death_simplex
0,0.0,1.0,2,2 3
0,0.0,1.0,0,0 1
0,0.0,1.25,1,1 2
0,0.0,inf,3,
1,1.5,2.0,0 3,0 1 3
";

fn stdout(input: &str, options: &[&str]) -> Vec<u8> {
    stdout_of(rips_of(input, &[&SIMPLICES[..], options].concat()))
}

fn csv_of(options: &[&str]) -> String {
    String::from_utf8(stdout(SQUARE, &[options, &["--output", "csv"]].concat())).unwrap()
}

/// Dimension and index of the representatives in JSON.
fn places(options: &[&str]) -> Vec<(u64, u64)> {
    let object: Value =
        serde_json::from_slice(&stdout(SQUARE, &[options, &["--output", "json"]].concat())).unwrap();
    let place = |found: &Value| (found["dim"].as_u64().unwrap(), found["index"].as_u64().unwrap());
    object["representatives"].as_array().unwrap().iter().map(place).collect()
}

/// Arrays of integers and doubles in an archive: name, shape, values.
pub(super) fn arrays(bytes: &[u8]) -> Vec<(String, Vec<u64>, Vec<f64>)> {
    let archive = ZipArchive::from_slice(bytes).unwrap();
    let mut entries = archive.entries();
    let mut arrays = Vec::new();
    while let Some(entry) = entries.next_entry().unwrap() {
        let name = String::from_utf8(entry.file_path().as_ref().to_vec()).unwrap();
        let found = archive.get_entry(entry.wayfinder()).unwrap();
        let mut member = Vec::new();
        found.verifying_reader(found.data()).read_to_end(&mut member).unwrap();
        let array = npyz::NpyFile::new(member.as_slice()).unwrap();
        let shape = array.shape().to_vec();
        let values = if name == "bars.npy" {
            array.into_vec().unwrap()
        } else {
            array.into_vec::<i64>().unwrap().into_iter().map(|x| x as f64).collect()
        };
        arrays.push((name.strip_suffix(".npy").unwrap().to_owned(), shape, values));
    }
    arrays
}

#[test]
fn csv_has_two_more_columns() {
    assert_eq!(csv_of(&[]), SQUARE_CSV);
    let one = csv_of(&["--only", "1:0"]);
    assert!(one.contains("\n0,0.0,inf,,\n") && one.ends_with("\n1,1.5,2.0,0 3,0 1 3\n"), "{one}");
}

#[test]
fn json_has_a_list() {
    let object: Value = serde_json::from_slice(&stdout(SQUARE, &["--output", "json"])).unwrap();
    assert_eq!(object["bars"].as_array().map(Vec::len), Some(5));
    let found = object["representatives"].as_array().unwrap();
    assert_eq!(found.len(), 5);
    let essential = json!({"dim": 0, "index": 3, "birth": 0.0, "death": null, "birth_simplex": [3], "death_simplex": null,
        "birth_edge": null, "death_edge": null});
    let of_loop = json!({"dim": 1, "index": 0, "birth": 1.5, "death": 2.0, "birth_simplex": [0, 3], "death_simplex": [0, 1, 3],
        "birth_edge": [0, 3], "death_edge": [1, 3]});
    assert_eq!((&found[3], &found[4]), (&essential, &of_loop));
    let without = json_of(rips_of(SQUARE, &["--output", "json"]));
    assert_eq!((&without["bars"], without.get("representatives")), (&object["bars"], None));
}

#[test]
fn npz_has_tables() {
    let infinity = f64::INFINITY;
    let bars = vec![0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.25, 0.0, 0.0, infinity, 1.0, 1.5, 2.0];
    let bars = ("bars".to_owned(), vec![5, 3], bars);
    let table =
        |name: &str, shape: &[u64], values: &[f64]| (name.to_owned(), shape.to_vec(), values.to_vec());
    let expected = [
        bars.clone(),
        table("birth_simplices_0", &[4, 1], &[2.0, 0.0, 1.0, 3.0]),
        table("death_simplices_0", &[4, 2], &[2.0, 3.0, 0.0, 1.0, 1.0, 2.0, -1.0, -1.0]),
        table("death_edges_0", &[4, 2], &[2.0, 3.0, 0.0, 1.0, 1.0, 2.0, -1.0, -1.0]),
        table("index_0", &[4], &[0.0, 1.0, 2.0, 3.0]),
        table("birth_simplices_1", &[1, 2], &[0.0, 3.0]),
        table("death_simplices_1", &[1, 3], &[0.0, 1.0, 3.0]),
        table("birth_edges_1", &[1, 2], &[0.0, 3.0]),
        table("death_edges_1", &[1, 2], &[1.0, 3.0]),
        table("index_1", &[1], &[0.0]),
    ];
    assert_eq!(arrays(&stdout(SQUARE, &["--output", "npz"])), expected);
    let alone = rips_of(SQUARE, &["--output", "npz"]).assert().success();
    assert_eq!(arrays(&alone.get_output().stdout), [bars]);
    let ratio = rips_of(SQUARE, &["--output", "npz", "--ratio", "1.34"]).assert().success();
    assert_eq!(arrays(&ratio.get_output().stdout)[0].1, [4, 3]);
    // Tables without rows have their width.
    let essential = arrays(&stdout(SQUARE, &["--output", "npz", "--min-persistence", "9"]));
    assert!(essential.contains(&table("death_simplices_1", &[0, 3], &[])), "{essential:?}");
}

/// Options for both kinds of chains.
const CHAINS: [&str; 2] = ["--representatives", "cocycles,cycles"];

#[test]
fn chains_have_a_row_a_simplex() {
    let run =
        rips_of(SQUARE, &[&CHAINS[..], &["--modulus", "3", "--output", "json"]].concat()).assert().success();
    let object: Value = serde_json::from_slice(&run.get_output().stdout).unwrap();
    let found = object["representatives"].as_array().unwrap();
    assert!(found[..4].iter().all(|found| found.get("cocycle").is_none() && found.get("cycle").is_none()));
    assert_eq!(found[4]["cocycle"], json!([[0, 3, 1]]));
    // The sides of the square with their orientations: from 0 over 1, 2 and 3, and against the last, or all of that
    // reversed.
    let sides = |one: u32, other: u32| json!([[2, 3, one], [0, 1, one], [1, 2, one], [0, 3, other]]);
    assert!(found[4]["cycle"] == sides(1, 2) || found[4]["cycle"] == sides(2, 1), "{}", found[4]["cycle"]);
}

#[test]
fn chains_lie_one_after_another_in_npz() {
    let run = rips_of(SQUARE, &[&CHAINS[..], &["--output", "npz"]].concat()).assert().success();
    let arrays = arrays(&run.get_output().stdout);
    let array = |name: &str| {
        let (_, shape, values) =
            arrays.iter().find(|array| array.0 == name).unwrap_or_else(|| panic!("{name}"));
        (shape.clone(), values.clone())
    };
    assert_eq!(array("cocycle_offsets_1"), (vec![2], vec![0.0, 1.0]));
    assert_eq!(array("cocycle_simplices_1"), (vec![1, 2], vec![0.0, 3.0]));
    assert_eq!(array("cocycle_coefficients_1"), (vec![1], vec![1.0]));
    assert_eq!(array("cycle_offsets_1"), (vec![2], vec![0.0, 4.0]));
    assert_eq!(array("cycle_simplices_1"), (vec![4, 2], vec![2.0, 3.0, 0.0, 1.0, 1.0, 2.0, 0.0, 3.0]));
    assert_eq!(array("cycle_coefficients_1"), (vec![4], vec![1.0; 4]));
    assert!(arrays.iter().all(|array| array.0 != "cocycle_offsets_0"));
}

#[test]
fn a_cycle_is_tightened() {
    let cycle = |options: &[&str]| {
        let chosen = ["--representatives", "cycles", "--longest", "1", "--output", "json", "--quiet"];
        let object = json_of(rips([&chosen[..], options, &["data/circle.pts"]].concat()));
        object["representatives"][0]["cycle"].as_array().unwrap().len()
    };
    // Around the circle, and tightened with fewer corners.
    assert_eq!([cycle(&[]), cycle(&["--tighten"])], [18, 14]);
}

#[test]
fn chains_are_refused_where_they_make_no_sense() {
    let refused = |options: &[&str], message: &str| {
        rips_of(SQUARE, options).assert().code(2).stderr(contains(message));
    };
    let room = "expected --output json or npz, which can hold cocycles and cycles, found csv";
    refused(&["--representatives", "cycles", "--output", "csv"], room);
    let json = ["--output", "json", "--representatives"];
    let tighten = "--tighten applies only to --representatives cycles";
    refused(&[&json[..], &["cocycles", "--tighten"]].concat(), tighten);
    let birth = "--cocycles-at birth applies only to --representatives cocycles";
    refused(&[&json[..], &["cycles", "--cocycles-at", "birth"]].concat(), birth);
}

#[test]
fn bars_are_chosen() {
    assert_eq!(places(&["--longest", "1"]), [(1, 0)]);
    assert_eq!(places(&["--min-persistence", "1.25"]), [(0, 2), (0, 3)]);
    assert_eq!(places(&["--min-persistence", "inf"]), [(0, 3)]);
    assert_eq!(places(&["--only", "1:0,0:2"]), [(0, 2), (1, 0)]);
    assert_eq!(places(&["--only", "1:0", "--only", "0:2"]), [(0, 2), (1, 0)]);
    assert_eq!(places(&["--longest", "9", "--modulus", "3", "--threads", "4"]), [(1, 0)]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    for format in ["text", "npy"] {
        let said = format!(
            "--representatives: expected --output json, csv or npz, which can hold them, found {format}"
        );
        let run = rips_of(SQUARE, &[&SIMPLICES[..], &["--output", format]].concat()).assert();
        run.code(2).stdout("").stderr(contains(said));
    }
    let csv = |options: &[&str]| {
        rips_of(SQUARE, &[options, &["--output", "csv"]].concat()).assert().code(2).stdout("")
    };
    let with = |options: &[&str]| csv(&[&SIMPLICES[..], options].concat());
    for option in [["--only", "1:0"], ["--longest", "1"], ["--min-persistence", "1"]] {
        csv(&option).stderr(contains("--representatives <KIND,...>"));
    }
    with(&["--longest", "1", "--only", "1:0"]).stderr(contains("cannot be used with"));
    with(&["--longest", "1", "--min-persistence", "1"]).stderr(contains("cannot be used with"));
    with(&["--only", "1:0", "--min-persistence", "1"]).stderr(contains("cannot be used with"));
    with(&["--ratio", "1.5"]).stderr(contains("--ratio: expected 1 with --representatives"));
    with(&["--only", "1"]).stderr(contains("such as 1:0, found 1"));
    with(&["--longest", "0"]).stderr(contains("1 or more, found 0"));
    with(&["--min-persistence", "-1"]).stderr(contains("expected a non-negative number or inf, found -1"));
    with(&["--only", "1:0,1:1"]).stderr(contains("bar 1:1: ").and(contains("of which there are 1")));
    csv(&["--representatives", "pictures"]).stderr(contains("simplices"));
    assert_eq!(csv_of(&["--ratio", "1"]), SQUARE_CSV);
}

#[test]
fn a_collapse_that_is_asked_for_is_not_done_and_that_is_said() {
    let options = [&SIMPLICES[..], &["--output", "csv", "--max-dim", "2", "--explain"]].concat();
    let run =
        |collapse| rips_of(SQUARE, &[&options[..], &["--collapse", collapse]].concat()).assert().success();
    let explained = "representatives simplices, as asked: no edges are collapsed";
    run("on")
        .stdout(SQUARE_CSV)
        .stderr(contains("edges are not collapsed, although").and(contains(explained)));
    run("auto").stdout(SQUARE_CSV).stderr(contains("although").not().and(contains(explained)));
}

/// On the line of points 0, 2, 4, 6 and 9, the landmarks are 0, 9 and 4.
#[test]
fn landmarks_are_points_of_the_input() {
    let options = ["--format", "point-cloud", "--landmarks", "3", "--output", "csv"];
    let found = String::from_utf8(stdout("0\n2\n4\n6\n9\n", &options)).unwrap();
    let simplices =
        "dim,birth,death,birth_simplex,death_simplex\n0,0.0,4.0,0,0 2\n0,0.0,5.0,4,2 4\n0,0.0,inf,2,\n";
    assert_eq!(found, simplices);
}

#[test]
fn weights_and_edges_have_simplices() {
    let born = "0 0 0.5\n0 1 2\n1 1 1\n2 0 3\n2 1 4\n2 2 2.5\n";
    let options = ["--format", "sparse", "--weights", "diagonal", "--output", "csv"];
    let found = String::from_utf8(stdout(born, &options)).unwrap();
    let simplices =
        "dim,birth,death,birth_simplex,death_simplex\n0,1.0,2.0,1,0 1\n0,2.5,3.0,2,0 2\n0,0.5,inf,0,\n";
    assert_eq!(found, simplices);
}

#[test]
fn several_inputs_have_theirs() {
    let scratch = Scratch::new();
    let inputs: Vec<String> =
        (0..20).map(|k| scratch.file(&format!("{k}.txt"), SQUARE).to_str().unwrap().to_owned()).collect();
    let (bars, refused) = (scratch.name("bars"), scratch.name("refused"));
    let run = |options: &[&str]| rips(SIMPLICES).args(&inputs).args(options).arg("-q").assert();
    run(&["--output", "csv", "-o", &bars]).success().stdout("");
    for k in 0..20 {
        assert_eq!(read(&Path::new(&bars).join(format!("{k}.txt.csv"))), SQUARE_CSV);
    }
    run(&["-o", &refused]).code(2).stderr(contains("found text"));
    let missing = run(&["--output", "json", "-o", &bars, "--only", "1:7"]).code(2);
    missing.stderr(contains("0.txt: bar 1:7: ").and(contains("19.txt")));
}

/// `lacuna compare` reads the output.
#[test]
fn compare_reads_bars_beside_simplices() {
    let scratch = Scratch::new();
    let text = scratch.file("bars.txt", SQUARE_TEXT);
    for format in ["csv", "json", "npz"] {
        let file = scratch.path(&format!("bars.{format}"));
        fs::write(&file, stdout(SQUARE, &["--output", format])).unwrap();
        super::lacuna("compare", [&text, &file]).assert().success();
    }
}
