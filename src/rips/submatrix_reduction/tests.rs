//! The queue against a sorted map, and reduction with every word and field against each other.

use std::collections::BTreeMap;

use super::queue::{COMPACT, Queue};
use super::*;
use crate::disjoint_sets::DisjointSets;
use crate::rips::complex::apparent_pairs::cofacet_of;
use crate::rips::complex::{ABSENT, Band, Cofacet, Dense, Sparse, rank_of};
use crate::rips::field::{Modulo, Two};
use crate::rips::random::random;
use crate::simd::{Level, Rank};

/// Against a sorted map, with pushes between the pops and a small range so that much cancels.
fn conforms<W: Word, F: Field<Sum: PartialEq>>(field: F, coefficient: impl Fn(u64) -> F::Coefficient) {
    let mut state = 7;
    for round in 0..50 {
        let mut queue = Queue::<W, F>::new(field);
        queue.reset(W::ZERO);
        let mut map: BTreeMap<W, F::Sum> = BTreeMap::new();
        let range = 1 + random(&mut state) % if round % 2 == 0 { 40 } else { 100_000 };
        let mut last = W::ZERO;
        for _ in 0..200 {
            for _ in 0..random(&mut state) % 30 {
                let entry = (W::from_u32((random(&mut state) % range) as u32) << 20) | W::from_u32(3);
                let c = coefficient(random(&mut state));
                queue.push((entry, c));
                if entry >= last {
                    let sum = map.entry(entry).or_insert(F::ZERO);
                    *sum = field.add(*sum, c);
                }
            }
            map.retain(|_, sum| field.non_zero(*sum).is_some());
            let expected = map.pop_first().map(|(e, sum)| (e, field.non_zero(sum).unwrap()));
            let found = queue.pop();
            assert_eq!(found, expected);
            let Some((pivot, _)) = found else { break };
            last = pivot;
        }
    }
}

#[test]
fn pops_what_a_sorted_map_pops() {
    conforms::<u64, _>(Two, |_| ());
    conforms::<u128, _>(Two, |_| ());
    conforms::<u64, _>(Modulo::new(3), |x| 1 + (x % 2) as u16);
    conforms::<ruint::aliases::U512, _>(Modulo::new(65_521), |x| 1 + (x % 65_520) as u16);
}

#[test]
fn cancelled_entries_do_not_pile_up() {
    let mut queue = Queue::<u64, Two>::new(Two);
    queue.reset(0);
    for k in 0..10_000_000u64 {
        queue.push((1_000_000 + k % 5, ()));
    }
    assert!(queue.buckets.iter().map(Vec::len).sum::<usize>() < 2 * COMPACT);
}

/// Ranked edges of a random graph with ties.
fn edges(n: u32, state: &mut u64) -> Vec<(u32, u32, u32)> {
    let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let ranked = pairs.map(|(i, j)| (i, j, (random(state) % 40) as u32));
    ranked.filter(|&(_, _, rank)| rank < 30).collect()
}

fn dense<R: Rank>(n: usize, edges: &[(u32, u32, u32)]) -> Dense<R> {
    Dense::of_edges(n, edges, Level::detect())
}

impl<'a, W: Word> Submatrix<'a, W> {
    /// The matrix with these columns of a dimension, with ranks up to `ranks`, none of which is walked or annotated.
    pub(super) fn of_columns(
        complex: &'a dyn Complex,
        dim: usize,
        ranks: u32,
        columns: &'a [W],
        apparent: &'a ApparentPairs<W>,
    ) -> Self {
        let [code, cofacet_code] = [dim + 1, dim + 2].map(|vertices| Code::new(complex.points(), vertices));
        Submatrix {
            complex,
            code,
            cofacet_code,
            ranks,
            edges: ranks as usize,
            walkers: 0,
            columns,
            apparent,
            times_store: false,
            only_bars: false,
            gives_up: false,
            tied: &[],
            progress: &(),
        }
    }
}

/// Removes the edges that join two components from a list in filtration order.
fn clear_joining<W: Word>(edges: &mut Vec<W>, code: &Code<W>, n: usize) {
    let (mut components, mut ends) = (DisjointSets::new(n), Vec::new());
    edges.retain(|&edge| {
        code.vertices_of(edge, &mut ends);
        !components.unite(ends[0] as usize, ends[1] as usize)
    });
}

