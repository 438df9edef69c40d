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
//!             for lanes left over: one simplex at a time, lanes over w     see `pending`
//! ```
//!
//! The oldest cofacet of equal rank adds the greatest possible w. If any w > t0 will do, the greatest is past t0 too, the
//! youngest facet of that cofacet is the one without it, and the pair is apparent: so among the w > t0 the order is
//! free, and those nearest to the tops are tried first, on all lanes at once. What is left is decided for each simplex
//! alone by sweeping rows: apparent by another w > t0; cleared as the cofacet of a zero apparent pair; apparent by a w
//! between or below the tops, the greatest there is, if no facet that omits a greater vertex has the same rank; or
//! passed to the caller.

use crate::rips::complex::Tile;
use crate::simd::{Kernel, MAX_LANES, Rank, Simd};

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

/// Vertices w tried on all lanes of a block at once.
const CANDIDATES: usize = 16;
/// Vertices w kept for a prefix, from which its blocks choose.
const NEAR: usize = 32;

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

/// `MAX` from the middle on: what a last, partial vector of lanes is masked with.
#[inline(always)]
fn tail<R: Rank>() -> [R; 2 * MAX_LANES] {
    std::array::from_fn(|k| if k < MAX_LANES { R::default() } else { R::MAX })
}

/// What a block needs besides its tops.
struct Block<'a, R> {
    tile: Tile<'a, R>,
    counts: &'a mut Counts,
    sink: &'a mut dyn Sink,
    vertices: &'a mut Vec<u32>,
    /// Facets that omit one of so many first tops may have cofacets outside the matrix.
    outside: usize,
    pairs: bool,
}

/// One simplex a block looks at alone.
#[derive(Clone, Copy)]
struct Simplex<'a, R> {
    tops: &'a [usize],
    x: usize,
    rank: R,
    tops_rank: R,
    /// Rows whose maximum is the reach of the simplex.
    rows: [&'a [R]; 3],
}

