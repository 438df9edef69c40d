//! A k-d tree from which points can be removed one by one (Bentley 1975).

use super::are_near;
use crate::kd_tree::{self, Around, Part, Point, Site};

/// Maximum number of points in a leaf, at most the number of bits in its word.
const LEAF: usize = 8;

/// Points in the plane, each present or removed.
#[derive(Debug, Default)]
pub(super) struct Tree {
    points: Vec<Site>,
    nodes: Vec<Node>,
    /// The removed points, by index.
    taken: Vec<usize>,
    /// Number of visited nodes.
    pub(super) work: u64,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    around: Around,
    /// Number of present points below the node; for a leaf, a bit for each present point.
    there: usize,
}

impl Tree {
    /// Creates the tree of the given points.
    pub(super) fn new(mut points: Vec<Site>) -> Self {
        let boxes = kd_tree::boxes(&mut points, LEAF);
        let nodes = boxes.into_iter().map(|around| Node { around, there: 0 }).collect();
        let mut tree = Tree { points, nodes, taken: Vec::new(), work: 0 };
        tree.fill(tree.root());
        tree
    }

    fn root(&self) -> Part {
        Part::root(self.points.len())
    }

    fn is_leaf(&self, part: Part) -> bool {
        part.is_leaf(self.nodes.len())
    }

    /// Marks all points of a node as present.
    fn fill(&mut self, part: Part) {
        let is_leaf = self.is_leaf(part);
        let count = part.to - part.from;
        self.nodes[part.node].there = if is_leaf { (1 << count) - 1 } else { count };
        if !is_leaf {
            part.children().into_iter().for_each(|child| self.fill(child));
        }
    }

    /// Removes a point near `at` and returns its number.
    pub(super) fn take(&mut self, at: Point, tolerance: f64) -> Option<usize> {
        let place = self.take_from(self.root(), at, tolerance)?;
        self.taken.push(place);
        Some(self.points[place].number as usize)
    }

    fn take_from(&mut self, part: Part, at: Point, tolerance: f64) -> Option<usize> {
        self.work += 1;
        if !self.may_be_near(part.node, at, tolerance) {
            return None;
        }
        if self.is_leaf(part) {
            let place = self.near_of_leaf(part, at, tolerance).next()?;
            self.nodes[part.node].there ^= 1 << (place - part.from);
            return Some(place);
        }
        let [low, high] = part.children();
        let found = self.take_from(low, at, tolerance);
        let found = found.or_else(|| self.take_from(high, at, tolerance))?;
        self.nodes[part.node].there -= 1;
        Some(found)
    }

    /// Calls `tell` with the numbers of all present points near `at`.
    pub(super) fn each(&mut self, at: Point, tolerance: f64, tell: &mut impl FnMut(usize)) {
        let mut todo = vec![self.root()];
        while let Some(part) = todo.pop() {
            self.work += 1;
            if !self.may_be_near(part.node, at, tolerance) {
                continue;
            }
            if self.is_leaf(part) {
                let near = self.near_of_leaf(part, at, tolerance);
                near.for_each(|place| tell(self.points[place].number as usize));
            } else {
                let [low, high] = part.children();
                todo.extend([high, low]);
            }
        }
    }

    /// The indices of the present points of a leaf that are near `at`.
    fn near_of_leaf(&self, part: Part, at: Point, tolerance: f64) -> impl Iterator<Item = usize> {
        let there = self.nodes[part.node].there;
        (part.from..part.to).filter(move |&place| {
            there >> (place - part.from) & 1 == 1 && are_near(at, self.points[place].at, tolerance)
        })
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
            let leaf = self.root().leaf_of(place, self.nodes.len());
            self.nodes[leaf.node].there |= 1 << (place - leaf.from);
            let mut node = leaf.node;
            while node > 0 {
                node = (node - 1) / 2;
                self.nodes[node].there += 1;
            }
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
            let mut tree = Tree::new((0..count).map(|k| Site { at: at(k), number: k as u64 }).collect());
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
