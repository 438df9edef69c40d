//! Dimension 0: the minimum spanning forest in filtration order.
//!
//! A vertex dies with the edge that joins its component to an older one: the edges of the minimum spanning forest
//! under the strict order (rank ↑, index ↓) are the deaths, and one essential bar a component remains. Kruskal's
//! algorithm on edge lists, Prim's on a matrix: n² comparisons, and the edges are never sorted.

use super::Progress;
use super::code::Code;
use super::complex::{ABSENT, Complex, Dense, Sparse};
use super::word::Word;
use crate::simd::Rank;

/// The forest: its edges in filtration order and the number of its trees.
#[derive(Debug, PartialEq)]
pub struct Forest<W> {
    /// Entries of the edges, ascending.
    pub edges: Vec<W>,
    /// Connected components.
    pub trees: usize,
}

/// Prim's algorithm on a matrix. `progress` is told of every vertex that joins the forest.
pub fn prim<W: Word, R: Rank>(complex: &Dense<R>, code: &Code<W>, progress: &dyn Progress) -> Forest<W> {
    let n = complex.points();
    let tile = complex.tile();
    // Vertices outside the forest and the first edge that joins each to it, if any does.
    let mut outside: Vec<(u32, Option<W>)> = (0..n as u32).map(|v| (v, None)).collect();
    let mut forest = Forest { edges: Vec::with_capacity(n), trees: 0 };
    let mut next = outside.len().checked_sub(1);
    while let Some(at) = next {
        let (u, edge) = outside.swap_remove(at);
        progress.advance(1);
        match edge {
            Some(edge) => forest.edges.push(edge),
            None => forest.trees += 1,
        }
        let row = tile.row(u as usize);
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
    forest.edges.sort_unstable();
    forest
}

/// Kruskal's algorithm on an edge list.
pub fn kruskal<W: Word>(complex: &Sparse, code: &Code<W>) -> Forest<W> {
    let n = complex.points();
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
    Forest { trees: n - edges.len(), edges }
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

    /// Whether they were apart.
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
