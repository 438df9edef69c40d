//! The sweep: all d-simplices of a matrix, the smallest vertex across the lanes.
//!
//! ```text
//! for all t0 > … > t(d−1), edges among them up to the threshold:           a block
//!     M[v]  = greatest rank from a t to v                                  contiguous
//!     W     = the greatest w's with M[w] up to the threshold
//!     for lanes x < t(d−1):
//!         diam[x] = max(rank of t, M[x])                                   MAX: nothing
//!         for w in W, w > t0:   max(M[w], D[w][x]) ≤ diam[x]               apparent (a)
//!         for w in W, w > t(d−1): as above, and every facet of t∪x∪w that
//!                               omits a t(i) > w has a smaller rank        apparent (b)
//!         for lanes left over: one simplex at a time, lanes over w         see `pending`
//! ```
//!
//! (a) The oldest cofacet of equal rank adds the greatest possible w; if any w > t0 will do, the greatest is past t0
//! too, no facet can be younger than the one without it, and the pair is apparent. (b) Between the t's the greatest w
//! counts, hence the order, and facets that omit a greater vertex must not have the same rank. Nearly every simplex
//! leaves within a few w's. What is left is decided for each simplex alone by sweeping a row: cleared as the cofacet of
//! a zero apparent pair, apparent, or passed to the caller.

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
    /// Whether `apparent` is to be called; every simplex is then looked at alone.
    const WANTS_APPARENT: bool;

    /// In a zero apparent pair with the cofacet that adds `w`.
    fn apparent(&mut self, vertices: &[u32], w: u32, rank: u32);

    /// Neither cleared by an apparent pair nor in one.
    fn undecided(&mut self, vertices: &[u32], rank: u32);
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
    vertices: Vec<u32>,
}

/// All simplices of dimension `dim` ≥ 1 whose greatest vertices are `fixed` (at least one, at most `dim`, descending).
pub struct Sweep<'a, R, S> {
    /// The ranks.
    pub tile: Tile<'a, R>,
    /// The first tops.
    pub fixed: &'a [usize],
    /// The dimension d.
    pub dim: usize,
    /// Scratch.
    pub buffers: &'a mut Buffers<R>,
    /// Added to.
    pub counts: &'a mut Counts,
    /// Told of what is left.
    pub sink: &'a mut S,
}

/// Candidates w a block tries on all lanes at once.
const CANDIDATES: usize = 12;

impl<R: Rank, K: Sink> Kernel<R> for Sweep<'_, R, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<R>>(self, s: S) {
        let Sweep { tile, fixed, dim, buffers, counts, sink } = self;
        let Buffers { reach, diameter, bound, vertices } = buffers;
        reach.resize_with(dim + 1, Vec::new);
        reach.iter_mut().for_each(|row| row.resize(tile.stride, R::default()));
        reach[0].fill(R::default());
        diameter.resize(dim + 1, R::default());
        bound.resize(dim + 1, 0);
        vertices.clear();
        vertices.resize(dim + 1, 0);
        let mut tops = vec![0usize; dim];
        for (level, &top) in fixed.iter().enumerate() {
            let rank = if level == 0 { R::default() } else { reach[level][top] };
            diameter[level + 1] = diameter[level].max(rank);
            extend(s, reach, level, tile.row(top));
            tops[level] = top;
        }
        if diameter[fixed.len()] == R::MAX {
            return;
        }
        let mut block =
            Block { tile, counts, sink, vertices, candidates: [(0, R::MAX); CANDIDATES], found: 0 };
        if fixed.len() == dim {
            return block.run(s, &tops, &reach[dim - 1], diameter[dim]);
        }
        // Depth first over the remaining tops, each below the one before.
        let first = fixed.len();
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
            if level + 1 == dim {
                block.run(s, &tops, &reach[level], rank);
            } else {
                diameter[level + 1] = rank;
                extend(s, reach, level, tile.row(top));
                level += 1;
                bound[level] = top;
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

/// `MAX` from the middle on: what a last, partial vector of lanes is masked with.
fn tail<R: Rank>() -> [R; 2 * MAX_LANES] {
    std::array::from_fn(|k| if k < MAX_LANES { R::default() } else { R::MAX })
}

/// What a block needs besides its tops.
struct Block<'a, R, K> {
    tile: Tile<'a, R>,
    counts: &'a mut Counts,
    sink: &'a mut K,
    vertices: &'a mut Vec<u32>,
    candidates: [(usize, R); CANDIDATES],
    found: usize,
}

