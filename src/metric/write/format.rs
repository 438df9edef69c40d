//! The output formats of distances and points, and the inputs that each can hold.

use std::io::{self, Write};

use phat_formats::dipha;
use serde::Serialize;
use strum::VariantArray;

use super::{all_distances, binary, connected, matrix_market, npy, text};
use crate::memory::{self, Refused};
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

/// The error of an input that a format cannot hold.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnwritableDistances {
    /// The input has no coordinates.
    #[error("format point-cloud: expected points, found distances")]
    NoPoints,
    /// A list of edges would not mention the last point, so the number of points would be lost.
    #[error(
        "format sparse: expected a last point with a neighbour, which tells the number of points, found point {point} alone; matrix-market, npy and dipha hold it"
    )]
    Alone {
        /// The last point.
        point: usize,
    },
    /// The input is a single point, which has no distances; a file of them would be empty, and could not be read.
    #[error("format {format}: expected at least two points, found one; distance, npy and dipha hold it")]
    Single {
        /// The format.
        format: DistanceFile,
    },
    /// Points have births other than 0.
    #[error("format {format}: expected points that are there from the beginning, found births")]
    Births {
        /// The format.
        format: DistanceFile,
    },
    /// The distance matrix cannot be built.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// There is no memory for the distances of all pairs, or for the rows of a list of edges.
    #[error(transparent)]
    Memory(#[from] Refused),
}

/// A number that a format, or the programs that read it, round.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("expected numbers of single precision, which files of {format} are read in, found {number}")]
#[non_exhaustive]
pub struct Loss {
    /// The format.
    pub format: DistanceFile,
    /// The first number that is not exact in single precision.
    pub number: f64,
}

impl DistanceFile {
    /// Whether the format holds coordinates of points instead of distances.
    pub fn holds_points(self) -> bool {
        matches!(self, DistanceFile::PointCloud | DistanceFile::Npy | DistanceFile::MatrixMarket)
    }

    /// Whether files of the format hold single precision or are read in it.
    pub fn is_single(self) -> bool {
        !matches!(self, DistanceFile::Npy | DistanceFile::MatrixMarket)
    }

    /// The first double that is not exact in a file of this format, as Ripser and [`read`](crate::metric::read) read
    /// it.
    pub fn loses<T: Value>(self, distances: &Distances<T>) -> Option<Loss> {
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
        number.map(|number| Loss { format: self, number })
    }

    /// Checks that the format can hold an input.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn holds<T: Value>(self, distances: &Distances<T>) -> Result<(), UnwritableDistances> {
        if distances.births().is_some() {
            return Err(UnwritableDistances::Births { format: self });
        }
        let last = distances.len() - 1;
        match (self, distances) {
            (DistanceFile::PointCloud, Distances::Matrix(_) | Distances::Sparse(_)) => {
                Err(UnwritableDistances::NoPoints)
            }
            (DistanceFile::LowerDistance | DistanceFile::Condensed | DistanceFile::Binary, _)
                if last == 0 =>
            {
                Err(UnwritableDistances::Single { format: self })
            }
            (DistanceFile::Sparse, _) if !connected(distances).any(|(i, _, _)| i == last) => {
                Err(UnwritableDistances::Alone { point: last })
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
        let all = || all_distances(distances).map_err(io::Error::other);
        match (self, distances) {
            (DistanceFile::PointCloud, Distances::Points(points)) => text::write_points(points, out),
            (DistanceFile::PointCloud, _) => Err(io::Error::other(UnwritableDistances::NoPoints)),
            (DistanceFile::LowerDistance, _) => text::write_lower(&all()?, out),
            (DistanceFile::Condensed, _) => text::write_upper(&all()?, out),
            (DistanceFile::Distance, _) => text::write_square(&all()?, out),
            (DistanceFile::Sparse, _) => text::write_edges(connected(distances), out),
            (DistanceFile::Binary, _) => binary::write(&all()?, out),
            (DistanceFile::Dipha, Distances::Sparse(graph)) => {
                let row = size_of::<Vec<(usize, f64)>>() as u64;
                memory::probe((graph.len() as u64).saturating_mul(row)).map_err(io::Error::other)?;
                let mut rows = vec![Vec::new(); graph.len()];
                for (i, j, distance) in connected(distances) {
                    rows[i].push((j, distance.into()));
                    rows[j].push((i, distance.into()));
                }
                dipha::write_sparse_distance_matrix(&mut out, &rows)
            }
            (DistanceFile::Dipha, _) => {
                let all = all()?;
                let at = |i, j| if i == j { 0.0 } else { all.get(i, j).into() };
                dipha::write_distance_matrix(&mut out, all.len(), at)
            }
            (DistanceFile::Npy, Distances::Points(points)) => npy::write_points(points, out),
            (DistanceFile::Npy, _) => npy::write_distances(&all()?, out),
            (DistanceFile::MatrixMarket, Distances::Points(points)) => {
                matrix_market::write_points(points, out)
            }
            (DistanceFile::MatrixMarket, Distances::Matrix(matrix))
                if matrix.lower().iter().all(|&distance| distance.into().is_finite()) =>
            {
                matrix_market::write_dense(matrix, out)
            }
            (DistanceFile::MatrixMarket, _) => {
                let edges: Vec<_> = connected(distances).collect();
                matrix_market::write_edges(distances.len(), &edges, out)
            }
        }
    }
}
