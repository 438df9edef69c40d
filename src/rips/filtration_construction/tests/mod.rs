//! Filtration construction compared with the definitions, simplex by simplex.

mod devices;
pub(in crate::rips) mod stand_in;

use std::collections::BTreeMap;

use super::*;
use crate::rips::code::Code;
use crate::rips::complex::tests::{RankedEdges, random_edges, table};
use crate::rips::complex::{ABSENT, Dense, Sparse};
use crate::rips::pair_store::Pivots;
use crate::simd::{Level, Rank};

/// A complex given by the table of its ranks, with everything computed from the definitions.
struct Table {
    n: usize,
    ranks: Vec<u32>,
}

impl Table {
    /// Random ranks below `ranks`; `absent` of eight pairs are no edges, on average.
    fn random(n: usize, ranks: u32, absent: u32, state: &mut u32) -> Self {
        Table { n, ranks: table(n, &random_edges(n, ranks, 256 - 32 * absent, state)) }
    }

    /// All simplices of a dimension, vertices descending, with their ranks.
    fn simplices(&self, dim: usize) -> Vec<(Vec<u32>, u32)> {
        let mut all: Vec<(Vec<u32>, u32)> = (0..self.n as u32).map(|v| (vec![v], 0)).collect();
        for _ in 0..dim {
            let extend = |(simplex, rank): &(Vec<u32>, u32)| {
                let (simplex, rank) = (simplex.clone(), *rank);
                (0..simplex[simplex.len() - 1]).filter_map(move |v| {
                    let edge = |&u: &u32| self.ranks[u as usize * self.n + v as usize];
                    let rank = simplex.iter().map(edge).fold(rank, u32::max);
                    (rank != ABSENT).then(|| (simplex.iter().copied().chain([v]).collect(), rank))
                })
            };
            all = all.iter().flat_map(extend).collect();
        }
        all
    }

    /// All zero apparent pairs (σ, τ) with σ of dimension `dim`, as a map from σ to τ.
    fn apparent(&self, dim: usize) -> BTreeMap<Vec<u32>, Vec<u32>> {
        let mut oldest: BTreeMap<Vec<u32>, (u32, Vec<u32>)> = BTreeMap::new();
        let mut youngest: BTreeMap<Vec<u32>, (u32, Vec<u32>)> = BTreeMap::new();
        let ranks: BTreeMap<Vec<u32>, u32> = self.simplices(dim).into_iter().collect();
        for (cofacet, rank) in self.simplices(dim + 1) {
            for omitted in 0..cofacet.len() {
                let mut facet = cofacet.clone();
                facet.remove(omitted);
                // Older: smaller rank, then greater vertices; younger the other way round.
                let best = oldest.entry(facet.clone()).or_insert((rank, cofacet.clone()));
                if rank < best.0 || rank == best.0 && cofacet > best.1 {
                    *best = (rank, cofacet.clone());
                }
                let own = ranks[&facet];
                let best = youngest.entry(cofacet.clone()).or_insert((own, facet.clone()));
                if own > best.0 || own == best.0 && facet < best.1 {
                    *best = (own, facet);
                }
            }
        }
        let zero = |(facet, (rank, cofacet)): (Vec<u32>, (u32, Vec<u32>))| {
            (rank == ranks[&facet] && youngest[&cofacet].1 == facet).then_some((facet, cofacet))
        };
        oldest.into_iter().filter_map(zero).collect()
    }

    fn edges(&self) -> RankedEdges {
        self.simplices(1).iter().map(|(edge, rank)| (edge[0], edge[1], *rank)).collect()
    }

    fn dense<R: Rank>(&self, level: Level) -> Dense<R> {
        Dense::of_edges(self.n, &self.edges(), level)
    }

    fn sparse(&self) -> Sparse {
        Sparse::new(self.n, &self.edges()).unwrap()
    }
}

/// The expected result of construction when layer 1 holds every third of the undecided simplices.
struct Expected {
    cleared: Vec<u64>,
    columns: Vec<u64>,
    cofacets: Vec<u64>,
    counts: SimplexCounts,
}

fn expected(table: &Table, dim: usize) -> Expected {
    let (code, up) = (Code::<u64>::new(table.n, dim + 1), Code::<u64>::new(table.n, dim + 2));
    let apparent = table.apparent(dim);
    let below = if dim > 1 { table.apparent(dim - 1) } else { BTreeMap::new() };
    let deaths: Vec<&Vec<u32>> = below.values().collect();
    let mut counts = SimplexCounts::default();
    let mut undecided = Vec::new();
    let mut cofacets = Vec::new();
    for (simplex, rank) in table.simplices(dim) {
        counts.simplices += 1;
        if deaths.contains(&&simplex) {
            counts.cleared += 1;
        } else if let Some(cofacet) = apparent.get(&simplex) {
            counts.apparent += 1;
            cofacets.push(up.entry(rank, cofacet.iter().copied()));
        } else {
            undecided.push(code.entry(rank, simplex));
        }
    }
    cofacets.sort_unstable();
    undecided.sort_unstable_by(|a, b| b.cmp(a));
    let cleared: Vec<u64> = undecided.iter().copied().step_by(3).collect();
    undecided.retain(|entry| !cleared.contains(entry));
    counts.cleared += cleared.len() as u64;
    Expected { cleared, columns: undecided, cofacets, counts }
}

/// Compares the residues of one complex with both kinds of layer 2.
fn conforms(table: &Table, dim: usize, rank_width: u32, complex: &dyn Enumerate) {
    conforms_cut(table, dim, rank_width, complex, MOST_VERTICES);
}

