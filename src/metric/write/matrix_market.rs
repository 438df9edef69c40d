//! `matrix-market`: doubles as text. Distances of all pairs are a dense symmetric matrix, those of some pairs a
//! sparse one.
//!
//! Such files are read in double precision, so single-precision numbers are written with the digits of their exact
//! doubles.

use std::io::{self, Write};

use crate::metric::{DistanceMatrix, PointCloud, Value};

/// Writes the coordinates, column by column.
pub(super) fn write_points<T: Value>(points: &PointCloud<T>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix array real general")?;
    writeln!(out, "{} {}", points.len(), points.dimension())?;
    for axis in 0..points.dimension() {
        (0..points.len()).try_for_each(|i| number(points.point(i)[axis], out))?;
    }
    Ok(())
}

/// Writes the lower triangle with the diagonal, column by column. All distances must be finite.
pub(super) fn write_dense<T: Value>(matrix: &DistanceMatrix<T>, out: &mut dyn Write) -> io::Result<()> {
    let n = matrix.len();
    writeln!(out, "%%MatrixMarket matrix array real symmetric")?;
    writeln!(out, "{n} {n}")?;
    for j in 0..n {
        number(0.0, out)?;
        (j + 1..n).try_for_each(|i| number(matrix.get(i, j), out))?;
    }
    Ok(())
}

/// Writes the connected pairs, i > j.
pub(super) fn write_edges<T: Value>(
    points: usize,
    edges: &[(usize, usize, T)],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix coordinate real symmetric")?;
    writeln!(out, "{points} {points} {}", edges.len())?;
    for &(i, j, distance) in edges {
        write!(out, "{} {} ", i + 1, j + 1)?;
        number(distance, out)?;
    }
    Ok(())
}

/// Writes a line with a finite number.
fn number(number: impl Into<f64>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", zmij::Buffer::new().format_finite(number.into()))
}
