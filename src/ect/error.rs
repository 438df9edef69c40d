//! Errors of the transform.

use crate::memory::Refused;
use crate::progress::Interrupted;

/// Reasons why a transform could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EctError {
    /// The directions do not suit the complex.
    #[error("directions: expected {expected}, found {found}")]
    Directions {
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// The number of bins is 0 or too large.
    #[error("bins: expected a number from 1 to {most}, found {found}", most = super::heights::MOST_BINS)]
    Bins {
        /// The number of bins.
        found: usize,
    },
    /// The radius is not a positive finite number.
    #[error("radius: expected a positive finite number, found {found}")]
    Radius {
        /// The radius.
        found: f64,
    },
    /// A coordinate or weight is not finite, or a distance from the center exceeds the greatest double.
    #[error("{place}: expected finite coordinates and weights, found {found}")]
    NotFinite {
        /// Where it was found: a vertex, a cell or a voxel.
        place: String,
        /// What was found.
        found: f64,
    },
    /// The vertices of a complex or the numbers of its weights do not fit together.
    #[error("{place}: expected {expected}, found {found}")]
    Complex {
        /// Where it was found.
        place: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Memory was refused.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The [`Progress`](crate::progress::Progress) ended the run early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
