//! Dimension 0: the minimum spanning forest in filtration order.
//!
//! A component dies at the edge that joins it to an older one: the edges of the minimum spanning forest under the
//! strict order (rank ↑, index ↓) are the deaths, and each connected component leaves one essential bar. Kruskal's
//! algorithm runs on edge lists. On a matrix it gets only the oldest edges, and Borůvka's algorithm joins the trees
//! that remain (`dense`). Neither sorts all edges. The edges of a small matrix are already sorted.
//!
//! Births of points do not change the forest: an edge comes after both its points, so which edges join components
//! depends only on the order of edges. The edges in that order then decide which component ends: of the two that an
//! edge joins, the one whose oldest point is younger (`elder_rule`).

mod dense;
mod elder_rule;

use super::Progress;
use super::code::{Code, vertex_bits};
use super::complex::{Complex, Dense, RankedEdge, Sparse};
use super::word::Word;
use crate::disjoint_sets::DisjointSets;
use crate::simd::Rank;
pub(super) use dense::MOST_OLDEST;
pub(super) use elder_rule::{ComponentBar, component_bars};

/// A complex that can compute its minimum spanning forest.
pub trait Components: Complex {
    /// The work of [`Components::forest`] in units of progress; 1 if it reports none.
    fn forest_work(&self) -> u64;

    /// The edges of the minimum spanning forest in filtration order; ranks have at most `rank_bits` bits.
    fn forest(&self, rank_bits: u32, progress: &dyn Progress) -> Vec<RankedEdge>;
}

/// Whether entries of edges fit in 64 bits. They always fit in 128: two vertices and a rank have at most 32 bits each.
fn is_narrow(points: usize, rank_bits: u32) -> bool {
    2 * vertex_bits(points) + rank_bits < u64::BITS
}

impl<R: Rank> Components for Dense<R> {
    fn forest_work(&self) -> u64 {
        self.points() as u64
    }

    fn forest(&self, rank_bits: u32, progress: &dyn Progress) -> Vec<RankedEdge> {
        if let Some(edges) = self.ordered_edges() {
            progress.advance(self.forest_work());
            return kruskal_in_order(self.points(), edges);
        }
        if is_narrow(self.points(), rank_bits) {
            dense::forest::<u64, R>(self, progress)
        } else {
            dense::forest::<u128, R>(self, progress)
        }
    }
}

impl Components for Sparse {
    fn forest_work(&self) -> u64 {
        1
    }

    fn forest(&self, rank_bits: u32, _: &dyn Progress) -> Vec<RankedEdge> {
        if is_narrow(self.points(), rank_bits) { kruskal::<u64>(self) } else { kruskal::<u128>(self) }
    }
}

/// Kruskal's algorithm with filtering on an edge list (Osipov, Sanders, Singler 2009): edges are sorted only until all
/// components are joined, and edges whose ends are joined before their turn are dropped unsorted.
fn kruskal<W: Word>(complex: &Sparse) -> Vec<RankedEdge> {
    let n = complex.points();
    let mut growing = Growing::<W>::new(n);
    let mut edges = Vec::new();
    for u in 0..n as u32 {
        let (neighbours, ranks) = complex.row(u);
        let below = neighbours.iter().zip(ranks).take_while(|&(&v, _)| v < u);
        edges.extend(below.map(|(&v, &rank)| growing.code.entry(rank, [u, v])));
    }
    growing.add(&mut edges);
    growing.forest()
}

/// Kruskal's algorithm on edges in filtration order.
fn kruskal_in_order(points: usize, ordered: &[RankedEdge]) -> Vec<RankedEdge> {
    let (mut sets, mut edges) = (DisjointSets::new(points), Vec::with_capacity(points));
    for edge in ordered {
        let [u, v] = edge.vertices;
        if sets.unite(u as usize, v as usize) {
            edges.push(*edge);
            if edges.len() + 1 == points {
                break;
            }
        }
    }
    edges
}

/// A forest under construction, to which edges are added.
struct Growing<W> {
    code: Code<W>,
    sets: DisjointSets,
    /// Scratch space for the vertices of an edge.
    vertices: Vec<u32>,
    edges: Vec<W>,
}

