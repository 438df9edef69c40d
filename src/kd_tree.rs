//! Balanced k-d trees of points in the plane (Bentley 1975).
//!
//! A box is split at the median along its longer side: its points are partially sorted so that those of the lower
//! half come first. The boxes form a complete binary tree without pointers: the root is box 0, the children of box k
//! are 2k + 1 and 2k + 2, and the leaves come last. Large boxes are split in parallel, which does not affect the
//! result.

use crate::parallel;
use std::cmp::Ordering;

/// A point in the plane.
pub(crate) type Point = [f64; 2];

/// Number of points up to which one thread builds the subtree.
const GRAIN: usize = 1 << 14;

/// A point with a number, which orders points at the same place. No coordinate is NaN.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Site {
    pub(crate) at: Point,
    pub(crate) number: u64,
}

/// A node of a tree with the range of its points; its children have the halves of this range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) node: usize,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl Part {
    /// The root of a tree of `count` points.
    pub(crate) fn root(count: usize) -> Self {
        Part { node: 0, from: 0, to: count }
    }

    /// Whether the node is a leaf of a tree of `nodes` nodes.
    pub(crate) fn is_leaf(self, nodes: usize) -> bool {
        2 * self.node + 1 >= nodes
    }

    /// The children of a node that is no leaf.
    pub(crate) fn children(self) -> [Part; 2] {
        let Part { node, from, to } = self;
        let middle = from + (to - from) / 2;
        [Part { node: 2 * node + 1, from, to: middle }, Part { node: 2 * node + 2, from: middle, to }]
    }

    /// The leaf below this node, in a tree of `nodes` nodes, to which the point at `place` belongs.
    pub(crate) fn leaf_of(self, place: usize, nodes: usize) -> Part {
        let mut part = self;
        while !part.is_leaf(nodes) {
            let [low, high] = part.children();
            part = if place < high.from { low } else { high };
        }
        part
    }
}

/// The bounding box of some points, parallel to the axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around {
    pub(crate) low: Point,
    pub(crate) high: Point,
}

impl Around {
    /// The bounding box of no points.
    pub(crate) const NOTHING: Around = Around { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2] };

    /// The bounding box of `points`.
    pub(crate) fn of(points: &[Site]) -> Self {
        let Around { mut low, mut high } = Self::NOTHING;
        for Site { at, .. } in points {
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        Around { low, high }
    }

    /// The axis along which the box is longer.
    fn longer(&self) -> usize {
        // Equal infinities have distance 0.
        let extent = |axis: usize| {
            if self.low[axis] == self.high[axis] { 0.0 } else { self.high[axis] - self.low[axis] }
        };
        usize::from(extent(1) > extent(0))
    }

    /// The point of the box that is nearest to `at`.
    #[inline]
    pub(crate) fn nearest(&self, at: Point) -> Point {
        [0, 1].map(|axis| at[axis].max(self.low[axis]).min(self.high[axis]))
    }
}

/// Moves the lower half of the points, rounded down, to the front. Returns the axis of the split.
pub(crate) fn halve(points: &mut [Site], around: &Around) -> usize {
    let axis = around.longer();
    let half = points.len() / 2;
    if half > 0 {
        points.select_nth_unstable_by(half, |p, q| {
            let order = |axis: usize| p.at[axis].total_cmp(&q.at[axis]);
            match order(axis) {
                Ordering::Equal => order(1 - axis).then_with(|| p.number.cmp(&q.number)),
                order => order,
            }
        });
    }
    axis
}

/// Sorts points by the leaves of a tree with at most `most` points per leaf, and returns its boxes.
pub(crate) fn boxes(points: &mut [Site], most: usize) -> Vec<Around> {
    let mut depth = 0;
    while points.len().div_ceil(1 << depth) > most {
        depth += 1;
    }
    subtree(points, depth)
}

/// Returns the boxes of a tree of depth `depth`.
fn subtree(points: &mut [Site], depth: u32) -> Vec<Around> {
    let mut boxes = vec![Around::NOTHING; (2 << depth) - 1];
    if depth == 0 || points.len() <= GRAIN {
        fill(&mut boxes, 0, points);
        return boxes;
    }
    boxes[0] = Around::of(points);
    halve(points, &boxes[0]);
    let (low, high) = points.split_at_mut(points.len() / 2);
    let (low, high) = parallel::join(|| subtree(low, depth - 1), || subtree(high, depth - 1));
    for level in 0..depth {
        let width = 1 << level;
        // The boxes of a level come after those of all levels above.
        let (from, to) = (width - 1, 2 * width - 1);
        boxes[to..to + width].copy_from_slice(&low[from..to]);
        boxes[to + width..to + 2 * width].copy_from_slice(&high[from..to]);
    }
    boxes
}

/// Fills in box `at` and the boxes below it.
fn fill(boxes: &mut [Around], at: usize, points: &mut [Site]) {
    boxes[at] = Around::of(points);
    if 2 * at + 1 < boxes.len() {
        halve(points, &boxes[at]);
        let (low, high) = points.split_at_mut(points.len() / 2);
        fill(boxes, 2 * at + 1, low);
        fill(boxes, 2 * at + 2, high);
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// Checks that each box is the bounding box of its points, and that a line separates its halves.
    fn check(boxes: &[Around], at: usize, points: &[Site]) {
        let Around { low, high } = Around::of(points);
        assert_eq!((boxes[at].low, boxes[at].high), (low, high));
        if 2 * at + 1 < boxes.len() {
            let (lower, upper) = points.split_at(points.len() / 2);
            let axis = boxes[at].longer();
            assert!(lower.is_empty() || Around::of(lower).high[axis] <= Around::of(upper).low[axis]);
            check(boxes, 2 * at + 1, lower);
            check(boxes, 2 * at + 2, upper);
        } else {
            assert!(points.len() <= 8);
        }
    }

    #[test]
    fn every_point_is_in_the_boxes_of_its_leaf() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for count in [0, 1, 8, 9, 31, 32, 33, 1000, 2 * GRAIN + 3] {
            let mut site = |number| Site { at: [0, 1].map(|_| rng.random_range(0..90_u8).into()), number };
            let mut points: Vec<Site> = (0..count as u64).map(&mut site).collect();
            let boxes = boxes(&mut points, 8);
            check(&boxes, 0, &points);
            let mut numbers: Vec<u64> = points.into_iter().map(|site| site.number).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count as u64));
        }
    }
}
