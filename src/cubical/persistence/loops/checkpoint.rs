//! Checkpoint of the reduced columns of loops.
//!
//! Rows and their owners are read while threads work: any set of claims is a valid start, see
//! [`crate::rips::submatrix_reduction`]. A column that appears in two rows, because it was taken over during the read,
//! keeps one of them, and columns without a row are reduced again (at most 0.06 s per thread, of 9 s of reduction, for
//! noise of 200³ voxels). The stages before the reduction (keys of voxels, gradient, components, cavities) are computed
//! again, which takes about as long as reading them would.

use super::super::cell::Cell;
use super::arena::Writer as ArenaWriter;
use super::{Columns, FREE, Ordering};
use crate::snapshot::{Checkpoint, SnapshotError, Writer, facts};

/// Name of the checkpoint.
const LOOPS: &str = "loops";
/// Kind of the checkpoint.
const STAGES: &str = "stages of an image";

/// Saves the columns that own rows. `faces` is the total number of columns.
pub(super) fn save(
    columns: &Columns,
    faces: usize,
    checkpoint: &dyn Checkpoint,
    cell: &dyn Fn(usize, usize) -> Cell,
    word: &dyn Fn(Cell) -> u64,
) {
    let owners = columns.owners.iter().map(|owner| owner.load(Ordering::Acquire)).enumerate();
    let owned: Vec<(usize, u64)> = owners.filter(|&(_, owner)| owner != FREE).collect();
    let told = facts([("columns that are reduced", format!("{} of {faces}", owned.len()))]);
    let arena = &columns.arena;
    checkpoint.save(LOOPS, STAGES, &told, &mut |out: &mut Writer<'_>| {
        out.record(&(columns.rows.count(), faces))?;
        let column = |&(row, at): &(usize, u64)| {
            (row, arena.column(at), arena.edges(at, cell).map(word).collect::<Vec<u64>>())
        };
        out.list(owned.len(), owned.iter().map(column))
    });
}

/// Restores the owners of rows from a checkpoint. `faces` is the total number of columns, and `edge` returns the edge
/// that a word encodes, if it encodes one of a column, and `place` the place of its owner. Returns for each column
/// whether it was restored.
///
/// # Errors
/// [`SnapshotError`]: the snapshot is damaged, or belongs to another image.
pub(super) fn restore(
    columns: &Columns,
    faces: usize,
    checkpoint: &dyn Checkpoint,
    edge: &dyn Fn(u64) -> Option<Cell>,
    place: &dyn Fn(Cell) -> usize,
) -> Result<Vec<bool>, SnapshotError> {
    let mut is_reduced = vec![false; faces];
    let Some(snapshot) = checkpoint.load(LOOPS, STAGES)? else { return Ok(is_reduced) };
    let mut reader = snapshot.payload_of(STAGES)?;
    let (expected, found): (_, (usize, usize)) =
        ((columns.rows.count(), faces), reader.record("numbers of rows and columns")?);
    if found != expected {
        let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
        return Err(reader.unexpected("numbers of rows and columns", expected, found));
    }
    let mut writer = ArenaWriter::default();
    for _ in 0..reader.record::<usize>("number of columns")? {
        let (row, number, words): (usize, u32, Vec<u64>) = reader.table("a column")?;
        let edges: Option<Vec<Cell>> = words.into_iter().map(edge).collect();
        let edges = edges.filter(|edges| edges.is_sorted());
        let (Some(owner), Some(is_reduced), Some(edges)) =
            (columns.owners.get(row), is_reduced.get_mut(number as usize), edges)
        else {
            return Err(reader.unexpected("columns", "rows, columns and edges of the image", "others"));
        };
        if owner.load(Ordering::Relaxed) == FREE && !std::mem::replace(is_reduced, true) {
            owner.store(writer.write(&columns.arena, number, &edges, place), Ordering::Release);
        }
    }
    reader.end()?;
    Ok(is_reduced)
}
