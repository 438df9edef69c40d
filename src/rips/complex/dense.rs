//! A square matrix of ranks.

use std::sync::OnceLock;

use super::ordered::{self, RankedEdge};
use super::{Band, Cofacet, Complex, MOST_SORTED};
use crate::simd::{Kernel, Level, MAX_LANES, Rank, Simd};

/// Ranks of all pairs of n points: n rows, padded with `MAX` to a multiple of the widest vector. The diagonal is `MAX`,
/// so that loops over vertices need not skip those of the simplex.
#[derive(Debug)]
pub struct Dense<R> {
    n: usize,
    stride: usize,
    ranks: Vec<R>,
    level: Level,
    /// The edges in filtration order, made when they are first needed and only for at most [`MOST_SORTED`] points.
    ordered: OnceLock<Vec<RankedEdge>>,
}

/// A view of a matrix laid out as described at [`Dense`].
#[derive(Debug, Clone, Copy)]
pub struct RankMatrix<'a, R> {
    /// The number of rows.
    pub n: usize,
    /// Length of a row, a multiple of [`MAX_LANES`].
    pub stride: usize,
    /// The `n` rows, one after the other.
    pub ranks: &'a [R],
}

impl<'a, R: Rank> RankMatrix<'a, R> {
    /// The row of a vertex, `stride` long.
    #[inline(always)]
    pub fn row(&self, v: usize) -> &'a [R] {
        &self.ranks[v * self.stride..][..self.stride]
    }
}

/// The length of a padded row of n ranks.
pub(crate) fn stride(n: usize) -> usize {
    n.next_multiple_of(MAX_LANES)
}

impl<R: Rank> Dense<R> {
    /// Makes a complex from rows laid out as described at the type: `stride(n)` long, the diagonal `MAX`.
    pub fn new(n: usize, ranks: Vec<R>, level: Level) -> Self {
        debug_assert_eq!(ranks.len(), n * stride(n));
        Dense { n, stride: stride(n), ranks, level, ordered: OnceLock::new() }
    }

    /// The whole matrix.
    pub fn matrix(&self) -> RankMatrix<'_, R> {
        RankMatrix { n: self.n, stride: self.stride, ranks: &self.ranks }
    }

    /// The edges in filtration order if there are at most [`MOST_SORTED`] points, else `None`.
    pub(in crate::rips) fn ordered_edges(&self) -> Option<&[RankedEdge]> {
        (self.n <= MOST_SORTED)
            .then(|| self.ordered.get_or_init(|| ordered::edges(self.matrix(), self.level)).as_slice())
    }

    /// The instruction set of the vectorised searches.
    pub fn level(&self) -> Level {
        self.level
    }
}

impl<R: Rank> Complex for Dense<R> {
    fn points(&self) -> usize {
        self.n
    }

    #[inline(always)]
    fn edge(&self, u: u32, v: u32) -> u32 {
        self.ranks[u as usize * self.stride + v as usize].widen()
    }

    fn greatest_cofacet(&self, simplex: &[u32], rank: u32, floor: u32) -> Option<u32> {
        let floor = floor as usize;
        self.level.run(Greatest { matrix: self.matrix(), simplex, limit: R::narrow(rank), floor })
    }

    fn cofacets(&self, simplex: &[u32], rank: u32, band: Band, floor: u32, found: &mut Vec<Cofacet>) {
        found.clear();
        let (from, to) = (R::narrow(band.from), R::narrow(band.to.min(R::GREATEST)));
        let (matrix, rank, floor) = (self.matrix(), R::narrow(rank), floor as usize);
        self.level.run(Cofacets { matrix, simplex, rank, from, to, floor, found });
    }

    fn oldest_cofacet(&self, simplex: &[u32], rank: u32) -> Option<Cofacet> {
        let found = self.level.run(Oldest { matrix: self.matrix(), simplex, rank: R::narrow(rank) });
        found.map(|(vertex, rank)| Cofacet { vertex, rank: rank.widen() })
    }
}

/// The greatest of the ranks from the simplex's vertices to each of the vertices `at`, `at` + 1, …, one per lane, and
/// at least the lane of `least`.
#[inline(always)]
fn reach<R: Rank, S: Simd<R>>(
    s: S,
    matrix: RankMatrix<'_, R>,
    simplex: &[u32],
    at: usize,
    least: S::V,
) -> S::V {
    // A loop, not a fold: vector code inside an adapter's closure is not compiled for the vector unit.
    let mut m = least;
    for &v in simplex {
        m = s.max(m, s.load(&matrix.row(v as usize)[at..]));
    }
    m
}

