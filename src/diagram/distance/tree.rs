//! A k-d tree of points with prices (Bentley 1975), and the search for the points of greatest value for a location.
//!
//! The value of a point is its price minus the cost of reaching it. A node stores its bounding box and its greatest
//! price, so no point in it has a greater value than that price minus the cost of reaching the box.

use super::cost::Cost;
use crate::kd_tree::{self, Around, Part, Point, Site};

/// Maximal number of points in a leaf.
const LEAF: usize = 8;

/// Points in the plane with prices.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    points: Vec<Site>,
    /// Price of each point, in the same order.
    prices: Vec<f64>,
    /// Position of each point in `points`, by number.
    places: Vec<u32>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    around: Around,
    price: f64,
}

/// The points of greatest value.
pub(super) struct Best {
    /// Number of points to find, and the exclusive lower bound of their values.
    pub(super) count: usize,
    pub(super) floor: f64,
    /// Values and numbers of the points; the greatest value first, ties by lower number.
    pub(super) found: Vec<(f64, u32)>,
}

impl Best {
    /// Value that a point must exceed to be added, or equal if its number is lower.
    fn bar(&self) -> f64 {
        if self.found.len() < self.count { self.floor } else { self.found[self.count - 1].0 }
    }

    fn offer(&mut self, value: f64, number: u32) {
        if value <= self.floor {
            return;
        }
        let at = self.found.partition_point(|&(w, n)| w > value || w == value && n < number);
        if at < self.count {
            self.found.truncate(self.count - 1);
            self.found.insert(at, (value, number));
        }
    }
}

impl Tree {
    /// Makes the tree of finite points, with all prices 0.
    pub(super) fn new(points: &[Point]) -> Self {
        let sites = (0..).zip(points).map(|(number, &at)| Site { at, number });
        let mut points: Vec<Site> = sites.collect();
        let boxes = kd_tree::boxes(&mut points, LEAF);
        let prices = vec![0.0; points.len()];
        let price = |around: &Around| if around.low[0] <= around.high[0] { 0.0 } else { f64::NEG_INFINITY };
        let nodes = boxes.into_iter().map(|around| Node { around, price: price(&around) }).collect();
        let mut tree = Tree { places: vec![0; points.len()], points, prices, nodes };
        for (place, site) in (0..).zip(&tree.points) {
            tree.places[site.number as usize] = place;
        }
        tree
    }

    fn root(&self) -> Part {
        Part::root(self.points.len())
    }

    fn is_leaf(&self, part: Part) -> bool {
        part.is_leaf(self.nodes.len())
    }

    /// Numbers of the points in the order of the tree, in which near points are close.
    pub(super) fn order(&self) -> impl Iterator<Item = u32> {
        self.points.iter().map(|site| site.number as u32)
    }

    /// Sets the prices of all points, by number.
    pub(super) fn set_prices(&mut self, prices: &[f64]) {
        for (price, site) in self.prices.iter_mut().zip(&self.points) {
            *price = prices[site.number as usize];
        }
        self.set_price(self.root());
    }

    /// Sets the greatest prices of a node and of those below it.
    fn set_price(&mut self, part: Part) -> f64 {
        let price = if self.is_leaf(part) {
            self.price_of_leaf(part)
        } else {
            let [low, high] = part.children().map(|child| self.set_price(child));
            low.max(high)
        };
        self.nodes[part.node].price = price;
        price
    }

    fn price_of_leaf(&self, part: Part) -> f64 {
        self.prices[part.from..part.to].iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Sets the price of a point, by number.
    pub(super) fn set_price_of(&mut self, number: u32, price: f64) {
        let place = self.places[number as usize] as usize;
        self.prices[place] = price;
        let leaf = self.root().leaf_of(place, self.nodes.len());
        let (mut node, mut most) = (leaf.node, self.price_of_leaf(leaf));
        while self.nodes[node].price != most {
            self.nodes[node].price = most;
            if node == 0 {
                break;
            }
            node = (node - 1) / 2;
            most = self.nodes[2 * node + 1].price.max(self.nodes[2 * node + 2].price);
        }
    }

    /// Finds the points of greatest value from `at`.
    pub(super) fn best(&self, at: Point, cost: &Cost, best: &mut Best) {
        best.found.clear();
        self.search(self.root(), at, cost, best);
    }

    /// Upper bound on the values of the points in a node.
    #[inline]
    fn most(&self, node: usize, at: Point, cost: &Cost) -> f64 {
        let Node { around, price } = self.nodes[node];
        if price == f64::NEG_INFINITY {
            return price;
        }
        price - cost.of(at, around.nearest(at))
    }

    fn search(&self, part: Part, at: Point, cost: &Cost, best: &mut Best) {
        if self.is_leaf(part) {
            let range = part.from..part.to;
            for (site, price) in self.points[range.clone()].iter().zip(&self.prices[range]) {
                best.offer(price - cost.of(at, site.at), site.number as u32);
            }
            return;
        }
        let mut children = part.children();
        let mut most = children.map(|child| self.most(child.node, at, cost));
        if most[1] > most[0] {
            children.swap(0, 1);
            most.swap(0, 1);
        }
        for (child, most) in children.into_iter().zip(most) {
            // A point of equal value may have a lower number.
            if most >= best.bar() {
                self.search(child, at, cost, best);
            }
        }
    }
}
