//! The output formats of distances and points, and the inputs that each can hold.

use std::io::{self, Write};
use std::ops::Range;

use phat_formats::dipha;
use serde::Serialize;
use strum::VariantArray;

use super::text::{write_edges, write_rows};
use super::{all_distances, connected, matrix_market};
use crate::input::{Place, npy};
use crate::memory;
use crate::metric::{Distances, MetricError, Precision, Value};
use crate::names::named;

/// The output formats of distances and points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DistanceFile {
    /// Text, the distances below the diagonal.
    LowerDistance,
    /// Text, the distances above the diagonal.
    Condensed,
    /// Text, a square matrix.
    Distance,
    /// Text, a point a line.
    PointCloud,
    /// Text, `i j distance` a line.
    Sparse,
    /// Little-endian `f32`, the distances below the diagonal.
    Binary,
    /// DIPHA's distance matrix.
    Dipha,
    /// NumPy array.
    Npy,
    /// Matrix Market's text.
    MatrixMarket,
}

named!(DistanceFile);

impl DistanceFile {
    /// Whether the format holds coordinates of points instead of distances.
    pub fn holds_points(self) -> bool {
        matches!(self, DistanceFile::PointCloud | DistanceFile::Npy | DistanceFile::MatrixMarket)
    }

    /// Whether files of the format hold single precision or are read in it.
    pub fn is_single(self) -> bool {
        !matches!(self, DistanceFile::Npy | DistanceFile::MatrixMarket)
    }

    /// The problem of the first double that is not exact in a file of this format, as Ripser and
    /// [`read`](crate::metric::read) read it.
    pub fn loses<T: Value>(self, distances: &Distances<T>) -> Option<MetricError> {
        if !self.is_single() || T::PRECISION == Precision::Single {
            return None;
        }
        let is_lost = |number: &f64| f64::from(*number as f32) != *number;
        let number = match distances {
            Distances::Points(points) if self.holds_points() => {
                (0..points.len()).flat_map(|i| points.point(i)).map(|&x| x.into()).find(is_lost)
            }
            _ => connected(distances).map(|(_, _, distance)| distance.into()).find(is_lost),
        };
        let expected = format!("numbers of single precision, which files of {self} are read in");
        number.map(|number| MetricError::whole(expected, number))
    }

    /// Checks that the format can hold an input.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn holds<T: Value>(self, distances: &Distances<T>) -> Result<(), MetricError> {
        let problem = |expected: &str, found: &str| {
            Err(MetricError::new(Place::Named(format!("format {self}")), expected, found))
        };
        if distances.births().is_some() {
            return problem("points that are there from the beginning", "births");
        }
        let last = distances.len() - 1;
        match (self, distances) {
            (DistanceFile::PointCloud, Distances::Matrix(_) | Distances::Sparse(_)) => {
                problem("points", "distances")
            }
            (DistanceFile::LowerDistance | DistanceFile::Condensed | DistanceFile::Binary, _)
                if last == 0 =>
            {
                // A file of no distances would be empty, and could not be read.
                problem("at least two points", "one; distance, npy and dipha hold it")
            }
            (DistanceFile::Sparse, _) if !connected(distances).any(|(i, _, _)| i == last) => {
                // A list of edges would not mention the last point, so the number of points would be lost.
                let expected = "a last point with a neighbour, which tells the number of points";
                problem(expected, &format!("point {last} alone; matrix-market, npy and dipha hold it"))
            }
            _ => Ok(()),
        }
    }

    /// Writes an input that the format [can hold](DistanceFile::holds) to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`; the format cannot hold the input.
    pub fn write<T: Value>(self, distances: &Distances<T>, mut out: &mut dyn Write) -> io::Result<()> {
        self.holds(distances).map_err(io::Error::other)?;
        if let Distances::Points(points) = distances
            && self.holds_points()
        {
            let rows = (0..points.len()).map(|i| points.point(i).iter().copied());
            return match self {
                DistanceFile::Npy => npy::write_rows(&[points.len(), points.dimension()], rows.map(Ok), out),
                DistanceFile::MatrixMarket => matrix_market::write_points(points, out),
                _ => write_rows(rows, out),
            };
        }
        if let Distances::Sparse(graph) = distances
            && self == DistanceFile::Dipha
        {
            let row = size_of::<Vec<(usize, f64)>>() as u64;
            memory::probe((graph.len() as u64).saturating_mul(row)).map_err(io::Error::other)?;
            let mut rows = vec![Vec::new(); graph.len()];
            for (i, j, distance) in connected(distances) {
                rows[i].push((j, distance.into()));
                rows[j].push((i, distance.into()));
            }
            return dipha::write_sparse_distance_matrix(&mut out, &rows);
        }
        let is_dense = || {
            matches!(distances, Distances::Matrix(matrix)
            if matrix.lower().iter().all(|&distance| distance.into().is_finite()))
        };
        if self == DistanceFile::Sparse {
            return write_edges(connected(distances), out);
        }
        if self == DistanceFile::MatrixMarket && !is_dense() {
            let edges: Vec<_> = connected(distances).collect();
            return matrix_market::write_edges(distances.len(), &edges, out);
        }
        let all = &all_distances(distances).map_err(io::Error::other)?;
        let n = all.len();
        let row = |i: usize, columns: Range<usize>| columns.map(move |j| all.get(i, j));
        match self {
            // The first line, of point 0, would be empty, and readers skip it.
            DistanceFile::LowerDistance => write_rows((1..n).map(|i| row(i, 0..i)), out),
            DistanceFile::Condensed => write_rows((0..n - 1).map(|i| row(i, i + 1..n)), out),
            DistanceFile::Binary => {
                let singles = all.lower().iter().map(|&distance| distance.into() as f32);
                singles.into_iter().try_for_each(|distance| out.write_all(&distance.to_le_bytes()))
            }
            DistanceFile::Dipha => dipha::write_distance_matrix(&mut out, n, |i, j| all.get(i, j).into()),
            DistanceFile::Npy => npy::write_rows(&[n, n], (0..n).map(|i| Ok(row(i, 0..n))), out),
            DistanceFile::MatrixMarket => matrix_market::write_dense(all, out),
            DistanceFile::Distance | DistanceFile::PointCloud | DistanceFile::Sparse => {
                write_rows((0..n).map(|i| row(i, 0..n)), out)
            }
        }
    }
}
