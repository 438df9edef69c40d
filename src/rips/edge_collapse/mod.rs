//! Edge collapse: fewer edges, the same bars (Boissonnat, Pritam 2020; Glisse, Pritam 2022, "Swap, Shift and Trim to
//! Edge Collapse a Filtration").
//!
//! **Domination.** An edge e = {u, v} of a graph is dominated by a vertex w if w and every other common neighbour of u
//! and v are neighbours: e and all simplices with e can then be removed from the flag complex, which keeps its homotopy
//! type. In a filtration, an edge that is dominated at every scale from its own rank t to before t' may enter at t'
//! instead (*shift*), and one that is dominated at all scales from t on may be left out (*trim*): at each scale the
//! smaller complex has the homotopy type of the larger, compatibly with the inclusions. So barcodes stay the same,
//! whichever edges are moved and in whatever order; the order decides only how many are removed. Edges are processed
//! from the last to the first, as Glisse and Pritam do, and processing may stop at any edge.
//!
//! **The test.** Let r(x, y) be the rank at which an edge enters, 0 if x = y and `ABSENT` if never. A vertex x is a
//! common neighbour of u and v from the rank τ(x) = max(r(u, x), r(v, x), t) on, so w dominates e at a scale s ≥ t
//! unless some x has
//!
//! ```text
//! τ(x) ≤ s < r(w, x)
//! ```
//!
//! This includes that w itself must be a common neighbour at s: take x = u and x = v, for which τ is t.
//!
//! ```text
//! for each edge e = {u, v}, the last first:
//!     s ← its rank t
//!     while some w dominates e at s:
//!         s ← the greatest rank until which one of them does
//!     e enters at s, or never
//! ```
//!
//! **Stages.** `order` gives each edge a rank of its own, which keeps the order of the bars too. `search` determines
//! how far an edge can be moved; most cannot be moved at all, which a comparison of bitsets shows. `batches` searches
//! many edges at a time on all threads, and then moves them one by one, except those that `pins` holds in place.
//! `cost_test` ends the work when it costs more than it saves.

mod batch_pool;
mod batches;
mod cost_test;
mod graph;
mod order;
mod pins;
mod ranks;
mod replica;
mod search;

use serde::{Deserialize, Serialize};

pub(super) use self::cost_test::{CostTest, least};
use self::order::ordered;
use super::rank::{Edges, Layout, Ranking, Values};
use super::stats::CollapseStats;
use crate::memory::{self, Refused};
use crate::progress::Progress;

/// The result of a collapse.
#[derive(Serialize, Deserialize)]
pub(super) struct Collapsed {
    /// The remaining edges. Each input edge had a rank of its own, in the order of Ripser's filtration, so several
    /// ranks may have the same value.
    pub(super) graph: Ranking,
    /// The values shared by several input edges, ascending.
    pub(super) repeated: Vec<f64>,
    /// Numbers of edges removed and shifted.
    pub(super) stats: CollapseStats,
}

/// The bars whose order is to be Ripser's, besides those of dimension 1. Bars born at the value of a single edge are
/// [kept in their order](pins).
#[derive(Clone, Copy, Default)]
pub(super) struct Keep<'a> {
    /// Whether the bars of dimension 2 keep their order.
    pub(super) plane: bool,
    /// Birth values whose bars keep their order in all dimensions. Each is the value of exactly one edge.
    pub(super) born_at: &'a [f64],
}

/// Collapses the edges of a graph on `points` vertices: all of them, or as long as that pays if there is a cost test.
/// `progress` may end the run.
///
/// # Errors
/// There is no memory for the graph.
pub(super) fn collapse(
    points: usize,
    ranking: &Ranking,
    keep: Keep<'_>,
    cost_test: Option<CostTest<'_>>,
    progress: &dyn Progress,
) -> Result<Collapsed, Refused> {
    let order = ordered(ranking)?;
    let places: Vec<usize> = keep.born_at.iter().filter_map(|&value| order.place(value)).collect();
    let (mut left, stats) =
        batches::collapse(points, &order.edges, (keep.plane, &places), cost_test, progress)?;
    let values = order.renumber(&mut left.numbers);
    let graph = Ranking { values: Values::Listed(values), edges: left };
    Ok(Collapsed { graph, repeated: order.repeated(), stats })
}

/// The whole graph with a rank of its own for each edge, in the order of Ripser's filtration.
///
/// # Errors
/// There is no memory for a second list of the edges.
pub(super) fn refined(points: usize, ranking: &Ranking) -> Result<Collapsed, Refused> {
    let order = ordered(ranking)?;
    let repeated = order.repeated();
    let order::Ordered { edges, values } = order;
    let mut numbers = memory::with_room(edges.len())?;
    // Ranks are numbers of 32 bits.
    numbers.extend(1..=edges.len() as u32);
    let stats = CollapseStats { before: edges.len(), after: edges.len(), ..CollapseStats::default() };
    let edges = Edges { points, numbers, layout: Layout::Pairs(edges) };
    Ok(Collapsed { graph: Ranking { values: Values::Listed(values), edges }, repeated, stats })
}

/// Peak of the bytes that a collapse takes: besides the graph, and copies of a small one on each thread, up to 41 bytes
/// an edge for the edges in order, those that are left, and their numbers.
pub(super) fn peak(points: usize, edges: usize) -> u64 {
    let threads = rayon::current_num_threads() as u64;
    let copies = if replica::is_small(points, edges) { threads * graph::bytes(points, edges) } else { 0 };
    bytes(points, edges).saturating_add(copies).saturating_add(17 * edges as u64)
}

/// Lower bound, in bytes, of the memory that a collapse takes.
pub(super) fn bytes(points: usize, edges: usize) -> u64 {
    let listed = (edges as u64).saturating_mul(24);
    graph::bytes(points, edges).saturating_add(listed).saturating_add(pins::Pinned::bytes(edges))
}

#[cfg(test)]
mod tests;
