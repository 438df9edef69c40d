//! `lower-distance`, `upper-distance` and `binary`: the entries on one side of the diagonal, as text or `f32`.
//!
//! The n(n−1)/2 numbers come in the order d(1,0), d(2,0), d(2,1), d(3,0), … (lower) or d(0,1), d(0,2), …,
//! d(0,n−1), d(1,2), … (upper), in lines of any length. A text without any number is an error, though Ripser's
//! layout of a single point is an empty line: an output that was never written looks the same. A square matrix
//! with a zero diagonal is an error too, even when its n² entries happen to make a triangle.
//!
//! `binary` holds the lower triangle as little-endian `f32`. An empty file is an error, not one point.

use super::text::{self, Table};
use crate::input::{Place, Problem};
use crate::metric::matrix::{counted, points_of};
use crate::metric::square::DISTANCE;
use crate::metric::{DistanceMatrix, Value};

/// Makes the matrix from a table of its lower triangle.
pub(super) fn read_lower(text: &[u8], table: Table) -> Result<DistanceMatrix<f32>, Problem> {
    check(text, &table, |r| r + 1)?;
    DistanceMatrix::from_lower(table.values)
}

/// Makes the matrix from a table of its upper triangle.
pub(super) fn read_upper(text: &[u8], table: Table) -> Result<DistanceMatrix<f32>, Problem> {
    let rows = table.rows();
    check(text, &table, |r| rows - r)?;
    from_upper(&table.values)
}

/// Makes the matrix from a file of its lower triangle in single precision.
pub(super) fn read_binary(bytes: &[u8]) -> Result<DistanceMatrix<f32>, Problem> {
    let (entries, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let found = format!("{} more", rest.len());
        return Err(Problem::new(Place::Byte(4 * entries.len()), "entries of 4 bytes", found));
    }
    points_of(entries.len())?;
    let lower: Vec<f32> = entries.iter().map(|&entry| f32::from_le_bytes(entry)).collect();
    if let Some(k) = lower.iter().position(|d| d.is_nan() || *d < 0.0) {
        return Err(Problem::new(Place::Byte(4 * k), DISTANCE, lower[k]));
    }
    DistanceMatrix::from_lower(lower)
}

/// Makes the matrix from its distances above the diagonal, row by row.
pub(super) fn from_upper<T: Value>(values: &[T]) -> Result<DistanceMatrix<T>, Problem> {
    let n = points_of(values.len())?;
    // Row j of the triangle starts after rows of n−1, n−2, …, n−j entries.
    let start = |j: usize| j * n - j * (j + 1) / 2;
    let entry = |i: usize, j: usize| values[start(j) + i - j - 1];
    DistanceMatrix::from_fn(n, entry)
}

/// Rejects numbers that do not form a triangle. `usual` gives the usual length of a row.
fn check(text: &[u8], table: &Table, usual: impl Fn(usize) -> usize) -> Result<(), Problem> {
    if table.rows() > 1 && table.is_square_with_zero_diagonal() {
        let found = format!("a square matrix with zeros on the diagonal, {0} rows of {0}", table.rows());
        return Err(Problem::whole("the entries on one side of the diagonal only", found)
            .note("--format distance reads square matrices"));
    }
    points_of(table.values.len()).map_err(|problem| {
        // The first row, past the second, whose length differs from the usual one.
        let odd = table.row_lens().enumerate().position(|(r, len)| len != usual(r)).filter(|&r| r >= 2);
        let note = odd.map(|r| {
            let (line, entries) = (text::row_line(text, r), counted(table.row_len(r)));
            format!("line {line}, with {entries}, is the first that breaks the triangle")
        });
        Problem { note, ..problem }
    })?;
    table.check_distances(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_and_lower_triangles_of_one_matrix() {
        let lower = Table::parse(b"10\n20 21\n30 31 32\n").unwrap();
        let upper = Table::parse(b"10 20 30\n21 31\n32\n").unwrap();
        assert_eq!(read_lower(b"", lower), read_upper(b"", upper));
    }
}
