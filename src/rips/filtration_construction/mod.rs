//! Filtration construction with clearing and apparent-pair search.
//!
//! **Meaning.** Of all d-simplices up to the threshold, the *residue*: those that are neither cleared
//! ([`clearing`](super::clearing)) nor the facet in a zero apparent pair ([`apparent_pairs`](super::apparent_pairs): its column is
//! reduced as it is). Sorted in reverse filtration order, the order columns are reduced in. No simplex is listed that
//! is not in the residue.
//!
//! **How.** `sweep` goes through the simplices of a matrix of ranks. A dense complex is one such matrix, its work cut
//! by the two greatest vertices (`dense`). A sparse one is cut by the greatest vertex v: every simplex with that greatest vertex,
//! and every cofacet of it, lies in v's neighbourhood, whose matrix is small (`neighbourhood`); its edges are decided on the neighbour
//! lists, without any matrix (`edges`), and those of few points one after another in filtration order (`ordered`). What a sweep does not decide is looked up in layer 1 and collected (`collect`). Devices sweep too, ahead of the reduction (`cuda`); what they leave
//! ([`Undecided`]) is looked up afterwards.
//!
//! Sweeps know ranks and vertices, not entries: they are compiled for each width of a rank, collecting for each width of an entry.

mod block;
mod collect;
pub(super) mod cuda;
mod dense;
mod edges;
mod neighbourhood;
mod ordered;
mod single_simplex;
mod sweep;
mod undecided;

pub use cuda::{DeviceComplex, DeviceSweep};
pub use sweep::{SimplexCounts, Sink};
pub use undecided::Undecided;

use std::sync::Mutex;

use self::collect::{Collector, residue};
use super::Progress;
use super::code::Code;
use super::complex::Complex;
use super::pair_store::{ApparentPairs, Layer2Seconds, PairStore};
use super::plan::SecondLayer;
use super::word::Word;
use crate::parallel::{SharedRange, into_inner, lock};
use crate::simd::Level;

/// The columns that remain in a dimension, and what was learnt on the way.
#[derive(Debug)]
pub struct Residue<W> {
    /// Entries of the residue, in reverse filtration order.
    pub columns: Vec<W>,
    /// The zero apparent pairs of these columns' dimension: layer 2 of the pair store.
    pub apparent: ApparentPairs<W>,
    /// Simplices counted.
    pub counts: SimplexCounts,
    /// Look-ups in layer 1.
    pub layer1_reads: u64,
    /// What making layer 2 took, if it is sorted.
    pub layer2_seconds: Layer2Seconds,
}

/// A complex whose simplices can be enumerated.
pub trait Enumerate: Complex {
    /// Units of work in dimension `dim`, as [`Enumeration::progress`] is told of them: simplices at most.
    fn work(&self, dim: usize) -> u64;

    /// The number of parts that the simplices of dimension `dim` are cut into; the first parts are the longest.
    fn parts(&self, dim: usize) -> usize;

    /// Goes through the simplices of the parts that it takes, until none is left. Tells `sink` of those that it does not decide,
    /// and counts all. Each thread makes one call.
    fn enumerate(
        &self,
        enumeration: &Enumeration<'_>,
        parts: &SharedRange,
        sink: &mut dyn Sink,
    ) -> SimplexCounts;

    /// The complex as devices see it, with ranks of so many bits.
    fn on_device(&self, rank_width: u32) -> DeviceComplex<'_>;
}

/// Which simplices to enumerate, and how.
#[derive(Clone, Copy)]
pub struct Enumeration<'a> {
    /// The dimension d ≥ 1.
    pub dim: usize,
    /// Whether the sink is to be told of apparent pairs; every simplex is then looked at alone.
    pub lists_apparent: bool,
    /// Bits of a stored rank.
    pub rank_width: u32,
    /// The instruction set of sweeps.
    pub level: Level,
    /// Told of the work done, in the units of [`Enumerate::work`].
    pub progress: &'a dyn Progress,
}

/// Which residue to construct.
pub struct Construction<'a, W> {
    /// The dimension d ≥ 1.
    pub dim: usize,
    /// Entries of d-simplices.
    pub code: Code<W>,
    /// Entries of their cofacets.
    pub cofacet_code: Code<W>,
    /// Pairs of dimension d−1.
    pub below: &'a PairStore<W>,
    /// Which second layer to make.
    pub layer: SecondLayer,
    /// Bits of a stored rank.
    pub rank_width: u32,
    /// The instruction set of sweeps.
    pub level: Level,
    /// Told of the work done, in the units of [`Enumerate::work`].
    pub progress: &'a dyn Progress,
}

/// From this many parts on, threads take several at a time.
const MANY_PARTS: usize = 1 << 16;

/// Constructs the residue of a dimension on the threads of the current pool.
pub fn construct<W: Word>(complex: &dyn Enumerate, construction: &Construction<'_, W>) -> Residue<W> {
    let &Construction { dim, layer, rank_width, level, progress, .. } = construction;
    let lists_apparent = layer == SecondLayer::Sorted;
    let enumeration = Enumeration { dim, lists_apparent, rank_width, level, progress };
    let parts = complex.parts(dim);
    let parts = SharedRange::new(parts, (parts / MANY_PARTS).clamp(1, 16));
    let collected = Mutex::new(Vec::new());
    parts.share(&|| {
        let mut collector = Collector::new(construction);
        let counts = complex.enumerate(&enumeration, &parts, &mut collector);
        lock(&collected).push((collector, counts));
    });
    residue(into_inner(collected), layer)
}

/// C(n, k), saturating.
pub fn binomial(n: usize, k: usize) -> u64 {
    if k > n {
        return 0;
    }
    let mut product = 1u128;
    for i in 0..k.min(n - k) {
        product = product * (n - i) as u128 / (i + 1) as u128;
        if product > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    // At most u64::MAX.
    product as u64
}

#[cfg(test)]
mod tests;
