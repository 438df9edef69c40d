//! Why two diagrams have no distance.

use crate::progress::Interrupted;

/// Why two diagrams have no distance.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum DistanceError {
    /// A birth or a death that is NaN.
    #[error("bar {place} of diagram {}: expected a birth and a death, found [{birth}, {death})", ["A", "B"][*side])]
    NotANumber {
        /// The diagram: 0 is A, 1 is B.
        side: usize,
        /// The place of the bar, from 0.
        place: usize,
        /// Its birth.
        birth: f64,
        /// Its death.
        death: f64,
    },
    /// More bars than can be numbered.
    #[error("diagram {}: expected fewer than 2^31 bars, found {found}", ["A", "B"][*side])]
    TooMany {
        /// The diagram: 0 is A, 1 is B.
        side: usize,
        /// The number of bars.
        found: usize,
    },
    /// An order that is infinite, NaN or below 1.
    #[error(
        "order: expected a finite number from 1 up, found {0}; the bottleneck distance is that of order infinity"
    )]
    Order(f64),
    /// A norm that is NaN or below 1.
    #[error("internal p: expected a number from 1 up or inf, found {0}")]
    InternalP(f64),
    /// The run was ended early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
