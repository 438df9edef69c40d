//! The curve of the slabs that have been added up, from which an interrupted run goes on.
//!
//! Slabs are begun in their order, and what pauses waits for those that were begun: so the slices that have been added up are the first ones,
//! and their number says which they are, however the rest is cut, on however many threads and in however much memory.

use crate::cubical::ecc::cpu::PartialSums;

/// The sums of the first slices of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialCurve {
    /// How many slices, along the slowest axis that has more than one voxel.
    pub(super) slices: usize,
    pub(super) sums: PartialSums,
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
