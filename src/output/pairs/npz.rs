//! A zip archive of NumPy arrays, as `numpy.savez` writes it: the pairs or the bars, and cycles that represent the classes.

use std::io::{self, Write};

use rawzip::ZipArchiveWriter;

use super::Solution;
use crate::matrix::Index;
use crate::matrix::cycles::Cycles;
use crate::output::npy;
use crate::output::npz::{Archive, add, integers, io_error};

/// Writes the archive.
///
/// # Errors
/// Errors of `out`.
pub fn write<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    let mut archive = ZipArchiveWriter::new(out);
    if let Some(diagram) = solution.diagram() {
        add(&mut archive, "bars", &|member| npy::write(&diagram, member))?;
    } else {
        let pairs = &solution.pairs.pairs;
        let cells =
            pairs.iter().flat_map(|&(birth, death)| [birth, death]).map(|cell| cell.to_usize() as i64);
        add_integers(&mut archive, "pairs", &[pairs.len(), 2], cells)?;
        let essential = solution.pairs.essential();
        add_integers(&mut archive, "essential", &[essential.len()], numbers(&essential))?;
    }
    if let Some(cycles) = solution.cycles {
        add_cycles(&mut archive, cycles)?;
    }
    archive.finish().map_err(io_error).map(drop)
}

/// Adds the classes and their cycles.
fn add_cycles<I: Index>(archive: &mut Archive<'_>, cycles: &Cycles<I>) -> io::Result<()> {
    let classes = [cycles.len()];
    add_integers(archive, "dims", &classes, cycles.iter().map(|cycle| cycle.dim.into()))?;
    let number = |cell: I| cell.to_usize() as i64;
    add_integers(archive, "births", &classes, cycles.iter().map(|cycle| number(cycle.birth)))?;
    let deaths = cycles.iter().map(|cycle| cycle.death.map_or(-1, number));
    add_integers(archive, "deaths", &classes, deaths)?;
    let offsets = cycles.offsets();
    add_integers(archive, "offsets", &[offsets.len()], offsets.iter().map(|&offset| offset as i64))?;
    add_integers(archive, "cells", &[cycles.cells().len()], numbers(cycles.cells()))
}

/// Numbers of cells.
fn numbers<I: Index>(cells: &[I]) -> impl Iterator<Item = i64> + Clone + '_ {
    cells.iter().map(|cell| cell.to_usize() as i64)
}

/// Adds an array of integers.
fn add_integers(
    archive: &mut Archive<'_>,
    name: &str,
    shape: &[usize],
    values: impl Iterator<Item = i64> + Clone,
) -> io::Result<()> {
    let shape: Vec<u64> = shape.iter().map(|&extent| extent as u64).collect();
    add(archive, name, &|member| {
        let mut array = integers(&shape, member)?;
        array.extend(values.clone())?;
        array.finish()
    })
}
