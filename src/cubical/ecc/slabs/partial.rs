//! Sums of the first slices of an image, from which an interrupted run resumes.
//!
//! Slabs are begun in order, and a pause waits for all that were begun, so the slices added up are always the first
//! ones. Their number identifies them, however the rest is cut and whatever the threads and the memory limit.

use std::io;

use crate::cubical::ecc::cpu::PartialSums;
use crate::snapshot::{Reader, SnapshotError, Writer};

/// The sums of the first slices of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialCurve {
    /// Number of slices, along the slowest axis longer than one voxel.
    pub(super) slices: usize,
    pub(super) sums: PartialSums,
}

impl PartialCurve {
    /// Writes the numbers of slices and of bins, the keys and the sums.
    ///
    /// # Errors
    /// The error of the file.
    pub(crate) fn write(&self, out: &mut Writer<'_>) -> io::Result<()> {
        let PartialSums { bins, keys, sums } = &self.sums;
        out.u64s(&[self.slices as u64, *bins as u64])?;
        out.u64s(keys)?;
        out.u64s_of(sums.len(), sums.iter().map(|sum| sum.cast_unsigned()))
    }

    /// Reads the record that [`PartialCurve::write`] wrote.
    ///
    /// # Errors
    /// [`SnapshotError`]: the record is malformed.
    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let head: Vec<u64> = from.u64s("slices and bins")?.iter().map(|word| word.get()).collect();
        let [slices, bins] = head[..] else {
            return Err(from.unexpected("slices and bins", 2, head.len()));
        };
        let keys: Vec<u64> = from.u64s("keys")?.iter().map(|key| key.get()).collect();
        let sums: Vec<i64> = from.u64s("sums")?.iter().map(|sum| sum.get().cast_signed()).collect();
        let [slices, bins] = [slices, bins].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        Ok(PartialCurve { slices, sums: PartialSums { bins, keys, sums } })
    }

    /// Number of slices added up.
    pub(crate) fn slices(&self) -> usize {
        self.slices
    }
}

/// Callbacks of a count: progress, pauses, and saving the state.
pub struct Watch<'a> {
    /// Receives the number of voxels added up.
    pub advance: &'a dyn Fn(u64),
    /// Returns whether to pause once the slabs already begun are done.
    pub pauses: &'a dyn Fn() -> bool,
    /// Receives the state at a pause; `None` if part of it is in temporary files.
    pub keep: &'a dyn Fn(Option<PartialCurve>),
}

impl<'a> Watch<'a> {
    /// A watch that never pauses.
    pub fn telling(advance: &'a dyn Fn(u64)) -> Self {
        Watch { advance, pauses: &|| false, keep: &|_| () }
    }
}
