//! Filtrations of DIPHA's own test inputs have DIPHA's diagrams: every line of `golden/dipha/cases.tsv`.
//! `common/shared.rs` says where the inputs are and what happens without them.

use std::fs;
use std::path::Path;

use crate::common::shared::{folder, table};
use lacuna::cells::{WeightedBoundaryMatrix, cubical_complex, rips_complex};
use lacuna::matrix::{BoundaryMatrix, Pairs};
use lacuna::metric::{DistanceMatrix, Distances, SparseDistances};
use lacuna::output::pairs::Solution;
use phat_formats::dipha::{self, DiagramPoint, FileType};

#[test]
#[ignore = "needs LACUNA_SHARED"]
fn diagrams_are_diphas() {
    let folder = folder();
    let cases = table(&folder.join("golden/dipha/cases.tsv"));
    assert!(!cases.is_empty(), "no case in cases.tsv");
    for case in cases {
        let [input, upper_dim, diagram] = <[String; 3]>::try_from(case)
            .unwrap_or_else(|row| panic!("cases.tsv: expected 3 columns, found {row:?}"));
        let upper_dim: usize = upper_dim.parse().unwrap();
        let expected = dipha::read_diagram(&bytes(&folder.join("golden/dipha").join(diagram))).unwrap();
        let filtration = filtration(&bytes(&folder.join("data/dipha").join(&input)), upper_dim);
        let name = format!("{input}, upper_dim {upper_dim}");
        assert_eq!(filtration.matrix.check(), Ok(()), "{name}");
        assert_eq!(dipha_points(&filtration), expected, "{name}");
    }
}

/// The points that DIPHA writes.
fn dipha_points(filtration: &WeightedBoundaryMatrix<u32>) -> Vec<DiagramPoint> {
    let WeightedBoundaryMatrix { matrix, values, max_dim } = filtration;
    let pairs = Pairs { pairs: standard(matrix), cells: matrix.len(), ..Pairs::default() };
    let (values, max_dim) = (Some(&values[..]), *max_dim);
    Solution { matrix, pairs: &pairs, values, max_dim, cut: false, cycles: None }.dipha_points()
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The filtration of a file up to the dimension that DIPHA was given; 0 means the whole filtration.
fn filtration(bytes: &[u8], upper_dim: usize) -> WeightedBoundaryMatrix<u32> {
    match dipha::file_type(bytes).unwrap() {
        FileType::BoundaryMatrix => dipha::read_boundary_matrix::<u32>(bytes).unwrap(),
        FileType::Image => {
            let dipha::Image { shape, values } = dipha::Image::from_bytes(bytes).unwrap();
            cubical_complex(&shape, &values, Some(upper_dim).filter(|&dim| dim > 0)).unwrap()
        }
        FileType::DistanceMatrix => {
            let matrix = dipha::DistanceMatrix::from_bytes(bytes).unwrap();
            let distances = DistanceMatrix::from_fn(matrix.len(), |i, j| matrix.get(i, j)).unwrap();
            rips_complex(&Distances::Matrix(distances), upper_dim, f64::INFINITY).unwrap()
        }
        FileType::SparseDistanceMatrix => {
            let graph = dipha::SparseDistanceMatrix::from_bytes(bytes).unwrap();
            let edges = graph.entries().filter(|entry| entry.row < entry.column);
            let triplets = edges.map(|entry| (entry.row as u32, entry.column as u32, entry.distance));
            let distances = SparseDistances::new(graph.len(), triplets).unwrap();
            rips_complex(&Distances::Sparse(distances), upper_dim, f64::INFINITY).unwrap()
        }
        FileType::Diagram => panic!("a diagram is no input"),
    }
}

/// The pairs of a boundary matrix by the standard algorithm.
fn standard(matrix: &BoundaryMatrix<u32>) -> Vec<(u32, u32)> {
    let mut reduced: Vec<Vec<u32>> = Vec::with_capacity(matrix.len());
    let mut column_of = vec![None; matrix.len()];
    for j in 0..matrix.len() {
        let mut column = matrix.column(j).to_vec();
        while let Some(other) = column.last().and_then(|&low| column_of[low as usize]) {
            column = sum(&column, &reduced[other as usize]);
        }
        if let Some(&low) = column.last() {
            column_of[low as usize] = Some(j as u32);
        }
        reduced.push(column);
    }
    (0..).zip(column_of).filter_map(|(low, column)| Some((low, column?))).collect()
}

/// The rows that are in exactly one of two ascending lists.
fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    let odd = all.chunk_by(|x, y| x == y).filter(|equal| equal.len() % 2 == 1);
    odd.map(|equal| equal[0]).collect()
}

/// A square of voxels around a hole, whose diagram is evident.
#[test]
fn the_reduction_of_this_test_finds_a_hole() {
    let image = [1.0, 2.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0, 1.0];
    let filtration: WeightedBoundaryMatrix<u32> = cubical_complex(&[3, 3], &image, None).unwrap();
    let points = dipha_points(&filtration);
    let point = |dim, birth, death, essential| DiagramPoint { dim, birth, death, essential };
    assert_eq!(points, [point(0, 1.0, 5.0, true), point(1, 2.0, 5.0, false)]);
}
