//! Edge collapse: fewer edges, the same bars (Boissonnat, Pritam 2020; Glisse, Pritam 2022, "Swap, Shift and Trim to Edge Collapse a
//! Filtration").
//!
//! **Domination.** An edge e = {u, v} of a graph is dominated by a vertex w if w and every other common neighbour of u and v are neighbours:
//! e and all simplices with e can then be removed from the flag complex, which keeps its homotopy type. In a filtration, an edge that is
//! dominated at every scale from its own rank t to before t' may enter at t' instead (*shift*), and one that is dominated for ever may be
//! left out (*trim*): at each scale the smaller complex has the homotopy type of the larger, compatibly with the inclusions. So
//! barcodes stay the same, whichever edges are moved and in whatever order; the order decides only how many go. Edges are taken from the last
//! to the first, as Glisse and Pritam do.
//!
//! **The test.** Let r(x, y) be the rank at which an edge enters, 0 if x = y and `MAX` if never. A vertex x is a common neighbour of u and v
//! from the rank τ(x) = max(r(u, x), r(v, x), t) on, so w dominates e at a scale s ≥ t unless some x has
//!
//! ```text
//! τ(x) ≤ s < r(w, x)
//! ```
//!
//! which also says that w itself must be a common neighbour at s: take x = u and x = v, for which τ is t. One comparison of two rows of ranks,
//! a vector at a time, tells whether w dominates e at s, and until when.
//!
//! ```text
//! for each edge e = {u, v}, the last first:
//!     s ← its rank t
//!     while some w dominates e at s:
//!         s ← the greatest rank until which one of them does
//!     e enters at s, or never
//! ```
//!
//! The vertex that last removed an edge at u or v is asked first; it is right in nine cases of ten.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::complex::stride;
use super::rank::{Edges, Ranking};
use crate::memory::Refused;
use crate::simd::{Kernel, Level, Rank, Simd};

/// What became of the edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CollapseFigures {
    /// Edges that were there.
    pub before: usize,
    /// Edges that are left.
    pub after: usize,
    /// Of those, edges that enter later than they did.
    pub shifted: usize,
}

/// The edges that are left of those of `points` points, ranked as they were.
///
/// # Errors
/// There is no memory for a square matrix of ranks.
pub(super) fn collapse(
    points: usize,
    ranking: &Ranking,
    level: Level,
) -> Result<(Edges, CollapseFigures), Refused> {
    let narrow = ranking.values.len() <= usize::from(u16::MAX);
    let (edges, figures) = if narrow {
        collapse_with::<u16>(points, &ranking.edges, level)?
    } else {
        collapse_with::<u32>(points, &ranking.edges, level)?
    };
    Ok((Edges::List(edges), figures))
}

/// Ranked edges (i, j, rank), i > j.
type EdgeList = Vec<(u32, u32, u32)>;

fn collapse_with<R: Rank>(
    points: usize,
    edges: &Edges,
    level: Level,
) -> Result<(EdgeList, CollapseFigures), Refused> {
    let mut order = edges.list()?;
    order.sort_unstable_by_key(|&(i, j, rank)| Reverse((rank, i, j)));
    let mut rows = Rows { stride: stride(points), ranks: edges.square::<R>(points)? };
    (0..points).for_each(|x| rows.set(x, x, R::narrow(0)));
    let mut dominators = vec![0_u32; points];
    let mut entries = vec![R::MAX; rows.stride];
    let mut figures = CollapseFigures { before: order.len(), ..CollapseFigures::default() };
    let mut left = Vec::with_capacity(order.len() / 8);
    for &(i, j, rank) in &order {
        let edge = Edge { u: i as usize, v: j as usize, rank: R::narrow(rank) };
        let guesses = [dominators[edge.u], dominators[edge.v]].map(|vertex| vertex as usize);
        let found = level.run(Shift { rows: &rows, edge, guesses, points, entries: &mut entries });
        if found.rank != edge.rank {
            rows.set(edge.u, edge.v, found.rank);
            rows.set(edge.v, edge.u, found.rank);
        }
        if found.rank == R::MAX {
            (dominators[edge.u], dominators[edge.v]) = (found.dominator as u32, found.dominator as u32);
        } else {
            figures.shifted += usize::from(found.rank != edge.rank);
            left.push((i, j, found.rank.widen()));
        }
    }
    figures.after = left.len();
    Ok((left, figures))
}

