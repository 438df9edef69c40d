//! An independent check of persistence pairs by definition, with dense matrices of bools.

use lacuna::matrix::{BoundaryMatrix, Index, Pairs};

type Dense = Vec<Vec<bool>>;

/// Checks the pairs of a matrix: by a verified reduction R = DV, by the ranks of lower left submatrices if there are
/// few cells, and by the Betti numbers.
pub(crate) fn judge<I: Index>(matrix: &BoundaryMatrix<I>, pairs: &Pairs<I>, what: &str) {
    let n = matrix.len();
    let found: Vec<(usize, usize)> = pairs.pairs.iter().map(|(i, j)| (i.to_usize(), j.to_usize())).collect();
    assert_eq!(pairs.cells, n, "{what}");
    partitions(matrix, pairs, &found, what);
    let d = dense(matrix);
    assert_eq!(found, reduced_pairs(&d), "{what}: not the pairs of R = DV");
    if n <= 14 {
        assert_eq!(found, pairs_by_rank(&d), "{what}: not the pairs by rank");
    }
    let essential = pairs.essential();
    let top = matrix.max_dim().map_or(0, usize::from);
    for dim in 0..=top {
        let classes = essential.iter().filter(|cell| usize::from(matrix.dim(cell.to_usize())) == dim).count();
        assert_eq!(classes, betti(matrix, &d, dim), "{what}: Betti number {dim}");
    }
}

/// Checks that pairs ascend by birth and join a cell to one of the next dimension, and that pairs and essential cells
/// contain each cell once.
fn partitions<I: Index>(matrix: &BoundaryMatrix<I>, pairs: &Pairs<I>, found: &[(usize, usize)], what: &str) {
    assert!(found.is_sorted(), "{what}: {found:?}");
    for &(birth, death) in found {
        assert!(birth < death, "{what}: {birth} {death}");
        assert_eq!(matrix.dim(birth) + 1, matrix.dim(death), "{what}: {birth} {death}");
    }
    let essential = pairs.essential().into_iter().map(|cell| cell.to_usize());
    let mut cells: Vec<usize> = found.iter().flat_map(|&(i, j)| [i, j]).chain(essential).collect();
    cells.sort_unstable();
    assert!(cells.into_iter().eq(0..matrix.len()), "{what}: {found:?} is no partition");
}

/// The dense matrix; entry [i][j] is row i of column j.
fn dense<I: Index>(matrix: &BoundaryMatrix<I>) -> Dense {
    let n = matrix.len();
    let mut d = vec![vec![false; n]; n];
    (0..n).for_each(|j| matrix.column(j).iter().for_each(|row| d[row.to_usize()][j] = true));
    d
}

/// The pairs of a reduction R = DV. Checks that V is upper triangular with ones on its diagonal, and that lows are
/// unique.
fn reduced_pairs(d: &Dense) -> Vec<(usize, usize)> {
    let n = d.len();
    let mut r = d.clone();
    let mut v: Dense = (0..n).map(|i| (0..n).map(|j| i == j).collect()).collect();
    for j in 0..n {
        while let Some(k) = (0..j).find(|&k| low(&r, k).is_some() && low(&r, k) == low(&r, j)) {
            for i in 0..n {
                r[i][j] ^= r[i][k];
                v[i][j] ^= v[i][k];
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            let product = (0..n).fold(false, |sum, k| sum ^ (d[i][k] & v[k][j]));
            assert_eq!(product, r[i][j], "R = DV");
            assert!(if i >= j { v[i][j] == (i == j) } else { true }, "V is triangular");
        }
    }
    let mut pairs: Vec<(usize, usize)> = (0..n).filter_map(|j| Some((low(&r, j)?, j))).collect();
    pairs.sort_unstable();
    assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0), "lows are unique");
    pairs
}

fn low(r: &Dense, column: usize) -> Option<usize> {
    (0..r.len()).rev().find(|&row| r[row][column])
}

/// The pairs by the pairing lemma (Cohen-Steiner, Edelsbrunner, Morozov 2006), an alternating sum of the ranks of
/// four lower left submatrices.
fn pairs_by_rank(d: &Dense) -> Vec<(usize, usize)> {
    let n = d.len();
    let corner = |first: usize, end: usize| -> i64 {
        rank(d[first..].iter().map(|row| row[..end].to_vec()).collect()) as i64
    };
    let is_pair =
        |i: usize, j: usize| corner(i, j + 1) - corner(i + 1, j + 1) - corner(i, j) + corner(i + 1, j) == 1;
    (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).filter(|&(i, j)| is_pair(i, j)).collect()
}

/// The rank, by row elimination.
fn rank(mut rows: Dense) -> usize {
    let width = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..width {
        let Some(found) = (rank..rows.len()).find(|&row| rows[row][column]) else { continue };
        rows.swap(rank, found);
        let pivot = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            if row[column] {
                row.iter_mut().zip(&pivot).for_each(|(a, b)| *a ^= b);
            }
        }
        rank += 1;
    }
    rank
}

/// The Betti number: the rank of cycles less that of boundaries.
fn betti<I: Index>(matrix: &BoundaryMatrix<I>, d: &Dense, dim: usize) -> usize {
    let cells = |dim: usize| (0..matrix.len()).filter(move |&j| usize::from(matrix.dim(j)) == dim);
    let rank_of = |dim: usize| rank(d.iter().map(|row| cells(dim).map(|j| row[j]).collect()).collect());
    cells(dim).count() - rank_of(dim) - rank_of(dim + 1)
}
