//! The bottleneck distance: the least r for which there is a matching whose pairs are all within r.
//!
//! At r, bars within r of the diagonal may stay, the others must be matched. There is such a matching if there is one that covers all those of A
//! that must be matched, and another that covers those of B: together they contain one that covers both (Mendelsohn, Dulmage 1958). A
//! [`Cover`] says whether there is.
//!
//! The answer is one of the distances, of two bars or of a bar to the diagonal. Most often it is the least that any bar needs for itself, with its
//! nearest bar or the diagonal. If not, the search goes on between what is needed and what suffices. Both bounds are always distances: a
//! cover that is found suffices for the greatest of its own, and a cover that is not found tells the next greater one that is needed. So a
//! few steps are enough, as many as the digits of a double in the worst case, until the bounds meet.

use super::Pair;
use super::cost::Cost;
use super::cover::Cover;
use super::locations::Locations;
use super::sides::{Point, Side};
use super::tree::{Best, Tree};
use crate::parallel;
use crate::progress::{self, Progress};

/// Points whose neighbours a thread looks for at a time.
const PIECE: usize = 256;

/// The distance, and the pairs if they are wanted.
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
        // The last that was tried may have been less. It suffices, so there is no error.
        let _ = problem.reach(distance, progress);
        pairs.extend(problem.pairs(&a, &b));
    }
    (distance, pairs)
}

/// The finite bars of both diagrams as points, their distances to the diagonal, and covers of each side.
struct Problem<'a> {
    points: [&'a [Point]; 2],
    diagonal: &'a [Vec<f64>; 2],
    covers: [Cover<'a>; 2],
    cost: Cost,
}

impl Problem<'_> {
    /// The least distance that suffices, and is at least `least`.
    fn distance(&mut self, least: f64, progress: &dyn Progress) -> f64 {
        let mut high = self.diagonal.iter().flatten().copied().fold(least, f64::max);
        let mut low = self.needed(progress).max(least);
        let mut tried = low;
        // Until something suffices, steps grow: the answer is seldom far.
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
            // Where distances are few, the least that is possible now stands out from what was tried.
            let stands_out = low > tried && low - tried > (high - low) / 4.0;
            tried = if stands_out || middle >= high { low } else { middle };
            step *= 2.0;
        }
        high
    }

    /// Covers both sides within a distance, and answers the least that would have sufficed for that. If that cannot be, the error is a greater
    /// distance that is needed.
    fn reach(&mut self, distance: f64, progress: &dyn Progress) -> Result<f64, f64> {
        let [a, b] = &mut self.covers;
        match rayon::join(|| a.reach(distance, progress), || b.reach(distance, progress)) {
            (Ok(()), Ok(())) => Ok(self.covers[0].most().max(self.covers[1].most())),
            (a, b) => Err(a.err().into_iter().chain(b.err()).fold(0.0, f64::max)),
        }
    }

    /// The least distance that no matching can do without: that each bar is matched with its nearest, or with the diagonal.
    fn needed(&self, progress: &dyn Progress) -> f64 {
        let mut most = 0.0_f64;
        for side in [0, 1] {
            let (points, tree) = (self.points[side], Tree::new(self.points[1 - side]));
            let of_each = |own: usize, best: &mut Best| {
                let diagonal = self.diagonal[side][own];
                best.floor = -diagonal;
                tree.best(points[own], &self.cost, best);
                best.found.first().map_or(diagonal, |&(worth, _)| -worth)
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

    /// The pairs of a matching that both covers contain, whose distances are not above theirs, and the bars that stay.
    fn pairs(&self, a: &Locations, b: &Locations) -> Vec<Pair> {
        let locations = [a, b];
        // Bars of each side by number: of each point its bars follow each other.
        let starts = locations.map(|side| {
            let ends = side.places.iter().scan(0, |end, places| {
                *end += places.len();
                Some(*end)
            });
            [0].into_iter().chain(ends).collect::<Vec<usize>>()
        });
        // The partner of each own bar in the cover of its side, and of each other bar.
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
        // A bar of B that lacks a partner takes that of the second cover, which leaves its own, until one is left that has none there: it may stay.
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
                None => Pair { a: Some(place), b: None, distance: self.diagonal[0][p] },
            });
        let alone = of_b.iter().zip(&points[1]).filter(|(partner, _)| partner.is_none());
        let alone =
            alone.map(|(_, &(q, place))| Pair { a: None, b: Some(place), distance: self.diagonal[1][q] });
        with_a.chain(alone).collect()
    }
}
