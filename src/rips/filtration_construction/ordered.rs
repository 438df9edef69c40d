//! Dimension 1 of few points: the edges one after another, in filtration order.
//!
//! The neighbours that a vertex has so far are bits of a word or two. When all edges of a rank have been noted, the vertices within reach of one of
//! them are the common neighbours of its ends, and the greatest of those is the highest bit. It is in an apparent pair with the cofacet by
//! that vertex unless one of the consequences of the lemma in [`apparent_pairs`](crate::rips::apparent_pairs) says otherwise. No edge is cleared
//! by an apparent pair.

use super::SimplexCounts;
use super::sweep::Sink;
use crate::rips::complex::{FEW, RankMatrix, RankedEdge};
use crate::simd::Rank;

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

/// Goes through all edges of a matrix, which are in filtration order.
pub(super) fn enumerate<R: Rank>(
    matrix: RankMatrix<'_, R>,
    edges: &[RankedEdge],
    lists_apparent: bool,
    sink: &mut dyn Sink,
) -> SimplexCounts {
    if matrix.n <= BITS {
        enumerate_on::<1, R>(matrix, edges, lists_apparent, sink)
    } else {
        const { assert!(FEW <= 2 * BITS) };
        enumerate_on::<2, R>(matrix, edges, lists_apparent, sink)
    }
}

/// Like [`enumerate`], with so many words for the neighbours of a vertex.
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
                // Facets of the cofacet that omit a vertex greater than w would be younger.
                let row = matrix.row(w as usize);
                let has_rank = |vertex: u32| row[vertex as usize].widen() == rank;
                w > u || !(has_rank(v) || w < v && has_rank(u))
            });
            match cofacet {
                None => sink.undecided(&[u, v], rank),
                Some(w) => {
                    counts.apparent += 1;
                    if lists_apparent {
                        sink.apparent(&[u, v], w, rank);
                    }
                }
            }
        }
        begin = end;
    }
    counts
}

/// The neighbours of each vertex: those of vertex v are in element v mod [`BITS`] of row v / [`BITS`].
type Neighbours<const WORDS: usize> = [[[u64; WORDS]; BITS]; WORDS];

/// The neighbours of a vertex.
#[inline(always)]
fn of<const WORDS: usize>(neighbours: &Neighbours<WORDS>, v: u32) -> &[u64; WORDS] {
    &neighbours[word::<WORDS>(v)][v as usize % BITS]
}

/// Notes vertex v among the neighbours of u.
#[inline(always)]
fn note<const WORDS: usize>(neighbours: &mut Neighbours<WORDS>, u: u32, v: u32) {
    neighbours[word::<WORDS>(u)][u as usize % BITS][word::<WORDS>(v)] |= 1 << (v as usize % BITS);
}

/// The word that a vertex has its bit in.
#[inline(always)]
fn word<const WORDS: usize>(v: u32) -> usize {
    v as usize / BITS % WORDS
}

/// The greatest vertex that is in both of two sets.
#[inline(always)]
fn greatest_of_both<const WORDS: usize>(one: &[u64; WORDS], other: &[u64; WORDS]) -> Option<u32> {
    let both = |word: usize| (one[word] & other[word]).checked_ilog2();
    (0..WORDS).rev().find_map(|word| both(word).map(|bit| (word * BITS) as u32 + bit))
}
