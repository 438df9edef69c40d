//! Maximum matchings in phases (Hopcroft, Karp 1973), on an implicit graph (Efrat, Itai, Katz 2001).
//!
//! ```text
//! repeat, from the matching to start with:
//!     layers: from the points of A without a partner by edges to B and by partners back to A, breadth first,
//!             until a point of B without a partner is reached; if none is, the matching is maximum
//!     paths:  as many as can be without a common point, each through one point of B of each layer; turn them round
//! ```
//!
//! There may be as many edges as pairs of points, if all bars are within the tolerance of each other. But in a phase
//! each point of B is reached once and visited once, so edges need not be listed: a point near the current one that
//! was not reached yet is removed from a [`Tree`], one tree of all points for the layers, and one per layer for the
//! paths. A phase takes about n log n steps, and there are O(√n) phases: only a few if many points are near each
//! other. If few are, there are more phases, and the edges are listed ([`Graph`]).

use super::NONE;
use super::graph::Graph;
use super::tree::Tree;
use crate::kd_tree::Site;

/// The points of a cluster with their current matching.
pub(super) struct Matching {
    /// The points of A and of B.
    points: [Vec<Site>; 2],
    /// The index of the partner of each point, if it has one.
    partners: [Vec<Option<usize>>; 2],
}

impl Matching {
    /// Augments the matching in `partners` to a maximum matching of the points of a cluster, and returns the numbers of
    /// its points of A and of B, and how many tree nodes and edges were visited. All partners must be in the cluster.
    pub(super) fn greatest(
        points: &[Site],
        partners: &[Vec<usize>; 2],
        tolerance: f64,
    ) -> (Vec<[usize; 2]>, u64) {
        let side = |side: usize| points.iter().filter(|point| point.side() == side).copied().collect();
        let points: [Vec<Site>; 2] = [side(0), side(1)];
        let mut of_each = [0, 1].map(|side| vec![None; points[side].len()]);
        // Partners are found by merging the numbers of A's partners with those of the points of B.
        let partner = |(place, point): (usize, &Site)| (partners[0][point.id()], place);
        let mut wanted: Vec<(usize, usize)> =
            points[0].iter().enumerate().map(partner).filter(|&(number, _)| number != NONE).collect();
        wanted.sort_unstable();
        let mut there: Vec<(usize, usize)> = points[1].iter().map(Site::id).zip(0..).collect();
        there.sort_unstable();
        let mut there = there.into_iter();
        for (number, a) in wanted {
            if let Some((_, b)) = there.find(|&(other, _)| other == number) {
                (of_each[0][a], of_each[1][b]) = (Some(b), Some(a));
            }
        }
        let mut matching = Matching { points, partners: of_each };
        let all = Tree::new((0..matching.points[1].len()).map(|b| matching.site(b)).collect());
        let mut graph = Graph::new(matching.points[0].len(), matching.points[1].len(), all, tolerance);
        while let Some(layers) = matching.layers(&mut graph) {
            matching.augment(layers, &mut graph);
        }
        let [of_a, of_b] = &matching.points;
        let pairs = of_a.iter().zip(&matching.partners[0]);
        let pairs = pairs.filter_map(|(point, partner)| Some([point.id(), of_b[(*partner)?].id()]));
        (pairs.collect(), graph.work())
    }

    /// A point of B, with its index.
    fn site(&self, b: usize) -> Site {
        Site { at: self.points[1][b].at, number: b as u64 }
    }

    fn pair(&mut self, a: usize, b: usize) {
        self.partners[0][a] = Some(b);
        self.partners[1][b] = Some(a);
    }

    /// The unmatched points of A.
    fn free(&self) -> Vec<usize> {
        (0..self.points[0].len()).filter(|&a| self.partners[0][a].is_none()).collect()
    }

    /// The points of B by layers, of which only the last has unmatched points. Returns `None` if no unmatched point
    /// is reached.
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

    /// Augments along disjoint paths through the layers until there are no more.
    fn augment(&mut self, layers: Vec<Vec<usize>>, graph: &mut Graph) {
        let last = layers.len() - 1;
        let sites = |layer: Vec<usize>| layer.into_iter().map(|b| self.site(b)).collect();
        graph.begin_paths(layers.into_iter().map(sites).collect());
        // The points of A on the path, each with the next point of B.
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
                        // Paths end in the last layer, so its matched points are dead ends.
                        Some(_) if path.len() == last => {}
                        Some(next) => {
                            path.push((a, b));
                            a = next;
                        }
                    },
                    // This point is a dead end, so the path retreats; the point of B before it is not visited again.
                    None => match path.pop() {
                        Some((before, _)) => a = before,
                        None => break,
                    },
                }
            }
        }
    }
}
