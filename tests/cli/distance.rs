//! `lacuna distance`: distances, matchings, matrices and refusals.

use predicates::prelude::*;
use predicates::str::contains;

use super::{Scratch, lacuna};

const A: &str = "dim,birth,death\n0,0,inf\n0,0,4\n1,1,1.5\n1,2,6\n";
const B: &str =
    "persistence intervals in dim 0:\n [0.5, )\n [0,3)\npersistence intervals in dim 1:\n [2,5.5)\n";

/// Runs the program on A and B with these options.
fn of_a_and_b(options: &[&str]) -> assert_cmd::assert::Assert {
    let scratch = Scratch::new();
    let (a, b) = (scratch.file("a.csv", A), scratch.file("b.txt", B));
    lacuna("distance", options).args([a, b]).assert()
}

#[test]
fn every_dimension_has_a_line() {
    of_a_and_b(&[]).success().stdout("dim 0: 1.0\ndim 1: 0.5\n").stderr(contains("a.csv: csv ("));
    of_a_and_b(&["--kind", "wasserstein"]).success().stdout("dim 0: 1.5\ndim 1: 0.75\n");
    let options = ["--kind", "wasserstein", "--order", "2", "--internal-p", "1", "--dim", "1", "-q"];
    // √(0.5² + 0.5²).
    of_a_and_b(&options).success().stdout("dim 1: 0.7071067811865476\n").stderr("");
    of_a_and_b(&["--output", "csv"]).success().stdout("dim,distance\n0,1.0\n1,0.5\n");
    of_a_and_b(&["--dim", "7"]).success().stdout("dim 7: 0.0\n");
}

/// Unfinished dimensions are read as far as they go, and every reader reports them.
#[test]
fn what_is_unfinished_is_told() {
    let scratch = Scratch::new();
    let text = r#"{"max_dim":0,"unfinished":[1],"bars":[{"dim":0,"birth":0,"death":null}]}"#;
    let part = scratch.file("part.json", text).display().to_string();
    let whole = scratch.file("whole.csv", A).display().to_string();
    let told = || {
        contains("warning: ").and(contains("part.json: dimension 1 is unfinished: its run was ended before"))
    };
    let out = |name: &str| scratch.name(name);
    lacuna("distance", [&whole, &part]).assert().success().stderr(told());
    lacuna("distance", [&*whole, &*part, "--dim", "0"]).assert().success().stderr(told().not());
    lacuna("plot", [&*part, "-o", &out("part.svg")]).assert().success().stderr(told());
    lacuna("plot", [&*part, "--dim", "0", "-o", &out("part.svg")]).assert().success().stderr(told().not());
    lacuna("vectorize", [&*part, "--kind", "betti", "-o", &out("part.npy")])
        .assert()
        .success()
        .stderr(told());
    lacuna("convert", [&*part, &*out("part.csv"), "--from", "diagram"]).assert().success().stderr(told());
    // JSON output states it itself.
    let again = out("again.json");
    lacuna("convert", [&*part, &*again, "--from", "diagram"]).assert().success().stderr(told().not());
    assert!(std::fs::read_to_string(&again).unwrap().contains("\"unfinished\":[1],"));
    let note = contains("dimension 1 is unfinished in ").and(contains("only in "));
    lacuna("compare", [&whole, &again]).assert().code(1).stdout(note);
}

#[test]
fn matchings_have_a_line_a_pair() {
    let pairs = " [1.0,1.5) diagonal 0.25\n [2.0,6.0) [2.0,5.5) 0.5\n";
    let expected =
        format!("dim 0: 1.0\n [0.0,inf) [0.5,inf) 0.5\n [0.0,4.0) [0.0,3.0) 1.0\ndim 1: 0.5\n{pairs}");
    of_a_and_b(&["--matching"]).success().stdout(expected);
    let csv = "dim,birth_a,death_a,birth_b,death_b,distance\n1,1.0,1.5,,,0.25\n1,2.0,6.0,2.0,5.5,0.5\n";
    of_a_and_b(&["--matching", "--dim", "1", "--output", "csv"]).success().stdout(csv);
    let json = of_a_and_b(&["--matching", "--dim", "1", "--output", "json"]).success();
    let found: serde_json::Value = serde_json::from_slice(&json.get_output().stdout).unwrap();
    assert_eq!(found["dimensions"][0]["matching"][0]["a"], serde_json::json!([1.0, 1.5]));
    assert_eq!(found["dimensions"][0]["matching"][0]["b"], serde_json::Value::Null);
    assert_eq!(found["kind"], "bottleneck");
}

