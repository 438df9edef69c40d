//! Dimension 1 of a small dense complex: the edges one by one, in filtration order.
//!
//! The neighbours of a vertex by the edges so far are the bits of one or two words. When all edges of a rank have been
//! added, the vertices within reach of one of them are the common neighbours of its ends, and the highest bit is the
//! greatest of those. The edge is in an apparent pair with the cofacet by that vertex unless one of the consequences of
//! the lemma in [`apparent_pairs`](crate::rips::apparent_pairs) rules it out. No edge is cleared by an apparent pair.

use super::SimplexCounts;
use super::sweep::Sink;
use crate::rips::complex::{MOST_SORTED, RankMatrix, RankedEdge};
use crate::simd::Rank;

/// Number of bits in a word.
const BITS: usize = u64::BITS as usize;

/// Enumerates all edges of a matrix, which are given in filtration order.
pub(super) fn enumerate<R: Rank>(
    matrix: RankMatrix<'_, R>,
    edges: &[RankedEdge],
    lists_apparent: bool,
    sink: &mut dyn Sink,
) -> SimplexCounts {
    if matrix.n <= BITS {
        enumerate_on::<1, R>(matrix, edges, lists_apparent, sink)
    } else {
        const { assert!(MOST_SORTED <= 2 * BITS) };
        enumerate_on::<2, R>(matrix, edges, lists_apparent, sink)
    }
}

/// Like [`enumerate`], with `WORDS` words for the neighbours of a vertex.
fn enumerate_on<const WORDS: usize, R: Rank>(
    matrix: RankMatrix<'_, R>,
    edges: &[RankedEdge],
    lists_apparent: bool,
    sink: &mut dyn Sink,
) -> SimplexCounts {
    let mut counts = SimplexCounts { simplices: edges.len() as u64, ..SimplexCounts::default() };
    let mut neighbours = [[[0u64; WORDS]; BITS]; WORDS];
    let (mut begin, mut end) = (0, 0);
    while begin < edges.len() {
        let rank = edges[begin].rank;
        while end < edges.len() && edges[end].rank == rank {
            let [u, v] = edges[end].vertices;
            note(&mut neighbours, u, v);
            note(&mut neighbours, v, u);
            end += 1;
        }
        for &RankedEdge { vertices: [u, v], .. } in &edges[begin..end] {
            let within_reach = greatest_of_both(of(&neighbours, u), of(&neighbours, v));
            let cofacet = within_reach.filter(|&w| {
                // A facet of the cofacet that omits a vertex greater than w and has this rank is younger than the edge.
                let row = matrix.row(w as usize);
                let has_rank = |vertex: u32| row[vertex as usize].widen() == rank;
                w > u || !(has_rank(v) || w < v && has_rank(u))
            });
            counts.apparent += u64::from(cofacet.is_some());
            if cofacet.is_none() || lists_apparent {
                sink.receive(&[u, v], cofacet, rank);
            }
        }
        begin = end;
    }
    counts
}

/// Adjacency bits. Those of vertex v are in element v mod [`BITS`] of row v / [`BITS`].
type Neighbours<const WORDS: usize> = [[[u64; WORDS]; BITS]; WORDS];

/// The adjacency bits of a vertex.
#[inline(always)]
fn of<const WORDS: usize>(neighbours: &Neighbours<WORDS>, v: u32) -> &[u64; WORDS] {
    &neighbours[word::<WORDS>(v)][v as usize % BITS]
}

/// Adds v to the neighbours of u.
#[inline(always)]
fn note<const WORDS: usize>(neighbours: &mut Neighbours<WORDS>, u: u32, v: u32) {
    neighbours[word::<WORDS>(u)][u as usize % BITS][word::<WORDS>(v)] |= 1 << (v as usize % BITS);
}

/// The index of the word that contains the bit of a vertex.
#[inline(always)]
fn word<const WORDS: usize>(v: u32) -> usize {
    v as usize / BITS % WORDS
}

/// The greatest vertex in the intersection of two sets.
#[inline(always)]
fn greatest_of_both<const WORDS: usize>(one: &[u64; WORDS], other: &[u64; WORDS]) -> Option<u32> {
    let both = |word: usize| (one[word] & other[word]).checked_ilog2();
    (0..WORDS).rev().find_map(|word| both(word).map(|bit| (word * BITS) as u32 + bit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::complex::Dense;
    use crate::rips::complex::apparent_pairs::cofacet_of;
    use crate::rips::complex::tests::{in_order, random_edges};
    use crate::simd::Level;

    /// A sink that stores what it receives.
    #[derive(Default)]
    struct Recorder(Vec<([u32; 2], Option<u32>, u32)>);

    impl Sink for Recorder {
        fn receive(&mut self, vertices: &[u32], added: Option<u32>, rank: u32) {
            self.0.push(([vertices[0], vertices[1]], added, rank));
        }
    }

    /// Cases: few ranks and many; all edges and some; one word of vertices and two.
    #[test]
    fn edges_in_apparent_pairs_are_those_of_the_definition() {
        let mut state = 11;
        for n in [1, 2, 33, 63, 64, 65, 100, 128] {
            for (ranks, kept) in [(3, 256), (50, 256), (50, 21), (100_000, 256), (100_000, 61)] {
                let edges = random_edges(n, ranks, kept, &mut state);
                let complex = Dense::<u32>::of_edges(n, &edges, Level::detect());
                let edges = in_order(&edges);
                let of = |&RankedEdge { rank, vertices }: &RankedEdge| {
                    (vertices, cofacet_of(&complex, &vertices, rank), rank)
                };
                let mut expected: Vec<_> = edges.iter().map(of).collect();
                let mut recorder = Recorder::default();
                let counts = enumerate(complex.matrix(), &edges, true, &mut recorder);
                assert_eq!(recorder.0, expected, "{n} points, {ranks} ranks");
                expected.retain(|(_, cofacet, _)| cofacet.is_none());
                let (simplices, apparent) = (edges.len() as u64, (edges.len() - expected.len()) as u64);
                assert_eq!(counts, SimplexCounts { simplices, cleared: 0, apparent });
                let mut recorder = Recorder::default();
                assert_eq!(enumerate(complex.matrix(), &edges, false, &mut recorder), counts);
                assert_eq!(recorder.0, expected);
            }
        }
    }
}
