//! Errors of computing representatives.

use crate::diagram::SelectionError;
use crate::memory::Refused;

/// Reasons why representatives could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RepresentativesError {
    /// The bars for representatives cannot be selected.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// Memory does not suffice.
    #[error(transparent)]
    Memory(#[from] Refused),
}
