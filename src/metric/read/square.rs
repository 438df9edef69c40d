//! Square matrices: the checks that make one a distance matrix, for every format that holds one.

use crate::metric::Value;

/// Entries of the two triangles may differ by this much relative to the greater one: real files are printed
/// from sums taken in different orders.
pub(super) const SYMMETRY: f64 = 1e-5;

/// Side of the tiles the symmetry check goes by, so that both triangles are read along cache lines.
const TILE: usize = 32;

/// Why a square matrix is not a distance matrix. Rows and columns are 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SquareFault {
    /// Entry `(i, i)` is not zero.
    Diagonal(usize),
    /// Entry `(i, j)` is NaN or negative.
    Value(usize, usize),
    /// Entries `(i, j)` and `(j, i)`, i > j, differ.
    Asymmetric(usize, usize),
}

/// What a distance matrix has on its diagonal, for messages.
pub(super) const DIAGONAL: &str = "0 on the diagonal";
/// What any entry of a distance matrix is, for messages.
pub(super) const DISTANCE: &str = "a non-negative distance or inf";

/// The entries below the diagonal of the n×n matrix `at(row, column)`.
pub(super) fn lower_of<T: Value>(n: usize, at: impl Fn(usize, usize) -> T) -> Result<Vec<T>, SquareFault> {
    if let Some(fault) = any_fault(n, &at) {
        return Err(first_fault(n, &at).unwrap_or(fault));
    }
    let mut lower = Vec::with_capacity(n * (n - n.min(1)) / 2);
    for i in 0..n {
        lower.extend((0..i).map(|j| at(i, j)));
    }
    Ok(lower)
}

/// Whether two entries are the same distance.
pub(super) fn agree<T: Value>(a: T, b: T) -> bool {
    let (a, b): (f64, f64) = (a.into(), b.into());
    a == b || ((a - b).is_finite() && (a - b).abs() <= SYMMETRY * a.max(b))
}

/// Whether an n×n matrix without a zero diagonal may still be meant as distances: three points or more, all
/// entries distances, and symmetric.
pub(super) fn looks_like_a_matrix<T: Value>(n: usize, at: impl Fn(usize, usize) -> T) -> bool {
    let off_diagonal = |i: usize, j: usize| if i == j { T::from_f64(0.0) } else { at(i, j) };
    n >= 3 && any_fault(n, &off_diagonal).is_none()
}

/// What is wrong with entries `(i, j)` and `(j, i)`.
fn fault_at<T: Value>(i: usize, j: usize, at: &impl Fn(usize, usize) -> T) -> Option<SquareFault> {
    let good = |d: T| d.into() >= 0.0;
    let (below, above) = (at(i, j), at(j, i));
    if !good(below) {
        Some(SquareFault::Value(i, j))
    } else if !good(above) {
        Some(SquareFault::Value(j, i))
    } else if i == j && below.into() != 0.0 {
        Some(SquareFault::Diagonal(i))
    } else if !agree(below, above) {
        Some(SquareFault::Asymmetric(i, j))
    } else {
        None
    }
}

/// Some fault, looking tile by tile.
fn any_fault<T: Value>(n: usize, at: &impl Fn(usize, usize) -> T) -> Option<SquareFault> {
    for rows in (0..n).step_by(TILE) {
        for columns in (0..=rows).step_by(TILE) {
            for i in rows..n.min(rows + TILE) {
                let fault = (columns..(columns + TILE).min(i + 1)).find_map(|j| fault_at(i, j, at));
                if fault.is_some() {
                    return fault;
                }
            }
        }
    }
    None
}

/// The first fault, row by row of the lower triangle.
fn first_fault<T: Value>(n: usize, at: &impl Fn(usize, usize) -> T) -> Option<SquareFault> {
    (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).find_map(|(i, j)| fault_at(i, j, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_checked_in_every_tile() {
        for n in [1, 2, 31, 32, 33, 65] {
            let good = |i: usize, j: usize| if i == j { 0.0 } else { (i + j) as f32 };
            let lower = lower_of(n, good).unwrap();
            assert_eq!(lower.len(), n * (n - 1) / 2);
            for i in 0..n {
                for j in 0..n {
                    let spoilt = |r: usize, c: usize| if (r, c) == (i, j) { 0.25 } else { good(r, c) };
                    let want = if i == j {
                        SquareFault::Diagonal(i)
                    } else {
                        SquareFault::Asymmetric(i.max(j), i.min(j))
                    };
                    assert_eq!(lower_of(n, spoilt), Err(want), "{n} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn nan_and_negative_are_faults_infinity_is_not() {
        let with = |x: f64| move |i: usize, j: usize| if i == j { 0.0 } else { x };
        assert_eq!(lower_of(3, with(f64::NAN)), Err(SquareFault::Value(1, 0)));
        assert_eq!(lower_of(3, with(-1.0)), Err(SquareFault::Value(1, 0)));
        assert_eq!(lower_of(3, with(f64::INFINITY)), Ok(vec![f64::INFINITY; 3]));
        assert_eq!(
            lower_of(2, |i, j| if i > j { f64::INFINITY } else { 0.0 }),
            Err(SquareFault::Asymmetric(1, 0))
        );
    }

    #[test]
    fn the_last_digit_may_differ() {
        let near = |i: usize, j: usize| {
            if i == j {
                0.0
            } else if i > j {
                1.0f32
            } else {
                1.000009
            }
        };
        assert_eq!(lower_of(2, near), Ok(vec![1.0]));
    }
}
