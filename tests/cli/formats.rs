//! The other output formats, parsed back: the same bars in the same order.

use serde_json::{Value, json};

use super::{SQUARE, rips_of, stdout_of};

/// Bars of [`SQUARE`]: dim, birth, death.
const BARS: [[f64; 3]; 5] =
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.25], [0.0, 0.0, f64::INFINITY], [1.0, 1.5, 2.0]];

fn stdout(arguments: &[&str]) -> Vec<u8> {
    stdout_of(rips_of(SQUARE, arguments))
}

#[test]
fn csv_reads_back() {
    let text = String::from_utf8(stdout(&["--output", "csv"])).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("dim,birth,death"));
    let numbers = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect::<Vec<f64>>();
    assert_eq!(lines.map(numbers).collect::<Vec<_>>(), BARS);
}

#[test]
fn json_reads_back() {
    let object: Value = serde_json::from_slice(&stdout(&["--output", "json"])).unwrap();
    let bars: Vec<Value> = BARS
        .iter()
        .map(|[dim, birth, death]| json!({"dim": *dim as u64, "birth": birth, "death": death}))
        .collect();
    assert_eq!(object, json!({"points": 4, "modulus": 2, "threshold": 2.0, "max_dim": 1, "bars": bars}));
    assert_eq!(object["bars"][3]["death"], Value::Null);
}

#[test]
fn json_has_no_threshold_for_the_whole_filtration() {
    let arguments = ["--output", "json", "--threshold", "inf", "--modulus", "5"];
    let object: Value = serde_json::from_slice(&stdout(&arguments)).unwrap();
    assert_eq!((&object["threshold"], &object["modulus"]), (&Value::Null, &json!(5)));
}

#[test]
fn npy_reads_back() {
    let bytes = stdout(&["--output", "npy"]);
    let array = npyz::NpyFile::new(bytes.as_slice()).unwrap();
    assert_eq!(array.shape(), [5, 3]);
    assert_eq!(array.into_vec::<f64>().unwrap(), BARS.concat());
}

#[test]
fn ratio_holds_for_every_format() {
    let lines =
        |ratio| stdout(&["--output", "csv", "--ratio", ratio]).iter().filter(|&&b| b == b'\n').count();
    assert_eq!((lines("1.3"), lines("1.34")), (6, 5));
    let object: Value = serde_json::from_slice(&stdout(&["--output", "json", "--ratio", "1.34"])).unwrap();
    assert_eq!(object["bars"].as_array().map(Vec::len), Some(4));
    let bytes = stdout(&["--output", "npy", "--ratio", "1.34"]);
    assert_eq!(npyz::NpyFile::new(bytes.as_slice()).unwrap().shape(), [4, 3]);
}
