//! Statistics of thinning.

/// An iteration that deleted voxels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pass {
    /// Number of the iteration, from 1.
    pub iteration: usize,
    /// Number of voxels deleted.
    pub deleted: usize,
}

/// Counts of a thinning run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThinningStatistics {
    /// Number of foreground voxels before.
    pub before: usize,
    /// Number of voxels of the skeleton.
    pub after: usize,
    /// Number of iterations that deleted voxels.
    pub iterations: usize,
    /// Number of words of 64 voxels that were examined.
    pub words: u64,
}
