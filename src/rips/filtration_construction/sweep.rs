//! The sweep: enumeration of all d-simplices of a matrix, the smallest vertex across the lanes.
//!
//! ```text
//! for all t0 > … > t(d−2), edges among them up to the threshold:           a prefix
//!     P[v]  = greatest rank from one of them to v                          contiguous
//!     W     = the w > t0 nearest to them: least P[w]
//!     for all t(d−1) < t(d−2):                                             a block
//!         M[v]  = max(P[v], D[t(d−1)][v])
//!         for lanes x < t(d−1):
//!             diam[x] = max(rank of t, M[x])                               MAX: nothing
//!             for w in W: max(M[w], D[w][x]) ≤ diam[x]                     apparent
//!             for lanes left over: one simplex at a time, lanes over w     see `single_simplex`
//! ```
//!
//! The loops rest on the consequences of the apparent pairs lemma ([`apparent_pairs`](crate::rips::apparent_pairs)).
//! The w above all vertices may be tried in any order, so those nearest to the tops are tried first, on all lanes at
//! once. Each simplex left over is decided by itself by sweeping rows: apparent by another w > t0; cleared, because it
//! is in an apparent pair with a facet; apparent by a w between or below the tops; or undecided and passed to the
//! caller.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::block::Block;
use crate::rips::complex::{RankMatrix, Sparse};
use crate::simd::{Kernel, Rank, Simd};

/// Numbers of simplices in a sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SimplexCounts {
    /// Simplices up to the threshold.
    pub simplices: u64,
    /// Simplices that are the cofacet in a zero apparent pair.
    pub cleared: u64,
    /// Simplices that are the facet in a zero apparent pair.
    pub apparent: u64,
}

impl AddAssign for SimplexCounts {
    fn add_assign(&mut self, other: SimplexCounts) {
        self.simplices += other.simplices;
        self.cleared += other.cleared;
        self.apparent += other.apparent;
    }
}

/// A receiver of the simplices that a sweep finds.
pub trait Sink {
    /// Receives a simplex, whose vertices descend: one that is in a zero apparent pair with the cofacet that adds the
    /// vertex `added`, if these are listed; or one that is in no such pair, neither as facet nor as cofacet.
    fn receive(&mut self, vertices: &[u32], added: Option<u32>, rank: u32);
}

/// The part of a sparse complex that a matrix of ranks covers.
#[derive(Clone, Copy)]
pub(super) struct Neighbourhood<'a> {
    /// The vertex of the complex for each row, ascending.
    pub(super) ids: &'a [u32],
    /// The whole complex.
    pub(super) graph: &'a Sparse,
}

/// Buffers that are reused from one sweep to the next.
#[derive(Debug, Default)]
pub(super) struct Buffers<R> {
    path: Path<R>,
    vertices: Vec<u32>,
}

/// The tops chosen so far, with derived values.
#[derive(Debug, Default)]
struct Path<R> {
    /// `reach[l]` holds for each vertex the greatest rank to the first l tops.
    reach: Vec<Vec<R>>,
    /// `diameter[l]` is the rank of the first l tops.
    diameter: Vec<R>,
    /// The exclusive upper bound on the next top of each level.
    bound: Vec<usize>,
    tops: Vec<usize>,
    /// The w nearest to the prefix, as `(P[w], w)`.
    near: Vec<(R, u32)>,
}

/// The sweep of all simplices of dimension `dim` ≥ 1 whose greatest vertices are `fixed` (at least one, at most `dim`,
/// descending).
pub(super) struct Sweep<'a, R> {
    /// The matrix of ranks.
    pub(super) matrix: RankMatrix<'a, R>,
    /// The first tops, which are fixed.
    pub(super) fixed: &'a [usize],
    /// The dimension d.
    pub(super) dim: usize,
    /// The part of a complex that the matrix covers, `None` if it covers all. Otherwise cofacets of facets that omit a
    /// fixed top may lie outside the matrix.
    pub(super) neighbourhood: Option<Neighbourhood<'a>>,
    /// Whether the sink receives apparent pairs; every simplex is then decided by itself.
    pub(super) lists_apparent: bool,
    /// Buffers for reuse.
    pub(super) buffers: &'a mut Buffers<R>,
    /// The counts so far, to which the sweep adds.
    pub(super) counts: &'a mut SimplexCounts,
    /// Receives the simplices that the sweep does not decide.
    pub(super) sink: &'a mut dyn Sink,
}

/// Greatest number of vertices w kept for a prefix, from which its blocks choose.
const NEAR: usize = 16;

