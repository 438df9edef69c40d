//! A block of the sweep: all simplices with the same tops (all vertices but the smallest), the smallest vertex across
//! the lanes.

use super::single_simplex::{Facets, Simplex};
use super::sweep::{Neighbourhood, SimplexCounts, Sink};
use crate::rips::complex::RankMatrix;
use crate::simd::{MAX_LANES, Rank, Simd};

/// Greatest number of vertices w that are tried on all lanes of a block at once.
const CANDIDATES: usize = 16;
/// Greatest number of candidates of either kind (see `choose`) if not every w is tried.
const MOST: usize = 3;
/// Greatest number of vertices w below the first top that are tried on all lanes at once, if none above it is left.
const BETWEEN: usize = 16;

/// The input and output of a block except its tops.
pub(super) struct Block<'a, R> {
    pub(super) matrix: RankMatrix<'a, R>,
    pub(super) counts: &'a mut SimplexCounts,
    pub(super) sink: &'a mut dyn Sink,
    /// Scratch space for the vertices of a simplex.
    pub(super) vertices: &'a mut Vec<u32>,
    /// The part of a complex that the matrix covers, if it does not cover all of it.
    pub(super) neighbourhood: Option<Neighbourhood<'a>>,
    /// Facets that omit one of this many first tops may have cofacets outside the matrix.
    pub(super) outside: usize,
    /// Whether the sink receives apparent pairs.
    pub(super) lists_apparent: bool,
}

impl<R: Rank> Block<'_, R> {
    /// Decides all simplices tops ∪ {x} with x below the last top. `reach` holds for each vertex the greatest rank from
    /// the tops without the last; `rank` is the rank of the tops.
    #[inline(always)]
    pub(super) fn run<S: Simd<R>>(&mut self, s: S, tops: &[usize], reach: &[R], rank: R, near: &[(R, u32)]) {
        let matrix = self.matrix;
        let last = tops[tops.len() - 1];
        if last == 0 {
            return;
        }
        let row = matrix.row(last);
        // Whether every w above the first top is a candidate.
        let exhausted = matrix.n - tops[0] <= CANDIDATES / 2;
        let mut candidates = [(R::MAX, 0); CANDIDATES];
        let most = if exhausted { CANDIDATES / 2 } else { MOST };
        let found = choose(near, row, rank, most, &mut candidates);
        let candidates = &candidates[..found];
        let mut facets = Facets::default();
        let (own, absent) = (s.splat(rank), s.splat(R::MAX));
        let lanes = u32::MAX >> (32 - S::LEN);
        let (mut simplices, mut apparent) = (0, 0);
        for at in (0..last).step_by(S::LEN) {
            let mut diam = s.max(own, s.max(s.load(&reach[at..]), s.load(&row[at..])));
            if at + S::LEN > last {
                diam = s.max(diam, s.load(&R::TAIL[MAX_LANES - (last - at)..]));
            }
            let outside = s.le(absent, diam);
            if s.all(outside) {
                continue;
            }
            let mut decided = outside;
            for &(reach_w, w) in candidates {
                let m = s.max(s.splat(reach_w), s.load(&matrix.row(w as usize)[at..]));
                decided = s.or(decided, s.le(m, diam));
                if s.all(decided) {
                    break;
                }
            }
            let valid = !s.bits(outside) & lanes;
            let mut pending = !s.bits(decided) & lanes;
            if exhausted && !self.lists_apparent && pending.count_ones() > 2 {
                pending = self.between(s, tops, [reach, row], at, diam, pending);
            }
            simplices += u64::from(valid.count_ones());
            apparent += u64::from(valid.count_ones() - pending.count_ones());
            while pending != 0 {
                let x = at + pending.trailing_zeros() as usize;
                pending &= pending - 1;
                let rows = [reach, row, matrix.row(x)];
                let simplex =
                    Simplex { tops, x, rank: rank.max(reach[x]).max(row[x]), tops_rank: rank, rows };
                self.decide(s, simplex, exhausted, &mut facets);
            }
        }
        self.counts.simplices += simplices;
        self.counts.apparent += apparent;
    }

    /// Tries the w below the first top in descending order on all lanes at once, when no w above it is left. Returns
    /// the lanes of `left` whose simplices are not in an apparent pair with one of the w tried.
    #[inline(always)]
    fn between<S: Simd<R>>(
        &self,
        s: S,
        tops: &[usize],
        [reach, row]: [&[R]; 2],
        at: usize,
        diam: S::V,
        mut left: u32,
    ) -> u32 {
        let mut pending = 0;
        let lowest = tops[tops.len() - 1].max(tops[0].saturating_sub(BETWEEN));
        for w in (lowest + 1..tops[0]).rev() {
            let reach_w = reach[w].max(row[w]);
            if reach_w == R::MAX {
                continue;
            }
            let m = s.max(s.splat(reach_w), s.load(&self.matrix.row(w)[at..]));
            let hit = s.bits(s.le(m, diam)) & left;
            if hit != 0 {
                pending |= hit & self.younger_facets(s, tops, w, at, diam);
                left &= !hit;
                if left == 0 {
                    break;
                }
            }
        }
        pending | left
    }

    /// The lanes on which a facet of tops ∪ {x, w} that omits a top greater than w has the rank of tops ∪ {x}.
    #[inline(always)]
    fn younger_facets<S: Simd<R>>(&self, s: S, tops: &[usize], w: usize, at: usize, diam: S::V) -> u32 {
        let row = self.matrix.row(w);
        let mut younger = 0;
        for omitted in 0..tops.len() {
            if tops[omitted] < w {
                break;
            }
            let mut rank = R::default();
            let mut m = s.load(&row[at..]);
            for k in 0..tops.len() {
                if k == omitted {
                    continue;
                }
                let row_k = self.matrix.row(tops[k]);
                rank = rank.max(row[tops[k]]);
                for l in 0..k {
                    if l != omitted {
                        rank = rank.max(row_k[tops[l]]);
                    }
                }
                m = s.max(m, s.load(&row_k[at..]));
            }
            younger |= s.bits(s.le(diam, s.max(m, s.splat(rank))));
        }
        younger
    }
}

/// Chooses the candidates of a block from the vertices near its prefix: first those whose reach is at most the rank of
/// the tops, then others, up to `most` of each kind. Returns their number.
#[inline(always)]
fn choose<R: Rank>(
    near: &[(R, u32)],
    row: &[R],
    rank: R,
    most: usize,
    candidates: &mut [(R, u32); CANDIDATES],
) -> usize {
    let (mut within, mut others) = (0, 0);
    for &(reach, w) in near {
        let reach = reach.max(row[w as usize]);
        if reach <= rank {
            candidates[within % CANDIDATES] = (reach, w);
            within += 1;
            if within == most {
                return within;
            }
        } else if reach != R::MAX && others < most {
            candidates[(CANDIDATES / 2 + others) % CANDIDATES] = (reach, w);
            others += 1;
        }
    }
    for k in 0..others {
        candidates[within + k] = candidates[CANDIDATES / 2 + k];
    }
    within + others
}
