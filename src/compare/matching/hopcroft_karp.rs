//! Greatest matchings in phases (Hopcroft, Karp 1973), on a graph that is never written down (Efrat, Itai, Katz 2001).
//!
//! ```text
//! repeat, from the matching to start with:
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
use super::{NONE, Point, Tagged};

/// The points of a cluster, matched as far as they are.
pub(super) struct Matching {
    /// The points of A and of B.
    points: [Vec<Tagged>; 2],
    /// The number of the partner of each point on the other side.
    partners: [Vec<Option<usize>>; 2],
    /// Nodes of trees and edges that were looked at.
    work: u64,
}

impl Matching {
    /// A greatest matching of the points of a cluster, found from one where all partners are in the cluster.
    pub(super) fn greatest(points: &[Tagged], partners: &[Vec<usize>; 2], tolerance: f64) -> Self {
        let side = |side: usize| points.iter().filter(|point| point.side() == side).copied().collect();
        let points: [Vec<Tagged>; 2] = [side(0), side(1)];
        let mut of_each = [0, 1].map(|side| vec![None; points[side].len()]);
        // By the number of the point of B: of each point of A its partner's, of each point of B its own.
        let partner = |(place, point): (usize, &Tagged)| (partners[0][point.id()], place);
        let mut wanted: Vec<(usize, usize)> =
            points[0].iter().enumerate().map(partner).filter(|&(number, _)| number != NONE).collect();
        wanted.sort_unstable();
        let mut there: Vec<(usize, usize)> = points[1].iter().map(Tagged::id).zip(0..).collect();
        there.sort_unstable();
        let mut there = there.into_iter();
        for (number, a) in wanted {
            if let Some((_, b)) = there.find(|&(other, _)| other == number) {
                (of_each[0][a], of_each[1][b]) = (Some(b), Some(a));
            }
        }
        let mut matching = Matching { points, partners: of_each, work: 0 };
        let all = Tree::new((0..matching.points[1].len()).map(|b| matching.placed(b)).collect());
        let mut graph = Graph::new(matching.points[0].len(), matching.points[1].len(), all, tolerance);
        while let Some(layers) = matching.layers(&mut graph) {
            matching.augment(layers, &mut graph);
        }
        matching.work = graph.work();
        matching
    }

    /// The numbers of the points that are matched, of A and of B.
    pub(super) fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        let pairs = self.points[0].iter().zip(&self.partners[0]);
        pairs.filter_map(|(point, partner)| Some([point.id(), self.points[1][(*partner)?].id()]))
    }

    /// How much was looked at.
    pub(super) fn work(&self) -> u64 {
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

    /// The points of B by layers; those of the last are without partners. None when no such point is reached.
    fn layers(&self, graph: &mut Graph) -> Option<Vec<Vec<usize>>> {
        graph.begin_layers();
        let mut layers = Vec::new();
        let mut from = self.free();
        loop {
            let mut layer = Vec::new();
            for &a in &from {
                let at = self.points[0][a].at;
                layer.extend(std::iter::from_fn(|| graph.reach(layers.len(), a, at)));
            }
            if graph.has_too_many() {
                return self.layers(graph);
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
                match graph.pass(path.len(), a, self.points[0][a].at) {
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
