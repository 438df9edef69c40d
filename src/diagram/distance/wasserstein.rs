//! The Wasserstein distance: a minimum-cost transport over the pairs that an optimal matching may contain, which are
//! generated as needed.
//!
//! A pair costs cost(a, b), a bar matched with the diagonal cost(a, Δ). Only pairs with cost(a, b) < cost(a, Δ) +
//! cost(b, Δ) can be useful; between noise near the diagonal there are few.
//!
//! 1. Equal bars of a diagram become a point with several units. If the order is 1, equal bars of both diagrams are
//!    matched with each other, which the triangle inequality allows.
//! 2. A coarser problem, on the centres of [`COARSER`] neighbours each, is solved first. Its prices are nearly right
//!    for this one (Mérigot 2011; Schmitzer 2016) and suggest the initial edges: for each point, the [`NEAREST`] of
//!    least slack.
//! 3. The network of these edges falls into components, which are solved in parallel ([`network`](super::network)).
//! 4. Missing pairs that cost less than the sum of their prices are found by a k-d tree whose nodes store their
//!    greatest price. The best of these are added to the network, and the matching is repaired from its last state. If
//!    there are none, the prices prove that it is optimal among all pairs (the pricing of column generation; Dantzig,
//!    Wolfe 1960).
//! 5. If bars are long compared with their distances, prices may be as great as the cost of a long bar on the
//!    diagonal, and their rounding as great as the answer. Then the problem is solved again with the costs of the
//!    diagonal limited by the matching that was found.

use super::Pair;
use super::cost::Cost;
use super::locations::Locations;
use super::network::{Edge, Network};
use super::sides::Side;
use super::tree::{Best, Tree};
use crate::disjoint_sets::DisjointSets;
use crate::kd_tree::Point;
use crate::parallel;
use crate::progress::{self, Progress};

/// Number of initial edges of each point. With fewer, prices become inaccurate where edges are missing.
const NEAREST: usize = 10;

/// Number of edges that a point gets at a time when prices show that it lacks some.
const MORE: usize = 6;

/// Number of points merged into one in a coarser problem, and number of points that are not coarsened further.
const COARSER: usize = 4;
const COARSEST: usize = 64;

/// Number of points whose neighbours a thread searches at a time, and least number of edges in a part that a thread
/// solves.
const PIECE: usize = 256;
const GRAIN: usize = 4096;

/// Relative margin by which a pair must cost less than its prices; smaller differences are rounding.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Relative effect of rounding on the cost of a matching that is accepted.
const PRECISION: f64 = 1e-10;

/// Computes the distance and the pairs.
pub(super) fn solve(
    a: &Side,
    b: &Side,
    infinite: Vec<Pair>,
    cost: Cost,
    progress: &dyn Progress,
) -> (f64, Vec<Pair>) {
    let mut pairs = infinite;
    let [mut a, mut b] = [Locations::new(&a.finite), Locations::new(&b.finite)];
    if cost.order() == 1.0 {
        pairs.extend(match_equal(&mut a, &mut b));
    }
    let [mut a, mut b] = [a, b].map(Locations::by_neighbourhood);
    let most =
        [&a, &b].map(|side| side.points.iter().map(|&p| cost.distance_to_diagonal(p)).fold(0.0, f64::max));
    let points = [&a, &b].map(|side| side.points.clone());
    let units = [&a, &b].map(Locations::units);
    let solved = Problem::solved_precisely(points, units, cost.scaled_to(most[0].max(most[1])), progress);
    for Edge { a: p, b: q, flow, .. } in solved.edges {
        let (p, q) = (p as usize, q as usize);
        let distance = cost.distance(a.points[p], b.points[q]);
        for _ in 0..flow {
            pairs.push(Pair { a: a.places[p].pop(), b: b.places[q].pop(), distance });
        }
    }
    for (side, left) in [a, b].into_iter().enumerate() {
        for (&point, places) in left.points.iter().zip(&left.places) {
            let distance = cost.distance_to_diagonal(point);
            pairs.extend(places.iter().map(|&place| Pair::alone(side, place, distance)));
        }
    }
    (root_of_powers(pairs.iter().map(|pair| (pair.distance, 1)), &cost), pairs)
}

/// Sum of numbers, as precise as with twice the digits (Neumaier 1974).
fn sum(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for number in numbers {
        let next = sum + number;
        lost += if sum.abs() >= number.abs() { (sum - next) + number } else { (number - next) + sum };
        sum = next;
    }
    // If the sum is infinite, the compensation is NaN.
    if sum.is_finite() { sum + lost } else { sum }
}