/// The vertex of the last true lane of a vector that starts at vertex `at`; vertices below `floor` are ignored.
#[inline(always)]
pub(crate) fn last_lane<R: Rank, S: Simd<R>>(s: S, lanes: S::M, at: usize, floor: usize) -> Option<usize> {
    let mut within = s.bits(lanes);
    if at < floor {
        within &= u32::MAX << (floor - at);
    }
    (within != 0).then(|| at + within.ilog2() as usize)
}

/// The search for the greatest vertex w ≥ `floor` whose edges to all vertices of the simplex have ranks of at most
/// `limit`.
struct Greatest<'a, R> {
    matrix: RankMatrix<'a, R>,
    simplex: &'a [u32],
    limit: R,
    floor: usize,
}

impl<R: Rank> Kernel<R> for Greatest<'_, R> {
    type Output = Option<u32>;

    #[inline(always)]
    fn run<S: Simd<R>>(self, s: S) -> Option<u32> {
        let limit = s.splat(self.limit);
        let mut at = self.matrix.n.next_multiple_of(S::LEN);
        while at > self.floor {
            at -= S::LEN;
            let m = reach(s, self.matrix, self.simplex, at, s.splat(R::default()));
            if let Some(w) = last_lane(s, s.le(m, limit), at, self.floor) {
                // Vertices are numbers of 32 bits.
                return Some(w as u32);
            }
        }
        None
    }
}

/// The search for all cofacets of ranks `from` to `to` with vertices from `floor` on, which are appended to `found`.
struct Cofacets<'a, R> {
    matrix: RankMatrix<'a, R>,
    simplex: &'a [u32],
    rank: R,
    from: R,
    to: R,
    floor: usize,
    found: &'a mut Vec<Cofacet>,
}

impl<R: Rank> Kernel<R> for Cofacets<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<R>>(self, s: S) {
        let (from, to) = (s.splat(self.from), s.splat(self.to));
        let mut ranks = [R::MAX; MAX_LANES];
        for at in (self.floor / S::LEN * S::LEN..self.matrix.n).step_by(S::LEN) {
            let m = reach(s, self.matrix, self.simplex, at, s.splat(self.rank));
            let mut present = s.bits(s.le(m, to)) & s.bits(s.le(from, m));
            if at < self.floor {
                present &= u32::MAX << (self.floor - at);
            }
            if present == 0 {
                continue;
            }
            s.store(m, &mut ranks);
            self.found.reserve(MAX_LANES);
            while present != 0 {
                let lane = present.trailing_zeros();
                let rank = ranks[lane as usize % MAX_LANES].widen();
                self.found.push(Cofacet { vertex: at as u32 + lane, rank });
                present &= present - 1;
            }
        }
    }
}

/// The search for the oldest cofacet, from the greatest vertex down; it stops at the first one of the simplex's own
/// rank.
struct Oldest<'a, R> {
    matrix: RankMatrix<'a, R>,
    simplex: &'a [u32],
    rank: R,
}

impl<R: Rank> Kernel<R> for Oldest<'_, R> {
    type Output = Option<(u32, R)>;

    #[inline(always)]
    fn run<S: Simd<R>>(self, s: S) -> Option<(u32, R)> {
        let own = s.splat(self.rank);
        let mut least = s.splat(R::MAX);
        let mut at = self.matrix.n.next_multiple_of(S::LEN);
        while at > 0 {
            at -= S::LEN;
            let m = reach(s, self.matrix, self.simplex, at, own);
            let equal = s.bits(s.le(m, own));
            if equal != 0 {
                return Some((at as u32 + equal.ilog2(), self.rank));
            }
            least = s.min(least, m);
        }
        let mut lanes = [R::MAX; MAX_LANES];
        s.store(least, &mut lanes);
        let limit = lanes.iter().copied().fold(R::MAX, R::min);
        if limit == R::MAX {
            return None;
        }
        let greatest = Greatest { matrix: self.matrix, simplex: self.simplex, limit, floor: 0 };
        greatest.run(s).map(|w| (w, limit))
    }
}
