//! Edge collapse: fewer edges, the same bars (Boissonnat, Pritam 2020; Glisse, Pritam 2022, "Swap, Shift and Trim to Edge Collapse a
//! Filtration").
//!
//! **Domination.** An edge e = {u, v} of a graph is dominated by a vertex w if w and every other common neighbour of u and v are neighbours:
//! e and all simplices with e can then be removed from the flag complex, which keeps its homotopy type. In a filtration, an edge that is
//! dominated at every scale from its own rank t to before t' may enter at t' instead (*shift*), and one that is dominated for ever may be
//! left out (*trim*): at each scale the smaller complex has the homotopy type of the larger, compatibly with the inclusions. So
//! barcodes stay the same, whichever edges are moved and in whatever order; the order decides only how many go. Edges are taken from the last
//! to the first, as Glisse and Pritam do, and taking them may end anywhere.
//!
//! **The test.** Let r(x, y) be the rank at which an edge enters, 0 if x = y and `ABSENT` if never. A vertex x is a common neighbour of u and v
//! from the rank τ(x) = max(r(u, x), r(v, x), t) on, so w dominates e at a scale s ≥ t unless some x has
//!
//! ```text
//! τ(x) ≤ s < r(w, x)
//! ```
//!
//! which also says that w itself must be a common neighbour at s: take x = u and x = v, for which τ is t.
//!
//! ```text
//! for each edge e = {u, v}, the last first:
//!     s ← its rank t
//!     while some w dominates e at s:
//!         s ← the greatest rank until which one of them does
//!     e enters at s, or never
//! ```
//!
//! **Stages.** `order` gives each edge a rank of its own, so that the order of the bars is kept too. `search` finds out how far an edge can
//! be moved; most cannot be moved at all, which a comparison of bitsets tells. `batches` searches for many edges at a time on all threads,
//! and then moves them one by one, but for those that `pins` holds in place. `worth` ends the work when it costs more than it saves.

mod batches;
mod crew;
mod graph;
mod order;
mod pins;
mod ranks;
mod replica;
mod search;
mod worth;

use serde::{Deserialize, Serialize};

use self::order::ordered;
pub(super) use self::worth::{Worth, preparation};
use super::rank::{Edges, Ranking};
use crate::memory::Refused;
use crate::progress::Progress;

/// What became of the edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CollapseFigures {
    /// Edges that were there.
    pub before: usize,
    /// Edges that were tried, the last first.
    #[serde(default)]
    pub tried: usize,
    /// Edges that are left.
    pub after: usize,
    /// Of those, edges that enter later than they did.
    pub shifted: usize,
}

/// What is left of a graph.
pub(super) struct Collapsed {
    /// The edges that are left. Each edge had a rank of its own, in the order of Ripser's filtration: so several ranks may have the same value.
    pub(super) graph: Ranking,
    /// The values that several edges had, ascending.
    pub(super) repeated: Vec<f64>,
    /// What became of the edges.
    pub(super) figures: CollapseFigures,
}

/// Whose bars are to come in Ripser's order, besides those of dimension 1. Bars born at a value that one edge has are
/// [kept in their order](pins).
#[derive(Clone, Copy, Default)]
pub(super) struct Keep<'a> {
    /// Whether those of dimension 2 are.
    pub(super) plane: bool,
    /// Those born at these values are, in all dimensions. Each is the value of one edge alone.
    pub(super) born_at: &'a [f64],
}

/// Collapses the edges of so many points; `progress` may end it.
///
/// # Errors
/// There is no memory for the graph.
pub(super) fn collapse(
    points: usize,
    ranking: &Ranking,
    keep: Keep<'_>,
    worth: &Worth<'_>,
    progress: &dyn Progress,
) -> Result<Collapsed, Refused> {
    let order = ordered(ranking)?;
    let places: Vec<usize> = keep.born_at.iter().filter_map(|&value| order.place(value)).collect();
    let pins = batches::Pins { of_components: keep.plane, links_of: &places };
    let (mut left, figures) = batches::collapse(points, &order.edges, pins, worth, progress)?;
    let values = order.renumber(&mut left);
    let graph = Ranking { values, edges: Edges::List(left) };
    Ok(Collapsed { graph, repeated: order.repeated(), figures })
}

/// Bytes that collapsing so many edges of so many points takes at the least.
pub(super) fn bytes(points: usize, edges: usize) -> u64 {
    let listed = (edges as u64).saturating_mul(24);
    graph::bytes(points, edges).saturating_add(listed).saturating_add(pins::Pinned::bytes(edges))
}

/// Ranked edges (i, j, rank), i > j.
type EdgeList = Vec<(u32, u32, u32)>;

#[cfg(test)]
mod tests;
