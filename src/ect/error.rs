//! Errors of the transform.

use crate::cubical::ShapeError;
use crate::memory::Refused;
use crate::progress::Interrupted;

/// Reasons why a transform could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EctError {
    /// The directions do not suit the complex.
    #[error("directions: expected {expected}, found {found}")]
    Directions {
        /// The expected value.
        expected: String,
        /// The value that was found.
        found: String,
    },
    /// The image has more than three axes.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The number of bins is 0 or too large.
    #[error("bins: expected a number from 1 to {most}, found {found}", most = super::heights::MOST_BINS)]
    Bins {
        /// The number of bins.
        found: usize,
    },
    /// The radius is not a positive number of moderate size.
    #[error(
        "radius: expected a positive finite number, found {found}{}",
        if *found > 0.0 && found.is_finite() { "; it is from 1e-290 to 1e300" } else { "" }
    )]
    Radius {
        /// The radius that was given.
        found: f64,
    },
    /// A coordinate or weight is not finite, or a distance from the center exceeds the greatest double.
    #[error("{place}: expected finite coordinates and weights, found {found}")]
    NotFinite {
        /// The vertex, cell or voxel.
        place: String,
        /// The value that was found.
        found: f64,
    },
    /// The vertices of a complex or the numbers of its weights do not fit together.
    #[error("{place}: expected {expected}, found {found}")]
    Complex {
        /// The cells or vertices.
        place: String,
        /// The expected value.
        expected: String,
        /// The value that was found.
        found: String,
    },
    /// Memory was refused.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The [`Progress`](crate::progress::Progress) ended the run early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
