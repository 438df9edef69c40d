//! An initial matching that leaves few points unmatched.
//!
//! The points are divided by a k-d tree into boxes of a few points ([`kd_tree`]). The points of a box are matched, the
//! nearest pairs first, but only within a fraction of the side of the box: matching points with close ones leaves
//! fewer points whose partners are far away. Then the points left over in two halves are matched, from the smallest
//! boxes up to the whole plane. So files that differ by rounding are matched at any tolerance, most of their bars in
//! the smallest boxes.

use std::cmp::Ordering;

use super::tree::Tree;
use super::{are_near, near};
use crate::kd_tree::{self, Around, Point, Site};
use crate::parallel;

/// Maximum number of points in a leaf, and maximum number of pairs that are all compared.
const LEAF: usize = 12;
const PAIRS: usize = 128;

/// Number of points up to which one thread does all work.
const GRAIN: usize = 1 << 15;

/// Fraction of the longer side of a box within which its points are matched.
const CLOSE: f64 = 0.125;

/// Fractions of the distance within which many points are matched first.
const PARTS: [f64; 3] = [0.25, 0.5, 1.0];

/// Marks a matched point.
const MATCHED: u64 = u64::MAX;

/// Returns disjoint pairs of near points of A and B, in lists, and the number of visited pairs and nodes.
pub(super) fn pairs(points: &mut [Site], tolerance: f64) -> (Vec<Vec<[usize; 2]>>, u64) {
    let (mut start, within) = matched(points, tolerance);
    if within < tolerance {
        start.match_all(0, tolerance);
    }
    (start.pairs, start.work)
}

/// The state of the matching.
struct Start {
    tolerance: f64,
    /// The pairs; new ones are added to the last list.
    pairs: Vec<Vec<[usize; 2]>>,
    /// The unmatched points, part by part.
    left: Vec<Site>,
    work: u64,
    /// Near pairs: their distance, and the indices of both points in `left`.
    candidates: Vec<(f64, usize, usize)>,
}

/// Matches points, large parts of them in parallel. Also returns the distance within which all pairs have been tried.
fn matched(points: &mut [Site], tolerance: f64) -> (Start, f64) {
    if points.len() <= GRAIN {
        let (pairs, left) = (vec![Vec::with_capacity(points.len() / 2)], Vec::new());
        let mut start = Start { tolerance, pairs, left, work: 0, candidates: Vec::new() };
        let within = start.within(points);
        return (start, within);
    }
    let (line, low, high) = Line::halve(points, tolerance);
    let ((mut start, of_low), (high, of_high)) =
        parallel::join(|| matched(low, tolerance), || matched(high, tolerance));
    let middle = start.left.len();
    start.left.extend(high.left);
    start.pairs.extend(high.pairs);
    start.work += high.work;
    start.join(0, middle, &line, of_low.min(of_high));
    (start, line.within)
}

/// The line that separates two halves.
struct Line {
    axis: usize,
    at: f64,
    /// The distance within which points on both sides of the line are matched.
    within: f64,
}

impl Line {
    /// Splits points into two halves; returns the line between them and the halves.
    fn halve(points: &mut [Site], tolerance: f64) -> (Self, &mut [Site], &mut [Site]) {
        let around = Around::of(points);
        let axis = kd_tree::halve(points, &around);
        let (low, high) = points.split_at_mut(points.len() / 2);
        let line = Line { axis, at: Around::of(high).low[axis], within: close(&around, tolerance) };
        (line, low, high)
    }
}

/// The distance within which the points of a box are matched.
fn close(around: &Around, tolerance: f64) -> f64 {
    let part = CLOSE * apart(around.low, around.high);
    // An empty box, or one of infinite extent, is left to the final matching.
    if part.is_finite() { part.min(tolerance) } else { 0.0 }
}

impl Start {
    /// Matches points and appends the unmatched ones to `left`. Returns the distance within which all pairs have been
    /// tried.
    fn within(&mut self, points: &mut [Site]) -> f64 {
        let from = self.left.len();
        if points.len() <= LEAF {
            let within = close(&Around::of(points), self.tolerance);
            self.left.extend_from_slice(points);
            self.match_all(from, within);
            return within;
        }
        let (line, low, high) = Line::halve(points, self.tolerance);
        let of_low = self.within(low);
        let middle = self.left.len();
        let of_high = self.within(high);
        self.join(from, middle, &line, of_low.min(of_high));
        line.within
    }

