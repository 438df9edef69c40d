//! Why there are no representatives.

use crate::memory::Refused;

/// What can go wrong from the classes of an image to their representatives.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RepresentativesError {
    /// A bar whose representatives are wanted is not there.
    #[error(
        "bar {dim}:{index}: expected the place of a bar of dimension {dim}, of which there are {bars}, found {index}"
    )]
    NoSuchBar {
        /// The dimension.
        dim: usize,
        /// The place asked for, 0-based.
        index: usize,
        /// Bars of that dimension.
        bars: usize,
    },
    /// The least persistence of the bars whose representatives are wanted is NaN or negative.
    #[error("representatives: expected a non-negative number as the least persistence, found {0}")]
    LeastPersistence(f64),
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] Refused),
}
