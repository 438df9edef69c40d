//! Matchings that cover all points of one side which must be matched, within a distance that may rise and fall.
//!
//! Augmenting paths are searched breadth-first from one own point after another. In a phase no point of the other side
//! is visited twice, as in the depth-first searches of Pothen and Fan (1990), whose paths would be longer: free units
//! are seldom far. A path ends at the nearest reachable point with free units. The nearest other points of each point
//! are listed on demand, up to [`LISTED`] of them, and traversed once per phase. If more are reachable, they are found
//! by k-d trees, without listing pairs (Efrat, Itai, Katz 2001).
//!
//! When the distance changes, pairs that are too far apart or no longer needed are separated, and the rest of the
//! matching is kept. If the first search of a phase finds no path, there is no cover: the own points that it reached
//! have more units than all their neighbours within the distance (Hall 1935). So the distance must be at least that of
//! one of them to the nearest other point not reached, or to the diagonal.

use super::cost::Cost;
use super::tree::{Best, Tree};
use crate::kd_tree::Point;
use crate::progress::{self, Progress};

/// A matching of points of one side, whose units are to be covered, with points of the other.
pub(super) struct Cover<'a> {
    own: &'a [Point],
    others: &'a [Point],
    /// Distance of each own point to the diagonal.
    diagonal: &'a [f64],
    cost: Cost,
    /// Unmatched units of own points and of others.
    rest: [Vec<u32>; 2],
    /// For each other point, the own points that it is matched with, and the number of units.
    partners: Vec<Vec<(u32, u32)>>,
    /// Tree of all other points, and for each own point the nearest of them.
    all: Tree,
    near: Vec<Near>,
    /// Trees of the other points with free units, and of those not reached in this phase; built once lists are not
    /// enough.
    trees: Option<[Tree; 2]>,
    /// Other points that have been reached in this phase.
    reached: Vec<u32>,
    is_reached: Vec<bool>,
}

/// The nearest other points of an own point.
#[derive(Debug, Clone, Default)]
struct Near {
    /// Distances and numbers of the points, nearest first.
    found: Vec<(f64, u32)>,
    /// Lengths of the prefixes of `found` that have no free units, or have been reached in this phase.
    passed: [u32; 2],
}

/// The other points that are searched: those with free units, or those not reached yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Free,
    Ahead,
}

/// Number of nearest points that are listed at first, and at most. Tests list few, so that they use trees as well.
const FIRST_LISTED: usize = 16;
const LISTED: usize = if cfg!(test) { 32 } else { 256 };

/// A step of a search: an own point, the step before it, and the other point between them.
#[derive(Debug, Clone, Copy)]
struct Way {
    own: u32,
    from: usize,
    by: u32,
}

/// Price of a point that is removed from a tree.
const GONE: f64 = f64::NEG_INFINITY;