#[test]
fn matrices_hold_all_pairs() {
    let scratch = Scratch::new();
    let files =
        [scratch.file("a.csv", A), scratch.file("b.txt", B), scratch.file("c.csv", "0,0,inf\n0,0,1\n")];
    let text = "dim 0:\n0.0 1.0 2.0\n1.0 0.0 1.5\n2.0 1.5 0.0\n";
    lacuna("distance", ["--matrix", "--dim", "0"]).args(&files).assert().success().stdout(text);
    let array = scratch.path("m.npy");
    let to = ["--matrix", "--dim", "0", "-o", array.to_str().unwrap()];
    lacuna("distance", to).args(&files).assert().success();
    let bytes = std::fs::read(array).unwrap();
    let doubles: Vec<f64> = bytes[bytes.len() - 72..]
        .chunks(8)
        .map(|double| f64::from_le_bytes(double.try_into().unwrap()))
        .collect();
    assert_eq!(doubles, [0.0, 1.0, 2.0, 1.0, 0.0, 1.5, 2.0, 1.5, 0.0]);
    // A has only dimensions 0 and 1, and C has no bars in dimension 1.
    let csv = lacuna("distance", ["--matrix", "--output", "csv"]).args(&files).assert().success();
    csv.stdout(contains("\n1,2.0,1.75,0.0\n"));
    // Names are quoted where columns need it.
    scratch.file("a \"b\", c.csv", A);
    let mut quoted =
        lacuna("distance", ["--matrix", "--output", "csv", "--dim", "0", "a \"b\", c.csv", "a.csv"]);
    let quoted = quoted.current_dir(scratch.0.path()).assert().success();
    quoted.stdout("dim,\"a \"\"b\"\", c.csv\",a.csv\n0,0.0,0.0\n0,0.0,0.0\n");
}

#[test]
fn different_numbers_of_essential_bars_are_infinitely_far_apart() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.file("a.csv", A), scratch.file("b.csv", "0,0,1\n"));
    let far = lacuna("distance", ["--matching", "--dim", "0"]).args([&a, &b]).assert();
    far.success().stdout("dim 0: inf\n");
    let json = lacuna("distance", ["--dim", "0", "--output", "json"]).args([&a, &b]).assert();
    json.success().stdout(contains("\"distance\": \"inf\""));
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (options, said) in [
        (&["--order", "2"][..], "--order applies only to --kind wasserstein"),
        (&["--internal-p", "2"], "--internal-p applies only to --kind wasserstein"),
        (&["--kind", "wasserstein", "--order", "inf"], "--order: expected a finite number, found inf"),
        (&["--kind", "wasserstein", "--order", "0.5"], "expected a number from 1 up"),
        (&["--output", "npy"], "--output npy: expected --matrix and --dim"),
        (&["no-such-file"], "expected two files, A and B, found 3"),
    ] {
        of_a_and_b(options).code(2).stdout("").stderr(contains(said));
    }
    let scratch = Scratch::new();
    let pairs = scratch.file("pairs", "1\n0 1\n");
    let refused = lacuna("distance", [&pairs, &pairs]).assert().code(2);
    refused.stderr(contains("expected bars with values, found pairs of cells").and(contains("pairs")));
}

#[test]
fn a_matching_of_infinite_distance_has_a_row_without_ends() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.file("a.csv", A), scratch.file("b.csv", "dim,birth,death\n0,0,1\n"));
    let csv = "dim,birth_a,death_a,birth_b,death_b,distance\n0,,,,,inf\n";
    let options = ["-q", "--matching", "--dim", "0", "--output", "csv"];
    lacuna("distance", options).args([a, b]).assert().success().stdout(csv);
}

#[test]
fn no_input_is_overwritten_and_names_tell_formats_in_any_letters() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.file("a.csv", A), scratch.file("b.txt", B));
    let over = lacuna("distance", ["-q"]).args([&a, &b]).arg("-o").arg(&a).assert();
    over.code(2).stderr(contains("expected an output that is not the input"));
    assert_eq!(std::fs::read_to_string(&a).unwrap(), A);
    let upper = scratch.path("OUT.CSV");
    lacuna("distance", ["-q"]).args([&a, &b]).arg("-o").arg(&upper).assert().success();
    assert_eq!(std::fs::read_to_string(upper).unwrap(), "dim,distance\n0,1.0\n1,0.5\n");
}

#[test]
fn a_dimension_without_bars_is_said() {
    let said = || contains("no file has bars of dimension 9");
    of_a_and_b(&["--dim", "9"]).success().stdout(contains("dim 9: 0.0")).stderr(said());
    of_a_and_b(&["--dim", "0"]).success().stderr(said().not());
}
