//! Tests of small matrices whose cycles are evident, and of pairs that must be refused.

use phat_formats::Index;

use super::*;
use crate::matrix::Figures;

/// Builds a matrix of columns with the given dimensions and rows.
fn matrix(columns: &[(u8, &[usize])]) -> BoundaryMatrix<u32> {
    let mut matrix = BoundaryMatrix::new();
    columns.iter().for_each(|(dim, rows)| matrix.push(*dim, rows).unwrap());
    matrix
}

fn pairs(pairs: &[(u32, u32)], cells: usize) -> Pairs<u32> {
    Pairs { pairs: pairs.to_vec(), cells, figures: Figures::default() }
}

/// A path of four vertices, two more edges 7 and 8 that close it, and the triangle 9, which fills the loop of edge 7.
/// The essential classes are those of edge 8 and of vertex 0.
fn square() -> (BoundaryMatrix<u32>, Pairs<u32>) {
    let edges: [(u8, &[usize]); 6] =
        [(1, &[0, 1]), (1, &[1, 2]), (1, &[2, 3]), (1, &[0, 2]), (1, &[0, 3]), (2, &[4, 5, 7])];
    let columns = [&[(0, &[][..]); 4][..], &edges].concat();
    (matrix(&columns), pairs(&[(1, 4), (2, 5), (3, 6), (7, 9)], 10))
}

/// Birth, death, and the cells of the cycle.
type Told = (u32, Option<u32>, Vec<u32>);

/// The cycles of the selected classes of [`square`].
fn told(selection: &ClassSelection) -> Result<Vec<Told>, CyclesError> {
    let (matrix, pairs) = square();
    matrix.check().unwrap();
    let found = cycles(&matrix, &pairs, selection, &())?;
    assert!(found.iter().all(|cycle| cycle.dim == matrix.dim(cycle.birth.to_usize())));
    Ok(found.iter().map(|cycle| (cycle.birth, cycle.death, cycle.cells.to_vec())).collect())
}

#[test]
fn every_class_has_its_cycle() {
    let expected = [
        (1, Some(4), vec![0, 1]),
        (2, Some(5), vec![1, 2]),
        (3, Some(6), vec![2, 3]),
        (7, Some(9), vec![4, 5, 7]),
        (0, None, vec![0]),
        (8, None, vec![4, 5, 6, 8]),
    ];
    assert_eq!(told(&ClassSelection::All).unwrap(), expected);
    let places =
        |selection| told(&selection).unwrap().into_iter().map(|(birth, ..)| birth).collect::<Vec<_>>();
    assert_eq!(places(ClassSelection::Persistence(3)), [1, 2, 3, 0, 8]);
    assert_eq!(places(ClassSelection::Persistence(4)), [0, 8]);
    assert_eq!(places(ClassSelection::Named(vec![8, 7, 1, 8])), [1, 7, 8]);
    assert_eq!(told(&ClassSelection::Named(vec![8])).unwrap(), expected[5..]);
    assert_eq!(told(&ClassSelection::Named(vec![])).unwrap(), []);
}

#[test]
fn a_cell_that_creates_nothing_is_refused() {
    let error = |cell| told(&ClassSelection::Named(vec![7, cell])).unwrap_err().to_string();
    assert_eq!(
        error(9),
        "class of cell 9: expected a cell that creates a class, found the one that destroys the class of cell 7"
    );
    assert_eq!(error(10), "class of cell 10: expected a cell below 10, the number of cells");
    assert!(error(usize::MAX).contains("below 10"));
}

/// Edge k has the vertices n − k and n − k + 2, and needs the reduced column of edge k − 1; so all edges wait in a
/// chain.
#[test]
fn long_chains_of_columns_do_not_exhaust_the_stack() {
    let n = 200_000;
    let mut matrix = BoundaryMatrix::<u32>::new();
    (0..=n).for_each(|_| matrix.push(0, &[]).unwrap());
    matrix.push(1, &[n - 1, n]).unwrap();
    (2..=n).for_each(|k| matrix.push(1, &[n - k, n - k + 2]).unwrap());
    let found: Vec<(u32, u32)> = (1..=n).rev().map(|k| ((n - k + 1) as u32, (n + k) as u32)).collect();
    matrix.push(1, &[0, n]).unwrap();
    let (last, pairs) = (matrix.len() - 1, pairs(&found, matrix.len()));
    let cycles = cycles(&matrix, &pairs, &ClassSelection::Named(vec![1, last]), &()).unwrap();
    let found: Vec<Cycle<'_, u32>> = cycles.iter().collect();
    assert_eq!((found[0].birth, found[0].cells), (1, &[0, 1][..]));
    // The loop goes along every other vertex, from n to 0, and back.
    let expected: Vec<u32> = (2..=n).step_by(2).map(|k| (n + k) as u32).chain([last as u32]).collect();
    assert_eq!(found[1].cells, expected);
}

#[test]
fn pairs_of_another_matrix_are_refused() {
    let (matrix, right) = square();
    let refused = |found: &[(u32, u32)]| {
        let error = cycles(&matrix, &pairs(found, 10), &ClassSelection::All, &()).unwrap_err();
        assert!(matches!(error, CyclesError::NotThePairs { .. }), "{error}");
    };
    assert!(cycles(&matrix, &right, &ClassSelection::All, &()).is_ok());
    // Refused are a cell in two pairs, a death before its birth, a cell past the end, and dimensions that do not
    // differ by one.
    refused(&[(1, 4), (1, 5)]);
    refused(&[(1, 4), (2, 4)]);
    refused(&[(4, 1)]);
    refused(&[(1, 10)]);
    refused(&[(1, 9)]);
    // Refused are lows of other columns, a column that becomes zero before it has its low, and an essential class
    // that is none.
    refused(&[(2, 4), (1, 5), (3, 6), (7, 9)]);
    refused(&[(1, 4), (2, 5), (3, 7), (8, 9)]);
    refused(&[(1, 4), (2, 5), (3, 6)]);
}
