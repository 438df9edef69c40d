//! Filtration construction with clearing and apparent-pair search.
//!
//! **Output.** The *residue* of a dimension d consists of the d-simplices up to the threshold that are neither cleared
//! ([`clearing`](super::clearing)) nor the facet in a zero apparent pair ([`apparent_pairs`](super::apparent_pairs):
//! the column of such a facet is already reduced). It is sorted in reverse filtration order, the order of reduction. No
//! simplex outside the residue is stored.
//!
//! **Method.** `sweep` enumerates the simplices of a matrix of ranks. A dense complex is one such matrix, and work is
//! divided by the one or two greatest vertices (`dense`). In a sparse complex it is divided by the greatest vertex v:
//! every simplex with that greatest vertex, and every cofacet of it, lies in the neighbourhood of v, whose matrix is
//! small (`neighbourhood`). The edges of a sparse complex are decided on the neighbour lists, without a matrix
//! (`edges`), and those of a small dense one in filtration order (`ordered`). Simplices that a sweep leaves undecided
//! are looked up in layer 1 and collected (`collect`). Devices sweep too, ahead of the reduction (`cuda`); the
//! simplices that they leave ([`Undecided`]) are looked up afterwards.
//!
//! Sweeps know ranks and vertices, but no entries: they are compiled for each width of ranks, and the collection for
//! each width of entries.

mod block;
mod collect;
pub(super) mod cuda;
mod dense;
mod edges;
mod neighbourhood;
mod ordered;
mod parts;
mod single_simplex;
mod sweep;
mod together;
mod undecided;

pub use cuda::{DeviceSweep, OnSwept, SweepQueue};
pub use parts::Parts;
pub use sweep::{SimplexCounts, Sink};
pub(super) use together::{construct_share, construct_together};
pub use undecided::Undecided;

use std::sync::Mutex;

use self::collect::{Collector, residue};
use self::neighbourhood::MOST_VERTICES;
use super::Progress;
use super::components::Components;
use super::pair_store::{ApparentPairs, Pivots, SecondLayer};
use super::stats::PairStoreStats;
use super::word::Word;
use crate::parallel::{into_inner, lock};

/// The result of filtration construction in one dimension.
#[derive(Debug, Default)]
pub struct Residue<W> {
    /// Entries of the residue, in reverse filtration order.
    pub columns: Vec<W>,
    /// The zero apparent pairs of these columns' dimension: layer 2 of the pair store.
    pub apparent: ApparentPairs<W>,
    /// Numbers of simplices by the way they were decided.
    pub counts: SimplexCounts,
    /// Accesses to the pair store: look-ups of clearing in layer 1, and the making of layer 2.
    pub pair_store: PairStoreStats,
}

/// A complex whose simplices can be enumerated.
pub trait Enumerate: Components {
    /// Upper bound on the number of simplices of dimension `dim`: the total by which the progress of a [`Construction`]
    /// advances.
    fn work(&self, dim: usize) -> u64;

    /// The number of parts into which the simplices of dimension `dim` are divided; the first parts are the longest.
    fn parts(&self, dim: usize) -> usize;

    /// Enumerates the simplices of the parts that it takes from `parts`, until none is left. Passes those that it does
    /// not decide to `sink`, and returns how many there were of each kind. Each thread makes one call.
    fn enumerate(
        &self,
        construction: &Construction<'_>,
        parts: &Parts<'_>,
        sink: &mut dyn Sink,
    ) -> SimplexCounts;

    /// Sweeps one dimension after another on devices, and passes the result of each to `found` until told to stop.
    fn sweep_on(&self, devices: &DeviceSweep<'_>, found: OnSwept<'_>);
}

/// The parameters of a filtration construction.
#[derive(Clone, Copy)]
pub struct Construction<'a> {
    dim: usize,
    layer: SecondLayer,
    rank_width: u32,
    progress: &'a dyn Progress,
    /// Greatest number of vertices in the matrix of a neighbourhood, which tests set lower.
    most_vertices: usize,
}

impl<'a> Construction<'a> {
    /// The construction of dimension `dim` ≥ 1 with ranks stored in `rank_width` bits. `layer` is the kind of layer 2
    /// to make: for a sorted one, every simplex is decided by itself. `progress` receives the work done, in the units
    /// of [`Enumerate::work`].
    pub fn new(dim: usize, layer: SecondLayer, rank_width: u32, progress: &'a dyn Progress) -> Self {
        Construction { dim, layer, rank_width, progress, most_vertices: MOST_VERTICES }
    }

    /// Whether the sink receives apparent pairs.
    fn lists_apparent(&self) -> bool {
        self.layer == SecondLayer::Sorted
    }
}

/// Constructs the residue of a dimension on the threads of the current pool; `below` has the pairs of the dimension
/// below.
pub fn construct<W: Word>(
    complex: &dyn Enumerate,
    construction: &Construction<'_>,
    below: &Pivots<W>,
) -> Residue<W> {
    construct_parts(complex, construction, below, &Parts::of(0..complex.parts(construction.dim)))
}

/// Constructs the residue among the simplices of these parts.
pub(super) fn construct_parts<W: Word>(
    complex: &dyn Enumerate,
    construction: &Construction<'_>,
    below: &Pivots<W>,
    parts: &Parts<'_>,
) -> Residue<W> {
    let collected = Mutex::new(Vec::new());
    parts.share(&|| {
        let mut collector = Collector::new(complex.points(), construction.dim, below);
        let counts = complex.enumerate(construction, parts, &mut collector);
        lock(&collected).push((collector, counts));
    });
    residue(into_inner(collected), construction.layer)
}

#[cfg(test)]
pub(super) mod tests;
