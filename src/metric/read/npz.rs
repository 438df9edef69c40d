//! `npz`: an archive of NumPy arrays, one of which holds distances or points, or a sparse matrix of SciPy.

use super::diagonal::Entries;
use super::error::{Place, Problem};
use super::{DistanceFormat, Input, npy, triplets};
use crate::input::npz::Archive;

/// Reads the array `key`, the only array, or the sparse matrix, with notes on corrections.
pub(super) fn read(
    bytes: &[u8],
    format: DistanceFormat,
    entries: Entries,
    key: Option<&str>,
) -> Result<(Input, Vec<String>), Problem> {
    let archive = Archive::open(bytes)?;
    if key.is_none() && archive.is_sparse() {
        return triplets::read(&archive.sparse()?, entries);
    }
    let array = match key {
        Some(key) => archive.read(key).map_err(|problem| {
            let names: Vec<&str> = archive.names().collect();
            problem.note(format!("--key takes one of {}", names.join(", ")))
        }),
        None => archive.single().map_err(|problem| match archive.names().count() {
            0 | 1 => problem,
            _ => problem.note("--key says which one to read"),
        }),
    }?;
    // Byte offsets in the array are not offsets in the archive.
    npy::read(&array, format, entries).map_err(|problem| Problem { place: Place::Whole, ..problem })
}
