//! Bottleneck and Wasserstein distances between diagrams of one dimension, exact, with an optimal matching.
//!
//! Bars of A are matched with bars of B, each at most once; the remaining bars of both sides are matched with the
//! diagonal, at the distance to its nearest point. The bottleneck distance is the minimum, over all matchings, of the
//! greatest distance of a pair, in the maximum norm (Edelsbrunner, Harer 2010). The Wasserstein distance of order p is
//! the minimum of the p-th root of the sum of the p-th powers of the distances, in the norm `internal_p`.
//!
//! | bars | how they are matched |
//! |---|---|
//! | finite | with finite ones or with the diagonal |
//! | of length zero, also at an infinite value | with the diagonal, or not at all: they change no distance |
//! | with one infinite end | with bars that have the same infinite end, sorted by the other end |
//! | infinite at both ends | with bars that have the same ends |
//! | NaN | an error |
//!
//! If the numbers of bars with the same infinite ends differ, the distance is infinite and there is no matching. All of
//! this agrees with GUDHI's `bottleneck_distance` and `wasserstein_distance` with `keep_essential_parts=True`. Bars
//! whose death is below their birth, as in superlevel filtrations, are mirror images of the others; GUDHI expects them
//! to be negated beforehand.
//!
//! The bottleneck distance is one of the distances between two bars or of a bar to the diagonal, rounded to a double.
//! Wasserstein distances are those of an optimal matching, up to the rounding of its costs; dual prices certify it. No
//! answer depends on the number of threads.
//!
//! ```
//! use lacuna::Bar;
//! use lacuna::diagram::distance::{Metric, distance, matching};
//!
//! let a = [Bar { birth: 0.0, death: 4.0 }, Bar { birth: 1.0, death: 1.5 }];
//! let b = [Bar { birth: 0.5, death: 4.0 }];
//! assert_eq!(distance(&a, &b, &Metric::Bottleneck, &())?, 0.5);
//! assert_eq!(distance(&a, &b, &Metric::default(), &())?, 0.75);
//! // The first of A with the first of B, the second of A with the diagonal.
//! let pairs = matching(&a, &b, &Metric::default(), &())?.pairs.unwrap();
//! assert_eq!(pairs.iter().map(|pair| (pair.a, pair.b)).collect::<Vec<_>>(), [(Some(0), Some(0)), (Some(1), None)]);
//! # Ok::<(), lacuna::diagram::distance::DistanceError>(())
//! ```

mod bottleneck;
mod cost;
mod cover;
mod locations;
mod network;
mod sides;
#[cfg(test)]
mod tests;
mod tree;
mod wasserstein;

use crate::diagram::Bar;
use crate::progress::{self, Interrupted, Progress};

use sides::Side;

/// Metrics on diagrams.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Metric {
    /// The bottleneck distance, in the maximum norm.
    Bottleneck,
    /// The Wasserstein distance.
    Wasserstein {
        /// Exponent p of the distances in the sum, ≥ 1 and finite.
        order: f64,
        /// Ground norm: q of the norm L^q in the plane, ≥ 1; infinity for the maximum norm.
        internal_p: f64,
    },
}

/// GUDHI's defaults: the Wasserstein distance of order 1 in the maximum norm, the norm of the bottleneck distance.
impl Default for Metric {
    fn default() -> Self {
        Metric::Wasserstein { order: 1.0, internal_p: f64::INFINITY }
    }
}

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

/// A distance and an optimal matching.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Matching {
    /// The distance of the matching.
    pub distance: f64,
    /// Pairs with a bar of A in its order, then the bars of B that are matched with the diagonal, in theirs. `None` if
    /// the distance is infinite: then all matchings are equally good.
    pub pairs: Option<Vec<Pair>>,
}

/// Two matched bars, or a bar and the diagonal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Index of the bar of A; `None` for the diagonal.
    pub a: Option<usize>,
    /// Index of the bar of B; `None` for the diagonal.
    pub b: Option<usize>,
    /// Distance of the two in the ground norm.
    pub distance: f64,
}

impl Pair {
    /// A bar of A (`side` 0) or B (`side` 1) and the diagonal.
    fn alone(side: usize, place: usize, distance: f64) -> Pair {
        let [a, b] = [0, 1].map(|other| (other == side).then_some(place));
        Pair { a, b, distance }
    }
}

/// Computes the distance between the bars `a` and `b` of two diagrams.
///
/// # Errors
/// A birth or death is NaN; the order or norm is out of the range of [`Metric`]; `progress` asks for the end of the
/// run.
pub fn distance(
    a: &[Bar],
    b: &[Bar],
    metric: &Metric,
    progress: &dyn Progress,
) -> Result<f64, DistanceError> {
    Ok(measured(a, b, metric, false, progress)?.distance)
}

/// Computes the distance between the bars `a` and `b` of two diagrams, and an optimal matching, the same on any number
/// of threads.
///
/// # Errors
/// Those of [`distance`].
pub fn matching(
    a: &[Bar],
    b: &[Bar],
    metric: &Metric,
    progress: &dyn Progress,
) -> Result<Matching, DistanceError> {
    measured(a, b, metric, true, progress)
}

fn measured(
    a: &[Bar],
    b: &[Bar],
    metric: &Metric,
    wants_pairs: bool,
    progress: &dyn Progress,
) -> Result<Matching, DistanceError> {
    let cost = cost::Cost::new(metric)?;
    let [a, b] = [Side::new(0, a)?, Side::new(1, b)?];
    let Some(infinite) = sides::match_infinite(&a, &b) else {
        return Ok(Matching { distance: f64::INFINITY, pairs: None });
    };
    progress::interruptible(progress, |progress| {
        let (distance, mut pairs) = match metric {
            Metric::Bottleneck => bottleneck::solve(&a, &b, infinite, cost, wants_pairs, progress),
            Metric::Wasserstein { .. } => wasserstein::solve(&a, &b, infinite, cost, progress),
        };
        if distance == f64::INFINITY || !wants_pairs {
            return Ok(Matching { distance, pairs: None });
        }
        pairs.extend(a.diagonal.iter().map(|&place| Pair::alone(0, place, 0.0)));
        pairs.extend(b.diagonal.iter().map(|&place| Pair::alone(1, place, 0.0)));
        pairs.sort_unstable_by_key(|pair| (pair.a.is_none(), pair.a, pair.b));
        Ok(Matching { distance, pairs: Some(pairs) })
    })
}
