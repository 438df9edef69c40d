//! `lower-distance` and `upper-distance`: the entries on one side of the diagonal as text.
//!
//! The n(n−1)/2 numbers come in the order d(1,0), d(2,0), d(2,1), d(3,0), … (lower) or d(0,1), d(0,2), …,
//! d(0,n−1), d(1,2), … (upper), in lines of any length. A text without any number is an error, though Ripser's
//! layout of a single point is an empty line: an output that was never written looks the same. A square matrix
//! with a zero diagonal is an error too, even when its n² entries happen to make a triangle.

use super::error::{Place, Problem};
use super::text::{self, Table, entries};
use crate::metric::{DistanceMatrix, Value};

/// Makes the matrix from a table of its lower triangle.
pub(super) fn read_lower(text: &[u8], table: Table) -> Result<DistanceMatrix<f32>, Problem> {
    check(text, &table, |r| r + 1)?;
    DistanceMatrix::from_lower(table.values).map_err(super::metric_problem)
}

/// Makes the matrix from a table of its upper triangle.
pub(super) fn read_upper(text: &[u8], table: Table) -> Result<DistanceMatrix<f32>, Problem> {
    let rows = table.rows();
    check(text, &table, |r| rows - r)?;
    from_upper(&table.values)
}

/// Makes the matrix from its distances above the diagonal, row by row.
pub(super) fn from_upper<T: Value>(values: &[T]) -> Result<DistanceMatrix<T>, Problem> {
    let n = points(values.len())?;
    // Row j of the triangle starts after rows of n−1, n−2, …, n−j entries.
    let start = |j: usize| j * n - j * (j + 1) / 2;
    let entry = |i: usize, j: usize| values[start(j) + i - j - 1];
    DistanceMatrix::from_fn(n, entry).map_err(super::metric_problem)
}

/// Rejects numbers that do not form a triangle. `usual` gives the usual length of a row.
fn check(text: &[u8], table: &Table, usual: impl Fn(usize) -> usize) -> Result<(), Problem> {
    table.check_any(text)?;
    if table.rows() > 1 && table.is_square_with_zero_diagonal() {
        let found = format!("a square matrix with zeros on the diagonal, {0} rows of {0}", table.rows());
        return Err(Problem::new(Place::Whole, "the entries on one side of the diagonal only", found)
            .note("--format distance reads square matrices"));
    }
    points(table.values.len()).map_err(|problem| match first_odd_row(table, usual) {
        Some(r) => problem.note(format!(
            "line {}, with {}, is the first that breaks the triangle",
            text::row_line(text, r),
            entries(table.row_len(r))
        )),
        None => problem,
    })?;
    table.check_distances(text)
}

/// The first row, past the second, whose length differs from the usual one.
fn first_odd_row(table: &Table, usual: impl Fn(usize) -> usize) -> Option<usize> {
    table.row_lens().enumerate().position(|(r, len)| len != usual(r)).filter(|&r| r >= 2)
}

/// The n with n(n−1)/2 = `found`.
pub(super) fn points(found: usize) -> Result<usize, Problem> {
    let n = (1 + 8 * found).isqrt().div_ceil(2);
    let below = n * (n - 1) / 2;
    if below == found {
        return Ok(n);
    }
    let expected =
        format!("n(n-1)/2 entries for some n ({below} for {n} points, {} for {})", n * (n + 1) / 2, n + 1);
    Err(Problem::new(Place::Whole, expected, entries(found)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangular_numbers() {
        for n in 1..200 {
            assert_eq!(points(n * (n - 1) / 2), Ok(n));
        }
        for (found, below, above) in [(2, "1 for 2 points", "3 for 3"), (9, "6 for 4 points", "10 for 5")] {
            let expected = points(found).unwrap_err().expected;
            assert!(expected.contains(below) && expected.contains(above), "{expected}");
        }
    }

    #[test]
    fn upper_and_lower_triangles_of_one_matrix() {
        let lower = Table::parse(b"10\n20 21\n30 31 32\n").unwrap();
        let upper = Table::parse(b"10 20 30\n21 31\n32\n").unwrap();
        assert_eq!(read_lower(b"", lower), read_upper(b"", upper));
    }
}
