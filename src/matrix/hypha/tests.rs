//! The paper's example, and a plain transcription of its algorithms.

use std::collections::BTreeSet;

use phat_formats::BoundaryMatrix;

use crate::cells::cubical_complex;
use crate::matrix::cell_table::CellTable;
use crate::matrix::clearing::{clear, creators};
use crate::matrix::leftmost_ones::{Scan, Scanner, scan};
use crate::matrix::reduction::compression::compress;
use crate::matrix::reduction::{Additions, ReductionProblem, standard_counted, twist, twist_counted};
use crate::matrix::reduction_matrix::ReductionMatrix;
use crate::matrix::{Algorithm, Dualize, Plan, Representation, reduce};

/// The triangle of Figures 1 and 2.
fn triangle() -> BoundaryMatrix<u32> {
    let mut matrix = BoundaryMatrix::new();
    for _ in 0..3 {
        matrix.push(0, &[]).expect("a vertex");
    }
    for edge in [[0, 2], [1, 2], [0, 1]] {
        matrix.push(1, &edge).expect("an edge");
    }
    matrix.push(2, &[3, 4, 5]).expect("the face");
    matrix
}

/// Columns with their number of additions, where that is not zero.
type Added = Vec<(usize, Additions)>;

/// Runs an algorithm on the triangle and returns the columns with additions and the pairs.
fn additions(
    solve: impl Fn(&ReductionProblem<'_, u32>, &mut dyn FnMut(usize, Additions)) -> Additions,
) -> (Added, Vec<(usize, usize)>) {
    let matrix = triangle();
    let (columns, lookup) = (ReductionMatrix::new(&matrix), CellTable::new(7));
    let todo: Vec<u32> = (0..7).collect();
    let problem = ReductionProblem {
        matrix: &columns,
        lookup: &lookup,
        todo: &todo,
        clears: true,
        threads: 1,
        columns: Representation::BitTree,
        progress: &(),
    };
    let mut counts = Vec::new();
    solve(&problem, &mut |column, count| counts.push((column, count)));
    counts.retain(|&(_, count)| count > 0);
    (counts, lookup.pairs().collect())
}

#[test]
fn the_papers_example() {
    let matrix = triangle();
    let lows: Vec<Option<u32>> = (0..7).map(|column| matrix.low(column)).collect();
    assert_eq!(lows, [None, None, None, Some(2), Some(2), Some(1), Some(5)]);
    let leftmost = Scanner::processor().leftmost(&matrix).unwrap();
    let left: Vec<Option<usize>> = (0..7).map(|row| leftmost.get(row)).collect();
    assert_eq!(left, [Some(3), Some(4), Some(3), Some(6), Some(6), Some(6), None]);
    let found = scan(&matrix);
    assert_eq!(found.lookup.pairs().collect::<Vec<_>>(), [(2, 3), (5, 6)]);
    assert_eq!((found.stable, found.cleared, &found.unstable[..]), (2, 1, &[4][..]));
    let destroyers: Vec<usize> = (0..7).filter(|&column| found.destroyers[column]).collect();
    assert_eq!(destroyers, [3, 4, 6]);
    let pairs = vec![(1, 4), (2, 3), (5, 6)];
    // The standard algorithm adds 3 to 4, then 4 to 5; with clearing, column 5 is zero before its turn comes.
    assert_eq!(
        additions(|problem, count| standard_counted(problem, count)),
        (vec![(4, 1), (5, 1)], pairs.clone())
    );
    assert_eq!(additions(|problem, count| twist_counted(problem, count)), (vec![(4, 1)], pairs));
    for algorithm in [Algorithm::Hypha, Algorithm::HyphaTwist] {
        for threads in [1, 2, 3] {
            let plan = Plan { algorithm, columns: Representation::BitTree, dualize: Dualize::Off, threads };
            assert_eq!(reduce(&matrix, &plan).pairs, [(1, 4), (2, 3), (5, 6)], "{plan:?}");
        }
    }
}

/// Algorithm 4 without memoisation.
fn is_compressible(
    matrix: &BoundaryMatrix<u32>,
    found: &Scan<u32>,
    left: &BTreeSet<usize>,
    row: usize,
) -> bool {
    left.contains(&row)
        || found.lookup.get(row).is_some_and(|stable| {
            let others =
                matrix.column(stable).iter().map(|&other| other as usize).filter(|&other| other != row);
            others.into_iter().all(|other| is_compressible(matrix, found, left, other))
        })
}

/// Algorithm 5 for one column; returns its rows and the number of additions.
fn compressed(
    matrix: &BoundaryMatrix<u32>,
    found: &Scan<u32>,
    left: &BTreeSet<usize>,
    column: usize,
) -> (Vec<u32>, u64) {
    let mut rows: BTreeSet<u32> = matrix.column(column).iter().copied().collect();
    let mut additions = 0;
    for row in (0..matrix.len()).rev() {
        if !rows.contains(&(row as u32)) {
            continue;
        }
        if is_compressible(matrix, found, left, row) {
            rows.remove(&(row as u32));
        } else if let Some(stable) = found.lookup.get(row) {
            assert!(stable < column, "the paper asks whether the pivot is to the left: a leftmost one is");
            let added: BTreeSet<u32> = matrix.column(stable).iter().copied().collect();
            rows = rows.symmetric_difference(&added).copied().collect();
            additions += 1;
        }
    }
    (rows.into_iter().collect(), additions)
}

/// The inputs are images with hills, pits and ties.
#[test]
fn compression_is_algorithms_4_and_5() {
    for seed in 1..6usize {
        let values: Vec<f64> = (0..7 * 6 * 5).map(|k| (k * k * 31 * seed % 17) as f64).collect();
        let matrix = cubical_complex::<u32>(&[7, 6, 5], &values, None).expect("an image").matrix;
        let mut found = scan(&matrix);
        let leftmost = Scanner::processor().leftmost(&matrix).unwrap();
        let left: BTreeSet<usize> = (0..matrix.len()).filter_map(|row| leftmost.get(row)).collect();
        let columns = ReductionMatrix::new(&matrix);
        let mut todo = std::mem::take(&mut found.unstable);
        clear(&columns, &creators(&matrix), &mut todo);
        assert!(!todo.is_empty());
        let problem = ReductionProblem {
            matrix: &columns,
            lookup: &found.lookup,
            todo: &todo,
            clears: true,
            threads: 2,
            columns: Representation::BitTree,
            progress: &(),
        };
        let done = compress(&problem, &found.destroyers);
        let mut expected = 0;
        for &column in &todo {
            let (rows, additions) = compressed(&matrix, &found, &left, column as usize);
            assert_eq!(columns.column(column as usize), rows, "seed {seed}, column {column}");
            expected += additions;
        }
        assert_eq!(done.additions, expected);
        // No stable column is added any more.
        let stable: BTreeSet<usize> = found.lookup.pairs().map(|(_, column)| column).collect();
        twist(&problem);
        assert!(todo.iter().all(|&column| !stable.contains(&(column as usize))));
    }
}
