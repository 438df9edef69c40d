//! What a reduction counted: the figures of HYPHA's tables.

use serde::Serialize;

/// Counts of a reduction, and the seconds of its stages in the order they ran.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Figures {
    /// Column additions done.
    pub additions: u64,
    /// Stages: name, seconds.
    pub stages: Vec<(&'static str, f64)>,
}
