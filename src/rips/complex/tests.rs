//! One conformance suite for every complex, which compares it with the definitions.

use std::cmp::Reverse;

use super::*;
use crate::memory::Refused;
use crate::simd::{Level, Rank};

/// Edges (i, j, rank), i > j.
pub(in crate::rips) type RankedEdges = Vec<(u32, u32, u32)>;

/// Some pairs of n points as edges with random ranks below `ranks`: `kept` of 256 pairs on average.
pub(in crate::rips) fn random_edges(n: usize, ranks: u32, kept: u32, state: &mut u32) -> RankedEdges {
    let mut edges = Vec::new();
    for i in 0..n as u32 {
        for j in 0..i {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if *state >> 24 < kept {
                edges.push((i, j, (*state >> 8) % ranks));
            }
        }
    }
    edges
}

/// Edges in filtration order.
pub(in crate::rips) fn in_order(edges: &[(u32, u32, u32)]) -> Vec<RankedEdge> {
    let edge = |&(i, j, rank)| RankedEdge { rank, vertices: [i, j] };
    let mut order: Vec<RankedEdge> = edges.iter().map(edge).collect();
    order.sort_unstable_by_key(|edge| (edge.rank, Reverse(edge.vertices)));
    order
}

/// The ranks of all pairs of n points, row by row.
pub(in crate::rips) fn table(n: usize, edges: &[(u32, u32, u32)]) -> Vec<u32> {
    let mut table = vec![ABSENT; n * n];
    for &(i, j, rank) in edges {
        table[i as usize * n + j as usize] = rank;
        table[j as usize * n + i as usize] = rank;
    }
    table
}

impl<R: Rank> Dense<R> {
    /// The matrix of these edges (i, j, rank).
    pub(in crate::rips) fn of_edges(n: usize, edges: &[(u32, u32, u32)], level: Level) -> Self {
        let mut ranks = vec![<R as Rank>::MAX; n * stride(n)];
        for (row, of_table) in ranks.chunks_mut(stride(n).max(1)).zip(table(n, edges).chunks(n.max(1))) {
            row.iter_mut().zip(of_table).for_each(|(rank, &of_table)| *rank = R::narrow(of_table));
        }
        Dense::new(n, ranks, level)
    }
}

impl Sparse {
    /// The graph with these edges (i, j, rank), with bitsets where they pay.
    pub(crate) fn new(n: usize, edges: &[(u32, u32, u32)]) -> Result<Self, Refused> {
        Sparse::of_edges(n, edges, Sparse::gains_by_bitsets(n, edges.len()))
    }

    fn of_edges(n: usize, edges: &[(u32, u32, u32)], wants_bitsets: bool) -> Result<Self, Refused> {
        let (pairs, ranks): (Vec<_>, Vec<_>) = edges.iter().map(|&(i, j, rank)| ((i, j), rank)).unzip();
        Sparse::made(n, &pairs, &ranks, wants_bitsets)
    }
}

fn conforms(complex: &impl Complex, n: usize, table: &[u32], state: &mut u32) {
    assert_eq!(complex.points(), n);
    for _ in 0..60 {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let mut simplex: Vec<u32> = (0..1 + (*state >> 30)).map(|k| (*state >> (7 * k)) % n as u32).collect();
        simplex.sort_unstable_by(|a, b| b.cmp(a));
        simplex.dedup();
        let edge = |u: u32, v: u32| table[u as usize * n + v as usize];
        let mut rank = 0;
        for (k, &u) in simplex.iter().enumerate() {
            for &v in &simplex[..k] {
                assert_eq!(complex.edge(u, v), edge(u, v));
                rank = rank.max(edge(u, v));
            }
        }
        if rank == ABSENT {
            continue;
        }
        let reach = |w: u32| simplex.iter().map(|&v| edge(v, w)).fold(rank, u32::max);
        let outside = || (0..n as u32).filter(|w| !simplex.contains(w));
        let cofacet = |w: u32| Cofacet { vertex: w, rank: reach(w) };
        let expected: Vec<Cofacet> = outside().map(cofacet).filter(|c| c.rank != ABSENT).collect();
        for band in [(0, ABSENT - 1), (rank, rank), (rank + 1, ABSENT - 1), (1, 1), (rank, rank + 300)] {
            let band = Band { from: band.0, to: band.1 };
            let mut found = vec![Cofacet { vertex: 7, rank: 7 }];
            for floor in [0, 1, n as u32 / 3, n as u32 - 1, n as u32] {
                complex.cofacets(&simplex, rank, band, floor, &mut found);
                let wanted = |c: &&Cofacet| band.contains(c.rank) && c.vertex >= floor;
                assert!(expected.iter().filter(wanted).eq(&found));
            }
        }
        let oldest = expected.iter().copied().min_by_key(|c| (c.rank, u32::MAX - c.vertex));
        assert_eq!(complex.oldest_cofacet(&simplex, rank), oldest);
        for floor in [0, 1, n as u32 / 2, n as u32 - 1, n as u32] {
            let greatest = outside().rev().find(|&w| w >= floor && reach(w) == rank);
            assert_eq!(complex.greatest_cofacet(&simplex, rank, floor), greatest);
        }
    }
}

#[test]
fn every_complex_finds_the_same_cofacets() {
    let mut state = 3;
    for n in [1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100] {
        for ranks in [1, 3, 1000] {
            let edges = random_edges(n, ranks, 224, &mut state);
            let table = table(n, &edges);
            for level in Level::available() {
                conforms(&Dense::<u16>::of_edges(n, &edges, level), n, &table, &mut state);
                conforms(&Dense::<u32>::of_edges(n, &edges, level), n, &table, &mut state);
            }
            for wants_bitsets in [true, false] {
                let graph = Sparse::of_edges(n, &edges, wants_bitsets).unwrap();
                conforms(&graph, n, &table, &mut state);
            }
        }
    }
}

/// Hubs are adjacent to all vertices, others to few: the list of a hub has long stretches without elements of the other
/// lists.
#[test]
fn lists_of_very_different_lengths_are_walked_along() {
    let (n, mut state) = (200, 5);
    let mut edges = random_edges(n, 7, 224, &mut state);
    edges.retain(|&(i, j, _)| i % 67 == 0 || j % 67 == 0 || (i * j) % 23 == 0);
    let graph = Sparse::of_edges(n, &edges, false).unwrap();
    for _ in 0..5 {
        conforms(&graph, n, &table(n, &edges), &mut state);
    }
}
