//! Balanced k-d trees of points in the plane (Bentley 1975).
//!
//! A box is split at the median along its longer side: its points are partially sorted so that those of the lower
//! half come first. The boxes form a complete binary tree without pointers: the root is box 0, the children of box k
//! are 2k + 1 and 2k + 2, and the leaves come last. Large boxes are split in parallel, which does not affect the
//! result.

use std::cmp::Ordering;

/// A point in the plane.
pub(crate) type Point = [f64; 2];

/// Number of points up to which one thread builds the subtree.
const GRAIN: usize = 1 << 14;

/// An object with a place in the plane.
pub(crate) trait Located {
    /// The place of the object. No coordinate is NaN.
    fn at(&self) -> Point;
    /// A number that orders objects at the same place.
    fn number(&self) -> u64;
}

impl Located for (Point, usize) {
    fn at(&self) -> Point {
        self.0
    }

    fn number(&self) -> u64 {
        self.1 as u64
    }
}

impl Located for (Point, u32) {
    fn at(&self) -> Point {
        self.0
    }

    fn number(&self) -> u64 {
        u64::from(self.1)
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
    pub(crate) fn of<P: Located>(points: &[P]) -> Self {
        let Around { mut low, mut high } = Self::NOTHING;
        for point in points {
            let at = point.at();
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
pub(crate) fn halve<P: Located>(points: &mut [P], around: &Around) -> usize {
    let axis = around.longer();
    let half = points.len() / 2;
    if half > 0 {
        points.select_nth_unstable_by(half, |p, q| {
            let (at, other) = (p.at(), q.at());
            let order = |axis: usize| at[axis].total_cmp(&other[axis]);
            match order(axis) {
                Ordering::Equal => order(1 - axis).then_with(|| p.number().cmp(&q.number())),
                order => order,
            }
        });
    }
    axis
}

/// Sorts points by the leaves of a tree with at most `most` points per leaf, and returns its boxes.
pub(crate) fn boxes<P: Located + Send>(points: &mut [P], most: usize) -> Vec<Around> {
    let mut depth = 0;
    while points.len().div_ceil(1 << depth) > most {
        depth += 1;
    }
    subtree(points, depth)
}

/// Returns the boxes of a tree of depth `depth`.
fn subtree<P: Located + Send>(points: &mut [P], depth: u32) -> Vec<Around> {
    let mut boxes = vec![Around::NOTHING; (2 << depth) - 1];
    if depth == 0 || points.len() <= GRAIN {
        fill(&mut boxes, 0, points);
        return boxes;
    }
    boxes[0] = Around::of(points);
    halve(points, &boxes[0]);
    let (low, high) = points.split_at_mut(points.len() / 2);
    let (low, high) = rayon::join(|| subtree(low, depth - 1), || subtree(high, depth - 1));
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
fn fill<P: Located>(boxes: &mut [Around], at: usize, points: &mut [P]) {
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
    fn check(boxes: &[Around], at: usize, points: &[(Point, u32)]) {
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
            let mut points: Vec<(Point, u32)> =
                (0..count as u32).map(|k| ([0, 1].map(|_| rng.random_range(0..90_u8).into()), k)).collect();
            let boxes = boxes(&mut points, 8);
            check(&boxes, 0, &points);
            let mut numbers: Vec<u32> = points.into_iter().map(|(_, number)| number).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..count as u32));
        }
    }
}
