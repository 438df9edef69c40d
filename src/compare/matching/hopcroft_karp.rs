//! Greatest matchings in phases (Hopcroft, Karp 1973), on a graph that is never written down (Efrat, Itai, Katz 2001).
//!
//! ```text
//! match what can be matched at once
//! repeat:
//!     layers: from the points of A without a partner by edges to B and by partners back to A, breadth first,
//!             until a point of B without a partner is reached; if none is, the matching is a greatest one
//!     paths:  as many as can be without a common point, each through one point of B of each layer; turn them round
//! ```
//!
//! There may be as many edges as pairs of points: all bars within the tolerance of each other. But in a phase each point of B is
//! reached once and passed once, so edges need not be listed: "a point near this one that was not reached yet" is taken out of a
//! [`Tree`], one of all points for the layers, one of each layer for the paths. A phase takes about n log n steps, and there are at
//! most in the order of √n phases; a few, where many points are near each other. Where few are, there are more phases, and the edges
//! are listed after all ([`Graph`]).

use super::graph::Graph;
use super::tree::Tree;
use super::{Point, Tagged, sort};

/// Parts of the tolerance within which points are matched before any are within all of it: points that are matched with one close by
/// leave fewer over whose partners are far. The first are for files that differ by rounding, at a tolerance that is far greater.
const START: [f64; 10] = [0.0, 1e-4, 1e-2, 0.0625, 0.125, 0.25, 0.4, 0.6, 0.8, 1.0];

/// The points of a cluster, matched as far as they are.
pub(super) struct Matching {
    tolerance: f64,
    /// The points of A and of B.
    points: [Vec<Tagged>; 2],
    /// The number of the partner of each point on the other side.
    partners: [Vec<Option<usize>>; 2],
    /// Nodes of trees and edges that were looked at.
    work: u64,
}

impl Matching {
    /// A greatest matching of the points of a cluster.
    pub(super) fn greatest(points: &mut [Tagged], tolerance: f64) -> Self {
        sort(points, 0);
        let side = |side: usize| points.iter().filter(|point| point.side == side).copied().collect();
        let points: [Vec<Tagged>; 2] = [side(0), side(1)];
        let partners = [0, 1].map(|side| vec![None; points[side].len()]);
        let mut matching = Matching { tolerance, points, partners, work: 0 };
        let mut all = Tree::new((0..matching.points[1].len()).map(|b| matching.placed(b)).collect());
        matching.start(&mut all);
        if matching.partners.iter().any(|side| side.iter().all(Option::is_some)) {
            matching.work = all.work;
            return matching;
        }
        let mut graph = Graph::new(&matching.points[0], matching.points[1].len(), all, tolerance);
        while let Some(layers) = matching.layers(&mut graph) {
            matching.augment(layers, &mut graph);
        }
        matching.work = graph.work();
        matching
    }

    /// Adds the points without partners, and answers the work it took.
    pub(super) fn leave(self, left: &mut [Vec<usize>; 2]) -> u64 {
        for ((points, partners), left) in self.points.iter().zip(&self.partners).zip(left) {
            let points = points.iter().zip(partners);
            left.extend(points.filter(|(_, partner)| partner.is_none()).map(|(point, _)| point.id));
        }
        self.work
    }

    /// A point of B, where it is and its number.
    fn placed(&self, b: usize) -> (Point, usize) {
        (self.points[1][b].at, b)
    }

    fn pair(&mut self, a: usize, b: usize) {
        self.partners[0][a] = Some(b);
        self.partners[1][b] = Some(a);
    }

    /// The points of A without a partner.
    fn free(&self) -> Vec<usize> {
        (0..self.points[0].len()).filter(|&a| self.partners[0][a].is_none()).collect()
    }

    /// Each point of A, from the left, takes a point of B that is near it and left.
    fn start(&mut self, all: &mut Tree) {
        for part in START {
            for a in self.free() {
                // A part of an infinite tolerance is infinite.
                if let Some(b) = all.take(self.points[0][a].at, part * self.tolerance) {
                    self.pair(a, b);
                }
            }
        }
        all.restore();
    }

    /// The points of B by layers; those of the last are without partners. None when no such point is reached.
    fn layers(&self, graph: &mut Graph) -> Option<Vec<Vec<usize>>> {
        graph.begin_layers();
        let mut layers = Vec::new();
        let mut from = self.free();
        loop {
            let mut layer = Vec::new();
            for &a in &from {
                let at = self.points[0][a].at;
                layer.extend(std::iter::from_fn(|| graph.reach(layers.len(), a, at, self.tolerance)));
            }
            from = layer.iter().filter_map(|&b| self.partners[1][b]).collect();
            let is_last = from.len() < layer.len();
            if is_last {
                layer.retain(|&b| self.partners[1][b].is_none());
            }
            if layer.is_empty() {
                return None;
            }
            layers.push(layer);
            if is_last {
                return Some(layers);
            }
        }
    }

    /// Turns paths through these layers round, until there is none left.
    fn augment(&mut self, layers: Vec<Vec<usize>>, graph: &mut Graph) {
        let last = layers.len() - 1;
        let placed = |layer: Vec<usize>| layer.into_iter().map(|b| self.placed(b)).collect();
        graph.begin_paths(layers.into_iter().map(placed).collect());
        // The points of A of a path, each with the point of B it goes on to.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for start in self.free() {
            let mut a = start;
            loop {
                match graph.pass(path.len(), a, self.points[0][a].at, self.tolerance) {
                    Some(b) => match self.partners[1][b] {
                        None => {
                            path.push((a, b));
                            for (a, b) in path.drain(..) {
                                self.pair(a, b);
                            }
                            break;
                        }
                        // The last layer ends paths; its points that have partners do not.
                        Some(_) if path.len() == last => {}
                        Some(next) => {
                            path.push((a, b));
                            a = next;
                        }
                    },
                    // What this point was reached by leads nowhere, and is not tried again.
                    None => match path.pop() {
                        Some((before, _)) => a = before,
                        None => break,
                    },
                }
            }
        }
    }
}
