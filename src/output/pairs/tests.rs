//! Tests every format on a filtration whose pairs are evident.

use serde_json::{Value, json};

use super::*;
use crate::input::npz::Archive;
use crate::matrix::cycles::{ClassSelection, cycles};
use crate::matrix::{BoundaryMatrix, Figures, Pairs};

/// Three vertices, the first two joined by two edges: vertices at 0, 0, 0.5, edges at 0.5 and 2.
fn filtration() -> (BoundaryMatrix<u32>, Pairs<u32>, [f64; 5]) {
    let mut matrix = BoundaryMatrix::new();
    let columns: [(u8, &[usize]); 5] = [(0, &[]), (0, &[]), (0, &[]), (1, &[0, 1]), (1, &[0, 1])];
    for (dim, rows) in columns {
        matrix.push(dim, rows).unwrap();
    }
    let pairs = Pairs { pairs: vec![(1, 3)], cells: 5, figures: Figures::default() };
    (matrix, pairs, [0.0, 0.0, 0.5, 0.5, 2.0])
}

fn bytes<I: Index>(format: PairsFormat, solution: &Solution<'_, I>) -> Vec<u8> {
    let mut bytes = Vec::new();
    format.write(solution, &mut bytes).unwrap();
    bytes
}

fn written(format: PairsFormat, values: bool, cut: bool) -> Vec<u8> {
    let (matrix, pairs, all) = &filtration();
    let values = values.then_some(all.as_slice());
    bytes(format, &Solution { matrix, pairs, values, max_dim: 1, cut, cycles: None })
}

fn text(format: PairsFormat, values: bool, cut: bool) -> String {
    String::from_utf8(written(format, values, cut)).unwrap()
}

fn parsed(values: bool, cut: bool) -> Value {
    serde_json::from_slice(&written(PairsFormat::Json, values, cut)).unwrap()
}

/// (dim, birth, death, essential) of each point.
fn points(bytes: &[u8]) -> Vec<(u32, f64, f64, bool)> {
    let points = dipha::read_diagram(bytes).unwrap();
    points.iter().map(|p| (p.dim, p.birth, p.death, p.essential)).collect()
}

#[test]
fn phat_knows_no_values() {
    for values in [false, true] {
        assert_eq!(text(PairsFormat::PhatAscii, values, false), "1\n1 3\n");
        let words = written(PairsFormat::PhatBinary, values, false);
        assert_eq!(words, [1u64, 1, 3].map(u64::to_le_bytes).concat());
    }
}

#[test]
fn values_where_there_are_some() {
    let expected = "dim,birth,death\n0,0.0,0.5\n0,0.0,inf\n0,0.5,inf\n1,2.0,inf\n";
    assert_eq!(text(PairsFormat::Csv, true, false), expected);
    let bar = |dim: u64, birth: f64, death: Option<f64>| json!({"dim": dim, "birth": birth, "death": death});
    let bars = [bar(0, 0.0, Some(0.5)), bar(0, 0.0, None), bar(0, 0.5, None), bar(1, 2.0, None)];
    assert_eq!(parsed(true, false), json!({"cells": 5, "bars": bars}));
}

#[test]
fn a_filtration_that_was_cut_off_has_no_essential_classes_on_top() {
    assert_eq!(text(PairsFormat::Csv, true, true), "dim,birth,death\n0,0.0,0.5\n0,0.0,inf\n0,0.5,inf\n");
    assert_eq!(parsed(true, true)["bars"].as_array().map(Vec::len), Some(3));
    let kept = [(0, 0.0, 2.0, true), (0, 0.5, 2.0, true), (0, 0.0, 0.5, false)];
    for cut in [false, true] {
        assert_eq!(points(&written(PairsFormat::Dipha, true, cut)), kept);
    }
}

#[test]
fn bars_of_length_zero_are_left_out() {
    let (matrix, pairs, _) = &filtration();
    let values = Some([0.5; 5].as_slice());
    let solution = Solution { matrix, pairs, values, max_dim: 1, cut: false, cycles: None };
    let table = solution.table();
    assert_eq!(table.sections(), [(0, 2), (1, 1)]);
    assert!(table.iter().all(|row| row.is_essential));
    assert!(solution.dipha_points().iter().all(|point| point.essential && point.death == 0.5));
}

#[test]
fn nothing_is_written_of_no_cells() {
    let (matrix, pairs) = &(BoundaryMatrix::<u64>::new(), Pairs::default());
    for values in [None, Some([].as_slice())] {
        let solution = Solution { matrix, pairs, values, max_dim: 1, cut: false, cycles: None };
        let written = |format| bytes(format, &solution);
        assert_eq!(written(PairsFormat::PhatAscii), b"0\n");
        assert_eq!(written(PairsFormat::PhatBinary), [0; 8]);
        assert_eq!(written(PairsFormat::Csv), b"dim,birth,death\n");
        assert_eq!(dipha::read_diagram(&written(PairsFormat::Dipha)), Ok(vec![]));
        let object: Value = serde_json::from_slice(&written(PairsFormat::Json)).unwrap();
        assert_eq!(object["cells"], 0);
    }
}

/// The output for the filtration with the cycles of all its classes.
fn with_cycles(format: PairsFormat, values: bool) -> Vec<u8> {
    let (matrix, pairs, all) = filtration();
    let found = cycles(&matrix, &pairs, &ClassSelection::All, &()).unwrap();
    let values = values.then_some(all.as_slice());
    let cycles = Some(&found);
    bytes(format, &Solution { matrix: &matrix, pairs: &pairs, values, max_dim: 1, cut: false, cycles })
}

#[test]
fn cycles_are_written_beside_what_is_written_without() {
    for format in PairsFormat::ALL.into_iter().filter(|format| !format.holds_cycles()) {
        assert_eq!(with_cycles(format, true), written(format, true, false), "{format}");
    }
    for values in [false, true] {
        let mut object: Value = serde_json::from_slice(&with_cycles(PairsFormat::Json, values)).unwrap();
        let representatives = object.as_object_mut().unwrap().remove("representatives").unwrap();
        assert_eq!(object, parsed(values, false));
        let representative = |birth: usize, death: Option<usize>, cycle: &[usize]| {
            let (_, _, all) = filtration();
            let dim = usize::from(birth > 2);
            let mut object = json!({"dim": dim, "birth_cell": birth, "death_cell": death, "cycle": cycle});
            if values {
                object["birth"] = all[birth].into();
                object["death"] = death.map(|cell| all[cell]).into();
            }
            object
        };
        let expected = [
            representative(1, Some(3), &[0, 1]),
            representative(0, None, &[0]),
            representative(2, None, &[2]),
            representative(4, None, &[3, 4]),
        ];
        assert_eq!(representatives, json!(expected));
    }
}

#[test]
fn archives_of_values_have_bars_instead_of_pairs() {
    let names = |bytes: &[u8]| Archive::open(bytes).unwrap().names().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names(&written(PairsFormat::Npz, false, false)), ["pairs", "essential"]);
    assert_eq!(names(&written(PairsFormat::Npz, true, false)), ["bars"]);
    let bytes = with_cycles(PairsFormat::Npz, true);
    assert_eq!(names(&bytes).len(), 6);
    let bars = Archive::open(&bytes).unwrap().read("bars").unwrap();
    assert_eq!(npyz::NpyFile::new(bars.as_slice()).unwrap().shape(), [4, 3]);
}
