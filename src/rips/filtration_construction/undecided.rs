//! The result of a device's sweep in one dimension: the simplices that distances alone do not decide.
//!
//! Entries are lists of 64-bit limbs, least significant first, as the kernels write them, so that the code that drives
//! devices does not depend on the width of an entry.

use std::time::Instant;

use super::{Residue, SimplexCounts};
use crate::backend::{Difference, expect_same};
use crate::rips::clearing;
use crate::rips::code::Code;
use crate::rips::pair_store::{ApparentPairs, Pivots, SecondLayer};
use crate::rips::stats::PairStoreStats;
use crate::rips::word::{Word, sort_runs};

/// The simplices that a sweep leaves undecided in one dimension.
#[derive(Debug, Default)]
pub struct Undecided {
    /// Entries of the simplices that are in no zero apparent pair, neither as facet nor as cofacet; each part is in
    /// reverse filtration order.
    pub columns: Vec<Vec<u64>>,
    /// The cofacets of apparent pairs, if they were requested; each part ascends.
    pub cofacets: Vec<Vec<u64>>,
    /// Times to sort the cofacets and to copy them from the devices, summed over devices.
    pub pair_store: PairStoreStats,
    /// Numbers of simplices by the way they were decided.
    pub counts: SimplexCounts,
    /// Seconds that the devices took.
    pub seconds: f64,
}

impl Undecided {
    /// Compares this result with the residue that the CPU constructs when layer 1 clears nothing.
    ///
    /// # Errors
    /// The first difference.
    pub fn check<W: Word>(&self, own: &Residue<W>, code: &Code<W>) -> Result<(), Difference> {
        let [device, processor] = [self.counts, own.counts].map(|counts| format!("{counts:?}"));
        expect_same(|| "counts".into(), device, processor)?;
        expect_same_entries("residue, column", &descending(self.columns.clone()), &own.columns, &|entry| {
            named(entry, code)
        })?;
        let ApparentPairs::Sorted(cofacets) = &own.apparent else { return Ok(()) };
        let found = words(self.cofacets.clone());
        expect_same_entries("apparent pairs, cofacet", &found, cofacets, &|entry| format!("{entry:?}"))
    }

    /// The residue: the undecided simplices that layer 1 of the dimension below does not clear.
    pub fn clear<W: Word>(self, below: &Pivots<W>, layer: SecondLayer) -> Residue<W> {
        let undecided = descending(self.columns);
        let columns = clearing::uncleared_by_layer1(&undecided, below);
        let mut counts = self.counts;
        counts.cleared += (undecided.len() - columns.len()) as u64;
        let mut pair_store = PairStoreStats::of_clearing(undecided.len() as u64);
        pair_store += self.pair_store;
        let apparent = match layer {
            SecondLayer::Implicit => ApparentPairs::Implicit,
            SecondLayer::Sorted => {
                let (started, cofacets) = (Instant::now(), words(self.cofacets));
                pair_store.layer2_list_seconds += started.elapsed().as_secs_f64();
                pair_store.layer2_writes = cofacets.len() as u64;
                ApparentPairs::Sorted(cofacets)
            }
        };
        Residue { columns, apparent, counts, pair_store }
    }
}

/// Checks that a device and the processor list the same entries, which `named` describes.
fn expect_same_entries<W: Word>(
    what: &str,
    device: &[W],
    processor: &[W],
    named: &dyn Fn(Option<W>) -> String,
) -> Result<(), Difference> {
    let place =
        (0..device.len().max(processor.len())).find(|&place| device.get(place) != processor.get(place));
    let Some(place) = place else { return Ok(()) };
    let [device, processor] = [device, processor].map(|entries| named(entries.get(place).copied()));
    Err(Difference { place: format!("{what} {place}"), device, processor })
}

fn named<W: Word>(entry: Option<W>, code: &Code<W>) -> String {
    let Some(entry) = entry else { return "nothing".into() };
    let mut vertices = Vec::new();
    code.vertices_of(entry, &mut vertices);
    format!("{vertices:?} of rank {}", code.rank(entry))
}

/// The words of sorted parts, given by their limbs, one part after the other. There may be nearly as many words as
/// simplices, so a single part of one-limb words is returned without a copy.
fn words<W: Word>(mut parts: Vec<Vec<u64>>) -> Vec<W> {
    parts.retain(|part| !part.is_empty());
    if parts.len() < 2 {
        return W::from_limb_list(parts.pop().unwrap_or_default());
    }
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.len() / W::LIMBS).sum());
    parts.into_iter().for_each(|part| all.append(&mut W::from_limb_list(part)));
    sort_runs(&mut all);
    all
}

/// The words of descending parts as one descending list.
fn descending<W: Word>(parts: Vec<Vec<u64>>) -> Vec<W> {
    let mut all = words(parts);
    if all.first() < all.last() {
        all.reverse();
    }
    all
}
