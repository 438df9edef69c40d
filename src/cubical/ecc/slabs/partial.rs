//! The curve of the slabs that have been added up, from which an interrupted run goes on.
//!
//! Slabs are begun in their order, and what pauses waits for those that were begun: so the slices that have been added up are the first ones,
//! and their number says which they are, however the rest is cut, on however many threads and in however much memory.

use std::io;

use crate::cubical::ecc::cpu::PartialSums;
use crate::snapshot::{Reader, SnapshotError, Writer};

/// The sums of the first slices of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialCurve {
    /// How many slices, along the slowest axis that has more than one voxel.
    pub(super) slices: usize,
    pub(super) sums: PartialSums,
}

/// What the first word of sums says they are of.
const KEYS: u64 = 0;
const BINS: u64 = 1;

impl PartialCurve {
    /// Writes it: the number of slices and the kind of sums, the keys, the sums.
    ///
    /// # Errors
    /// Those of the file.
    pub(crate) fn write(&self, out: &mut Writer<'_>) -> io::Result<()> {
        let (kind, keys, sums) = match &self.sums {
            PartialSums::Keys { keys, sums } => (KEYS, &keys[..], sums),
            PartialSums::Bins(sums) => (BINS, &[][..], sums),
        };
        out.u64s(&[self.slices as u64, kind])?;
        out.u64s(keys)?;
        out.u64s_of(sums.len(), sums.iter().map(|sum| sum.cast_unsigned()))
    }

    /// Reads what [`PartialCurve::write`] has written.
    ///
    /// # Errors
    /// [`SnapshotError`]: it is something else.
    pub(crate) fn read(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let head: Vec<u64> = from.u64s("slices and kind of sums")?.iter().map(|word| word.get()).collect();
        let [slices, kind] = head[..] else {
            return Err(from.unexpected("slices and kind of sums", 2, head.len()));
        };
        let keys: Vec<u64> = from.u64s("keys")?.iter().map(|key| key.get()).collect();
        let sums: Vec<i64> = from.u64s("sums")?.iter().map(|sum| sum.get().cast_signed()).collect();
        let slices = usize::try_from(slices).unwrap_or(usize::MAX);
        let sums = match kind {
            KEYS => PartialSums::Keys { keys, sums },
            BINS => PartialSums::Bins(sums),
            other => return Err(from.unexpected("kind of sums", "0 or 1", other)),
        };
        Ok(PartialCurve { slices, sums })
    }

    /// How many slices have been added up.
    pub(crate) fn slices(&self) -> usize {
        self.slices
    }
}

/// Who watches an image being added up, and may keep what has been added up so far.
pub struct Watch<'a> {
    /// Is told how many voxels have been added up.
    pub advance: &'a dyn Fn(u64),
    /// Says whether to pause when the slabs that have been begun are done.
    pub pauses: &'a dyn Fn() -> bool,
    /// Is given what has been added up, at a pause; none where some of it is in temporary files.
    pub keep: &'a dyn Fn(Option<PartialCurve>),
}

impl<'a> Watch<'a> {
    /// Without a pause.
    pub fn telling(advance: &'a dyn Fn(u64)) -> Self {
        Watch { advance, pauses: &|| false, keep: &|_| () }
    }
}
