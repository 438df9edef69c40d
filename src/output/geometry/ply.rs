//! The polygon file format of Stanford, as text: elements `vertex`, `edge` and `face`.
//!
//! Edges name their ends `vertex1` and `vertex2`, as MeshLab reads and writes them; elements without content are left
//! out. VTK reads the faces of such a file and ignores its edges.

use std::io::{self, Write};

use super::{CellShape, Double, Geometry, int};

/// Properties of edges and faces that follow their corners.
const OF_A_CELL: &str = "\
property int dimension
property int index
property double birth
property double death
property int coefficient
";

/// Writes points, edges and faces.
///
/// # Errors
/// Errors of `out`; there are more points, cells or bars than 32-bit integers can number.
pub fn write(geometry: &Geometry, out: &mut dyn Write) -> io::Result<()> {
    let points = int(geometry.points.len())?;
    write!(out, "ply\nformat ascii 1.0\ncomment Lacuna, cycles of bars: {}\n", geometry.cycles.len())?;
    write!(out, "element vertex {points}\nproperty double x\nproperty double y\nproperty double z\n")?;
    // Points have ascending numbers. The format has no integers wider than 32 bits, and doubles are exact up to 2^53.
    let is_narrow = geometry.points.last().is_none_or(|&(last, _)| i32::try_from(last).is_ok());
    writeln!(out, "property {} point", if is_narrow { "int" } else { "double" })?;
    let is_edge = |shape: CellShape| shape == CellShape::Edge;
    let count = |edges: bool| {
        let cycles = geometry.cycles.iter().filter(|cycle| is_edge(cycle.shape) == edges);
        int(cycles.map(|cycle| cycle.len()).sum())
    };
    let (edges, faces) = (count(true)?, count(false)?);
    if edges > 0 {
        write!(out, "element edge {edges}\nproperty int vertex1\nproperty int vertex2\n{OF_A_CELL}")?;
    }
    if faces > 0 {
        write!(out, "element face {faces}\nproperty list uchar int vertex_indices\n{OF_A_CELL}")?;
    }
    out.write_all(b"end_header\n")?;
    for &(number, [x, y, z]) in &geometry.points {
        writeln!(out, "{} {} {} {number}", Double(x), Double(y), Double(z))?;
    }
    for edges in [true, false] {
        for cell in geometry.cells().filter(|cell| is_edge(cell.cycle.shape) == edges) {
            if !edges {
                write!(out, "{} ", cell.corners.len())?;
            }
            for place in geometry.places(cell) {
                write!(out, "{place} ")?;
            }
            let (cycle, coefficient) = (cell.cycle, cell.coefficient);
            let (birth, death) = (Double(cycle.birth), Double(cycle.death));
            writeln!(out, "{} {} {birth} {death} {coefficient}", int(cycle.dim)?, int(cycle.index)?)?;
        }
    }
    Ok(())
}
