//! Dimension 0: the minimum spanning forest in filtration order.
//!
//! A vertex dies with the edge that joins its component to an older one: the edges of the minimum spanning forest
//! under the strict order (rank ↑, index ↓) are the deaths, and one essential bar a component remains. Kruskal's
//! algorithm on edge lists, Prim's on a matrix: n² comparisons, and the edges are never sorted.
//!
//! Where points are born at different times, the forest is the same: an edge comes after both its points, so which edges join components
//! depends on the order of edges alone. Its edges, in that order, then say which component ends: of the two that an edge joins the one whose
//! oldest point is younger (the elder rule). `weighted_bars` does that.

use super::Progress;
use super::code::{Code, vertex_bits};
use super::complex::{ABSENT, Complex, Dense, Sparse};
use super::word::Word;
use crate::diagram::Bar;
use crate::simd::Rank;

/// The forest: its edges in filtration order and the number of its trees.
#[derive(Debug, PartialEq)]
pub struct Forest {
    /// The edges, oldest first.
    pub edges: Vec<RankedEdge>,
    /// Connected components.
    pub trees: usize,
}

/// An edge and its rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedEdge {
    /// The rank.
    pub rank: u32,
    /// Its vertices, descending.
    pub vertices: [u32; 2],
}

impl Forest {
    /// From the entries of its edges, in any order.
    fn of_entries<W: Word>(mut entries: Vec<W>, code: &Code<W>, trees: usize) -> Self {
        entries.sort_unstable();
        let mut vertices = Vec::with_capacity(2);
        let edge = |entry| {
            code.vertices_of(entry, &mut vertices);
            RankedEdge { rank: code.rank(entry), vertices: [vertices[0], vertices[1]] }
        };
        Forest { edges: entries.into_iter().map(edge).collect(), trees }
    }
}

/// The bars of dimension 0 where points are born at `births`: those of length zero are left out, and points that are not born up to
/// `threshold`, or never, have none. By ascending death, then by descending birth.
///
/// `values` are the distances of the ranks of the forest's edges, none of them below the birth of an end.
pub(super) fn weighted_bars(forest: &Forest, births: &[f64], values: &[f64], threshold: f64) -> Vec<Bar> {
    let mut sets = DisjointSets::new(births.len());
    // Of each set, at its root: the birth of its oldest point.
    let mut oldest = births.to_vec();
    let mut bars = Vec::with_capacity(births.len());
    for edge in &forest.edges {
        let [u, v] = edge.vertices.map(|vertex| sets.find(vertex as usize));
        let (elder, younger) = (oldest[u].min(oldest[v]), oldest[u].max(oldest[v]));
        bars.push(Bar { birth: younger, death: values[edge.rank as usize] });
        sets.unite(u, v);
        oldest[sets.find(u)] = elder;
    }
    let roots = oldest.iter().enumerate().filter(|&(point, _)| sets.find(point) == point);
    bars.extend(roots.map(|(_, &birth)| Bar { birth, death: f64::INFINITY }));
    bars.retain(|bar| bar.death > bar.birth && bar.birth <= threshold);
    bars.sort_by(|a, b| a.death.total_cmp(&b.death).then(b.birth.total_cmp(&a.birth)));
    bars
}

/// A complex whose minimum spanning forest can be found.
pub trait Components: Complex {
    /// Steps of [`Components::forest`], as progress is told of them; 1 when it is not.
    fn forest_work(&self) -> u64;

    /// The minimum spanning forest; ranks have at most `rank_bits` bits.
    fn forest(&self, rank_bits: u32, progress: &dyn Progress) -> Forest;
}

/// Whether entries of edges fit 64 bits. They always fit 128: two vertices and a rank have at most 32 bits each.
fn is_narrow(points: usize, rank_bits: u32) -> bool {
    2 * vertex_bits(points) + rank_bits < u64::BITS
}

impl<R: Rank> Components for Dense<R> {
    fn forest_work(&self) -> u64 {
        self.points() as u64
    }

    fn forest(&self, rank_bits: u32, progress: &dyn Progress) -> Forest {
        if is_narrow(self.points(), rank_bits) {
            prim::<u64, R>(self, progress)
        } else {
            prim::<u128, R>(self, progress)
        }
    }
}

impl Components for Sparse {
    fn forest_work(&self) -> u64 {
        1
    }

    fn forest(&self, rank_bits: u32, _: &dyn Progress) -> Forest {
        if is_narrow(self.points(), rank_bits) { kruskal::<u64>(self) } else { kruskal::<u128>(self) }
    }
}