    /// Matches the unmatched points of two halves, the second from `middle` on; in each half all pairs within `tried`
    /// have been tried.
    fn join(&mut self, from: usize, middle: usize, line: &Line, tried: f64) {
        if tried < line.within {
            self.match_all(from, line.within);
            return;
        }
        if middle == from || middle == self.left.len() {
            return;
        }
        // Any point that is near one beyond the line is near the line.
        let is_near = |point: &Site| near(point.at[line.axis], line.at, line.within);
        let low = self.sides(from..middle, is_near);
        let high = self.sides(middle..self.left.len(), is_near);
        let of_both = [(&low[0], &high[1]), (&high[0], &low[1])];
        let matched: usize = of_both.into_iter().map(|(a, b)| self.match_sides(a, b, line.within)).sum();
        if matched > 0 {
            self.forget_matched(from);
        }
    }

    /// Matches the unmatched points from index `from` on.
    fn match_all(&mut self, from: usize, within: f64) {
        let [a, b] = self.sides(from..self.left.len(), |_| true);
        if self.match_sides(&a, &b, within) > 0 {
            self.forget_matched(from);
        }
    }

    /// The indices of the wanted points of A and of B among the unmatched ones.
    fn sides(&self, range: std::ops::Range<usize>, is_wanted: impl Fn(&Site) -> bool) -> [Vec<usize>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for place in range {
            let point = &self.left[place];
            if is_wanted(point) {
                sides[point.side()].push(place);
            }
        }
        sides
    }

    /// Matches points of A with points of B, and returns the number of new pairs.
    fn match_sides(&mut self, a: &[usize], b: &[usize], within: f64) -> usize {
        if a.is_empty() || b.is_empty() {
            0
        } else if a.len() * b.len() <= PAIRS {
            self.match_nearest(a, b, within)
        } else {
            self.match_many(a, b, within)
        }
    }

    /// Compares all pairs, and matches the nearest first.
    fn match_nearest(&mut self, a: &[usize], b: &[usize], within: f64) -> usize {
        self.work += (a.len() * b.len()) as u64;
        let mut candidates = std::mem::take(&mut self.candidates);
        for &p in a {
            let at = self.left[p].at;
            for &q in b {
                let other = self.left[q].at;
                if are_near(at, other, within) {
                    candidates.push((apart(at, other), p, q));
                }
            }
        }
        let at = |place: usize| self.left[place].at;
        candidates.sort_unstable_by(|x, y| {
            let distances = x.0.total_cmp(&y.0);
            distances.then_with(|| order(at(x.1), at(y.1))).then_with(|| order(at(x.2), at(y.2)))
        });
        let mut matched = 0;
        for (_, p, q) in candidates.drain(..) {
            if !self.is_matched(p) && !self.is_matched(q) {
                self.pair(p, q);
                matched += 1;
            }
        }
        self.candidates = candidates;
        matched
    }

    /// Matches each point of A with a near point of B, found in a tree.
    fn match_many(&mut self, a: &[usize], b: &[usize], within: f64) -> usize {
        let around = Around::of(&a.iter().map(|&p| self.left[p]).collect::<Vec<_>>());
        let near_a = b.iter().map(|&q| Site { at: self.left[q].at, number: q as u64 });
        let near_a = near_a.filter(|site| are_near(site.at, around.nearest(site.at), within));
        let near_a = near_a.collect::<Vec<_>>();
        let count = near_a.len();
        let mut there = count;
        let mut tree = Tree::new(near_a);
        for part in PARTS {
            for &p in a {
                if there == 0 {
                    break;
                }
                // A fraction of an infinite distance is infinite.
                let found = |tree: &mut Tree| tree.take(self.left[p].at, part * within);
                if let Some(q) = (!self.is_matched(p)).then(|| found(&mut tree)).flatten() {
                    self.pair(p, q);
                    there -= 1;
                }
            }
        }
        self.work += tree.work;
        count - there
    }

    fn pair(&mut self, p: usize, q: usize) {
        let pair = [p, q].map(|place| self.left[place].id());
        if let Some(pairs) = self.pairs.last_mut() {
            pairs.push(pair);
        }
        for place in [p, q] {
            self.left[place].number = MATCHED;
        }
    }

    fn is_matched(&self, place: usize) -> bool {
        self.left[place].number == MATCHED
    }

    /// Removes matched points from `left` from index `from` on.
    fn forget_matched(&mut self, from: usize) {
        let mut to = from;
        for place in from..self.left.len() {
            if !self.is_matched(place) {
                self.left[to] = self.left[place];
                to += 1;
            }
        }
        self.left.truncate(to);
    }
}

/// The maximum distance of two points along an axis.
fn apart(p: Point, q: Point) -> f64 {
    // Equal infinities have distance 0.
    let along = |axis: usize| if p[axis] == q[axis] { 0.0 } else { (p[axis] - q[axis]).abs() };
    along(0).max(along(1))
}

fn order(p: Point, q: Point) -> Ordering {
    p[0].total_cmp(&q[0]).then_with(|| p[1].total_cmp(&q[1]))
}