/// Root of the sum of the powers of distances, each with a multiplicity.
fn root_of_powers(distances: impl Iterator<Item = (f64, u32)> + Clone, cost: &Cost) -> f64 {
    let times = |(distance, units): (f64, u32)| distance * f64::from(units);
    if cost.order() == 1.0 {
        return sum(distances.map(times));
    }
    let most = distances.clone().map(|(distance, _)| distance).fold(0.0, f64::max);
    if most == 0.0 || most == f64::INFINITY {
        return most;
    }
    let powers = sum(distances.map(|(distance, units)| times((cost.power(distance / most), units))));
    most * if cost.order() == 2.0 { powers.sqrt() } else { powers.powf(cost.order().recip()) }
}

/// Matches equal bars of both diagrams. The points are sorted.
fn match_equal(a: &mut Locations, b: &mut Locations) -> Vec<Pair> {
    let (mut p, mut q) = (0, 0);
    let mut pairs = Vec::new();
    while p < a.points.len() && q < b.points.len() {
        let (at_a, at_b) = (a.points[p], b.points[q]);
        if at_a == at_b {
            for _ in 0..a.places[p].len().min(b.places[q].len()) {
                pairs.push(Pair { a: a.places[p].pop(), b: b.places[q].pop(), distance: 0.0 });
            }
            (p, q) = (p + 1, q + 1);
        } else if at_a < at_b {
            p += 1;
        } else {
            q += 1;
        }
    }
    pairs
}

/// The transport problem with the edges generated so far.
struct Problem {
    /// Points of A and of B, ordered so that near ones are close.
    points: [Vec<Point>; 2],
    /// Units of each point.
    units: [Vec<u32>; 2],
    cost: Cost,
    /// Cost of matching each point with the diagonal.
    diagonal: [Vec<f64>; 2],
    /// Generated edges, sorted by their points.
    edges: Vec<Edge>,
    /// Price of each point.
    prices: [Vec<f64>; 2],
    /// Units of each point matched with the diagonal.
    rest: [Vec<u32>; 2],
}

/// A point, its price and its units matched with the diagonal.
type State = (u32, f64, u32);

/// Some components of the network: numbers of their edges.
type Part = Vec<u32>;

impl Problem {
    fn new(points: [Vec<Point>; 2], units: [Vec<u32>; 2], cost: Cost) -> Self {
        let diagonal = [&points[0], &points[1]]
            .map(|side| side.iter().map(|&p| cost.of_diagonal(p)).collect::<Vec<_>>());
        Problem {
            rest: units.clone(),
            points,
            units,
            cost,
            prices: diagonal.clone(),
            diagonal,
            edges: Vec::new(),
        }
    }

    /// Solves the problem of these points so that the rounding of prices is negligible.
    ///
    /// Each round limits the prices to twice the cost of the last matching; another round follows only if the new
    /// matching costs far less.
    fn solved_precisely(
        points: [Vec<Point>; 2],
        units: [Vec<u32>; 2],
        cost: Cost,
        progress: &dyn Progress,
    ) -> Self {
        let mut problem = Problem::solved(points, units, cost, progress);
        loop {
            let found = problem.distance();
            if problem.is_precise(found) {
                return problem;
            }
            let cost = problem.cost.limited_by(found);
            problem = Problem::solved(problem.points, problem.units, cost, progress);
        }
    }

    /// Distance of the matching.
    fn distance(&self) -> f64 {
        let moved = self.edges.iter().filter(|edge| edge.flow > 0).map(|edge| {
            (self.cost.distance(self.points[0][edge.a as usize], self.points[1][edge.b as usize]), edge.flow)
        });
        let stays = [0, 1].into_iter().flat_map(|side| self.points[side].iter().zip(&self.rest[side]));
        let stays = stays.filter(|(_, rest)| **rest > 0);
        let stays = stays.map(|(&point, &rest)| (self.cost.distance_to_diagonal(point), rest));
        root_of_powers(moved.chain(stays), &self.cost)
    }

    /// Whether the rounding of prices has little effect on the cost of the matching, whose distance is `found`, or
    /// limiting the costs of the diagonal would change the prices little.
    fn is_precise(&self, found: f64) -> bool {
        let all = self.cost.of_distance(found);
        let most = self.diagonal.iter().flatten().copied().fold(0.0, f64::max);
        if found == 0.0 || found == f64::INFINITY || most <= 8.0 * all {
            return true;
        }
        // Deviation of tight edges from tightness, and the margin by which other edges may be too cheap unnoticed.
        let lacks = self.edges.iter().filter(|edge| edge.flow > 0).map(|edge| {
            let prices = self.prices[0][edge.a as usize] + self.prices[1][edge.b as usize];
            (edge.cost - prices).abs() * f64::from(edge.flow)
        });
        let sizes = [0, 1].into_iter().flat_map(|side| self.prices[side].iter().zip(&self.units[side]));
        let unseen =
            sizes.map(|(price, &units)| (price.abs() * ROUNDING + f64::MIN_POSITIVE) * f64::from(units));
        sum(lacks.chain(unseen)) <= PRECISION * all
    }

