//! A k-d tree of points with prices (Bentley 1975), and the search for the points of greatest value for a location.
//!
//! The value of a point is its price minus the cost of reaching it. A node stores its bounding box and its greatest
//! price, so no point in it has a greater value than that price minus the cost of reaching the box.

use super::cost::Cost;
use super::sides::Point;
use crate::halves::{self, Around};

/// Maximal number of points in a leaf.
const LEAF: usize = 8;

/// Points in the plane with prices.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// Points with their numbers; a node has a range of them, and its children the halves of that range.
    points: Vec<(Point, u32)>,
    /// Price of each point, in the same order.
    prices: Vec<f64>,
    /// Position of each point in `points`, by number.
    places: Vec<u32>,
    nodes: Vec<Node>,
}

/// The root is the first node; the children of node k are 2k + 1 and 2k + 2.
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

    fn offer(&mut self, worth: f64, number: u32) {
        if worth <= self.floor {
            return;
        }
        let at = self.found.partition_point(|&(w, n)| w > worth || w == worth && n < number);
        if at < self.count {
            self.found.truncate(self.count - 1);
            self.found.insert(at, (worth, number));
        }
    }
}

impl Tree {
    /// Makes the tree of finite points, with all prices 0.
    pub(super) fn new(points: &[Point]) -> Self {
        let mut points: Vec<(Point, u32)> = points.iter().copied().zip(0..).collect();
        let boxes = halves::boxes(&mut points, LEAF);
        let prices = vec![0.0; points.len()];
        let price = |around: &Around| if around.low[0] <= around.high[0] { 0.0 } else { f64::NEG_INFINITY };
        let nodes = boxes.into_iter().map(|around| Node { around, price: price(&around) }).collect();
        let mut tree = Tree { places: vec![0; points.len()], points, prices, nodes };
        for (place, &(_, number)) in (0..).zip(&tree.points) {
            tree.places[number as usize] = place;
        }
        tree
    }

    fn is_leaf(&self, node: usize) -> bool {
        2 * node + 1 >= self.nodes.len()
    }

    /// Numbers of the points in the order of the tree, in which near points are close.
    pub(super) fn order(&self) -> impl Iterator<Item = u32> {
        self.points.iter().map(|&(_, number)| number)
    }

    /// Sets the prices of all points, by number.
    pub(super) fn set_prices(&mut self, prices: &[f64]) {
        for (price, &(_, number)) in self.prices.iter_mut().zip(&self.points) {
            *price = prices[number as usize];
        }
        self.set_price(0, 0, self.points.len());
    }

    fn set_price(&mut self, node: usize, from: usize, to: usize) -> f64 {
        let price = if self.is_leaf(node) {
            self.prices[from..to].iter().copied().fold(f64::NEG_INFINITY, f64::max)
        } else {
            let middle = from + (to - from) / 2;
            let left = self.set_price(2 * node + 1, from, middle);
            left.max(self.set_price(2 * node + 2, middle, to))
        };
        self.nodes[node].price = price;
        price
    }

    /// Sets the price of a point, by number.
    pub(super) fn set_price_of(&mut self, number: u32, price: f64) {
        let place = self.places[number as usize] as usize;
        self.prices[place] = price;
        let (mut node, mut from, mut to) = (0, 0, self.points.len());
        while !self.is_leaf(node) {
            let middle = from + (to - from) / 2;
            (node, from, to) =
                if place < middle { (2 * node + 1, from, middle) } else { (2 * node + 2, middle, to) };
        }
        let mut most = self.prices[from..to].iter().copied().fold(f64::NEG_INFINITY, f64::max);
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
        self.search(0, 0, self.points.len(), at, cost, best);
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

    fn search(&self, node: usize, from: usize, to: usize, at: Point, cost: &Cost, best: &mut Best) {
        if self.is_leaf(node) {
            for (&(point, number), price) in self.points[from..to].iter().zip(&self.prices[from..to]) {
                best.offer(price - cost.of(at, point), number);
            }
            return;
        }
        let middle = from + (to - from) / 2;
        let mut children = [(2 * node + 1, from, middle), (2 * node + 2, middle, to)];
        let mut most = children.map(|(child, ..)| self.most(child, at, cost));
        if most[1] > most[0] {
            children.swap(0, 1);
            most.swap(0, 1);
        }
        for ((child, from, to), most) in children.into_iter().zip(most) {
            // A point of equal value may have a lower number.
            if most >= best.bar() {
                self.search(child, from, to, at, cost, best);
            }
        }
    }
}
