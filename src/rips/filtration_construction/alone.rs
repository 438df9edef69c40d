//! What a block cannot decide on all lanes at once: one simplex alone, the lanes over the vertices of its cofacets.

use super::block::Block;
use crate::rips::complex::{Tile, last_lane};
use crate::simd::{Rank, Simd};

/// Facets of a block's tops whose ranks are kept.
const FACETS: usize = 8;

/// One simplex a block looks at alone.
#[derive(Clone, Copy)]
pub(super) struct Simplex<'a, R> {
    /// All vertices but the smallest.
    pub(super) tops: &'a [usize],
    /// The smallest vertex.
    pub(super) x: usize,
    pub(super) rank: R,
    /// The rank of the tops.
    pub(super) tops_rank: R,
    /// Rows whose maximum is the reach of the simplex.
    pub(super) rows: [&'a [R]; 3],
}

impl<R: Rank> Block<'_, R> {
    /// Decides one simplex.
    #[inline(always)]
    pub(super) fn decide<S: Simd<R>>(
        &mut self,
        s: S,
        simplex: Simplex<'_, R>,
        exhausted: bool,
        facets: &mut Facets<R>,
    ) {
        let Simplex { tops, rank, rows, .. } = simplex;
        let n = self.tile.n;
        if !self.pairs && !exhausted && greatest(s, &rows, rank, tops[0] + 1, n).is_some() {
            self.counts.apparent += 1;
            return;
        }
        if tops.len() > 1 && self.is_apparent_cofacet(s, simplex, facets) {
            self.counts.cleared += 1;
            return;
        }
        // Without pairs, no w past the first top is left.
        let cofacet = greatest(s, &rows, rank, 0, if self.pairs { n } else { tops[0] })
            .filter(|&w| !self.has_younger_facet(simplex, w));
        self.counts.apparent += u64::from(cofacet.is_some());
        if cofacet.is_some() && !self.pairs {
            return;
        }
        for (out, &v) in self.vertices.iter_mut().zip(tops.iter().chain([&simplex.x])) {
            // Vertices are below 2^32: they come from ids of that type.
            *out = v as u32;
        }
        match cofacet {
            Some(w) => self.sink.apparent(self.vertices, w as u32, rank.widen()),
            None => self.sink.undecided(self.vertices, rank.widen()),
        }
    }

    /// Whether the youngest facet of equal rank has no older cofacet of that rank.
    #[inline(always)]
    fn is_apparent_cofacet<S: Simd<R>>(
        &mut self,
        s: S,
        simplex: Simplex<'_, R>,
        facets: &mut Facets<R>,
    ) -> bool {
        let Simplex { tops, x, rank, tops_rank, rows: [reach, row_last, row_x] } = simplex;
        let tile = self.tile;
        if !facets.known {
            facets.find(tile, tops);
        }
        for omitted in 0..tops.len() {
            let mut facet =
                if omitted < FACETS { facets.of[omitted] } else { rank_without(tile, tops, omitted) };
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
                // Up to three rows; those of x stand in for fewer.
                let mut rows = [row_x; 3];
                for (k, out) in (0..tops.len()).filter(|&k| k != omitted).zip(&mut rows) {
                    *out = tile.row(tops[k]);
                }
                greatest(s, &rows, rank, floor, tile.n)
            } else {
                greatest_without(s, tile, tops, omitted, row_x, rank, floor)
            };
            return older.is_none() && !(omitted < self.outside && self.older_outside(simplex, omitted));
        }
        tops_rank == rank && greatest(s, &[reach, row_last, row_last], rank, x + 1, tile.n).is_none()
    }

    /// Asks the sink for cofacets outside the matrix of the facet without the top at `omitted`.
    #[cold]
    fn older_outside(&mut self, simplex: Simplex<'_, R>, omitted: usize) -> bool {
        let Simplex { tops, x, rank, .. } = simplex;
        let facet = tops.iter().enumerate().filter(|&(k, _)| k != omitted).map(|(_, &v)| v);
        for (out, v) in self.vertices.iter_mut().zip(facet.chain([x])) {
            *out = v as u32;
        }
        self.sink.older_outside(&self.vertices[..tops.len()], rank.widen(), tops[omitted] as u32)
    }

    /// Whether a facet of the cofacet by `w` that omits a vertex greater than `w` has the rank of the simplex.
    #[inline(always)]
    fn has_younger_facet(&self, simplex: Simplex<'_, R>, w: usize) -> bool {
        let Simplex { tops, x, rank, .. } = simplex;
        let row = self.tile.row(w);
        let all = || tops.iter().copied().chain([x]);
        all().take_while(|&v| v > w).any(|omitted| {
            let kept = || all().filter(move |&v| v != omitted);
            kept().any(|u| row[u] == rank) || edge_of_rank(self.tile, kept, rank)
        })
    }
}

/// The ranks of the facets of a block's tops, found when first asked for.
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
    fn find(&mut self, tile: Tile<'_, R>, tops: &[usize]) {
        self.known = true;
        for omitted in 0..tops.len().min(FACETS) {
            self.of[omitted] = rank_without(tile, tops, omitted);
        }
    }
}

/// The rank of the tops but one.
#[inline(always)]
fn rank_without<R: Rank>(tile: Tile<'_, R>, tops: &[usize], omitted: usize) -> R {
    let mut rank = R::default();
    for (k, &u) in tops.iter().enumerate() {
        for (l, &v) in tops[..k].iter().enumerate() {
            if k != omitted && l != omitted {
                rank = rank.max(tile.row(u)[v]);
            }
        }
    }
    rank
}

/// Whether two of these vertices are `rank` apart.
#[inline(always)]
fn edge_of_rank<R: Rank, I: Iterator<Item = usize>>(
    tile: Tile<'_, R>,
    vertices: impl Fn() -> I,
    rank: R,
) -> bool {
    vertices().any(|u| {
        let row = tile.row(u);
        vertices().take_while(|&v| v != u).any(|v| row[v] == rank)
    })
}

/// The greatest w in floor.. and below `top`, or in the same vector as that, within `limit` in all three rows.
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

/// The greatest w ≥ floor within `limit` of the tops but one, and in the row.
#[inline(always)]
fn greatest_without<R: Rank, S: Simd<R>>(
    s: S,
    tile: Tile<'_, R>,
    tops: &[usize],
    omitted: usize,
    row: &[R],
    limit: R,
    floor: usize,
) -> Option<usize> {
    let limit = s.splat(limit);
    let mut at = tile.n.next_multiple_of(S::LEN);
    while at > floor {
        at -= S::LEN;
        // A loop, not a fold: vector code inside an adapter's closure is not compiled for the vector unit.
        let mut m = s.load(&row[at..]);
        for (k, &top) in tops.iter().enumerate() {
            if k != omitted {
                m = s.max(m, s.load(&tile.row(top)[at..]));
            }
        }
        if let Some(w) = last_lane(s, s.le(m, limit), at, floor) {
            return Some(w);
        }
    }
    None
}