impl<R: Rank> Kernel<R> for Sweep<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<R>>(self, s: S) {
        let Sweep { matrix, fixed, dim, neighbourhood, lists_apparent, buffers, counts, sink } = self;
        let Buffers { path, vertices } = buffers;
        vertices.resize(dim + 1, 0);
        let outside = if neighbourhood.is_some() { fixed.len() } else { 0 };
        let mut block = Block { matrix, counts, sink, vertices, neighbourhood, outside, lists_apparent };
        let first_near = if lists_apparent { matrix.n } else { fixed[0] + 1 };
        let Some(mut walk) = Walk::begin(s, matrix, fixed, dim, first_near, path) else { return };
        while let Some(rank) = walk.next_block(s) {
            let Path { reach, tops, near, .. } = &*walk.path;
            block.run(s, tops, &reach[dim - 1], rank, near);
        }
    }
}

/// A depth-first walk over all choices of the tops that are not fixed, in descending order.
struct Walk<'a, R> {
    matrix: RankMatrix<'a, R>,
    path: &'a mut Path<R>,
    /// The level of the first top that is not fixed.
    first: usize,
    /// The last level: each choice of its top makes a block.
    last: usize,
    /// The level whose top is chosen next.
    level: usize,
    /// The rank of the only block if all tops are fixed, until that block is returned.
    only: Option<R>,
    /// The least w that is tried on all lanes at once.
    first_near: usize,
}

impl<'a, R: Rank> Walk<'a, R> {
    /// Starts the walk with the fixed tops; `None` if they do not span a simplex.
    #[inline(always)]
    fn begin<S: Simd<R>>(
        s: S,
        matrix: RankMatrix<'a, R>,
        fixed: &[usize],
        dim: usize,
        first_near: usize,
        path: &'a mut Path<R>,
    ) -> Option<Self> {
        let Path { reach, diameter, bound, tops, .. } = path;
        reach.resize_with(dim, Vec::new);
        reach.iter_mut().for_each(|row| row.resize(matrix.stride, R::default()));
        reach[0].fill(R::default());
        diameter.clear();
        diameter.resize(dim + 1, R::default());
        bound.resize(dim + 1, 0);
        tops.clear();
        tops.resize(dim, 0);
        for (level, &top) in fixed.iter().enumerate() {
            let rank = if level == 0 { R::default() } else { reach[level][top] };
            diameter[level + 1] = diameter[level].max(rank);
            if level + 1 < dim {
                extend(s, reach, level, matrix.row(top));
            }
            tops[level] = top;
        }
        let (first, last) = (fixed.len(), dim - 1);
        let rank = diameter[first];
        if rank == R::MAX {
            return None;
        }
        bound[first] = tops[first - 1];
        let only = (first == dim).then_some(rank);
        let mut walk = Walk { matrix, path, first, last, level: first, only, first_near };
        if first >= last {
            walk.find_near();
        }
        Some(walk)
    }

    /// Chooses the tops of the next block and returns their rank.
    #[inline(always)]
    fn next_block<S: Simd<R>>(&mut self, s: S) -> Option<R> {
        if self.first > self.last {
            return self.only.take();
        }
        loop {
            let level = self.level;
            let Path { reach, diameter, bound, tops, .. } = &mut *self.path;
            if bound[level] == 0 {
                if level == self.first {
                    return None;
                }
                self.level -= 1;
                continue;
            }
            bound[level] -= 1;
            let top = bound[level];
            let rank = diameter[level].max(reach[level][top]);
            if rank == R::MAX {
                continue;
            }
            tops[level] = top;
            if level == self.last {
                return Some(rank);
            }
            diameter[level + 1] = rank;
            extend(s, reach, level, self.matrix.row(top));
            bound[level + 1] = top;
            self.level += 1;
            if self.level == self.last {
                self.find_near();
            }
        }
    }

    /// Finds the w nearest to the tops of all levels but the last: at most `NEAR` of them, nearest first.
    fn find_near(&mut self) {
        let Path { reach, near, .. } = &mut *self.path;
        near.clear();
        // Vertices are numbers of 32 bits.
        let ranks = reach[self.last][..self.matrix.n].iter().copied().zip(0u32..).skip(self.first_near);
        near.extend(ranks.filter(|&(rank, _)| rank != R::MAX));
        if near.len() > NEAR {
            near.select_nth_unstable(NEAR);
            near.truncate(NEAR);
        }
        near.sort_unstable();
    }
}

/// Computes `reach[level + 1] = max(reach[level], row)`.
#[inline(always)]
fn extend<R: Rank, S: Simd<R>>(s: S, reach: &mut [Vec<R>], level: usize, row: &[R]) {
    let (from, to) = reach.split_at_mut(level + 1);
    for at in (0..row.len()).step_by(S::LEN) {
        let m = s.max(s.load(&from[level][at..]), s.load(&row[at..]));
        s.store(m, &mut to[0][at..]);
    }
}