    /// Solves the problem of these points.
    fn solved(points: [Vec<Point>; 2], units: [Vec<u32>; 2], cost: Cost, progress: &dyn Progress) -> Self {
        let mut problem = Problem::new(points, units, cost);
        if problem.points.iter().any(Vec::is_empty) {
            return problem;
        }
        if problem.points.iter().all(|points| points.len() > COARSEST) {
            problem.take_prices(&problem.coarser(progress), progress);
        }
        let mut trees = [0, 1].map(|side| Tree::new(&problem.points[side]));
        trees[1].set_prices(&problem.prices[1]);
        let mut found = problem.begin(&mut trees, progress);
        while problem.add(found) {
            problem.settle(progress);
            trees[1].set_prices(&problem.prices[1]);
            found = problem.lacking(&trees[1], progress);
        }
        problem
    }

    /// Solves the problem of the centres of consecutive points.
    fn coarser(&self, progress: &dyn Progress) -> Problem {
        let centres = |side: usize| {
            let (points, units) = (self.points[side].chunks(COARSER), self.units[side].chunks(COARSER));
            let (mut centres, mut sums) = (Vec::new(), Vec::new());
            for (points, units) in points.zip(units) {
                let sum: u32 = units.iter().sum();
                let part = |k: usize| f64::from(units[k]) / f64::from(sum);
                centres.push([0, 1].map(|axis| (0..points.len()).map(|k| points[k][axis] * part(k)).sum()));
                sums.push(sum);
            }
            (centres, sums)
        };
        let [(a, units_of_a), (b, units_of_b)] = [centres(0), centres(1)];
        Problem::solved([a, b], [units_of_a, units_of_b], self.cost, progress)
    }

    /// Sets prices of B that suit the prices of A in a coarser problem.
    fn take_prices(&mut self, coarser: &Problem, progress: &dyn Progress) {
        let mut tree = Tree::new(&coarser.points[0]);
        tree.set_prices(&coarser.prices[0]);
        let floors: Vec<f64> = self.diagonal[1].iter().map(|diagonal| -diagonal).collect();
        for (b, most) in self.best_of_each(1, &tree, 1, &floors, progress) {
            if let Some(&(value, _)) = most.first() {
                self.prices[1][b] = -value;
            }
        }
    }

    /// Sets prices of A that are feasible with those of B on all pairs, and returns the edges of least slack.
    fn begin(&mut self, trees: &mut [Tree; 2], progress: &dyn Progress) -> Vec<Edge> {
        let mut edges = Vec::new();
        for side in [0, 1] {
            let most = self.prices[1 - side].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // Points worth less than the diagonal never lower a price; a few more pairs do no harm.
            let floors: Vec<f64> =
                self.diagonal[side].iter().map(|diagonal| -diagonal - most.abs()).collect();
            for (own, best) in self.best_of_each(side, &trees[1 - side], NEAREST, &floors, progress) {
                edges.extend(best.iter().filter_map(|&(_, other)| self.edge(side, own, other as usize)));
            }
            if side == 0 {
                for edge in &edges {
                    let left = edge.cost - self.prices[1][edge.b as usize];
                    let price = &mut self.prices[0][edge.a as usize];
                    *price = price.min(left);
                }
                trees[0].set_prices(&self.prices[0]);
            }
        }
        edges
    }

    /// The edge between point `own` of a side and point `other` of the opposite one, if it costs less than matching
    /// both with the diagonal.
    fn edge(&self, side: usize, own: usize, other: usize) -> Option<Edge> {
        let (a, b) = if side == 0 { (own, other) } else { (other, own) };
        let cost = self.cost.of(self.points[0][a], self.points[1][b]);
        let is_useful = cost < self.diagonal[0][a] + self.diagonal[1][b];
        is_useful.then_some(Edge { a: a as u32, b: b as u32, cost, flow: 0 })
    }