/// Computes with the matrix whose columns are all edges that join no two components.
fn with_submatrix<W: Word, T>(
    complex: &dyn Complex,
    edges: &[(u32, u32, u32)],
    compute: impl FnOnce(&Submatrix<'_, W>) -> T,
) -> T {
    let (n, code) = (complex.points(), Code::<W>::new(complex.points(), 2));
    let mut columns: Vec<W> = edges.iter().map(|&(i, j, rank)| code.entry(rank, [i, j])).collect();
    columns.sort_unstable();
    clear_joining(&mut columns, &code, n);
    columns.reverse();
    let apparent = ApparentPairs::Sorted(Vec::new());
    let submatrix = Submatrix::of_columns(complex, 1, 30, &columns, &apparent);
    compute(&Submatrix { edges: edges.len(), ..submatrix })
}

/// The pairs of the edges with triangles, as ranks and vertices.
fn pairs<W: Word, F: Field>(
    complex: &dyn Complex,
    edges: &[(u32, u32, u32)],
    field: F,
) -> Vec<Option<(u32, Vec<u32>)>> {
    with_submatrix(complex, edges, |submatrix| {
        let code = submatrix.cofacet_code;
        let named = |pivot: Option<W>| {
            let mut vertices = Vec::new();
            pivot.map(|pivot| {
                code.vertices_of(pivot, &mut vertices);
                (code.rank(pivot), vertices)
            })
        };
        reduce(submatrix, field, None).unwrap().unwrap().pivots.into_iter().map(named).collect()
    })
}

/// Pivots are different simplices of the complex, and have its ranks.
fn assert_are_cofacets(pivots: &[Option<u64>], complex: &dyn Complex, code: Code<u64>) {
    let mut cofacets: Vec<u64> = pivots.iter().copied().flatten().collect();
    let count = cofacets.len();
    cofacets.sort_unstable();
    cofacets.dedup();
    assert_eq!(cofacets.len(), count);
    let mut vertices = Vec::new();
    for cofacet in cofacets {
        code.vertices_of(cofacet, &mut vertices);
        assert_eq!(vertices.len(), code.vertices() as usize);
        assert_eq!(rank_of(complex, &vertices), code.rank(cofacet));
    }
}

/// Annotations give each edge the triangle that the reduction gives it; for bars alone, one of the same rank, of its
/// own, and of the complex.
#[test]
fn annotations_find_the_pairs_of_the_reduction() {
    let mut state = 5;
    for round in 0..40 {
        let (n, most) = ([4, 9, 20, 40, 70][round % 5], [1, 2, 5, 30, 3000][round / 5 % 5]);
        let mut edges = edges(n, &mut state);
        edges.iter_mut().for_each(|(_, _, rank)| *rank = random(&mut state) as u32 % most);
        let n = n as usize;
        let complexes: [&dyn Complex; 2] = [&dense::<u16>(n, &edges), &Sparse::new(n, &edges).unwrap()];
        for complex in complexes {
            with_submatrix::<u64, _>(complex, &edges, |submatrix| {
                let submatrix = Submatrix { ranks: most, ..*submatrix };
                let expected = reduce(&submatrix, Two, None).unwrap().unwrap().pivots;
                let annotated = |walkers, only_bars| {
                    let submatrix = Submatrix { walkers, only_bars, ..submatrix };
                    let shared = Shared::new(&submatrix, Two, None, None).unwrap();
                    let (counts, _) = annotate(&shared).unwrap();
                    shared.into_reduction(counts, None).unwrap().pivots
                };
                // Without tables for classes, with one, and with as many as there can be.
                for walkers in [2, 3, usize::MAX] {
                    assert_eq!(annotated(walkers, false), expected, "{n} {most} {walkers}");
                    let (pivots, code) = (annotated(walkers, true), submatrix.cofacet_code);
                    let rank = |pivot: &Option<u64>| pivot.map(|pivot| code.rank(pivot));
                    assert!(pivots.iter().map(rank).eq(expected.iter().map(rank)), "{n} {most} {walkers}");
                    assert_are_cofacets(&pivots, complex, code);
                }
            });
        }
    }
}

#[test]
fn every_word_field_and_complex_reduces_to_the_same_pairs() {
    let mut state = 3;
    for n in [3, 8, 17, 30] {
        let edges = edges(n, &mut state);
        let n = n as usize;
        let expected = pairs::<u64, _>(&dense::<u16>(n, &edges), &edges, Two);
        assert!(n < 8 || expected.iter().flatten().count() > n);
        let complexes: [&dyn Complex; 2] = [&dense::<u32>(n, &edges), &Sparse::new(n, &edges).unwrap()];
        for complex in complexes {
            assert_eq!(complex.edge(0, 1) == ABSENT, !edges.iter().any(|&(i, j, _)| (i, j) == (1, 0)));
            assert_eq!(pairs::<u64, _>(complex, &edges, Modulo::new(2)), expected);
            assert_eq!(pairs::<u128, _>(complex, &edges, Two), expected);
            assert_eq!(pairs::<ruint::aliases::U512, _>(complex, &edges, Modulo::new(2)), expected);
            let by_three = pairs::<u64, _>(complex, &edges, Modulo::new(3));
            assert_eq!(pairs::<ruint::aliases::U512, _>(complex, &edges, Modulo::new(3)), by_three);
        }
    }
}

/// Computes with the matrix whose columns are the simplices of a dimension that are in no apparent pair with a cofacet,
/// of ranks up to `ranks`.
fn with_submatrix_besides_apparent<T>(
    complex: &dyn Complex,
    dim: usize,
    ranks: u32,
    compute: impl FnOnce(&Submatrix<'_, u64>) -> T,
) -> T {
    let n = complex.points();
    let code = Code::<u64>::new(n, dim + 1);
    let mut simplices: Vec<Vec<u32>> = (0..n as u32).map(|v| vec![v]).collect();
    for _ in 0..dim {
        let joined = |simplex: &Vec<u32>| {
            let below = simplex[simplex.len() - 1];
            let joined = (0..below).filter(|&v| simplex.iter().all(|&u| complex.edge(u, v) != ABSENT));
            joined.map(|v| [simplex.as_slice(), &[v]].concat()).collect::<Vec<_>>()
        };
        simplices = simplices.iter().flat_map(joined).collect();
    }
    let entry = |simplex: &Vec<u32>| code.entry(rank_of(complex, simplex), simplex.iter().copied());
    let mut columns: Vec<u64> = simplices.iter().map(entry).collect();
    columns.sort_unstable();
    if dim == 1 {
        clear_joining(&mut columns, &code, n);
    }
    let mut vertices = Vec::new();
    columns.retain(|&column| {
        code.vertices_of(column, &mut vertices);
        cofacet_of(complex, &vertices, code.rank(column)).is_none()
    });
    columns.reverse();
    compute(&Submatrix::of_columns(complex, dim, ranks, &columns, &ApparentPairs::Implicit))
}

/// The pairs of these columns and their cochains, which are checked.
fn pairs_besides_apparent<F: Field>(
    complex: &dyn Complex,
    dim: usize,
    ranks: u32,
    field: F,
    walkers: usize,
) -> Reduction<u64> {
    with_submatrix_besides_apparent(complex, dim, ranks, |submatrix| {
        let submatrix = Submatrix { walkers, ..*submatrix };
        let mut all = |pivots: &[Option<u64>]| (0..pivots.len()).collect();
        let wanted = Wanted { columns: &mut all, last_rank: &|_| u32::MAX, are_unique: true };
        let reduction = reduce(&submatrix, field, Some(wanted)).unwrap().unwrap();
        for (j, &pivot) in reduction.pivots.iter().enumerate() {
            assert_eq!(coboundary(&submatrix, &reduction.cochains[&j]).first().copied(), pivot);
        }
        reduction
    })
}

/// The entries of a coboundary over Z/2, ascending.
fn coboundary(submatrix: &Submatrix<'_, u64>, cochain: &[Multiple<u64>]) -> Vec<u64> {
    let Submatrix { complex, code, cofacet_code, .. } = submatrix;
    let mut sums: BTreeMap<u64, u16> = BTreeMap::new();
    for &(entry, c) in cochain {
        let (mut vertices, mut found) = (Vec::new(), Vec::new());
        code.vertices_of(entry, &mut vertices);
        complex.cofacets(&vertices, code.rank(entry), Band { from: 0, to: ABSENT - 1 }, 0, &mut found);
        for Cofacet { vertex, rank } in found {
            let mut cofacet = vertices.clone();
            let place = cofacet.partition_point(|&other| other > vertex);
            cofacet.insert(place, vertex);
            *sums.entry(cofacet_code.entry(rank, cofacet)).or_default() += c;
        }
    }
    sums.into_iter().filter(|&(_, sum)| !sum.is_multiple_of(2)).map(|(entry, _)| entry).collect()
}

/// All pairs of n points but some, in random order.
fn shuffled_edges(n: u32, all: bool, state: &mut u64) -> Vec<(u32, u32, u32)> {
    let mut edges: Vec<(u32, u32, u32)> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j, 0))).collect();
    edges.retain(|_| all || !random(state).is_multiple_of(4));
    for k in (1..edges.len()).rev() {
        let other = random(state) as usize % (k + 1);
        edges.swap(k, other);
    }
    edges
}