impl<'a> Cover<'a> {
    /// An empty cover of points with the given units.
    pub(super) fn new(
        own: (&'a [Point], &[u32]),
        others: (&'a [Point], &[u32]),
        diagonal: &'a [f64],
        cost: Cost,
    ) -> Self {
        Cover {
            own: own.0,
            others: others.0,
            diagonal,
            cost,
            rest: [own.1.to_vec(), others.1.to_vec()],
            partners: vec![Vec::new(); others.0.len()],
            all: Tree::new(others.0),
            near: vec![Near::default(); own.0.len()],
            trees: None,
            reached: Vec::new(),
            is_reached: vec![false; others.0.len()],
        }
    }

    /// Covers all points farther than `distance` from the diagonal by pairs within it. If that is impossible, the error
    /// is a greater distance that is needed: that of two points or of a point and the diagonal.
    pub(super) fn reach(&mut self, distance: f64, progress: &dyn Progress) -> Result<(), f64> {
        self.part(distance);
        self.near.iter_mut().for_each(|near| near.passed[Which::Free as usize] = 0);
        let is_lacking = |cover: &Self, own: u32| cover.rest[0][own as usize] > 0;
        let must = |own: &u32| self.diagonal[*own as usize] > distance && is_lacking(self, *own);
        let mut roots: Vec<u32> = (0..self.own.len() as u32).filter(must).collect();
        while !roots.is_empty() {
            self.begin_phase();
            let mut is_first = true;
            for &root in &roots {
                progress::check(progress);
                while is_lacking(self, root) {
                    match self.search(root, distance) {
                        Ok(()) => is_first = false,
                        Err(ways) if is_first => return Err(self.needed(&ways)),
                        Err(_) => break,
                    }
                }
            }
            roots.retain(|&root| is_lacking(self, root));
        }
        Ok(())
    }

    /// Least distance that suffices for these pairs and for the units matched with the diagonal.
    pub(super) fn most(&self) -> f64 {
        let pairs = self.pairs().map(|(own, other, _)| self.distance(own, other));
        let unmatched =
            (0..self.own.len()).filter(|&own| self.rest[0][own] > 0).map(|own| self.diagonal[own]);
        pairs.chain(unmatched).fold(0.0, f64::max)
    }

    /// Pairs of an own point and another point, with the number of units.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let of_each = (0..).zip(&self.partners);
        of_each.flat_map(|(other, partners)| partners.iter().map(move |&(own, units)| (own, other, units)))
    }

    fn distance(&self, own: u32, other: u32) -> f64 {
        self.cost.of(self.own[own as usize], self.others[other as usize])
    }

    /// Separates the pairs farther apart than `distance`, and those of own points that need not be matched.
    fn part(&mut self, distance: f64) {
        for other in 0..self.others.len() as u32 {
            let mut partners = std::mem::take(&mut self.partners[other as usize]);
            partners.retain(|&(own, units)| {
                let must = self.diagonal[own as usize] > distance;
                let stays = must && self.distance(own, other) <= distance;
                if !stays {
                    self.rest[0][own as usize] += units;
                    self.rest[1][other as usize] += units;
                    self.set(Which::Free, other, 0.0);
                }
                stays
            });
            self.partners[other as usize] = partners;
        }
    }

    /// Marks all other points as not reached.
    fn begin_phase(&mut self) {
        self.near.iter_mut().for_each(|near| near.passed[Which::Ahead as usize] = 0);
        for other in std::mem::take(&mut self.reached) {
            self.is_reached[other as usize] = false;
            self.set(Which::Ahead, other, 0.0);
        }
    }

    /// Sets the price of another point in a tree, if there are trees.
    fn set(&mut self, which: Which, other: u32, price: f64) {
        if let Some(trees) = &mut self.trees {
            trees[which as usize].set_price_of(other, price);
        }
    }

    fn has(&self, which: Which, other: u32) -> bool {
        match which {
            Which::Free => self.rest[1][other as usize] > 0,
            Which::Ahead => !self.is_reached[other as usize],
        }
    }

    /// Nearest other point of this kind within `distance` of an own point.
    fn nearest(&mut self, which: Which, own: u32, distance: f64) -> Option<(f64, u32)> {
        loop {
            let near = &self.near[own as usize];
            let mut passed = near.passed[which as usize] as usize;
            let ahead = near.found[passed..].iter();
            let gone = ahead.take_while(|&&(away, other)| away <= distance && !self.has(which, other));
            passed += gone.count();
            let next = near.found.get(passed).copied();
            let count = near.found.len();
            self.near[own as usize].passed[which as usize] = passed as u32;
            if let Some((away, other)) = next {
                return (away <= distance).then_some((away, other));
            }
            if count == self.others.len() {
                return None;
            }
            if count >= LISTED {
                return self.nearest_of_tree(which, own, distance);
            }
            let found = self.listed(own, (2 * count).max(FIRST_LISTED));
            if found.len() == count {
                // All other points are infinitely far.
                return None;
            }
            self.near[own as usize].found = found;
        }
    }

    /// The `count` nearest other points.
    fn listed(&self, own: u32, count: usize) -> Vec<(f64, u32)> {
        let mut best = Best { count, floor: f64::NEG_INFINITY, found: Vec::with_capacity(count + 1) };
        self.all.best(self.own[own as usize], &self.cost, &mut best);
        best.found.iter().map(|&(value, other)| (-value, other)).collect()
    }

    /// Like [`nearest`](Self::nearest), by the trees.
    fn nearest_of_tree(&mut self, which: Which, own: u32, distance: f64) -> Option<(f64, u32)> {
        if self.trees.is_none() {
            self.trees = Some([Which::Free, Which::Ahead].map(|which| {
                let price = |other| if self.has(which, other) { 0.0 } else { GONE };
                let mut tree = self.all.clone();
                tree.set_prices(&(0..self.others.len() as u32).map(price).collect::<Vec<_>>());
                tree
            }));
        }
        // The floor is exclusive, the distance inclusive.
        let mut best = Best { count: 1, floor: -distance.next_up(), found: Vec::new() };
        if let Some(trees) = &self.trees {
            trees[which as usize].best(self.own[own as usize], &self.cost, &mut best);
        }
        best.found.first().map(|&(value, other)| (-value, other))
    }

    /// Matches some units of `root`. If there is no path, the error lists the steps to all own points that were
    /// reached.
    fn search(&mut self, root: u32, distance: f64) -> Result<(), Vec<Way>> {
        let mut ways = vec![Way { own: root, from: 0, by: 0 }];
        let mut last = 0;
        while let Some(&Way { own, .. }) = ways.get(last) {
            if let Some((_, end)) = self.nearest(Which::Free, own, distance) {
                self.augment(&ways, last, end);
                return Ok(());
            }
            while let Some((_, other)) = self.nearest(Which::Ahead, own, distance) {
                self.set(Which::Ahead, other, GONE);
                self.is_reached[other as usize] = true;
                self.reached.push(other);
                ways.extend(self.partners[other as usize].iter().map(|&(own, _)| Way {
                    own,
                    from: last,
                    by: other,
                }));
            }
            last += 1;
        }
        Err(ways)
    }

    /// Moves units along the path to an own point and from there to the other point `end`.
    fn augment(&mut self, ways: &[Way], last: usize, end: u32) {
        let root = ways[0].own;
        let mut units = self.rest[0][root as usize].min(self.rest[1][end as usize]);
        let mut at = last;
        while at != 0 {
            let Way { own, from, by } = ways[at];
            let (partners, place) = self.partner(own, by);
            units = units.min(place.map_or(0, |at| partners[at].1));
            at = from;
        }
        let (mut at, mut to) = (last, end);
        loop {
            let Way { own, from, by } = ways[at];
            self.add(own, to, units);
            if at == 0 {
                break;
            }
            self.remove(own, by, units);
            (at, to) = (from, by);
        }
        self.rest[0][root as usize] -= units;
        self.rest[1][end as usize] -= units;
        if self.rest[1][end as usize] == 0 {
            self.set(Which::Free, end, GONE);
        }
    }

    /// The partners of an other point, and the place of an own point among them.
    fn partner(&mut self, own: u32, other: u32) -> (&mut Vec<(u32, u32)>, Option<usize>) {
        let partners = &mut self.partners[other as usize];
        let place = partners.iter().position(|partner| partner.0 == own);
        (partners, place)
    }

    fn add(&mut self, own: u32, other: u32, units: u32) {
        match self.partner(own, other) {
            (partners, Some(at)) => partners[at].1 += units,
            (partners, None) => partners.push((own, units)),
        }
    }

    fn remove(&mut self, own: u32, other: u32, units: u32) {
        let (partners, Some(at)) = self.partner(own, other) else { return };
        partners[at].1 -= units;
        if partners[at].1 == 0 {
            partners.swap_remove(at);
        }
    }

    /// Least distance of a reached own point to the diagonal or to a point that was not reached.
    fn needed(&mut self, ways: &[Way]) -> f64 {
        let mut least = f64::INFINITY;
        for way in ways {
            let diagonal = self.diagonal[way.own as usize];
            let found = self.nearest(Which::Ahead, way.own, diagonal.min(least));
            least = least.min(found.map_or(diagonal, |(distance, _)| distance));
        }
        least
    }
}
