//! Classifies the bars of a diagram by their infinite ends, and matches those with infinite ends.

use super::{DistanceError, Pair};
use crate::diagram::Bar;
use crate::kd_tree::Point;

/// Number of combinations of infinite ends: which of birth and death are infinite, and their signs.
const KINDS: usize = 6;

/// The bars of a diagram, by class.
pub(super) struct Side {
    /// Bars of positive length with finite ends, with their indices.
    pub(super) finite: Vec<(Point, usize)>,
    /// Indices of the bars of length zero.
    pub(super) diagonal: Vec<usize>,
    /// For each combination of infinite ends, the finite ends, or 0 if both are infinite, with the indices of the bars;
    /// sorted.
    infinite: [Vec<(f64, usize)>; KINDS],
}

impl Side {
    /// Classifies the bars of diagram A (`side` 0) or B (`side` 1).
    pub(super) fn new(side: usize, bars: &[Bar]) -> Result<Self, DistanceError> {
        if bars.len() >= 1 << 31 {
            return Err(DistanceError::TooMany { side, found: bars.len() });
        }
        let mut sorted = Side { finite: Vec::new(), diagonal: Vec::new(), infinite: Default::default() };
        for (place, &Bar { birth, death }) in bars.iter().enumerate() {
            if birth.is_nan() || death.is_nan() {
                return Err(DistanceError::NotANumber { side, place, birth, death });
            }
            match (birth.is_finite(), death.is_finite()) {
                _ if birth == death => sorted.diagonal.push(place),
                // Adding 0 makes negative zero positive, so that equal points compare equal.
                (true, true) => sorted.finite.push(([birth + 0.0, death + 0.0], place)),
                (false, true) => sorted.infinite[usize::from(birth > 0.0)].push((death, place)),
                (true, false) => sorted.infinite[2 + usize::from(death > 0.0)].push((birth, place)),
                (false, false) => sorted.infinite[4 + usize::from(death > 0.0)].push((0.0, place)),
            }
        }
        for ends in &mut sorted.infinite {
            ends.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        }
        Ok(sorted)
    }
}

/// Matches bars with the same infinite ends in the order of their finite ends, which is optimal for every order of the
/// metric. `None` if their numbers differ.
pub(super) fn match_infinite(a: &Side, b: &Side) -> Option<Vec<Pair>> {
    let mut pairs = Vec::new();
    for (of_a, of_b) in a.infinite.iter().zip(&b.infinite) {
        if of_a.len() != of_b.len() {
            return None;
        }
        let pair = |(p, q): (&(f64, usize), &(f64, usize))| Pair {
            a: Some(p.1),
            b: Some(q.1),
            distance: (p.0 - q.0).abs(),
        };
        pairs.extend(of_a.iter().zip(of_b).map(pair));
    }
    Some(pairs)
}
