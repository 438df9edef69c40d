//! Sums of the first slices of an image, from which an interrupted run resumes.
//!
//! Slabs are begun in order, and a pause waits for all that were begun, so the slices added up are always the first
//! ones. Their number identifies them, however the rest is cut and whatever the threads and the memory limit.

use serde::{Deserialize, Serialize};

use crate::cubical::ecc::cpu::PartialSums;

/// The sums of the first slices of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialCurve {
    /// Number of slices, along the slowest axis longer than one voxel.
    pub(super) slices: usize,
    pub(super) sums: PartialSums,
}

impl PartialCurve {
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
