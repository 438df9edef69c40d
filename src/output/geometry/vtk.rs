//! VTK's legacy format, version 3.0: an unstructured grid, which all versions of VTK and ParaView read.
//!
//! The file is binary, and so big-endian, because VTK could not read infinity from text up to version 9.2. Cells have
//! VTK's types 3 (edge), 5 (triangle) and 9 (quadrilateral). Point numbers have 32 bits if all of them fit, otherwise
//! 64.

use std::io::{self, Write};

use super::{Cell, CellShape, Geometry, int};

/// Writes the grid.
///
/// # Errors
/// Errors of `out`; there are more points, cells or bars than 32-bit integers can number.
pub fn write(geometry: &Geometry, out: &mut dyn Write) -> io::Result<()> {
    let points = int(geometry.points.len())?;
    let (cells, words) =
        geometry.cells().fold((0, 0), |(cells, words), cell| (cells + 1, words + 1 + cell.corners.len()));
    let words = int(words)?;
    write!(out, "# vtk DataFile Version 3.0\nLacuna, cycles of bars: {}\nBINARY\n", geometry.cycles.len())?;
    writeln!(out, "DATASET UNSTRUCTURED_GRID\nPOINTS {points} double")?;
    for x in geometry.points.iter().flat_map(|(_, at)| at) {
        out.write_all(&x.to_be_bytes())?;
    }
    // The corners of each cell are preceded by their number.
    writeln!(out, "\nCELLS {cells} {words}")?;
    for cell in geometry.cells() {
        out.write_all(&int(cell.corners.len())?.to_be_bytes())?;
        for place in geometry.places(cell) {
            out.write_all(&int(place)?.to_be_bytes())?;
        }
    }
    writeln!(out, "\nCELL_TYPES {cells}")?;
    for cell in geometry.cells() {
        let cell_type: i32 = match cell.cycle.shape {
            CellShape::Edge => 3,
            CellShape::Triangle => 5,
            CellShape::Quadrilateral => 9,
        };
        out.write_all(&cell_type.to_be_bytes())?;
    }
    writeln!(out, "\nCELL_DATA {cells}\nFIELD cells 5")?;
    let mut field = |name: &str, put: fn(Cell<'_>, &mut dyn Write) -> io::Result<()>| {
        let kind = if matches!(name, "birth" | "death") { "double" } else { "int" };
        writeln!(out, "{name} 1 {cells} {kind}")?;
        geometry.cells().try_for_each(|cell| put(cell, out))?;
        out.write_all(b"\n")
    };
    field("dimension", |cell, out| out.write_all(&int(cell.cycle.dim)?.to_be_bytes()))?;
    field("index", |cell, out| out.write_all(&int(cell.cycle.index)?.to_be_bytes()))?;
    field("coefficient", |cell, out| out.write_all(&i32::from(cell.coefficient).to_be_bytes()))?;
    field("birth", |cell, out| out.write_all(&cell.cycle.birth.to_be_bytes()))?;
    field("death", |cell, out| out.write_all(&cell.cycle.death.to_be_bytes()))?;
    writeln!(out, "POINT_DATA {points}\nFIELD points 1")?;
    let numbers = || geometry.points.iter().map(|&(number, _)| number);
    // Point numbers ascend, so the last one is the greatest.
    if numbers().next_back().is_none_or(|last| i32::try_from(last).is_ok()) {
        writeln!(out, "point 1 {points} int")?;
        numbers().try_for_each(|number| out.write_all(&(number as i32).to_be_bytes()))?;
    } else {
        writeln!(out, "point 1 {points} vtktypeint64")?;
        numbers().try_for_each(|number| out.write_all(&number.to_be_bytes()))?;
    }
    out.write_all(b"\n")
}
