//! `--landmarks`: a sample of the points.

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value, json};

use super::{SQUARE, SQUARE_TEXT, Scratch, rips, rips_of};

/// Points on a line: after the first, 9 is farthest, then 4; then 2 and 6 are equally far.
const LINE: &str = "0\n2\n4\n6\n9\n";

const POINTS: [&str; 2] = ["--format", "point-cloud"];

fn json_of(input: &str, options: &[&str]) -> Value {
    super::json_of(rips_of(input, &[options, &["--output", "json"]].concat()))
}

#[test]
fn the_sample_and_its_radius_are_told() {
    let landmarks = |k: &str| json_of(LINE, &[&POINTS[..], &["--landmarks", k]].concat());
    let [two, three, four] = ["2", "3", "4"].map(landmarks);
    assert_eq!(
        (&two["landmarks"], &two["covering_radius"], &two["points"]),
        (&json!([0, 4]), &json!(4.0), &json!(2))
    );
    assert_eq!((&three["landmarks"], &three["covering_radius"]), (&json!([0, 4, 2]), &json!(2.0)));
    assert_eq!((&four["landmarks"], &four["covering_radius"]), (&json!([0, 4, 2, 1]), &json!(2.0)));
    assert_eq!(json_of(LINE, &POINTS).get("landmarks"), None);

    let scratch = Scratch::new();
    let (line, stats) = (scratch.file("line.pts", LINE.as_bytes()), scratch.path("stats.json"));
    let run = rips(["-v", "--landmarks", "3", "--stats"]).arg(&stats).arg(line).assert().success();
    run.stdout(contains("point cloud with 3 points in dimension 1\n"))
        .stderr(contains("3 landmarks of 5 points, covering radius 2\n"));
    let stats: Value = serde_json::from_slice(&std::fs::read(stats).unwrap()).unwrap();
    assert_eq!(stats["landmarks"], json!({"points": [0, 4, 2], "of": 5, "covering_radius": 2.0}));
}

#[test]
fn of_a_matrix_too_and_of_edges_not() {
    let all = json_of(SQUARE, &["--landmarks", "4"]);
    assert_eq!((&all["landmarks"], &all["covering_radius"]), (&json!([0, 2, 1, 3]), &json!(0.0)));
    rips_of(SQUARE, &["--landmarks", "4"]).assert().success().stdout(SQUARE_TEXT);
    let edges = ["--format", "sparse", "--landmarks", "2"];
    rips_of("0 1 1\n1 2 1\n", &edges).assert().code(2).stderr(contains("found a list of edges"));
    let dtm = [&POINTS[..], &["--landmarks", "4", "--weights", "dtm"]].concat();
    rips_of(LINE, &dtm).assert().code(2).stderr(contains("not that of a sample"));
    for (k, expected) in [("6", "expected from 1 to 5"), ("0", "1 or more, found 0"), ("-1", "found -1")] {
        let options = [&POINTS[..], &["--landmarks", k]].concat();
        rips_of(LINE, &options)
            .assert()
            .code(2)
            .stdout("")
            .stderr(contains(expected).and(contains("landmarks")));
    }
}
