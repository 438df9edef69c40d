//! What is counted.

/// An iteration that deleted something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pass {
    /// Its number, from 1.
    pub iteration: usize,
    /// Voxels it deleted.
    pub deleted: usize,
}

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThinningFigures {
    /// Voxels of the foreground before.
    pub before: usize,
    /// Voxels of the skeleton.
    pub after: usize,
    /// Iterations that deleted something.
    pub iterations: usize,
    /// Words of 64 voxels that were looked at.
    pub words: u64,
}