/// For bars alone, walked and annotated triangles get tetrahedra of the ranks that the reduction entry by entry gives
/// them, tetrahedra of the complex and different ones. The cochains of annotated triangles are zero where they have to
/// be.
#[test]
fn triangles_of_bars_get_tetrahedra_of_the_right_rank() {
    let mut state = 17;
    let (mut deaths, mut essential) = (0, 0);
    for round in 0..30 {
        let n = [5, 9, 14, 22, 30][round % 5];
        let mut edges = shuffled_edges(n, round % 3 == 0, &mut state);
        // All different, or some alike.
        let alike = [1, 6, 1, 4][round % 4];
        let rank = |k: u32| if k % alike < alike / 2 { k } else { k - k % alike };
        (0..).zip(&mut edges).for_each(|(k, edge)| edge.2 = rank(k));
        let ranks = edges.len() as u32;
        let complexes: [&dyn Complex; 2] =
            [&dense::<u16>(n as usize, &edges), &Sparse::new(n as usize, &edges).unwrap()];
        for complex in complexes {
            with_submatrix_besides_apparent(complex, 2, ranks, |submatrix| {
                let Submatrix { code, cofacet_code, columns, .. } = *submatrix;
                let rank = |pivot: &Option<u64>| pivot.map(|pivot| cofacet_code.rank(pivot));
                let expected = reduce(submatrix, Modulo::new(2), None).unwrap().unwrap().pivots;
                let expected: Vec<Option<u32>> = expected.iter().map(rank).collect();
                let submatrix = Submatrix { walkers: usize::MAX, only_bars: true, ..*submatrix };
                let walked = Shared::new(&submatrix, Two, None, None).unwrap();
                let counts = reduce_columns(&walked).unwrap();
                let walked = walked.into_reduction(counts, None).unwrap().pivots;
                assert!(walked.iter().map(rank).eq(expected.iter().copied()), "{edges:?}");

                // Ranks of which ten at a time are equally long.
                let last_rank = |rank: u32| rank / 10 * 10 + 9;
                let mut all = |pivots: &[Option<u64>]| (0..pivots.len()).collect();
                let wanted = Wanted { columns: &mut all, last_rank: &last_rank, are_unique: false };
                let annotated = Shared::new(&submatrix, Two, Some(&wanted), None).unwrap();
                let counts = annotate_triangles(&annotated, Some(&last_rank)).unwrap().unwrap();
                let Reduction { pivots, cochains, .. } =
                    annotated.into_reduction(counts, Some(wanted)).unwrap();
                assert!(pivots.iter().map(rank).eq(expected.iter().copied()), "{edges:?}");
                assert_are_cofacets(&pivots, complex, cofacet_code);
                for (j, death) in expected.into_iter().enumerate() {
                    let last = last_rank(code.rank(columns[j]));
                    if death.is_some_and(|death| death <= last) {
                        continue;
                    }
                    // The coboundary is zero on the tetrahedra of ranks up to the last.
                    let cochain = &cochains[&j];
                    assert_eq!(cochain.first(), Some(&(columns[j], 1)));
                    assert!(cochain.iter().all(|&(triangle, _)| code.rank(triangle) <= last));
                    let first = coboundary(&submatrix, cochain).first().copied();
                    assert!(first.is_none_or(|first| cofacet_code.rank(first) > last), "{edges:?} {j}");
                    deaths += usize::from(death.is_some());
                    essential += usize::from(death.is_none());
                }
            });
        }
    }
    assert!(deaths > 100 && essential > 10, "{deaths} {essential}");
}

