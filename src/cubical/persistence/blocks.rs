//! Critical cells of a grid whose keys are not held, by blocks of slices.
//!
//! Each block has the keys of its own slices and of one beside it at either end, so that its gradient is that of the
//! whole grid. Its codes are kept as far as memory has room. Critical cells are saved between two blocks.

use std::sync::Mutex;

use super::cell::Cell;
use super::error::{MachineError, PersistenceError};
use super::footprint::Held;
use super::gradient::{self, Gradient, GradientStage};
use super::grid::Grid;
use super::statistics::StageClock;
use crate::backend::Decision;
use crate::memory;
use crate::parallel::{self, into_inner, lock};
use crate::progress::{Silent, keeping};
use crate::snapshot::{Checkpoint, SnapshotError, Writer, facts};

/// Name of the checkpoint.
const CELLS: &str = "cells";
/// Kind of the checkpoint.
const BLOCKS: &str = "blocks of an image";

/// The critical cells of the first slices of a grid.
#[derive(Default)]
struct Found {
    slices: usize,
    critical: [Vec<Cell>; 4],
}

/// The gradient of a grid whose keys are derived, and its critical cells of the wanted dimensions.
///
/// # Errors
/// [`MachineError`]: memory does not suffice; a requested GPU fails; the checkpoint cannot be resumed from.
pub(super) fn gradient(
    grid: &Grid<'_>,
    wanted: [bool; 4],
    held: Held,
    decision: &mut Decision,
    clock: &mut StageClock<'_>,
) -> Result<(Gradient, [Vec<Cell>; 4]), MachineError> {
    clock.begin("gradient", grid.voxels() as u64);
    let slices = grid.layout.slices.1;
    let (progress, checkpoint) = (clock.progress, clock.progress.checkpoint());
    let none = Gradient::derived(grid, 0).map_err(PersistenceError::from)?;
    let found = restored(grid, &none, checkpoint).map_err(PersistenceError::from)?;
    let done = found.slices;
    let at_once = (held.keys / grid.layout.slice()).saturating_sub(2).max(1);
    let mut all = Gradient::derived(grid, held.codes).map_err(PersistenceError::from)?;
    // Codes are not saved, so those that are to be held are computed again where slices are done.
    let again = done.min(all.codes().0.len() / grid.layout.slice());
    progress.advance((grid.voxels() / slices * (done - again)) as u64);
    let found = Mutex::new(found);
    keeping(progress, &|| save(&lock(&found), slices, checkpoint), |progress| {
        let silent = &Silent(progress);
        for first in (0..again).step_by(at_once).chain((done..slices).step_by(at_once)) {
            let end = if first < done { again } else { slices }.min(first + at_once);
            let block = grid.block(first..end, silent)?;
            let gradient = decision.run(&mut GradientStage { grid: &block, progress: silent })?;
            all.keep(&gradient, &block);
            if first >= done {
                let cells = gradient.critical_cells(&block, wanted, silent)?;
                let mut found = lock(&found);
                for (all, mut cells) in found.critical.iter_mut().zip(cells) {
                    memory::make_room(all, cells.len()).map_err(PersistenceError::from)?;
                    all.append(&mut cells);
                }
                found.slices = end;
            }
            progress.advance(block.voxels() as u64);
        }
        Ok::<_, MachineError>(())
    })?;
    let Found { critical, .. } = into_inner(found);
    gradient::check(critical.each_ref().map(Vec::len), 0)?;
    clock.begin("critical cells", 1);
    Ok((all, critical))
}

fn save(found: &Found, slices: usize, checkpoint: &dyn Checkpoint) {
    let told = facts([("slices that are done", format!("{} of {slices}", found.slices))]);
    checkpoint.save(CELLS, BLOCKS, &told, &mut |out: &mut Writer<'_>| {
        out.record(&found.slices)?;
        found
            .critical
            .iter()
            .try_for_each(|cells| out.list(cells.len(), cells.iter().map(|cell| cell.word())))
    });
}

/// Restores the critical cells of the slices that were done when a run was interrupted, if any were. They are checked
/// by a gradient of which no codes are held.
fn restored(grid: &Grid<'_>, none: &Gradient, checkpoint: &dyn Checkpoint) -> Result<Found, SnapshotError> {
    let Some(snapshot) = checkpoint.load(CELLS, BLOCKS)? else { return Ok(Found::default()) };
    let mut reader = snapshot.payload_of(BLOCKS)?;
    let mut found = Found { slices: reader.record("number of slices")?, ..Found::default() };
    if found.slices > grid.layout.slices.1 {
        return Err(reader.unexpected("number of slices", grid.layout.slices.1, found.slices));
    }
    for (dim, cells) in found.critical.iter_mut().enumerate() {
        let words: Vec<u64> = reader.table("critical cells")?;
        *cells = words.into_iter().map(Cell::of_word).collect();
        let is_one = |k: usize| none.is_critical(grid, dim, cells[k]);
        let places = cells.iter().map(|&cell| (grid.place(cell), cell.direction()));
        if parallel::position(cells.len(), |k| !is_one(k)).is_some() || !places.is_sorted_by(|a, b| a < b) {
            return Err(reader.unexpected("critical cells", "those of the image", "others"));
        }
    }
    reader.end()?;
    Ok(found)
}