    /// Missing edges that cost less than the prices of their ends: the best ones of each point of A.
    fn lacking(&self, tree: &Tree, progress: &dyn Progress) -> Vec<Edge> {
        let floors: Vec<f64> = self.prices[0].iter().map(|price| -price).collect();
        let mut edges = Vec::new();
        for (own, best) in self.best_of_each(0, tree, MORE, &floors, progress) {
            edges.extend(best.iter().filter_map(|&(_, other)| self.edge(0, own, other as usize)));
        }
        edges.retain(|edge| {
            let (a, b) = (self.prices[0][edge.a as usize], self.prices[1][edge.b as usize]);
            a + b - edge.cost > ROUNDING * (a.abs() + b.abs() + edge.cost)
        });
        edges
    }

    /// For each point of a side, the `count` points of the other side with the greatest value above its floor.
    fn best_of_each(
        &self,
        side: usize,
        tree: &Tree,
        count: usize,
        floors: &[f64],
        progress: &dyn Progress,
    ) -> impl Iterator<Item = (usize, Vec<(f64, u32)>)> + use<> {
        let points = &self.points[side];
        let pieces = parallel::map(points.len().div_ceil(PIECE), &|piece| {
            progress::check(progress);
            let mut best = Best { count, floor: 0.0, found: Vec::with_capacity(count + 1) };
            let mut all = Vec::new();
            for own in piece * PIECE..points.len().min((piece + 1) * PIECE) {
                best.floor = floors[own];
                tree.best(points[own], &self.cost, &mut best);
                if !best.found.is_empty() {
                    all.push((own, best.found.clone()));
                }
            }
            all
        });
        pieces.into_iter().flatten()
    }

    /// Adds new edges, and makes the prices of A feasible again. False if there were none.
    fn add(&mut self, found: Vec<Edge>) -> bool {
        let before = self.edges.len();
        self.edges.extend(found);
        // Existing edges come first, with their flow.
        self.edges.sort_by_key(|edge| (edge.a, edge.b));
        self.edges.dedup_by_key(|edge| (edge.a, edge.b));
        if self.edges.len() == before {
            return false;
        }
        for own in self.edges.chunk_by_mut(|p, q| p.a == q.a) {
            let a = own[0].a as usize;
            let left = |edge: &Edge| edge.cost - self.prices[1][edge.b as usize];
            let price = own.iter().map(left).fold(self.diagonal[0][a], f64::min);
            if price < self.prices[0][a] - ROUNDING * self.prices[0][a].abs() {
                self.prices[0][a] = price;
                for edge in own {
                    // The edge is no longer tight.
                    let units = std::mem::take(&mut edge.flow);
                    self.rest[0][a] += units;
                    self.rest[1][edge.b as usize] += units;
                }
            }
        }
        true
    }

    /// Settles all points, component by component.
    fn settle(&mut self, progress: &dyn Progress) {
        // A point without edges is in no component; its units stay.
        let mut is_isolated = vec![true; self.points[1].len()];
        for edge in &self.edges {
            is_isolated[edge.b as usize] = false;
        }
        for (b, _) in is_isolated.into_iter().enumerate().filter(|(_, is_isolated)| *is_isolated) {
            self.prices[1][b] = self.diagonal[1][b];
        }
        let parts = self.parts();
        let solved = parallel::map(parts.len(), &|part| self.solved_part(&parts[part], progress));
        for (part, solved) in parts.iter().zip(solved) {
            for (&number, edge) in part.iter().zip(&solved.0) {
                self.edges[number as usize].flow = edge.flow;
            }
            for (side, points) in solved.1.into_iter().enumerate() {
                for (point, price, rest) in points {
                    self.prices[side][point as usize] = price;
                    self.rest[side][point as usize] = rest;
                }
            }
        }
    }

    /// Components with an unsettled point; small ones are combined.
    fn parts(&self) -> Vec<Part> {
        let count_of_a = self.points[0].len();
        let mut sets = DisjointSets::new(count_of_a + self.points[1].len());
        for edge in &self.edges {
            sets.unite(edge.a as usize, count_of_a + edge.b as usize);
        }
        let mut is_unsettled = vec![false; count_of_a + self.points[1].len()];
        for vertex in 0..is_unsettled.len() {
            let (side, point) = if vertex < count_of_a { (0, vertex) } else { (1, vertex - count_of_a) };
            if self.rest[side][point] > 0 && self.prices[side][point] < self.diagonal[side][point] {
                is_unsettled[sets.find(vertex)] = true;
            }
        }
        let mut edges: Vec<(usize, u32)> = (0..self.edges.len() as u32)
            .map(|number| (sets.find(self.edges[number as usize].a as usize), number))
            .filter(|&(root, _)| is_unsettled[root])
            .collect();
        edges.sort_unstable();
        let mut parts: Vec<Part> = Vec::new();
        for component in edges.chunk_by(|p, q| p.0 == q.0) {
            let numbers = component.iter().map(|&(_, number)| number);
            match parts.last_mut() {
                Some(part) if part.len() + component.len() <= GRAIN => part.extend(numbers),
                _ => parts.push(numbers.collect()),
            }
        }
        parts
    }