impl<R: Rank> Block<'_, R> {
    /// All simplices tops ∪ {x}, x below the last top. `reach` is to all tops but the last; `rank` is the tops'.
    #[inline(always)]
    fn run<S: Simd<R>>(&mut self, s: S, tops: &[usize], reach: &[R], rank: R, near: &[(R, u32)]) {
        let tile = self.tile;
        let last = tops[tops.len() - 1];
        if last == 0 {
            return;
        }
        let row = tile.row(last);
        let mut candidates = [(R::MAX, row); CANDIDATES];
        let found = choose(tile, near, row, rank, &mut candidates);
        let candidates = &candidates[..found];
        let (tail, own, absent) = (tail::<R>(), s.splat(rank), s.splat(R::MAX));
        let lanes = u32::MAX >> (32 - S::LEN);
        let (mut simplices, mut apparent) = (0, 0);
        for at in (0..last).step_by(S::LEN) {
            let mut diam = s.max(own, s.max(s.load(&reach[at..]), s.load(&row[at..])));
            if at + S::LEN > last {
                diam = s.max(diam, s.load(&tail[MAX_LANES - (last - at)..]));
            }
            let outside = s.le(absent, diam);
            if s.all(outside) {
                continue;
            }
            let mut decided = outside;
            for &(reach_w, row_w) in candidates {
                let m = s.max(s.splat(reach_w), s.load(&row_w[at..]));
                decided = s.or(decided, s.le(m, diam));
                if s.all(decided) {
                    break;
                }
            }
            let valid = !s.bits(outside) & lanes;
            let mut pending = !s.bits(decided) & lanes;
            simplices += u64::from(valid.count_ones());
            apparent += u64::from(valid.count_ones() - pending.count_ones());
            while pending != 0 {
                let x = at + pending.trailing_zeros() as usize;
                pending &= pending - 1;
                let rows = [reach, row, tile.row(x)];
                let simplex =
                    Simplex { tops, x, rank: rank.max(reach[x]).max(row[x]), tops_rank: rank, rows };
                self.pending(s, simplex);
            }
        }
        self.counts.simplices += simplices;
        self.counts.apparent += apparent;
    }

    /// Decides one simplex.
    #[inline(always)]
    fn pending<S: Simd<R>>(&mut self, s: S, simplex: Simplex<'_, R>) {
        let Simplex { tops, rank, rows, .. } = simplex;
        let n = self.tile.n;
        if !self.pairs && greatest(s, &rows, rank, tops[0] + 1, n).is_some() {
            self.counts.apparent += 1;
            return;
        }
        if tops.len() > 1 && self.is_apparent_cofacet(s, simplex) {
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
    fn is_apparent_cofacet<S: Simd<R>>(&mut self, s: S, simplex: Simplex<'_, R>) -> bool {
        let Simplex { tops, x, rank, tops_rank, rows: [reach, row_last, row_x] } = simplex;
        let tile = self.tile;
        for omitted in 0..tops.len() {
            let kept = || tops.iter().enumerate().filter(move |&(k, _)| k != omitted).map(|(_, &v)| v);
            if !kept().any(|u| row_x[u] == rank) && !edge_of_rank(tile, kept, rank) {
                continue;
            }
            let floor = tops[omitted] + 1;
            return greatest_of(s, tile, || kept().chain([x]), rank, floor).is_none()
                && !(omitted < self.outside && self.older_outside(kept().chain([x]), rank, tops[omitted]));
        }
        tops_rank == rank && greatest(s, &[reach, row_last, row_last], rank, x + 1, tile.n).is_none()
    }

    /// Asks the sink for cofacets outside the matrix.
    #[cold]
    fn older_outside(&mut self, facet: impl Iterator<Item = usize>, rank: R, above: usize) -> bool {
        let kept = self.vertices.len() - 1;
        for (out, v) in self.vertices.iter_mut().zip(facet) {
            *out = v as u32;
        }
        self.sink.older_outside(&self.vertices[..kept], rank.widen(), above as u32)
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

/// Candidates for a block: of the vertices near its prefix first those within the tops' rank, then others.
#[inline(always)]
fn choose<'a, R: Rank>(
    tile: Tile<'a, R>,
    near: &[(R, u32)],
    row: &[R],
    rank: R,
    candidates: &mut [(R, &'a [R]); CANDIDATES],
) -> usize {
    const HALF: usize = CANDIDATES / 2;
    let (mut within, mut others) = (0, 0);
    for &(reach, w) in near {
        let reach = reach.max(row[w as usize]);
        if reach <= rank {
            candidates[within] = (reach, tile.row(w as usize));
            within += 1;
            if within == HALF {
                return HALF;
            }
        } else if reach != R::MAX && others < HALF {
            candidates[HALF + others] = (reach, tile.row(w as usize));
            others += 1;
        }
    }
    candidates.copy_within(HALF..HALF + others, within);
    within + others
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

/// The greatest w ≥ floor within `limit` of all the vertices.
#[inline(always)]
fn greatest_of<R: Rank, S: Simd<R>, I: Iterator<Item = usize>>(
    s: S,
    tile: Tile<'_, R>,
    vertices: impl Fn() -> I,
    limit: R,
    floor: usize,
) -> Option<usize> {
    let limit = s.splat(limit);
    let mut at = tile.n.next_multiple_of(S::LEN);
    while at > floor {
        at -= S::LEN;
        let zero = s.splat(R::default());
        let m = vertices().fold(zero, |m, v| s.max(m, s.load(&tile.row(v)[at..])));
        if let Some(w) = last_lane(s, s.le(m, limit), at, floor) {
            return Some(w);
        }
    }
    None
}

/// The last vertex of a vector that starts at `at`, not before `floor`, whose lane is true.
#[inline(always)]
fn last_lane<R: Rank, S: Simd<R>>(s: S, lanes: S::M, at: usize, floor: usize) -> Option<usize> {
    let mut within = s.bits(lanes);
    if at < floor {
        within &= u32::MAX << (floor - at);
    }
    (within != 0).then(|| at + within.ilog2() as usize)
}
