//! A k-d tree of points, from which points are taken one by one (Bentley 1975).

use super::{Point, near};

/// Points of a leaf: no more than the bits of its word.
const LEAF: usize = 8;

/// Points in the plane, each there or taken.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The points and their numbers; a node has a range of them, its children the halves of it.
    points: Vec<(Point, usize)>,
    nodes: Vec<Node>,
    /// The points taken since the tree was whole, by place.
    taken: Vec<usize>,
    /// Nodes that were looked at.
    pub(super) work: u64,
}

/// The root is the first node; the children of node k are 2k + 1 and 2k + 2.
#[derive(Debug, Clone, Copy)]
struct Node {
    low: Point,
    high: Point,
    /// The number of points of it that are there; of a leaf, a bit for each that is.
    there: usize,
}

const NOWHERE: Node = Node { low: [f64::INFINITY; 2], high: [f64::NEG_INFINITY; 2], there: 0 };

impl Tree {
    /// The tree of these points and their numbers.
    pub(super) fn new(points: Vec<(Point, usize)>) -> Self {
        let mut leaves = 1;
        while points.len().div_ceil(leaves) > LEAF {
            leaves *= 2;
        }
        let (nodes, end) = (vec![NOWHERE; 2 * leaves - 1], points.len());
        let mut tree = Tree { points, nodes, taken: Vec::new(), work: 0 };
        tree.build(0, 0, end);
        tree
    }

    fn is_leaf(&self, node: usize) -> bool {
        2 * node + 1 >= self.nodes.len()
    }

    fn build(&mut self, node: usize, from: usize, to: usize) {
        let is_leaf = self.is_leaf(node);
        let points = &mut self.points[from..to];
        let Node { mut low, mut high, .. } = NOWHERE;
        for (at, _) in &*points {
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        if is_leaf {
            self.nodes[node] = Node { low, high, there: (1 << points.len()) - 1 };
            return;
        }
        self.nodes[node] = Node { low, high, there: points.len() };
        // Equal infinities are no distance apart.
        let extent = |axis: usize| if low[axis] == high[axis] { 0.0 } else { high[axis] - low[axis] };
        let axis = usize::from(extent(1) > extent(0));
        let half = points.len() / 2;
        if half > 0 {
            let order = |p: &(Point, usize), q: &(Point, usize)| {
                p.0[axis].total_cmp(&q.0[axis]).then_with(|| p.0[1 - axis].total_cmp(&q.0[1 - axis]))
            };
            points.select_nth_unstable_by(half, |p, q| order(p, q).then_with(|| p.1.cmp(&q.1)));
        }
        self.build(2 * node + 1, from, from + half);
        self.build(2 * node + 2, from + half, to);
    }

    /// Takes a point that is near `at` and answers its number.
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
                there >> (place - from) & 1 == 1 && is_near(at, self.points[*place].0, tolerance)
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

    /// Tells the numbers of all points near `at` that are there.
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
                    there >> (place - from) & 1 == 1 && is_near(at, self.points[*place].0, tolerance)
                };
                (from..to).filter(fits).for_each(|place| tell(self.points[place].1));
            } else {
                let middle = from + (to - from) / 2;
                todo.extend([(2 * node + 2, middle, to), (2 * node + 1, from, middle)]);
            }
        }
    }

    /// Whether a node has points, and its box is near.
    fn may_be_near(&self, node: usize, at: Point, tolerance: f64) -> bool {
        let Node { low, high, there } = self.nodes[node];
        // Differences are rounded, but rounding keeps their order: what is not near the nearest of a box is near none of it.
        let nearest = [0, 1].map(|axis| at[axis].max(low[axis]).min(high[axis]));
        there != 0 && is_near(at, nearest, tolerance)
    }

    /// Puts everything back that was taken.
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

/// Whether two points are near in both coordinates.
fn is_near(a: Point, b: Point, tolerance: f64) -> bool {
    (0..2).all(|axis| near(a[axis], b[axis], tolerance))
}

#[cfg(test)]
mod tests {
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
