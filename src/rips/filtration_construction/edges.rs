//! Dimension 1 of a sparse complex, from the neighbour lists alone.
//!
//! An edge needs no matrix of its neighbourhood. For a smaller vertex x, the ranks from x to all vertices are stored in
//! an array, which serves all edges {v, x} with v > x; a cofacet is found by going through the neighbours w of v and
//! looking up their ranks to x. Nearly every edge is in an apparent pair with a cofacet by one of the neighbours w > v
//! nearest to v ([`Sparse::near_above`]), so most edges are decided by reading one cache line. The others walk along
//! the neighbours of v or, if v is a hub, search for those of x among them.
//!
//! The result is that of the sweep of neighbourhoods (`single_simplex`), by the same consequences of the lemma in
//! [`apparent_pairs`](crate::rips::apparent_pairs). No edge is cleared by an apparent pair.

use super::sweep::Sink;
use super::{Construction, Parts, SimplexCounts};
use crate::rips::complex::{ABSENT, Complex, LONG, Sparse};

/// Enumerates the edges by their smaller vertices, which `parts` hands out.
pub(super) fn enumerate(
    complex: &Sparse,
    construction: &Construction<'_>,
    parts: &Parts<'_>,
    sink: &mut dyn Sink,
) -> SimplexCounts {
    let mut counts = SimplexCounts::default();
    let mut star = Star { complex, from: vec![ABSENT; complex.points()], x: 0 };
    while let Some(taken) = parts.take() {
        for x in taken {
            // Points are at most `MOST_POINTS`, so they fit 32 bits.
            star.x = x as u32;
            let (neighbours, ranks) = complex.row(star.x);
            neighbours.iter().zip(ranks).for_each(|(&w, &rank)| star.from[w as usize] = rank);
            let first = neighbours.partition_point(|&v| v < star.x);
            for (&v, &rank) in neighbours[first..].iter().zip(&ranks[first..]) {
                if !construction.lists_apparent() && star.has_near_cofacet(v, rank) {
                    counts.apparent += 1;
                    continue;
                }
                let cofacet = star.apparent_cofacet(v, rank);
                counts.apparent += u64::from(cofacet.is_some());
                if cofacet.is_none() || construction.lists_apparent() {
                    sink.receive(&[v, star.x], cofacet, rank);
                }
            }
            neighbours.iter().for_each(|&w| star.from[w as usize] = ABSENT);
            let edges = (neighbours.len() - first) as u64;
            counts.simplices += edges;
            construction.progress.advance(edges);
        }
    }
    counts
}

/// A vertex x and the ranks of its edges.
struct Star<'a> {
    complex: &'a Sparse,
    x: u32,
    /// The rank from x to each vertex, or `ABSENT`.
    from: Vec<u32>,
}

impl Star<'_> {
    /// Whether one of the vertices above `v` that are nearest to it is within reach of the edge {v, x}, whose rank is
    /// `rank`.
    fn has_near_cofacet(&self, v: u32, rank: u32) -> bool {
        let near = self.complex.near_above(v);
        near.iter().take_while(|near| near.rank <= rank).any(|near| self.from[near.vertex as usize] <= rank)
    }

    /// The vertex w of the cofacet in an apparent pair with the edge {v, x} of rank `rank`, if there is one.
    fn apparent_cofacet(&self, v: u32, rank: u32) -> Option<u32> {
        let (w, from_v) = self.greatest_cofacet(v, rank)?;
        // A facet that omits a vertex greater than w and has this rank is younger than the edge.
        let without_v = w < v && self.from[w as usize] == rank;
        let without_x = w < self.x && from_v == rank;
        (!without_v && !without_x).then_some(w)
    }

    /// The greatest vertex within reach of the edge {v, x}, and the rank of its edge to `v`.
    fn greatest_cofacet(&self, v: u32, rank: u32) -> Option<(u32, u32)> {
        let (of_v, ranks_v) = self.complex.row(v);
        let (of_x, ranks_x) = self.complex.row(self.x);
        if of_v.len() / LONG > of_x.len() {
            let near = of_x.iter().zip(ranks_x).rev().filter(|&(_, &from_x)| from_x <= rank);
            let mut cofacets = near.map(|(&w, _)| (w, self.edge(v, w)));
            return cofacets.find(|&(_, from_v)| from_v <= rank);
        }
        let near = of_v.iter().zip(ranks_v).rev().filter(|&(_, &from_v)| from_v <= rank);
        let mut cofacets = near.map(|(&w, &from_v)| (w, from_v));
        cofacets.find(|&(w, _)| self.from[w as usize] <= rank)
    }

    /// The rank of {v, w}, or `ABSENT` if both are the same vertex.
    fn edge(&self, v: u32, w: u32) -> u32 {
        if v == w { ABSENT } else { self.complex.edge(v, w) }
    }
}