impl<W: Word> Growing<W> {
    /// The forest of `points` points without edges.
    fn new(points: usize) -> Self {
        let code = Code::new(points, 2);
        Growing { code, sets: DisjointSets::new(points), vertices: Vec::new(), edges: Vec::new() }
    }

    /// The edges of the finished forest in filtration order.
    fn forest(mut self) -> Vec<RankedEdge> {
        self.edges.sort_unstable();
        let edge = |entry| {
            self.code.vertices_of(entry, &mut self.vertices);
            RankedEdge { rank: self.code.rank(entry), vertices: [self.vertices[0], self.vertices[1]] }
        };
        self.edges.into_iter().map(edge).collect()
    }

    /// Adds those of the edges that join two trees, oldest first. No more edges than points are sorted at once. All
    /// older edges must have been added before.
    fn add(&mut self, edges: &mut [W]) {
        if edges.len() <= self.sets.size.len() {
            edges.sort_unstable();
            edges.iter().for_each(|&edge| self.join(edge));
            return;
        }
        // Entries are distinct, so both parts are smaller than the whole.
        let (older, _, _) = edges.select_nth_unstable(edges.len() / 4);
        let middle = older.len();
        self.add(&mut edges[..middle]);
        let younger = &mut edges[middle..];
        let mut left = 0;
        for k in 0..younger.len() {
            let [u, v] = self.ends(younger[k]);
            if self.sets.find(u) != self.sets.find(v) {
                younger.swap(left, k);
                left += 1;
            }
        }
        self.add(&mut younger[..left]);
    }

    /// Adds an edge if it joins two trees.
    fn join(&mut self, edge: W) {
        let [u, v] = self.ends(edge);
        if self.sets.unite(u, v) {
            self.edges.push(edge);
        }
    }

    /// The two vertices of an edge, in descending order.
    fn ends(&mut self, edge: W) -> [usize; 2] {
        self.code.vertices_of(edge, &mut self.vertices);
        [self.vertices[0] as usize, self.vertices[1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::sums::Sums;
    use crate::rips::complex::tests::{in_order, random_edges};
    use crate::simd::Level;

    /// Kruskal's algorithm on the sorted list of all edges, as the reference.
    fn plain(n: usize, edges: &[(u32, u32, u32)]) -> Vec<RankedEdge> {
        let (mut order, mut sets) = (in_order(edges), DisjointSets::new(n));
        order.retain(|edge| sets.unite(edge.vertices[0] as usize, edge.vertices[1] as usize));
        order
    }

    fn agree(n: usize, edges: &[(u32, u32, u32)]) {
        let expected = plain(n, edges);
        let graph = Sparse::new(n, edges).unwrap();
        for rank_bits in [5, 32, 60] {
            assert_eq!(graph.forest(rank_bits, &()), expected, "{n} points");
        }
        for level in Level::available() {
            let wide = Dense::<u32>::of_edges(n, edges, level);
            let progress = Sums::default();
            progress.begin("components", None, wide.forest_work());
            assert_eq!(wide.forest(32, &progress), expected, "{n} points");
            assert_eq!(progress.stages()[0].done, n as u64);
            assert_eq!(wide.forest(60, &()), expected, "{n} points");
            let narrow = Dense::<u16>::of_edges(n, edges, level);
            assert_eq!(narrow.forest(16, &()), expected, "{n} points");
        }
    }

    #[test]
    fn all_algorithms_find_the_forest() {
        let mut state = 9;
        // Cases: few ranks and many; all edges, half of them, and so few that the graph is disconnected; two clusters.
        for (n, ranks) in [(1, 1), (2, 1), (40, 20), (255, 3), (256, 30_000), (600, 2), (600, 60_000)] {
            for kept in [256, 128, 16] {
                for is_clustered in [false, true] {
                    let mut edges = random_edges(n, ranks, kept, &mut state);
                    let is_far = |i, j| is_clustered && (i % 2 != j % 2 || i == 17);
                    let far = edges.iter_mut().filter(|edge| is_far(edge.0, edge.1));
                    far.for_each(|edge| edge.2 = edge.2 / 100 + ranks);
                    agree(n, &edges);
                }
            }
        }
        agree(70, &[]);
    }
}
