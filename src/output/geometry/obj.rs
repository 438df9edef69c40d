//! Wavefront's object file: one object per bar, made of lines and faces.
//!
//! Each line is a single edge, since MeshLab reads only the first edge of a longer one. Points, birth and death are
//! in comments, as the format has no cell data.

use std::io::{self, Write};

use super::{Double, Geometry, int};

/// Writes points, then an object per cycle.
///
/// # Errors
/// Errors of `out`; there are more points than 32-bit integers can number.
pub fn write(geometry: &Geometry, out: &mut dyn Write) -> io::Result<()> {
    int(geometry.points.len())?;
    writeln!(out, "# Lacuna, cycles of bars: {}; points with their numbers", geometry.cycles.len())?;
    for &(number, [x, y, z]) in &geometry.points {
        writeln!(out, "# {number}\nv {} {} {}", Double(x), Double(y), Double(z))?;
    }
    let mut cells = geometry.cells();
    for cycle in &geometry.cycles {
        let (dim, index, birth, death) = (cycle.dim, cycle.index, Double(cycle.birth), Double(cycle.death));
        writeln!(out, "o bar_{dim}_{index}\n# bar {dim}:{index}, birth {birth}, death {death}")?;
        let mut coefficient = 1;
        for cell in cells.by_ref().take(cycle.len()) {
            if cell.coefficient != coefficient {
                coefficient = cell.coefficient;
                writeln!(out, "# coefficient {coefficient}")?;
            }
            out.write_all(if cell.corners.len() == 2 { b"l" } else { b"f" })?;
            for place in geometry.places(cell) {
                write!(out, " {}", place + 1)?;
            }
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}
