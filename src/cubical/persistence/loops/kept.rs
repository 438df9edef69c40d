//! The loops that have been reduced, kept so that another run goes on with them.
//!
//! Rows with their owners are read while threads work: any claims are a valid start, see [`crate::rips::submatrix_reduction`]. A column that is
//! found in two rows, because it was taken over while they were read, keeps one of them, and columns without a row are reduced again (at most
//! 0.06 s a thread, of 9 s of reduction, for noise of 200³ voxels). What
//! comes before the reduction (the order of voxels, the gradient, components and cavities) is found again: that takes about as long as it
//! would to read it.

use super::arena::Writer as ArenaWriter;
use super::{Columns, DROPPED, FREE, Ordering};
use crate::snapshot::{Checkpoint, Kind, SnapshotError, Writer, facts};

/// The name under which they are kept.
const LOOPS: &str = "loops";

/// Keeps the columns that own rows, of `faces` columns.
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

/// Gives rows the columns that own them by what another run has kept, of `faces` columns. `is_edge` says whether a word is that of an edge.
/// Gives the numbers of these columns, as a flag for each.
///
/// # Errors
/// [`SnapshotError`]: what is kept is damaged, or of another image.
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
            // A column's number has 32 bits, as those that are reduced here.
            let address = writer.write(&columns.arena, number as u32, edges.into_iter());
            owner.store(address, Ordering::Release);
        }
    }
    reader.end()?;
    Ok(is_reduced)
}