/// Prim's algorithm on a matrix. `progress` is told of every vertex that joins the forest.
fn prim<W: Word, R: Rank>(complex: &Dense<R>, progress: &dyn Progress) -> Forest {
    let n = complex.points();
    let (matrix, code) = (complex.matrix(), Code::<W>::new(n, 2));
    // Vertices outside the forest and the first edge that joins each to it, if any does.
    let mut outside: Vec<(u32, Option<W>)> = (0..n as u32).map(|v| (v, None)).collect();
    let (mut edges, mut trees) = (Vec::with_capacity(n), 0);
    let mut next = outside.len().checked_sub(1);
    while let Some(at) = next {
        let (u, edge) = outside.swap_remove(at);
        progress.advance(1);
        match edge {
            Some(edge) => edges.push(edge),
            None => trees += 1,
        }
        let row = matrix.row(u as usize);
        let mut best: Option<(W, usize)> = None;
        for (k, (v, first)) in outside.iter_mut().enumerate() {
            let rank = row[*v as usize].widen();
            if rank != ABSENT {
                let edge = code.entry(rank, [u.max(*v), u.min(*v)]);
                if first.is_none_or(|first| edge < first) {
                    *first = Some(edge);
                }
            }
            if let Some(first) = *first
                && best.is_none_or(|(least, _)| first < least)
            {
                best = Some((first, k));
            }
        }
        next = best.map(|(_, k)| k).or(outside.len().checked_sub(1));
    }
    Forest::of_entries(edges, &code, trees)
}

/// Kruskal's algorithm on an edge list.
fn kruskal<W: Word>(complex: &Sparse) -> Forest {
    let n = complex.points();
    let code = Code::<W>::new(n, 2);
    let mut edges = Vec::new();
    for u in 0..n as u32 {
        let (neighbours, ranks) = complex.row(u);
        let below = neighbours.iter().zip(ranks).take_while(|&(&v, _)| v < u);
        edges.extend(below.map(|(&v, &rank)| code.entry(rank, [u, v])));
    }
    edges.sort_unstable();
    let mut sets = DisjointSets::new(n);
    let mut vertices = Vec::with_capacity(2);
    edges.retain(|&edge| {
        code.vertices_of(edge, &mut vertices);
        sets.unite(vertices[0] as usize, vertices[1] as usize)
    });
    let trees = n - edges.len();
    Forest::of_entries(edges, &code, trees)
}

/// Union by size with path halving.
struct DisjointSets {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl DisjointSets {
    fn new(n: usize) -> Self {
        DisjointSets { parent: (0..n).collect(), size: vec![1; n] }
    }

    fn find(&mut self, mut x: usize) -> usize {
        while self.parent[x] != x {
            self.parent[x] = self.parent[self.parent[x]];
            x = self.parent[x];
        }
        x
    }

    /// Unites the sets of two points, and says whether they were different ones.
    fn unite(&mut self, x: usize, y: usize) -> bool {
        let (x, y) = (self.find(x), self.find(y));
        if x == y {
            return false;
        }
        let (small, large) = if self.size[x] < self.size[y] { (x, y) } else { (y, x) };
        self.parent[small] = large;
        self.size[large] += self.size[small];
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::complex::stride;
    use crate::simd::Level;

    #[test]
    fn both_algorithms_find_the_forest_with_either_word() {
        let (n, mut state) = (40, 9u32);
        let (mut edges, mut square) = (Vec::new(), vec![u32::MAX; n * stride(n)]);
        for i in 0..n as u32 {
            for j in 0..i {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // Some edges, with ties, of a graph that is not connected.
                if state >> 28 == 0 {
                    edges.push((i, j, (state >> 8) % 20));
                    square[i as usize * stride(n) + j as usize] = (state >> 8) % 20;
                    square[j as usize * stride(n) + i as usize] = (state >> 8) % 20;
                }
            }
        }
        let (graph, dense) = (Sparse::new(n, &edges).unwrap(), Dense::new(n, square, Level::detect()));
        let expected = kruskal::<u64>(&graph);
        assert!(expected.trees > 1 && expected.edges.len() + expected.trees == n);
        assert!(expected.edges.windows(2).all(|pair| pair[0].rank <= pair[1].rank));
        assert_eq!(kruskal::<u128>(&graph), expected);
        for rank_bits in [5, 32, 60] {
            assert_eq!(graph.forest(rank_bits, &()), expected);
            assert_eq!(dense.forest(rank_bits, &()), expected);
        }
    }
}
