//! A matching to start with, which leaves little over.
//!
//! The points are halved until a few are together ([`halves`]). Those few are matched, the nearest first, but only within a part of the box that
//! they fill: points that are matched with one close by leave fewer over whose partners are far. Then, from the smallest boxes to all of the plane,
//! what two halves have left is matched. Files that differ by rounding are so matched at any tolerance, most of their bars at the bottom.

use std::cmp::Ordering;

use super::tree::Tree;
use super::{Point, Tagged, are_near, near};
use crate::halves::{self, Around};

/// Points that are not halved any more, and pairs that are all looked at.
const FEW: usize = 12;
const PAIRS: usize = 128;

/// Points that are matched on one thread.
const GRAIN: usize = 1 << 15;

/// The part of the longer side of a box within which its points are matched.
const CLOSE: f64 = 0.125;

/// Parts of the distance within which many points are matched before any are within all of it.
const PARTS: [f64; 3] = [0.25, 0.5, 1.0];

/// In place of the number of a point that is matched.
const MATCHED: u64 = u64::MAX;

/// Numbers of points of A and of B that are near each other, none twice, in lists; and the pairs and nodes that were looked at.
pub(super) fn pairs(points: &mut [Tagged], tolerance: f64) -> (Vec<Vec<[usize; 2]>>, u64) {
    let (mut start, within) = matched(points, tolerance);
    if within < tolerance {
        start.match_all(0, tolerance);
    }
    (start.pairs, start.work)
}

/// What has been matched of some points.
struct Start {
    tolerance: f64,
    /// The pairs; new ones are added to the last list.
    pairs: Vec<Vec<[usize; 2]>>,
    /// What is left, part after part.
    left: Vec<Tagged>,
    work: u64,
    /// Pairs that are near: how far apart they are, and which of the points that are left.
    candidates: Vec<(f64, usize, usize)>,
}

/// Matches points, large parts of them side by side. The answer tells also within which distance all have been tried.
fn matched(points: &mut [Tagged], tolerance: f64) -> (Start, f64) {
    if points.len() <= GRAIN {
        let (pairs, left) = (vec![Vec::with_capacity(points.len() / 2)], Vec::new());
        let mut start = Start { tolerance, pairs, left, work: 0, candidates: Vec::new() };
        let within = start.within(points);
        return (start, within);
    }
    let (line, low, high) = Line::halve(points, tolerance);
    let ((mut start, of_low), (high, of_high)) =
        rayon::join(|| matched(low, tolerance), || matched(high, tolerance));
    let middle = start.left.len();
    start.left.extend(high.left);
    start.pairs.extend(high.pairs);
    start.work += high.work;
    start.join(0, middle, &line, of_low.min(of_high));
    (start, line.within)
}

/// The line between two halves.
struct Line {
    axis: usize,
    at: f64,
    /// The distance within which points on both sides of it are matched.
    within: f64,
}

impl Line {
    /// The line between the two halves of some points, and the halves.
    fn halve(points: &mut [Tagged], tolerance: f64) -> (Self, &mut [Tagged], &mut [Tagged]) {
        let around = Around::of(points);
        let axis = halves::halve(points, &around);
        let (low, high) = points.split_at_mut(points.len() / 2);
        let line = Line { axis, at: Around::of(high).low[axis], within: close(&around, tolerance) };
        (line, low, high)
    }
}

/// The distance within which the points of a box are matched.
fn close(around: &Around, tolerance: f64) -> f64 {
    let part = CLOSE * apart(around.low, around.high);
    // Without points, and where infinite values are apart, all of it is left to the end.
    if part.is_finite() { part.min(tolerance) } else { 0.0 }
}

impl Start {
    /// Matches points, and adds what is left of them. The answer is the distance within which all have been tried.
    fn within(&mut self, points: &mut [Tagged]) -> f64 {
        let from = self.left.len();
        if points.len() <= FEW {
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

    /// Matches what is left of two halves, the second from `middle` on, in each of which all within `tried` have been.
    fn join(&mut self, from: usize, middle: usize, line: &Line, tried: f64) {
        if tried < line.within {
            self.match_all(from, line.within);
            return;
        }
        if middle == from || middle == self.left.len() {
            return;
        }
        // Whatever is near something beyond the line is near the line.
        let is_near = |point: &Tagged| near(point.at[line.axis], line.at, line.within);
        let low = self.sides(from..middle, is_near);
        let high = self.sides(middle..self.left.len(), is_near);
        let of_both = [(&low[0], &high[1]), (&high[0], &low[1])];
        let matched: usize = of_both.into_iter().map(|(a, b)| self.match_sides(a, b, line.within)).sum();
        if matched > 0 {
            self.forget_matched(from);
        }
    }

    /// Matches what is left from a place on.
    fn match_all(&mut self, from: usize, within: f64) {
        let [a, b] = self.sides(from..self.left.len(), |_| true);
        if self.match_sides(&a, &b, within) > 0 {
            self.forget_matched(from);
        }
    }

    /// Points of A and of B among those that are left.
    fn sides(&self, range: std::ops::Range<usize>, is_wanted: impl Fn(&Tagged) -> bool) -> [Vec<usize>; 2] {
        let mut sides = [Vec::new(), Vec::new()];
        for place in range {
            let point = &self.left[place];
            if is_wanted(point) {
                sides[point.side()].push(place);
            }
        }
        sides
    }

    /// Matches points of A with points of B, and answers how many.
    fn match_sides(&mut self, a: &[usize], b: &[usize], within: f64) -> usize {
        if a.is_empty() || b.is_empty() {
            0
        } else if a.len() * b.len() <= PAIRS {
            self.match_nearest(a, b, within)
        } else {
            self.match_many(a, b, within)
        }
    }

    /// Looks at all pairs, the nearest first.
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

    /// Takes points of B out of a tree.
    fn match_many(&mut self, a: &[usize], b: &[usize], within: f64) -> usize {
        let around = Around::of(&a.iter().map(|&p| self.left[p]).collect::<Vec<_>>());
        let near_a = b.iter().map(|&q| (self.left[q].at, q));
        let near_a = near_a.filter(|&(at, _)| are_near(at, around.nearest(at), within)).collect::<Vec<_>>();
        let count = near_a.len();
        let mut there = count;
        let mut tree = Tree::new(near_a);
        for part in PARTS {
            for &p in a {
                if there == 0 {
                    break;
                }
                // A part of an infinite distance is infinite.
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
            self.left[place].tag = MATCHED;
        }
    }

    fn is_matched(&self, place: usize) -> bool {
        self.left[place].tag == MATCHED
    }

    /// Keeps what is not matched of what is left from a place on.
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

/// How far apart two points are.
fn apart(p: Point, q: Point) -> f64 {
    // Equal infinities are no distance apart.
    let along = |axis: usize| if p[axis] == q[axis] { 0.0 } else { (p[axis] - q[axis]).abs() };
    along(0).max(along(1))
}

fn order(p: Point, q: Point) -> Ordering {
    p[0].total_cmp(&q[0]).then_with(|| p[1].total_cmp(&q[1]))
}
