//! A zip archive of NumPy arrays, as `numpy.savez` writes it: the pairs or the bars, and cycles that represent the classes.

use std::io::{self, Write};

use super::Solution;
use crate::matrix::Index;
use crate::output::npz::Archive;

/// Writes the archive.
///
/// # Errors
/// Errors of `out`.
pub fn write<I: Index>(solution: &Solution<'_, I>, out: &mut dyn Write) -> io::Result<()> {
    let number = |cell: I| cell.to_usize() as i64;
    let mut archive = Archive::new(out);
    if solution.values.is_some() {
        archive.bars(&solution.table())?;
    } else {
        let essential = solution.pairs.essential().into_iter().map(|cell| cell.to_usize() as u64);
        archive.pairs(solution.cell_pairs(), Some(essential))?;
    }
    if let Some(cycles) = solution.cycles {
        let classes = [cycles.len()];
        archive.numbers("dims", &classes, cycles.iter().map(|cycle| i64::from(cycle.dim)))?;
        archive.numbers("births", &classes, cycles.iter().map(|cycle| number(cycle.birth)))?;
        let deaths = cycles.iter().map(|cycle| cycle.death.map_or(-1, number));
        archive.numbers("deaths", &classes, deaths)?;
        let offsets = cycles.offsets();
        archive.numbers("offsets", &[offsets.len()], offsets.iter().map(|&offset| offset as i64))?;
        let cells = cycles.cells();
        archive.numbers("cells", &[cells.len()], cells.iter().copied().map(number))?;
    }
    archive.finish()
}
