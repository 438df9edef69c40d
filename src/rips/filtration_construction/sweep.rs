//! The sweep: all d-simplices of a matrix, the smallest vertex across the lanes.
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
//!             for lanes left over: one simplex at a time, lanes over w     see `alone`
//! ```
//!
//! The oldest cofacet of equal rank adds the greatest possible w. If any w > t0 will do, the greatest is past t0 too, the
//! youngest facet of that cofacet is the one without it, and the pair is apparent: so among the w > t0 the order is
//! free, and those nearest to the tops are tried first, on all lanes at once. What is left is decided for each simplex
//! alone by sweeping rows: apparent by another w > t0; cleared as the cofacet of a zero apparent pair; apparent by a w
//! between or below the tops, the greatest there is, if no facet that omits a greater vertex has the same rank; or
//! passed to the caller.

use super::block::Block;
use crate::rips::complex::Tile;
use crate::simd::{Kernel, Rank, Simd};

/// Simplices counted by a sweep.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Up to the threshold.
    pub simplices: u64,
    /// Cofacets of a zero apparent pair.
    pub cleared: u64,
    /// Facets of a zero apparent pair.
    pub apparent: u64,
}

/// Who hears of the simplices a sweep does not decide. Vertices are the matrix's, descending.
pub trait Sink {
    /// In a zero apparent pair with the cofacet that adds `w`.
    fn apparent(&mut self, vertices: &[u32], w: u32, rank: u32);

    /// Neither cleared by an apparent pair nor in one.
    fn undecided(&mut self, vertices: &[u32], rank: u32);

    /// Whether a vertex that is not in the matrix, greater than `above`, is within `rank` of all these.
    fn older_outside(&mut self, facet: &[u32], rank: u32, above: u32) -> bool;
}

/// Buffers that outlive a sweep.
#[derive(Debug, Default)]
pub struct Buffers<R> {
    /// `reach[l]`: for every vertex the greatest rank to the first l tops.
    reach: Vec<Vec<R>>,
    /// `diameter[l]`: the rank of the first l tops.
    diameter: Vec<R>,
    /// For each level the next top is below this.
    bound: Vec<usize>,
    tops: Vec<usize>,
    vertices: Vec<u32>,
    /// The w nearest to a prefix, as (P[w], w).
    near: Vec<(R, u32)>,
}

/// All simplices of dimension `dim` ≥ 1 whose greatest vertices are `fixed` (at least one, at most `dim`, descending).
pub struct Sweep<'a, R> {
    /// The ranks.
    pub tile: Tile<'a, R>,
    /// The first tops.
    pub fixed: &'a [usize],
    /// The dimension d.
    pub dim: usize,
    /// Whether the matrix is a neighbourhood: cofacets of facets that omit a fixed top may then lie outside.
    pub partial: bool,
    /// Whether the sink is to be told of apparent pairs; every simplex is then looked at alone.
    pub pairs: bool,
    /// Scratch.
    pub buffers: &'a mut Buffers<R>,
    /// Added to.
    pub counts: &'a mut Counts,
    /// Told of what is left.
    pub sink: &'a mut dyn Sink,
}

/// Vertices w kept for a prefix, from which its blocks choose.
const NEAR: usize = 16;

impl<R: Rank> Kernel<R> for Sweep<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<R>>(self, s: S) {
        let Sweep { tile, fixed, dim, partial, pairs, buffers, counts, sink } = self;
        let Buffers { reach, diameter, bound, tops, vertices, near } = buffers;
        reach.resize_with(dim, Vec::new);
        reach.iter_mut().for_each(|row| row.resize(tile.stride, R::default()));
        reach[0].fill(R::default());
        diameter.clear();
        diameter.resize(dim + 1, R::default());
        bound.resize(dim + 1, 0);
        vertices.resize(dim + 1, 0);
        tops.clear();
        tops.resize(dim, 0);
        for (level, &top) in fixed.iter().enumerate() {
            let rank = if level == 0 { R::default() } else { reach[level][top] };
            diameter[level + 1] = diameter[level].max(rank);
            if level + 1 < dim {
                extend(s, reach, level, tile.row(top));
            }
            tops[level] = top;
        }
        if diameter[fixed.len()] == R::MAX {
            return;
        }
        let outside = if partial { fixed.len() } else { 0 };
        let mut block = Block { tile, counts, sink, vertices, outside, pairs };
        // The last level, where blocks are run, and the first whose tops are not fixed.
        let (last, first) = (dim - 1, fixed.len());
        if first >= last {
            find_near(near, if pairs { tile.n } else { fixed[0] + 1 }, &reach[last], tile);
        }
        if first == dim {
            return block.run(s, tops, &reach[last], diameter[dim], near);
        }
        // Depth first over the remaining tops, each below the one before.
        let mut level = first;
        bound[level] = tops[level - 1];
        loop {
            if bound[level] == 0 {
                if level == first {
                    return;
                }
                level -= 1;
                continue;
            }
            bound[level] -= 1;
            let top = bound[level];
            let rank = diameter[level].max(reach[level][top]);
            if rank == R::MAX {
                continue;
            }
            tops[level] = top;
            if level == last {
                block.run(s, tops, &reach[level], rank, near);
            } else {
                diameter[level + 1] = rank;
                extend(s, reach, level, tile.row(top));
                level += 1;
                bound[level] = top;
                if level == last {
                    find_near(near, if pairs { tile.n } else { fixed[0] + 1 }, &reach[last], tile);
                }
            }
        }
    }
}

/// reach[level + 1] = max(reach[level], row).
#[inline(always)]
fn extend<R: Rank, S: Simd<R>>(s: S, reach: &mut [Vec<R>], level: usize, row: &[R]) {
    let (from, to) = reach.split_at_mut(level + 1);
    for at in (0..row.len()).step_by(S::LEN) {
        let m = s.max(s.load(&from[level][at..]), s.load(&row[at..]));
        s.store(m, &mut to[0][at..]);
    }
}

/// The vertices from `first` on that are nearest to a prefix, `NEAR` of them at most, nearest first.
fn find_near<R: Rank>(near: &mut Vec<(R, u32)>, first: usize, reach: &[R], tile: Tile<'_, R>) {
    near.clear();
    // Vertices are below 2^32: they come from ids of that type.
    let ranks = reach[..tile.n].iter().copied().zip(0u32..).skip(first);
    near.extend(ranks.filter(|&(rank, _)| rank != R::MAX));
    if near.len() > NEAR {
        near.select_nth_unstable(NEAR);
        near.truncate(NEAR);
    }
    near.sort_unstable();
}