/// Like [`conforms`], with the neighbourhoods of a sparse complex cut down to `most_vertices` vertices.
fn conforms_cut(table: &Table, dim: usize, rank_width: u32, complex: &dyn Enumerate, most_vertices: usize) {
    let expected = expected(table, dim);
    let pivots = Pivots::with_capacity(expected.cleared.len()).unwrap();
    expected.cleared.iter().for_each(|&entry| pivots.insert(entry, 0).unwrap());
    for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
        let construction = Construction { most_vertices, ..Construction::new(dim, layer, rank_width, &()) };
        let found = construct(complex, &construction, &pivots);
        assert_eq!(found.columns, expected.columns, "n = {}, dimension {dim}, {layer:?}", table.n);
        assert_eq!(found.counts, expected.counts, "n = {}, dimension {dim}, {layer:?}", table.n);
        match &found.apparent {
            ApparentPairs::Sorted(cofacets) => assert_eq!(cofacets, &expected.cofacets),
            _ => assert_eq!(layer, SecondLayer::Implicit),
        }
    }
}

#[test]
fn the_residue_is_what_the_definitions_say() {
    let mut state = 11;
    for (n, max_dim) in [(2, 1), (3, 2), (9, 4), (12, 6), (17, 3), (33, 2)] {
        for ranks in [1, 2, 5, 1000] {
            for absent in [0, 1, 4] {
                let table = Table::random(n, ranks, absent, &mut state);
                for dim in 1..=max_dim {
                    for level in Level::available() {
                        let (narrow, wide) = (table.dense::<u16>(level), table.dense::<u32>(level));
                        conforms(&table, dim, 16, &narrow);
                        conforms(&table, dim, 32, &wide);
                    }
                    let graph = table.sparse();
                    conforms(&table, dim, 16, &graph);
                    for most in [0, 3, 6] {
                        conforms_cut(&table, dim, 32, &graph, most);
                    }
                }
            }
        }
    }
}

impl Table {
    /// A graph in which the hubs are adjacent to all points, and the other points to few of each other. Neighbours of
    /// the hubs have long lists in comparison with the neighbourhoods of the others.
    fn with_hubs(n: usize, hubs: &[usize], state: &mut u32) -> Self {
        let mut table = Table::random(n, 6, 0, state);
        for i in 0..n {
            for j in 0..i {
                let joined = hubs.contains(&i) || hubs.contains(&j) || (i * 7 + j * 3) % (n / 3) == 0;
                if !joined {
                    (table.ranks[i * n + j], table.ranks[j * n + i]) = (ABSENT, ABSENT);
                }
            }
        }
        table
    }
}

/// Sets of hubs among n points: the first, middle and last point, alone and combined.
fn sets_of_hubs(n: usize) -> [Vec<usize>; 5] {
    [vec![0], vec![n / 2], vec![n - 1], vec![0, n - 1], vec![0, 1, n / 2 + 5]]
}

#[test]
fn the_residue_around_hubs_is_what_the_definitions_say() {
    let (n, mut state) = (70, 15);
    for hubs in sets_of_hubs(n) {
        let table = Table::with_hubs(n, &hubs, &mut state);
        let graph = table.sparse();
        conforms(&table, 1, 16, &graph);
        for dim in 1..=3 {
            for most in [0, 5, 20, 2048] {
                conforms_cut(&table, dim, 16, &graph, most);
            }
        }
    }
}

/// The undecided simplices that a device would return, split into two parts, give the residue of the CPU.
#[test]
fn undecided_of_several_parts_are_merged_and_checked() {
    let mut state = 17;
    let table = Table::random(12, 5, 1, &mut state);
    let (dim, expected) = (2, expected(&table, 2));
    let (nothing, code) = (Pivots::<u64>::with_capacity(0).unwrap(), Code::<u64>::new(table.n, dim + 1));
    let construction = Construction::new(dim, SecondLayer::Sorted, 16, &());
    let own = construct(&table.sparse(), &construction, &nothing);
    let ApparentPairs::Sorted(cofacets) = &own.apparent else { panic!("they were asked for") };
    // Each part has every other entry: columns descend, cofacets ascend.
    let parts =
        |entries: Vec<u64>| [0, 1].map(|k| entries.iter().copied().skip(k).step_by(2).collect()).to_vec();
    let swept = || Undecided {
        columns: parts(own.columns.clone()),
        cofacets: parts(cofacets.clone()),
        pair_store: PairStoreStats::default(),
        counts: own.counts,
        seconds: 0.0,
    };
    assert_eq!(swept().check(&own, &code), Ok(()));
    let mut wrong = swept();
    wrong.columns[1].pop();
    let difference = wrong.check(&own, &code).unwrap_err().to_string();
    assert!(difference.starts_with("residue, column "), "{difference}");
    let mut wrong = swept();
    wrong.cofacets.clear();
    let difference = wrong.check(&own, &code).unwrap_err().to_string();
    assert!(difference.starts_with("apparent pairs, cofacet 0: None on the device, Some("), "{difference}");

    let pivots = Pivots::with_capacity(expected.cleared.len()).unwrap();
    expected.cleared.iter().for_each(|&entry| pivots.insert(entry, 0).unwrap());
    let found = swept().clear(&pivots, SecondLayer::Sorted);
    assert_eq!((found.columns, found.counts), (expected.columns, expected.counts));
    assert!(matches!(found.apparent, ApparentPairs::Sorted(found) if found == expected.cofacets));
}
