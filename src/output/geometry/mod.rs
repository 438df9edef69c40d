//! Geometry: cycles of bars as edges, triangles and quadrilaterals between points, in the files of programs that draw; one writer per format.
//!
//! | format | module | programs | how it holds a cell |
//! |---|---|---|---|
//! | `vtk` | [`vtk`] | ParaView and what else is built on VTK; meshio | a cell of an unstructured grid, binary |
//! | `ply` | [`ply`] | MeshLab | an element `edge` or `face`, text |
//! | `obj` | [`obj`] | MeshLab, VTK and most others | an element `l` or `f` in the object of its bar, text |
//!
//! What is drawn is a [`Geometry`]: of each bar one cycle, made of cells of one shape, and those points alone that are corners of cells.
//! It comes from the cycles of a point cloud ([`Geometry::of_cloud`]) or of an image ([`Geometry::of_image`]), or is put together cell by cell
//! ([`DrawnCycle`]).
//!
//! `vtk` and `ply` hold with each cell, under these names:
//!
//! | name | type | content |
//! |---|---|---|
//! | `dimension` | int | the dimension of the bar |
//! | `index` | int | its place among the bars of that dimension, counted from 0 |
//! | `birth`, `death` | double | of the bar; an essential bar dies at infinity |
//! | `coefficient` | int | that of the cell in the cycle, from 1 to p − 1 over Z/p; corners are in the order in which the cell is oriented |
//!
//! and with each point `point`, its number, counted from 0: of a cloud that in the input, of an image that among its vertices. `obj` has room for corners alone: an object is called
//! `bar_DIMENSION_INDEX`, and the rest is in comments. Coordinates and scales are doubles, in text with the fewest digits that read back as the same double.

mod cloud;
mod image;
pub mod obj;
pub mod ply;
#[cfg(test)]
mod tests;
pub mod vtk;

use std::fmt;
use std::io::{self, Write};

use serde::Serialize;

pub use self::cloud::{CloudCoordinates, GeometryError};
use crate::names::named;

/// A format of geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GeometryFormat {
    /// VTK's legacy format.
    Vtk,
    /// The polygon file format of Stanford.
    Ply,
    /// Wavefront's object file.
    Obj,
}

named!(GeometryFormat);

impl GeometryFormat {
    /// Every format.
    pub const ALL: [GeometryFormat; 3] = [GeometryFormat::Vtk, GeometryFormat::Ply, GeometryFormat::Obj];

    /// Writes `geometry` to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// What `out` answers; [`io::ErrorKind::InvalidInput`], when there are more points or cells than the format can number.
    pub fn write(self, geometry: &Geometry, out: &mut dyn Write) -> io::Result<()> {
        match self {
            GeometryFormat::Vtk => vtk::write(geometry, out),
            GeometryFormat::Ply => ply::write(geometry, out),
            GeometryFormat::Obj => obj::write(geometry, out),
        }
    }
}

/// The shape of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellShape {
    /// An edge between two points.
    Edge,
    /// A triangle.
    Triangle,
    /// A quadrilateral, whose corners are in the order around it.
    Quadrilateral,
}

impl CellShape {
    /// The number of corners.
    pub fn corners(self) -> usize {
        match self {
            CellShape::Edge => 2,
            CellShape::Triangle => 3,
            CellShape::Quadrilateral => 4,
        }
    }
}

/// The cycle of a bar, as cells of one shape between numbered points.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnCycle {
    dim: usize,
    index: usize,
    birth: f64,
    death: f64,
    shape: CellShape,
    /// The numbers of the corners, cell by cell.
    corners: Vec<u64>,
    coefficients: Vec<u16>,
}

impl DrawnCycle {
    /// A cycle without cells, of the bar from `birth` to `death` that has the place `index` among those of dimension `dim`.
    pub fn new(dim: usize, index: usize, birth: f64, death: f64, shape: CellShape) -> Self {
        DrawnCycle { dim, index, birth, death, shape, corners: Vec::new(), coefficients: Vec::new() }
    }

    /// Adds a cell between the points of these numbers, with its coefficient.
    ///
    /// # Panics
    /// The shape has another number of corners.
    pub fn push(&mut self, corners: &[u64], coefficient: u16) {
        assert_eq!(corners.len(), self.shape.corners(), "the corners of a cell");
        self.corners.extend_from_slice(corners);
        self.coefficients.push(coefficient);
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.coefficients.len()
    }

    /// Whether there is no cell.
    pub fn is_empty(&self) -> bool {
        self.coefficients.is_empty()
    }
}

/// Cycles, and the points between which they are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    /// Numbers and coordinates of the points, by ascending numbers.
    points: Vec<(u64, [f64; 3])>,
    cycles: Vec<DrawnCycle>,
}

/// A cell of a cycle.
#[derive(Debug, Clone, Copy)]
struct Cell<'a> {
    cycle: &'a DrawnCycle,
    corners: &'a [u64],
    coefficient: u16,
}

impl Geometry {
    /// Cycles between points, of which `coordinates` tells where the point of a number is.
    pub fn new(cycles: Vec<DrawnCycle>, coordinates: impl Fn(u64) -> [f64; 3]) -> Self {
        let mut numbers: Vec<u64> = cycles.iter().flat_map(|cycle| &cycle.corners).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let points = numbers.into_iter().map(|number| (number, coordinates(number))).collect();
        Geometry { points, cycles }
    }

    /// The cycles.
    pub fn cycles(&self) -> &[DrawnCycle] {
        &self.cycles
    }

    /// All cells, cycle by cycle.
    fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.cycles.iter().flat_map(|cycle| {
            let cells = cycle.corners.chunks_exact(cycle.shape.corners()).zip(&cycle.coefficients);
            cells.map(move |(corners, &coefficient)| Cell { cycle, corners, coefficient })
        })
    }

    /// The places among the points of the corners of a cell.
    fn places<'a>(&self, cell: Cell<'a>) -> impl ExactSizeIterator<Item = usize> + use<'a, '_> {
        // Every corner is one of the points.
        let place = |number: &u64| self.points.partition_point(|(other, _)| other < number);
        cell.corners.iter().map(place)
    }

    /// The number of the cells and that of their corners.
    fn counts(&self) -> (usize, usize) {
        let cells = self.cycles.iter().map(DrawnCycle::len).sum();
        (cells, self.cycles.iter().map(|cycle| cycle.corners.len()).sum())
    }
}

/// A number as formats with integers of 32 bits have it.
fn int(number: usize) -> io::Result<i32> {
    let refused = |_| io::Error::new(io::ErrorKind::InvalidInput, TooMany { number });
    i32::try_from(number).map_err(refused)
}

/// Displays its number with the fewest digits that read back as the same double, and infinity as `inf`.
struct Double(f64);

impl fmt::Display for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(zmij::Buffer::new().format(self.0))
    }
}

/// There is more than a format can number.
#[derive(Debug, thiserror::Error)]
#[error(
    "geometry: expected less than 2^31 points, cells and bars, which files of the format can number, found {number}"
)]
struct TooMany {
    number: usize,
}