    /// Solves a part; returns its edges with their flow, between vertices of its network, and for each side the points
    /// with prices and units that stay.
    fn solved_part(&self, part: &[u32], progress: &dyn Progress) -> (Vec<Edge>, [Vec<State>; 2]) {
        let edges = || part.iter().map(|&number| self.edges[number as usize]);
        let points = [edges().map(|edge| edge.a).collect(), edges().map(|edge| edge.b).collect()];
        let points = points.map(|mut points: Vec<u32>| {
            points.sort_unstable();
            points.dedup();
            points
        });
        let own = |side: usize, point: u32| points[side].binary_search(&point).unwrap_or_default() as u32;
        let count_of_a = points[0].len();
        let own_edge = |edge: Edge| Edge { a: own(0, edge.a), b: count_of_a as u32 + own(1, edge.b), ..edge };
        let all = || {
            [0, 1].into_iter().flat_map(|side| points[side].iter().map(move |&point| (side, point as usize)))
        };
        let prices = all().map(|(side, point)| self.prices[side][point]).collect();
        let stays = all().map(|(side, point)| self.diagonal[side][point]).collect();
        let rest = all().map(|(side, point)| self.rest[side][point]).collect();
        let mut network = Network::new(count_of_a, edges().map(own_edge).collect(), prices, stays, rest);
        network.settle(progress);
        let Network { edges, prices, rest, .. } = network;
        let mut state = prices.into_iter().zip(rest);
        let points = points.map(|points| {
            points
                .into_iter()
                .zip(state.by_ref())
                .map(|(point, (price, rest))| (point, price, rest))
                .collect()
        });
        (edges, points)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::super::Metric;
    use super::*;

    /// Prices that are feasible on all pairs, generated or not, and whose sum is the cost of the matching prove that no
    /// matching costs less (weak duality).
    #[test]
    fn prices_certify_that_no_matching_is_better() {
        let mut rng = Pcg64Mcg::seed_from_u64(5);
        for (count, order, internal_p, spread) in [
            (1500, 1.0, f64::INFINITY, 1.0),
            (1200, 2.0, 2.0, 1.0),
            (1200, 1.0, 2.0, 0.01),
            (1000, 3.0, 1.0, 0.1),
        ] {
            let mut points = || -> Vec<Point> {
                (0..count)
                    .map(|_| {
                        let birth: f64 = rng.random_range(0.0..1.0);
                        [birth, birth + spread * rng.random_range(0.0_f64..1.0).powi(3)]
                    })
                    .collect()
            };
            let cost = Cost::new(&Metric::Wasserstein { order, internal_p }).unwrap().scaled_to(spread);
            let points = [points(), points()];
            let order = |points: &[Point]| -> Vec<Point> {
                Tree::new(points).order().map(|point| points[point as usize]).collect()
            };
            let points = [order(&points[0]), order(&points[1])];
            let units = [vec![1; count], vec![1; count]];
            let solved = Problem::solved(points, units, cost, &());
            let stays =
                [0, 1].into_iter().flat_map(|side| solved.diagonal[side].iter().zip(&solved.rest[side]));
            let stays = stays.map(|(cost, &rest)| cost * f64::from(rest));
            let moved = solved.edges.iter().map(|edge| edge.cost * f64::from(edge.flow));
            let costs = sum(moved.chain(stays));
            let paid = sum(solved.prices.iter().flatten().copied());
            assert!((costs - paid).abs() <= 1e-12 * (1.0 + costs), "{costs} {paid}");
            let mut flows = [vec![0; count], vec![0; count]];
            for edge in &solved.edges {
                flows[0][edge.a as usize] += edge.flow;
                flows[1][edge.b as usize] += edge.flow;
            }
            for (flow, rest) in flows.iter().flatten().zip(solved.rest.iter().flatten()) {
                assert_eq!(flow + rest, 1);
            }
            let highest = solved.diagonal.iter().flatten();
            assert!(solved.prices.iter().flatten().zip(highest).all(|(price, highest)| price <= highest));
            for a in 0..count {
                for b in 0..count {
                    let cost = cost.of(solved.points[0][a], solved.points[1][b]);
                    let slack = cost - solved.prices[0][a] - solved.prices[1][b];
                    assert!(slack >= -1e-13, "{a} {b}: {slack}");
                }
            }
        }
    }
}
