//! A JSON object: pairs and essential classes, or bars.

use std::io::{self, Write};

use serde::Serialize;

use super::Solution;
use crate::diagram::Diagram;
use crate::matrix::Index;

/// Writes the object, a line a pair or bar.
///
/// # Errors
/// What `out` answers.
pub fn write<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"cells\":{},", solution.matrix.len())?;
    match solution.diagram() {
        Some(diagram) => write_bars(&diagram, out),
        None => write_cells(solution, out),
    }
}

#[derive(Serialize)]
struct Bar {
    dim: usize,
    birth: f64,
    /// Infinity is `null`: that is what serde_json makes of it.
    death: f64,
}

fn write_bars(diagram: &Diagram, out: &mut dyn Write) -> io::Result<()> {
    let bars = diagram.iter().map(|(dim, bar)| Bar { dim, birth: bar.birth, death: bar.death });
    out.write_all(b"\"bars\":[")?;
    write_lines(bars, out)?;
    out.write_all(b"\n]}\n")
}

fn write_cells<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    let essential: Vec<usize> = solution.pairs.essential().into_iter().map(I::to_usize).collect();
    out.write_all(b"\"pairs\":[")?;
    write_lines(solution.cell_pairs(), out)?;
    out.write_all(b"\n],\"essential\":")?;
    serde_json::to_writer(&mut *out, &essential)?;
    out.write_all(b"}\n")
}

/// Writes the elements of a list, each on a line of its own.
fn write_lines(elements: impl Iterator<Item = impl Serialize>, out: &mut dyn Write) -> io::Result<()> {
    for (k, element) in elements.enumerate() {
        out.write_all(if k == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &element)?;
    }
    Ok(())
}
