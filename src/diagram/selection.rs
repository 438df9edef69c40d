//! Selection of bars of a diagram, for requests that concern only some bars.

use std::cmp::Ordering;

use crate::cubical::Value;

/// A selection of bars of a diagram.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum BarSelection {
    /// All bars.
    #[default]
    All,
    /// The given number of most persistent bars of dimension ≥ 1. Essential bars are the most persistent; ties are
    /// resolved by the order of the diagram. For an image without bars above dimension 0, bars of dimension 0 are
    /// selected; for distances, there are none then.
    Longest(usize),
    /// The bars of all dimensions with at least this persistence, which is neither negative nor NaN, compared exactly.
    /// Essential bars qualify.
    Persistence(Value),
    /// The bars with these dimensions and indices in [`Diagram::bars`](super::Diagram::bars).
    Named(Vec<(usize, usize)>),
}

/// Reasons why bars cannot be selected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SelectionError {
    /// A selected bar does not exist.
    #[error(
        "bar {dim}:{index}: expected the place of a bar of dimension {dim}, of which there are {bars}, found {index}"
    )]
    NoSuchBar {
        /// The dimension.
        dim: usize,
        /// Requested index, 0-based.
        index: usize,
        /// Number of bars of that dimension.
        bars: usize,
    },
    /// The least persistence is NaN or negative.
    #[error("representatives: expected a non-negative number as the least persistence, found {0}")]
    LeastPersistence(Value),
}

impl BarSelection {
    /// Validates the selection, independently of a diagram.
    ///
    /// # Errors
    /// [`SelectionError::LeastPersistence`].
    pub(crate) fn check(&self) -> Result<(), SelectionError> {
        match *self {
            BarSelection::Persistence(least)
                if least.partial_cmp(&Value::Unsigned(0)).is_none_or(Ordering::is_lt) =>
            {
                Err(SelectionError::LeastPersistence(least))
            }
            _ => Ok(()),
        }
    }

    /// Checks that all named bars exist; `count` gives the number of bars of a dimension.
    ///
    /// # Errors
    /// [`SelectionError::NoSuchBar`].
    pub(crate) fn check_named(&self, count: impl Fn(usize) -> usize) -> Result<(), SelectionError> {
        let BarSelection::Named(named) = self else { return Ok(()) };
        match named.iter().find(|&&(dim, index)| index >= count(dim)) {
            Some(&(dim, index)) => Err(SelectionError::NoSuchBar { dim, index, bars: count(dim) }),
            None => Ok(()),
        }
    }
}
