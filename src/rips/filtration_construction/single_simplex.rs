//! The decision of single simplices that a block could not decide on all lanes at once: here the lanes run over the
//! vertices of the cofacets.
//!
//! The tests are the three consequences of the lemma in [`apparent_pairs`](crate::rips::apparent_pairs), on rows of
//! ranks.

use super::block::Block;
use super::sweep::Neighbourhood;
use crate::rips::complex::{Complex, RankMatrix, last_lane};
use crate::simd::{Rank, Simd};

/// Number of facets of a block's tops whose ranks are stored.
const FACETS: usize = 8;

/// A simplex that a block decides by itself.
#[derive(Clone, Copy)]
pub(super) struct Simplex<'a, R> {
    /// All vertices but the smallest.
    pub(super) tops: &'a [usize],
    /// The smallest vertex.
    pub(super) x: usize,
    pub(super) rank: R,
    /// The rank of the tops.
    pub(super) tops_rank: R,
    /// Three rows whose maximum is, for each vertex, the greatest rank from a vertex of the simplex.
    pub(super) rows: [&'a [R]; 3],
}

impl<R: Rank> Block<'_, R> {
    /// Decides one simplex: counts it as apparent or cleared, or passes it to the sink.
    #[inline(always)]
    pub(super) fn decide<S: Simd<R>>(
        &mut self,
        s: S,
        simplex: Simplex<'_, R>,
        exhausted: bool,
        facets: &mut Facets<R>,
    ) {
        let Simplex { tops, rank, rows, .. } = simplex;
        let n = self.matrix.n;
        if !self.lists_apparent && !exhausted && greatest(s, &rows, rank, tops[0] + 1, n).is_some() {
            self.counts.apparent += 1;
            return;
        }
        if tops.len() > 1 && self.is_apparent_cofacet(s, simplex, facets) {
            self.counts.cleared += 1;
            return;
        }
        // Unless pairs are listed, no w above the first top is left.
        let cofacet = greatest(s, &rows, rank, 0, if self.lists_apparent { n } else { tops[0] })
            .filter(|&w| !self.has_younger_facet(simplex, w));
        self.counts.apparent += u64::from(cofacet.is_some());
        if cofacet.is_some() && !self.lists_apparent {
            return;
        }
        self.hand_over(simplex, cofacet);
    }

    /// Passes a simplex to the sink, with the vertices of the whole complex.
    #[inline(never)]
    fn hand_over(&mut self, Simplex { tops, x, rank, .. }: Simplex<'_, R>, cofacet: Option<usize>) {
        let neighbourhood = self.neighbourhood;
        for (out, &v) in self.vertices.iter_mut().zip(tops.iter().chain([&x])) {
            *out = id(neighbourhood, v);
        }
        self.sink.receive(self.vertices, cofacet.map(|w| id(neighbourhood, w)), rank.widen());
    }

    /// Whether the simplex is in an apparent pair with a facet, and so cleared ([`clearing`](crate::rips::clearing)):
    /// the youngest facet of equal rank has no older cofacet of that rank.
    #[inline(always)]
    fn is_apparent_cofacet<S: Simd<R>>(
        &mut self,
        s: S,
        simplex: Simplex<'_, R>,
        facets: &mut Facets<R>,
    ) -> bool {
        let Simplex { tops, x, rank, tops_rank, rows: [reach, row_last, row_x] } = simplex;
        let matrix = self.matrix;
        if !facets.known {
            facets.find(matrix, tops);
        }
        for omitted in 0..tops.len() {
            let mut facet =
                if omitted < FACETS { facets.of[omitted] } else { rank_without(matrix, tops, omitted) };
            for k in 0..tops.len() {
                if k != omitted {
                    facet = facet.max(row_x[tops[k]]);
                }
            }
            if facet != rank {
                continue;
            }
            let floor = tops[omitted] + 1;
            let older = if tops.len() <= 3 {
                // At most three rows; the row of x fills the unused places.
                let mut rows = [row_x; 3];
                for (k, out) in (0..tops.len()).filter(|&k| k != omitted).zip(&mut rows) {
                    *out = matrix.row(tops[k]);
                }
                greatest(s, &rows, rank, floor, matrix.n)
            } else {
                greatest_without(s, matrix, tops, omitted, row_x, rank, floor)
            };
            return older.is_none() && !(omitted < self.outside && self.older_outside(simplex, omitted));
        }
        tops_rank == rank && greatest(s, &[reach, row_last, row_last], rank, x + 1, matrix.n).is_none()
    }

    /// Whether the facet without the top at position `omitted` has an older cofacet of its rank outside the matrix.
    #[cold]
    fn older_outside(&mut self, simplex: Simplex<'_, R>, omitted: usize) -> bool {
        let Simplex { tops, x, rank, .. } = simplex;
        let Some(Neighbourhood { ids, graph }) = self.neighbourhood else { return false };
        let facet = tops.iter().enumerate().filter(|&(k, _)| k != omitted).map(|(_, &v)| v);
        for (out, v) in self.vertices.iter_mut().zip(facet.chain([x])) {
            *out = ids[v];
        }
        let (facet, floor) = (&self.vertices[..tops.len()], ids[tops[omitted]] + 1);
        graph.greatest_cofacet(facet, rank.widen(), floor).is_some()
    }

    /// Whether a facet of the cofacet by `w` that omits a vertex greater than `w` has the rank of the simplex.
    #[inline(always)]
    fn has_younger_facet(&self, simplex: Simplex<'_, R>, w: usize) -> bool {
        let Simplex { tops, x, rank, .. } = simplex;
        let row = self.matrix.row(w);
        let all = || tops.iter().copied().chain([x]);
        all().take_while(|&v| v > w).any(|omitted| {
            let kept = || all().filter(move |&v| v != omitted);
            kept().any(|u| row[u] == rank) || edge_of_rank(self.matrix, kept, rank)
        })
    }
}