impl<R: Rank, K: Sink> Block<'_, R, K> {
    /// All simplices tops ∪ {x}, x below the last top. `reach` is to all tops but the last; `rank` is the tops'.
    #[inline(always)]
    fn run<S: Simd<R>>(&mut self, s: S, tops: &[usize], reach: &[R], rank: R) {
        let last = tops[tops.len() - 1];
        if last == 0 {
            return;
        }
        let row = self.tile.row(last);
        self.find_candidates(s, last, reach, row);
        let past_first = self.candidates[..self.found].partition_point(|&(w, _)| w > tops[0]);
        let (tail, own, absent) = (tail::<R>(), s.splat(rank), s.splat(R::MAX));
        let lanes = u32::MAX >> (32 - S::LEN);
        for at in (0..last).step_by(S::LEN) {
            let mut diam = s.max(own, s.max(s.load(&reach[at..]), s.load(&row[at..])));
            if at + S::LEN > last {
                diam = s.max(diam, s.load(&tail[MAX_LANES - (last - at)..]));
            }
            let outside = s.le(absent, diam);
            if s.all(outside) {
                continue;
            }
            let valid = !s.bits(outside) & lanes;
            self.counts.simplices += u64::from(valid.count_ones());
            // (a)
            let mut decided = outside;
            let candidates = if K::WANTS_APPARENT { 0 } else { past_first };
            for &(w, reach_w) in &self.candidates[..candidates] {
                let m = s.max(s.splat(reach_w), s.load(&self.tile.row(w)[at..]));
                decided = s.or(decided, s.le(m, diam));
                if s.all(decided) {
                    break;
                }
            }
            let mut left = !s.bits(decided) & lanes;
            let mut pending = 0;
            if left != 0 {
                // (b)
                let candidates = if K::WANTS_APPARENT { 0 } else { self.found };
                for k in past_first..candidates {
                    let (w, reach_w) = self.candidates[k];
                    let m = s.max(s.splat(reach_w), s.load(&self.tile.row(w)[at..]));
                    let hit = s.bits(s.le(m, diam)) & left;
                    if hit != 0 {
                        pending |= hit & self.younger_facets(s, tops, w, at, diam);
                        left &= !hit;
                        if left == 0 {
                            break;
                        }
                    }
                }
                pending |= left;
            }
            self.counts.apparent += u64::from((valid & !pending).count_ones());
            while pending != 0 {
                let lane = pending.trailing_zeros() as usize;
                pending &= pending - 1;
                let x = at + lane;
                self.pending(s, tops, x, rank.max(reach[x]).max(row[x]), rank);
            }
        }
    }

    /// The greatest w's above the last top within the threshold of all tops.
    #[inline(always)]
    fn find_candidates<S: Simd<R>>(&mut self, s: S, last: usize, reach: &[R], row: &[R]) {
        self.found = 0;
        let absent = s.splat(R::MAX);
        let mut at = self.tile.n.next_multiple_of(S::LEN);
        let mut ranks = [R::MAX; MAX_LANES];
        while at > last {
            at -= S::LEN;
            let m = s.max(s.load(&reach[at..]), s.load(&row[at..]));
            let mut present = !s.bits(s.le(absent, m)) & (u32::MAX >> (32 - S::LEN));
            s.store(m, &mut ranks);
            while present != 0 {
                let lane = present.ilog2() as usize;
                present ^= 1 << lane;
                if at + lane < last || self.found == CANDIDATES {
                    return;
                }
                self.candidates[self.found] = (at + lane, ranks[lane % MAX_LANES]);
                self.found += 1;
            }
        }
    }

    /// The lanes on which a facet of tops ∪ {x, w} that omits a top greater than w has the rank of tops ∪ {x}.
    #[inline(always)]
    fn younger_facets<S: Simd<R>>(&self, s: S, tops: &[usize], w: usize, at: usize, diam: S::V) -> u32 {
        let row = self.tile.row(w);
        let mut younger = 0;
        for omitted in (0..tops.len()).take_while(|&i| tops[i] > w) {
            let mut rank = R::default();
            let mut m = s.load(&row[at..]);
            for k in (0..tops.len()).filter(|&k| k != omitted) {
                rank = rank.max(row[tops[k]]);
                for l in (0..k).filter(|&l| l != omitted) {
                    rank = rank.max(self.tile.row(tops[l])[tops[k]]);
                }
                m = s.max(m, s.load(&self.tile.row(tops[k])[at..]));
            }
            younger |= s.bits(s.le(diam, s.max(m, s.splat(rank))));
        }
        younger
    }

    /// Decides one simplex: is it cleared by a zero apparent pair, in one, or neither?
    #[inline(always)]
    fn pending<S: Simd<R>>(&mut self, s: S, tops: &[usize], x: usize, rank: R, tops_rank: R) {
        if tops.len() > 1 && self.is_apparent_cofacet(s, tops, x, rank, tops_rank) {
            self.counts.cleared += 1;
            return;
        }
        let cofacet = self.apparent_cofacet(s, tops, x, rank);
        self.counts.apparent += u64::from(cofacet.is_some());
        if cofacet.is_some() && !K::WANTS_APPARENT {
            return;
        }
        for (out, &v) in self.vertices.iter_mut().zip(tops.iter().chain([&x])) {
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
    fn is_apparent_cofacet<S: Simd<R>>(&self, s: S, tops: &[usize], x: usize, rank: R, tops_rank: R) -> bool {
        let row = self.tile.row(x);
        for omitted in 0..tops.len() {
            let mut facet = R::default();
            for k in (0..tops.len()).filter(|&k| k != omitted) {
                facet = facet.max(row[tops[k]]);
                for l in (0..k).filter(|&l| l != omitted) {
                    facet = facet.max(self.tile.row(tops[l])[tops[k]]);
                }
            }
            if facet == rank {
                let kept = || tops.iter().enumerate().filter(|&(k, _)| k != omitted).map(|(_, &v)| v);
                return self.greatest(s, || kept().chain([x]), rank, tops[omitted] + 1).is_none();
            }
        }
        tops_rank == rank && self.greatest(s, || tops.iter().copied(), rank, x + 1).is_none()
    }

    /// The vertex the oldest cofacet adds, if that has equal rank and no younger facet of that rank.
    #[inline(always)]
    fn apparent_cofacet<S: Simd<R>>(&self, s: S, tops: &[usize], x: usize, rank: R) -> Option<usize> {
        let all = || tops.iter().copied().chain([x]);
        let w = self.greatest(s, all, rank, 0)?;
        let row = self.tile.row(w);
        let younger = all().take_while(|&v| v > w).any(|omitted| {
            all().filter(|&v| v != omitted).any(|u| {
                let rows = self.tile.row(u);
                row[u] == rank || all().any(|v| v < u && v != omitted && rows[v] == rank)
            })
        });
        (!younger).then_some(w)
    }

    /// The greatest w ≥ floor within `limit` of all the vertices.
    #[inline(always)]
    fn greatest<S: Simd<R>, I: Iterator<Item = usize>>(
        &self,
        s: S,
        vertices: impl Fn() -> I,
        limit: R,
        floor: usize,
    ) -> Option<usize> {
        let limit = s.splat(limit);
        let mut at = self.tile.n.next_multiple_of(S::LEN);
        while at > floor {
            at -= S::LEN;
            let zero = s.splat(R::default());
            let m = vertices().fold(zero, |m, v| s.max(m, s.load(&self.tile.row(v)[at..])));
            let mut within = s.bits(s.le(m, limit));
            if at < floor {
                within &= u32::MAX << (floor - at);
            }
            if within != 0 {
                return Some(at + within.ilog2() as usize);
            }
        }
        None
    }
}
