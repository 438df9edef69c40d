//! The result of a device's sweep in one dimension: the simplices that distances alone do not decide.
//!
//! Entries are lists of 64-bit limbs, least significant first, as the kernels write them, so that the code that drives
//! devices does not depend on the width of an entry.

use std::time::Instant;

use super::{Residue, SimplexCounts};
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
    /// A description of the first difference.
    pub fn check<W: Word>(&self, own: &Residue<W>, code: &Code<W>) -> Result<(), String> {
        if self.counts != own.counts {
            return Err(format!(
                "counts: {:?} on the device, {:?} on the processor",
                self.counts, own.counts
            ));
        }
        let theirs = descending::<W>(self.columns.clone());
        if let Some((place, ours, theirs)) = first_difference(&own.columns, &theirs) {
            return Err(format!(
                "residue, column {place}: {} on the device, {} on the processor",
                named(theirs, code),
                named(ours, code)
            ));
        }
        if let ApparentPairs::Sorted(ours) = &own.apparent {
            let theirs = words::<W>(self.cofacets.clone());
            if let Some((place, ours, theirs)) = first_difference(ours, &theirs) {
                return Err(format!(
                    "apparent pairs, cofacet {place}: {theirs:?} on the device, {ours:?} on the processor"
                ));
            }
        }
        Ok(())
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

/// The first position at which two lists differ, and the element of each list there.
fn first_difference<W: Word>(ours: &[W], theirs: &[W]) -> Option<(usize, Option<W>, Option<W>)> {
    let elements = |place: usize| (ours.get(place).copied(), theirs.get(place).copied());
    let mut places = (0..ours.len().max(theirs.len())).map(|place| (place, elements(place)));
    places.find(|(_, (own, their))| own != their).map(|(place, (own, their))| (place, own, their))
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
