//! Sums of the first slices of an image, from which an interrupted run resumes.
//!
//! Slabs are begun in order, and a pause waits for all that were begun, so the slices added up are always the first
//! ones. Their number identifies them, however the rest is cut and whatever the threads and the memory limit.

use serde::{Deserialize, Serialize};

/// The sums of the first slices of an image, to which those of the rest can be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartialCurve {
    /// Number of slices, along the slowest axis longer than one voxel.
    pub(crate) slices: usize,
    /// Number of bins; 0 if the sums are by key.
    pub(crate) bins: usize,
    /// The keys that occurred, or the numbers of all bins, ascending.
    pub(crate) keys: Vec<u64>,
    /// The sum of each key.
    pub(crate) sums: Vec<i64>,
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