/// The vertex of the whole complex for a row of the matrix.
fn id(neighbourhood: Option<Neighbourhood<'_>>, v: usize) -> u32 {
    // Vertices are numbers of 32 bits.
    neighbourhood.map_or(v as u32, |neighbourhood| neighbourhood.ids[v])
}

/// The ranks of the facets of a block's tops, computed when they are first needed.
pub(super) struct Facets<R> {
    of: [R; FACETS],
    known: bool,
}

impl<R: Rank> Default for Facets<R> {
    #[inline(always)]
    fn default() -> Self {
        Facets { of: [R::MAX; FACETS], known: false }
    }
}

impl<R: Rank> Facets<R> {
    #[inline(always)]
    fn find(&mut self, matrix: RankMatrix<'_, R>, tops: &[usize]) {
        self.known = true;
        for omitted in 0..tops.len().min(FACETS) {
            self.of[omitted] = rank_without(matrix, tops, omitted);
        }
    }
}

/// The rank of the tops without the one at position `omitted`.
#[inline(always)]
fn rank_without<R: Rank>(matrix: RankMatrix<'_, R>, tops: &[usize], omitted: usize) -> R {
    let mut rank = R::default();
    for (k, &u) in tops.iter().enumerate() {
        for (l, &v) in tops[..k].iter().enumerate() {
            if k != omitted && l != omitted {
                rank = rank.max(matrix.row(u)[v]);
            }
        }
    }
    rank
}

/// Whether the edge between some two of these vertices has rank `rank`.
#[inline(always)]
fn edge_of_rank<R: Rank, I: Iterator<Item = usize>>(
    matrix: RankMatrix<'_, R>,
    vertices: impl Fn() -> I,
    rank: R,
) -> bool {
    vertices().any(|u| {
        let row = matrix.row(u);
        vertices().take_while(|&v| v != u).any(|v| row[v] == rank)
    })
}

/// The greatest vertex w ≥ `floor` whose ranks in all three rows are at most `limit`. The search begins with the vector
/// that contains `top` − 1, so w may also be a vertex from `top` on in that vector.
#[inline(always)]
fn greatest<R: Rank, S: Simd<R>>(
    s: S,
    [a, b, c]: &[&[R]; 3],
    limit: R,
    floor: usize,
    top: usize,
) -> Option<usize> {
    let limit = s.splat(limit);
    let mut at = top.next_multiple_of(S::LEN);
    while at > floor {
        at -= S::LEN;
        let m = s.max(s.max(s.load(&a[at..]), s.load(&b[at..])), s.load(&c[at..]));
        if let Some(w) = last_lane(s, s.le(m, limit), at, floor) {
            return Some(w);
        }
    }
    None
}

/// The greatest vertex w ≥ `floor` whose ranks in `row` and to the tops without the one at `omitted` are at most
/// `limit`.
#[inline(always)]
fn greatest_without<R: Rank, S: Simd<R>>(
    s: S,
    matrix: RankMatrix<'_, R>,
    tops: &[usize],
    omitted: usize,
    row: &[R],
    limit: R,
    floor: usize,
) -> Option<usize> {
    let limit = s.splat(limit);
    let mut at = matrix.n.next_multiple_of(S::LEN);
    while at > floor {
        at -= S::LEN;
        // A loop, not a fold: vector code inside an adapter's closure is not compiled for the vector unit.
        let mut m = s.load(&row[at..]);
        for (k, &top) in tops.iter().enumerate() {
            if k != omitted {
                m = s.max(m, s.load(&matrix.row(top)[at..]));
            }
        }
        if let Some(w) = last_lane(s, s.le(m, limit), at, floor) {
            return Some(w);
        }
    }
    None
}
