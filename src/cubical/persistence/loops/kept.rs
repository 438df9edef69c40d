//! Checkpoint of the reduced columns of loops.
//!
//! Rows and their owners are read while threads work: any set of claims is a valid start, see
//! [`crate::rips::submatrix_reduction`]. A column that appears in two rows, because it was taken over during the read,
//! keeps one of them, and columns without a row are reduced again (at most 0.06 s per thread, of 9 s of reduction, for
//! noise of 200³ voxels). The stages before the reduction (voxel order, gradient, components, cavities) are computed
//! again, which takes about as long as reading them would.

use super::arena::Writer as ArenaWriter;
use super::{Columns, DROPPED, FREE, Ordering};
use crate::snapshot::{Checkpoint, Kind, SnapshotError, Writer, facts};

/// Name of the checkpoint.
const LOOPS: &str = "loops";

/// Saves the columns that own rows. `faces` is the total number of columns.
pub(super) fn save(columns: &Columns, faces: usize, checkpoint: &dyn Checkpoint) {
    let owners = columns.owners.iter().map(|owner| owner.load(Ordering::Acquire)).enumerate();
    let owned: Vec<(usize, u64)> = owners.filter(|&(_, owner)| owner != FREE && owner != DROPPED).collect();
    let told = facts([("columns that are reduced", format!("{} of {faces}", owned.len()))]);
    let arena = &columns.arena;
    checkpoint.save(LOOPS, Kind::CubicalStages, &told, &mut |out: &mut Writer<'_>| {
        out.u64s(&[columns.rows.count() as u64, faces as u64])?;
        out.u64s_of(owned.len(), owned.iter().map(|&(row, _)| row as u64))?;
        out.u64s_of(owned.len(), owned.iter().map(|&(_, at)| arena.column(at).into()))?;
        let lengths = || owned.iter().map(|&(_, at)| arena.rest(at).count());
        out.u64s_of(owned.len(), lengths().map(|length| length as u64))?;
        out.u64s_of(lengths().sum(), owned.iter().flat_map(|&(_, at)| arena.rest(at)).map(u64::from))
    });
}

/// Restores the owners of rows from a checkpoint. `faces` is the total number of columns, and `is_edge` tells whether a
/// word encodes an edge. Returns for each column whether it was restored.
///
/// # Errors
/// [`SnapshotError`]: the snapshot is damaged, or belongs to another image.
pub(super) fn restore(
    columns: &Columns,
    faces: usize,
    checkpoint: &dyn Checkpoint,
    is_edge: &dyn Fn(u32) -> bool,
) -> Result<Vec<bool>, SnapshotError> {
    let mut is_reduced = vec![false; faces];
    let Some(snapshot) = checkpoint.load(LOOPS, Kind::CubicalStages)? else { return Ok(is_reduced) };
    let mut reader = snapshot.payload_of(Kind::CubicalStages)?;
    let found: Vec<u64> = reader.u64s("numbers of rows and columns")?.iter().map(|word| word.get()).collect();
    let expected = [columns.rows.count() as u64, faces as u64];
    if found != expected {
        let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
        return Err(reader.unexpected("numbers of rows and columns", expected, found));
    }
    let (rows, numbers) = (reader.u64s("rows")?, reader.u64s("columns")?);
    let (lengths, mut words) = (reader.u64s("lengths of columns")?, reader.u64s("edges")?);
    if rows.len() != numbers.len() || rows.len() != lengths.len() {
        return Err(reader.unexpected(
            "columns",
            rows.len(),
            format!("{}, {}", numbers.len(), lengths.len()),
        ));
    }
    let mut writer = ArenaWriter::default();
    for ((row, number), length) in rows.iter().zip(numbers).zip(lengths) {
        let length = usize::try_from(length.get()).unwrap_or(usize::MAX);
        let Some((own, rest)) = words.split_at_checked(length) else {
            return Err(reader.unexpected("edges", format!("{length} more"), words.len()));
        };
        words = rest;
        let owner = usize::try_from(row.get()).ok().and_then(|row| columns.owners.get(row));
        let number = usize::try_from(number.get()).ok().filter(|&number| number < faces);
        let edges: Option<Vec<u32>> =
            own.iter().map(|word| u32::try_from(word.get()).ok().filter(|&word| is_edge(word))).collect();
        let (Some(owner), Some(number), Some(edges)) = (owner, number, edges) else {
            return Err(reader.unexpected("columns", "rows, columns and edges of the image", "others"));
        };
        if owner.load(Ordering::Relaxed) == FREE && !std::mem::replace(&mut is_reduced[number], true) {
            // Column numbers have 32 bits, as in the reduction.
            let address = writer.write(&columns.arena, number as u32, edges.into_iter());
            owner.store(address, Ordering::Release);
        }
    }
    reader.end()?;
    Ok(is_reduced)
}