#[test]
fn columns_that_are_walked_get_the_pivots_of_those_that_are_not() {
    let mut state = 11;
    for round in 0..24 {
        let n = 6 + random(&mut state) as u32 % 12;
        let mut edges = shuffled_edges(n, round % 3 == 0, &mut state);
        // All different, or some alike.
        let alike = [1, 2, 5][round % 3] as usize;
        edges.iter_mut().enumerate().for_each(|(k, edge)| edge.2 = (k / alike) as u32);
        let ranks = edges.len() as u32;
        let complexes: [&dyn Complex; 2] =
            [&dense::<u16>(n as usize, &edges), &Sparse::new(n as usize, &edges).unwrap()];
        for (complex, dim) in complexes.into_iter().flat_map(|complex| [(complex, 1), (complex, 2)]) {
            let others = pairs_besides_apparent(complex, dim, ranks, Modulo::new(2), 2);
            // All workers walk, none does, or one while the others may not.
            for walkers in [0, 1, usize::MAX] {
                let walked = pairs_besides_apparent(complex, dim, ranks, Two, walkers);
                assert_eq!(walked.pivots, others.pivots, "{edges:?} {dim} {walkers}");
                assert_eq!(walked.cochains, others.cochains, "{edges:?} {dim} {walkers}");
            }
        }
    }
}
