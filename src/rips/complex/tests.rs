//! One conformance suite for every complex, which compares it with the definitions.

use super::*;
use crate::memory::Refused;
use crate::simd::{Level, Rank};

/// A symmetric table of ranks in which about one pair in eight is absent.
fn table(n: usize, ranks: u32, state: &mut u32) -> Vec<u32> {
    let mut table = vec![ABSENT; n * n];
    for i in 0..n {
        for j in 0..i {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let rank = if *state >> 29 == 0 { ABSENT } else { (*state >> 8) % ranks };
            table[i * n + j] = rank;
            table[j * n + i] = rank;
        }
    }
    table
}

fn dense<R: Rank>(n: usize, table: &[u32], level: Level) -> Dense<R> {
    let mut ranks = vec![<R as Rank>::MAX; n * stride(n)];
    for i in 0..n {
        for j in 0..n {
            ranks[i * stride(n) + j] = R::narrow(table[i * n + j]);
        }
    }
    Dense::new(n, ranks, level)
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

fn sparse(n: usize, table: &[u32], wants_bitsets: bool) -> Sparse {
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edges: Vec<(u32, u32, u32)> = pairs
        .map(|(i, j)| (i as u32, j as u32, table[i * n + j]))
        .filter(|&(_, _, rank)| rank != ABSENT)
        .collect();
    Sparse::of_edges(n, &edges, wants_bitsets).unwrap()
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
            let table = table(n, ranks, &mut state);
            for level in Level::available() {
                conforms(&dense::<u16>(n, &table, level), n, &table, &mut state);
                conforms(&dense::<u32>(n, &table, level), n, &table, &mut state);
            }
            for wants_bitsets in [true, false] {
                conforms(&sparse(n, &table, wants_bitsets), n, &table, &mut state);
            }
        }
    }
}

/// Hubs are adjacent to all vertices, others to few: the list of a hub has long stretches without elements of the other
/// lists.
#[test]
fn lists_of_very_different_lengths_are_walked_along() {
    let (n, mut state) = (200, 5);
    let mut table = table(n, 7, &mut state);
    for i in 0..n {
        for j in 0..n {
            let is_kept = i % 67 == 0 || j % 67 == 0 || (i * j) % 23 == 0;
            if !is_kept {
                table[i * n + j] = ABSENT;
            }
        }
    }
    let graph = sparse(n, &table, false);
    for _ in 0..5 {
        conforms(&graph, n, &table, &mut state);
    }
}
