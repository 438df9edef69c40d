//! A k-d tree from which points can be removed one by one (Bentley 1975).

use super::{Point, are_near};
use crate::halves::{self, Around};

/// Maximum number of points in a leaf, at most the number of bits in its word.
const LEAF: usize = 8;

/// Points in the plane, each present or removed.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The points with their numbers. A node has a range of them, and its children have the halves of that range.
    points: Vec<(Point, usize)>,
    nodes: Vec<Node>,
    /// The removed points, by index.
    taken: Vec<usize>,
    /// Number of visited nodes.
    pub(super) work: u64,
}

/// A node of the tree. The root is node 0; the children of node k are 2k + 1 and 2k + 2.
#[derive(Debug, Clone, Copy)]
struct Node {
    around: Around,
    /// Number of present points below the node; for a leaf, a bit for each present point.
    there: usize,
}

impl Tree {
    /// Creates the tree of the given points and numbers.
    pub(super) fn new(mut points: Vec<(Point, usize)>) -> Self {
        let boxes = halves::boxes(&mut points, LEAF);
        let nodes = boxes.into_iter().map(|around| Node { around, there: 0 }).collect();
        let mut tree = Tree { points, nodes, taken: Vec::new(), work: 0 };
        tree.fill(0, 0, tree.points.len());
        tree
    }

    fn is_leaf(&self, node: usize) -> bool {
        2 * node + 1 >= self.nodes.len()
    }

    /// Marks all points of a node as present.
    fn fill(&mut self, node: usize, from: usize, to: usize) {
        let is_leaf = self.is_leaf(node);
        self.nodes[node].there = if is_leaf { (1 << (to - from)) - 1 } else { to - from };
        if !is_leaf {
            let middle = from + (to - from) / 2;
            self.fill(2 * node + 1, from, middle);
            self.fill(2 * node + 2, middle, to);
        }
    }

    /// Removes a point near `at` and returns its number.
    pub(super) fn take(&mut self, at: Point, tolerance: f64) -> Option<usize> {
        let place = self.take_from(0, 0, self.points.len(), at, tolerance)?;
        self.taken.push(place);
        Some(self.points[place].1)
    }

    fn take_from(&mut self, node: usize, from: usize, to: usize, at: Point, tolerance: f64) -> Option<usize> {
        self.work += 1;
        if !self.may_be_near(node, at, tolerance) {
            return None;
        }
        if self.is_leaf(node) {
            let there = self.nodes[node].there;
            let fits = |place: &usize| {
                there >> (place - from) & 1 == 1 && are_near(at, self.points[*place].0, tolerance)
            };
            let place = (from..to).find(fits)?;
            self.nodes[node].there ^= 1 << (place - from);
            return Some(place);
        }
        let middle = from + (to - from) / 2;
        let found = self.take_from(2 * node + 1, from, middle, at, tolerance);
        let found = found.or_else(|| self.take_from(2 * node + 2, middle, to, at, tolerance))?;
        self.nodes[node].there -= 1;
        Some(found)
    }

    /// Calls `tell` with the numbers of all present points near `at`.
    pub(super) fn each(&mut self, at: Point, tolerance: f64, tell: &mut impl FnMut(usize)) {
        let mut todo = vec![(0, 0, self.points.len())];
        while let Some((node, from, to)) = todo.pop() {
            self.work += 1;
            if !self.may_be_near(node, at, tolerance) {
                continue;
            }
            if self.is_leaf(node) {
                let there = self.nodes[node].there;
                let fits = |place: &usize| {
                    there >> (place - from) & 1 == 1 && are_near(at, self.points[*place].0, tolerance)
                };
                (from..to).filter(fits).for_each(|place| tell(self.points[place].1));
            } else {
                let middle = from + (to - from) / 2;
                todo.extend([(2 * node + 2, middle, to), (2 * node + 1, from, middle)]);
            }
        }
    }

    /// Whether a node has present points and its box is near.
    fn may_be_near(&self, node: usize, at: Point, tolerance: f64) -> bool {
        let Node { around, there } = self.nodes[node];
        // Rounding preserves order, so if the nearest point of a box is not near, no point of it is.
        there != 0 && are_near(at, around.nearest(at), tolerance)
    }

    /// Restores all removed points.
    pub(super) fn restore(&mut self) {
        while let Some(place) = self.taken.pop() {
            let (mut node, mut from, mut to) = (0, 0, self.points.len());
            while !self.is_leaf(node) {
                self.nodes[node].there += 1;
                let middle = from + (to - from) / 2;
                (node, from, to) =
                    if place < middle { (2 * node + 1, from, middle) } else { (2 * node + 2, middle, to) };
            }
            self.nodes[node].there |= 1 << (place - from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::near;
    use super::*;

    #[test]
    fn each_point_near_is_taken_once_and_can_be_put_back() {
        for count in [0usize, 1, 7, 8, 9, 31, 32, 33, 100] {
            let at = |k: usize| [(k * 7 % 10) as f64, (k * 3 % 5) as f64];
            let mut tree = Tree::new((0..count).map(|k| (at(k), k)).collect());
            for query in [[0.0, 0.0], [4.5, 2.0], [20.0, 0.0], [f64::INFINITY, 1.0]] {
                let near = |k: &usize| (0..2).all(|axis| near(at(*k)[axis], query[axis], 2.0));
                for _ in 0..2 {
                    let mut found: Vec<usize> = std::iter::from_fn(|| tree.take(query, 2.0)).collect();
                    found.sort_unstable();
                    assert_eq!(found, (0..count).filter(near).collect::<Vec<_>>(), "{count}");
                    tree.restore();
                }
            }
        }
    }
}
