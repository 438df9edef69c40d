//! Texts: rows of numbers, separated by blanks.

use std::io::{self, Write};

use super::push;
use crate::metric::{DistanceMatrix, PointCloud, Value};

/// Writes a row of numbers.
fn row<T: Value>(line: &mut String, numbers: impl Iterator<Item = T>, out: &mut dyn Write) -> io::Result<()> {
    line.clear();
    for (place, number) in numbers.enumerate() {
        line.push_str(if place == 0 { "" } else { " " });
        push(line, number);
    }
    line.push('\n');
    out.write_all(line.as_bytes())
}

pub(super) fn write_points<T: Value>(points: &PointCloud<T>, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    (0..points.len()).try_for_each(|i| row(&mut line, points.point(i).iter().copied(), out))
}

/// Writes the distances of each point to the points before it, one line per point. The first line, of point 0, is
/// empty; readers skip it.
pub(super) fn write_lower<T: Value>(matrix: &DistanceMatrix<T>, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    (1..matrix.len()).try_for_each(|i| row(&mut line, (0..i).map(|j| matrix.get(i, j)), out))
}

pub(super) fn write_upper<T: Value>(matrix: &DistanceMatrix<T>, out: &mut dyn Write) -> io::Result<()> {
    let (n, mut line) = (matrix.len(), String::new());
    (0..n.saturating_sub(1)).try_for_each(|i| row(&mut line, (i + 1..n).map(|j| matrix.get(i, j)), out))
}

pub(super) fn write_square<T: Value>(matrix: &DistanceMatrix<T>, out: &mut dyn Write) -> io::Result<()> {
    let (n, mut line) = (matrix.len(), String::new());
    let at = |i: usize, j: usize| if i == j { T::from_f64(0.0) } else { matrix.get(i, j) };
    (0..n).try_for_each(|i| row(&mut line, (0..n).map(|j| at(i, j)), out))
}

pub(super) fn write_edges<T: Value>(
    edges: impl Iterator<Item = (usize, usize, T)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = String::new();
    for (i, j, distance) in edges {
        line.clear();
        push(&mut line, distance);
        writeln!(out, "{i} {j} {line}")?;
    }
    Ok(())
}
