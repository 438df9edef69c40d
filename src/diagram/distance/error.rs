//! Errors of the distances between diagrams.

use crate::progress::Interrupted;

/// Reasons why two diagrams have no distance.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum DistanceError {
    /// A birth or death is NaN.
    #[error("bar {place} of diagram {}: expected a birth and a death, found [{birth}, {death})", ["A", "B"][*side])]
    NotANumber {
        /// The diagram: 0 is A, 1 is B.
        side: usize,
        /// Index of the bar, from 0.
        place: usize,
        /// Birth of the bar.
        birth: f64,
        /// Death of the bar.
        death: f64,
    },
    /// The number of bars is too great for their indices.
    #[error("diagram {}: expected fewer than 2^31 bars, found {found}", ["A", "B"][*side])]
    TooMany {
        /// The diagram: 0 is A, 1 is B.
        side: usize,
        /// Number of bars.
        found: usize,
    },
    /// The order is infinite, NaN or below 1.
    #[error(
        "order: expected a finite number from 1 up, found {0}; the bottleneck distance is that of order infinity"
    )]
    Order(f64),
    /// The norm is NaN or below 1.
    #[error("internal p: expected a number from 1 up or inf, found {0}")]
    InternalP(f64),
    /// The run was ended early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
