//! Geometry: cycles of bars as edges, triangles and quadrilaterals, in the file formats of visualisation programs;
//! one writer per format.
//!
//! | format | module | programs | representation of a cell |
//! |---|---|---|---|
//! | `vtk` | [`vtk`] | ParaView and other programs built on VTK; meshio | a cell of an unstructured grid, binary |
//! | `ply` | [`ply`] | MeshLab | an element `edge` or `face`, text |
//! | `obj` | [`obj`] | MeshLab, VTK and most others | an element `l` or `f` in the object of its bar, text |
//!
//! A [`Geometry`] contains one cycle per bar, made of cells of one shape, and only those points that are corners of
//! cells. It is built from the cycles of a point cloud ([`Geometry::of_cloud`]) or of an image
//! ([`Geometry::of_image`]), or cell by cell ([`DrawnCycle`]).
//!
//! `vtk` and `ply` store with each cell:
//!
//! | name | type | content |
//! |---|---|---|
//! | `dimension` | int | the dimension of the bar |
//! | `index` | int | the index of the bar among those of that dimension, from 0 |
//! | `birth`, `death` | double | of the bar; an essential bar dies at infinity |
//! | `coefficient` | int | the coefficient of the cell in the cycle, from 1 to p − 1 over Z/p; the order of the corners orients the cell |
//!
//! and with each point `point`, its number, from 0: in the input for a cloud, among the vertices for an image. `obj`
//! stores only corners: an object is called `bar_DIMENSION_INDEX`, and the other data is in comments. Coordinates and
//! scales are doubles; text has the fewest digits that read back as the same double.

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
use strum::VariantArray;

pub use self::cloud::CloudCoordinates;
use crate::names::named;

/// A format of geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, VariantArray)]
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
    /// Writes `geometry` to `out`, unbuffered: pass a buffered writer.
    ///
    /// # Errors
    /// Errors of `out`; [`io::ErrorKind::InvalidInput`] if there are more points or cells than the format can number.
    pub fn write(self, geometry: &Geometry, out: &mut dyn Write) -> io::Result<()> {
        match self {
            GeometryFormat::Vtk => vtk::write(geometry, out),
            GeometryFormat::Ply => ply::write(geometry, out),
            GeometryFormat::Obj => obj::write(geometry, out),
        }
    }
}

/// The shape of a cell: its number of corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellShape {
    /// An edge between two points.
    Edge = 2,
    /// A triangle.
    Triangle = 3,
    /// A quadrilateral, with corners in cyclic order.
    Quadrilateral = 4,
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
    /// Creates a cycle without cells for the bar from `birth` to `death` with index `index` in dimension `dim`.
    pub fn new(dim: usize, index: usize, birth: f64, death: f64, shape: CellShape) -> Self {
        DrawnCycle { dim, index, birth, death, shape, corners: Vec::new(), coefficients: Vec::new() }
    }

    /// Adds a cell with its coefficient; `corners` are the numbers of its points.
    ///
    /// # Panics
    /// The shape has a different number of corners.
    pub fn push(&mut self, corners: &[u64], coefficient: u16) {
        assert_eq!(corners.len(), self.shape as usize, "the corners of a cell");
        self.corners.extend_from_slice(corners);
        self.coefficients.push(coefficient);
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.coefficients.len()
    }

    /// Whether the cycle has no cells.
    pub fn is_empty(&self) -> bool {
        self.coefficients.is_empty()
    }
}

/// Cycles with the coordinates of their points.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    /// Number and coordinates of each point, by ascending number.
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
    /// Creates the geometry of cycles; `coordinates` maps the number of a point to its coordinates.
    pub fn new(cycles: Vec<DrawnCycle>, coordinates: impl Fn(u64) -> [f64; 3]) -> Self {
        let mut numbers: Vec<u64> = cycles.iter().flat_map(|cycle| &cycle.corners).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let points = numbers.into_iter().map(|number| (number, coordinates(number))).collect();
        Geometry { points, cycles }
    }

    /// The cycles of the geometry.
    pub fn cycles(&self) -> &[DrawnCycle] {
        &self.cycles
    }

    /// All cells, cycle by cycle.
    fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.cycles.iter().flat_map(|cycle| {
            let cells = cycle.corners.chunks_exact(cycle.shape as usize).zip(&cycle.coefficients);
            cells.map(move |(corners, &coefficient)| Cell { cycle, corners, coefficient })
        })
    }

    /// The places of a cell's corners in the list of points.
    fn places<'a>(&self, cell: Cell<'a>) -> impl ExactSizeIterator<Item = usize> + use<'a, '_> {
        // Every corner is one of the points.
        let place = |number: &u64| self.points.partition_point(|(other, _)| other < number);
        cell.corners.iter().map(place)
    }
}

/// Converts a number for formats with 32-bit integers.
fn int(number: usize) -> io::Result<i32> {
    let expected = "less than 2^31 points, cells and bars, which files of the format can number";
    let refused = || format!("geometry: expected {expected}, found {number}");
    i32::try_from(number).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, refused()))
}

/// Displays a number with the fewest digits that read back as the same double, and infinity as `inf`.
struct Double(f64);

impl fmt::Display for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(zmij::Buffer::new().format(self.0))
    }
}
