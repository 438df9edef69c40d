//! The bottleneck distance: the least r for which there is a matching whose pairs are all within r.
//!
//! At r, bars within r of the diagonal may be matched with it; the others must be matched with bars. Such a matching
//! exists if one matching covers all bars of A that must be matched, and another those of B: their union then contains
//! one that covers both (Mendelsohn, Dulmage 1958). A [`Cover`] decides whether a side can be covered.
//!
//! The answer is one of the distances, of two bars or of a bar to the diagonal. Most often it is the lower bound at
//! which each bar can be matched with its nearest bar or the diagonal. If not, the search continues between a lower
//! bound and a distance that suffices. Both bounds are always distances: a cover that was found suffices for its
//! greatest distance, and a cover that was not found yields the next greater distance that is needed. So a few steps
//! are enough until the bounds meet; in the worst case, as many as the bits of a double.

use super::Pair;
use super::cost::Cost;
use super::cover::Cover;
use super::locations::Locations;
use super::sides::Side;
use super::tree::{Best, Tree};
use crate::kd_tree::Point;
use crate::parallel;
use crate::progress::{self, Progress};

/// Number of points whose neighbours a thread searches at a time.
const PIECE: usize = 256;

/// Computes the distance, and the pairs if requested.
pub(super) fn solve(
    a: &Side,
    b: &Side,
    infinite: Vec<Pair>,
    cost: Cost,
    wants_pairs: bool,
    progress: &dyn Progress,
) -> (f64, Vec<Pair>) {
    let least = infinite.iter().map(|pair| pair.distance).fold(0.0, f64::max);
    let [a, b] = [a, b].map(|side| Locations::new(&side.finite).by_neighbourhood());
    let diagonal =
        [&a, &b].map(|side| side.points.iter().map(|&point| cost.distance_to_diagonal(point)).collect());
    let units = [a.units(), b.units()];
    let mut problem = Problem {
        points: [&a.points, &b.points],
        diagonal: &diagonal,
        covers: [(&a, &b, 0), (&b, &a, 1)].map(|(own, other, side)| {
            let (own, other) =
                ((&own.points[..], &units[side][..]), (&other.points[..], &units[1 - side][..]));
            Cover::new(own, other, &diagonal[side], cost)
        }),
        cost,
    };
    let distance = problem.distance(least, progress);
    let mut pairs = infinite;
    if wants_pairs {
        // The distance tried last may be smaller. This one suffices, so there is no error.
        let _ = problem.reach(distance, progress);
        pairs.extend(problem.pairs(&a, &b));
    }
    (distance, pairs)
}

