//! Why there are no representatives.

use crate::diagram::SelectionError;
use crate::memory::Refused;

/// What can go wrong from the classes of an image to their representatives.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RepresentativesError {
    /// The bars whose representatives are wanted cannot be chosen.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] Refused),
}