/// A square matrix of ranks, its rows padded with `MAX`, its diagonal 0.
struct Rows<R> {
    stride: usize,
    ranks: Vec<R>,
}

impl<R: Rank> Rows<R> {
    #[inline(always)]
    fn row(&self, x: usize) -> &[R] {
        &self.ranks[x * self.stride..][..self.stride]
    }

    fn set(&mut self, x: usize, y: usize, rank: R) {
        self.ranks[x * self.stride + y] = rank;
    }
}

#[derive(Clone, Copy)]
struct Edge<R> {
    u: usize,
    v: usize,
    rank: R,
}

/// Where an edge goes.
struct Shifted<R> {
    /// The rank at which it enters, `MAX` if it never does.
    rank: R,
    /// The vertex that dominates it last.
    dominator: usize,
}

/// The search for the rank at which an edge has to enter.
struct Shift<'a, R> {
    rows: &'a Rows<R>,
    edge: Edge<R>,
    /// Vertices that are asked first.
    guesses: [usize; 2],
    points: usize,
    /// Room for τ, a row long.
    entries: &'a mut [R],
}

impl<R: Rank> Kernel<R> for Shift<'_, R> {
    type Output = Shifted<R>;

    #[inline(always)]
    fn run<S: Simd<R>>(self, s: S) -> Shifted<R> {
        let Shift { rows, edge, guesses, points, entries } = self;
        let (row_u, row_v) = (rows.row(edge.u), rows.row(edge.v));
        let own = s.splat(edge.rank);
        for at in (0..rows.stride).step_by(S::LEN) {
            let both = s.max(s.load(&row_u[at..]), s.load(&row_v[at..]));
            s.store(s.max(both, own), &mut entries[at..]);
        }
        let entries = &*entries;
        let mut shifted = Shifted { rank: edge.rank, dominator: edge.u };
        loop {
            let now = shifted.rank;
            let mut best = Shifted { rank: now, dominator: edge.u };
            for w in guesses.into_iter().chain(0..points) {
                if entries[w] > now || w == edge.u || w == edge.v {
                    continue;
                }
                let until = until(s, rows.row(w), entries, now);
                if until > best.rank {
                    best = Shifted { rank: until, dominator: w };
                    if until == R::MAX {
                        return best;
                    }
                }
            }
            if best.rank == now {
                return shifted;
            }
            shifted = best;
        }
    }
}

/// The rank until which the vertex of a row dominates an edge, if it does at the rank `now`; else `now`. `entries` is τ of the edge.
#[inline(always)]
fn until<R: Rank, S: Simd<R>>(s: S, row: &[R], entries: &[R], now: R) -> R {
    let all = u32::MAX >> (u32::BITS as usize - S::LEN);
    let at_now = s.splat(now);
    let mut first = R::MAX;
    for at in (0..entries.len()).step_by(S::LEN) {
        let (ranks, taus) = (s.load(&row[at..]), s.load(&entries[at..]));
        let failing = all & !s.bits(s.le(ranks, taus));
        if failing == 0 {
            continue;
        }
        let is_there = s.bits(s.le(taus, at_now));
        if failing & is_there & !s.bits(s.le(ranks, at_now)) != 0 {
            return now;
        }
        let mut later = failing & !is_there;
        while later != 0 {
            first = first.min(entries[at + later.trailing_zeros() as usize]);
            later &= later - 1;
        }
    }
    first
}

#[cfg(test)]
mod tests;