/// Finite bars of both diagrams as points, their distances to the diagonal, and a cover of each side.
struct Problem<'a> {
    points: [&'a [Point]; 2],
    diagonal: &'a [Vec<f64>; 2],
    covers: [Cover<'a>; 2],
    cost: Cost,
}

impl Problem<'_> {
    /// Least distance that suffices and is at least `least`.
    fn distance(&mut self, least: f64, progress: &dyn Progress) -> f64 {
        let mut high = self.diagonal.iter().flatten().copied().fold(least, f64::max);
        let mut low = self.needed(progress).max(least);
        let mut tried = low;
        // Until a distance suffices, steps grow: the answer is seldom far.
        let mut step = low / 16.0;
        while low < high {
            match self.reach(tried, progress) {
                Ok(most) => {
                    high = most.max(low);
                    step = f64::INFINITY;
                }
                Err(needed) => (low, step) = (needed, step.max(needed / 16.0)),
            }
            let middle = low + ((high - low) / 2.0).min(step);
            // With few distinct distances, the new lower bound stands out from the distance that was tried.
            let stands_out = low > tried && low - tried > (high - low) / 4.0;
            tried = if stands_out || middle >= high { low } else { middle };
            step *= 2.0;
        }
        high
    }

    /// Covers both sides within a distance; returns the least distance that would have sufficed for these covers. If
    /// there is no cover, the error is a greater distance that is needed.
    fn reach(&mut self, distance: f64, progress: &dyn Progress) -> Result<f64, f64> {
        let [a, b] = &mut self.covers;
        match parallel::join(|| a.reach(distance, progress), || b.reach(distance, progress)) {
            (Ok(()), Ok(())) => Ok(self.covers[0].most().max(self.covers[1].most())),
            (a, b) => Err(a.err().into_iter().chain(b.err()).fold(0.0, f64::max)),
        }
    }

    /// Lower bound of the distance: each bar is matched with its nearest bar or with the diagonal.
    fn needed(&self, progress: &dyn Progress) -> f64 {
        let mut most = 0.0_f64;
        for side in [0, 1] {
            let (points, tree) = (self.points[side], Tree::new(self.points[1 - side]));
            let of_each = |own: usize, best: &mut Best| {
                let diagonal = self.diagonal[side][own];
                best.floor = -diagonal;
                tree.best(points[own], &self.cost, best);
                best.found.first().map_or(diagonal, |&(value, _)| -value)
            };
            let pieces = parallel::map(points.len().div_ceil(PIECE), &|piece| {
                progress::check(progress);
                let mut best = Best { count: 1, floor: 0.0, found: Vec::new() };
                let own = piece * PIECE..points.len().min((piece + 1) * PIECE);
                own.map(|own| of_each(own, &mut best)).fold(0.0, f64::max)
            });
            most = pieces.into_iter().fold(most, f64::max);
        }
        most
    }

    /// Pairs of a matching contained in the union of both covers, within their distances, and the bars matched with the
    /// diagonal.
    fn pairs(&self, a: &Locations, b: &Locations) -> Vec<Pair> {
        let locations = [a, b];
        // Bars of each side by number; the bars of a point are consecutive.
        let starts = locations.map(|side| {
            let ends = side.places.iter().scan(0, |end, places| {
                *end += places.len();
                Some(*end)
            });
            [0].into_iter().chain(ends).collect::<Vec<usize>>()
        });
        // Partners of the bars of each side, in the cover of that side.
        let [(mut of_a, mut of_b), (second, _)] = [0, 1].map(|side| {
            let mut next = [starts[side].clone(), starts[1 - side].clone()];
            let mut partners =
                [side, 1 - side].map(|side| vec![None; starts[side].last().copied().unwrap_or(0)]);
            for (own, other, units) in self.covers[side].pairs() {
                for _ in 0..units {
                    let (p, q) = (next[0][own as usize], next[1][other as usize]);
                    (partners[0][p], partners[1][q]) = (Some(q), Some(p));
                    next[0][own as usize] += 1;
                    next[1][other as usize] += 1;
                }
            }
            let [own, other] = partners;
            (own, other)
        });
        // A bar of B without partner takes its partner of the second cover, whose previous partner is freed, and so on
        // until a freed bar has none in the second cover: that one may be matched with the diagonal.
        for lacking in 0..of_b.len() {
            let mut free = Some(lacking).filter(|&b| of_b[b].is_none());
            while let Some(b) = free {
                let Some(a) = second[b] else { break };
                of_b[b] = Some(a);
                free = of_a[a].replace(b);
                if let Some(left) = free {
                    of_b[left] = None;
                }
            }
        }
        let points = [0, 1].map(|side| {
            let of_point = |(point, places): (usize, &Vec<usize>)| {
                places.iter().map(|&place| (point, place)).collect::<Vec<_>>()
            };
            locations[side].places.iter().enumerate().flat_map(of_point).collect::<Vec<(usize, usize)>>()
        });
        let with_a =
            of_a.iter().zip(&points[0]).map(|(partner, &(p, place))| match partner.map(|b| points[1][b]) {
                Some((q, other)) => {
                    let distance = self.cost.of(self.points[0][p], self.points[1][q]);
                    Pair { a: Some(place), b: Some(other), distance }
                }
                None => Pair::alone(0, place, self.diagonal[0][p]),
            });
        let unmatched = of_b.iter().zip(&points[1]).filter(|(partner, _)| partner.is_none());
        let unmatched = unmatched.map(|(_, &(q, place))| Pair::alone(1, place, self.diagonal[1][q]));
        with_a.chain(unmatched).collect()
    }
}
