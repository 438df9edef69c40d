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
        expect_same_entries(
            "residue, column",
            &descending(words(self.columns.clone()).collect()),
            &own.columns,
            &|entry| named(entry, code),
        )?;
        let ApparentPairs::Sorted(cofacets) = &own.apparent else { return Ok(()) };
        let found = merged(words(self.cofacets.clone()).collect());
        expect_same_entries("apparent pairs, cofacet", &found, cofacets, &|entry| format!("{entry:?}"))
    }

    /// The residue: the undecided simplices that layer 1 of the dimension below does not clear.
    pub fn clear<W: Word>(self, below: &Pivots<W>, layer: SecondLayer) -> Residue<W> {
        self.join(Residue::default(), below, layer)
    }

    /// The residue of these simplices and of others, of which `residue` is that.
    pub fn join<W: Word>(self, residue: Residue<W>, below: &Pivots<W>, layer: SecondLayer) -> Residue<W> {
        let Residue { columns, apparent, mut counts, mut pair_store } = residue;
        let (mut columns, mut undecided) = (vec![columns], 0);
        counts += self.counts;
        for part in self.columns {
            let part = W::from_limb_list(part);
            let uncleared = clearing::uncleared_by_layer1(&part, below);
            undecided += part.len() as u64;
            counts.cleared += (part.len() - uncleared.len()) as u64;
            columns.push(uncleared);
        }
        pair_store += PairStoreStats::of_clearing(undecided);
        pair_store += self.pair_store;
        let apparent = match layer {
            SecondLayer::Implicit => ApparentPairs::Implicit,
            SecondLayer::Sorted => {
                let started = Instant::now();
                let own = if let ApparentPairs::Sorted(own) = apparent { own } else { Vec::new() };
                let cofacets = merged([own].into_iter().chain(words(self.cofacets)).collect());
                pair_store.layer2_list_seconds += started.elapsed().as_secs_f64();
                pair_store.layer2_writes = cofacets.len() as u64;
                ApparentPairs::Sorted(cofacets)
            }
        };
        Residue { columns: descending(columns), apparent, counts, pair_store }
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

/// The words of parts, given by their limbs.
fn words<W: Word>(parts: Vec<Vec<u64>>) -> impl Iterator<Item = Vec<W>> {
    parts.into_iter().map(W::from_limb_list)
}

/// Sorted parts as one list. There may be nearly as many words as simplices, so a single part is returned without a
/// copy.
fn merged<W: Word>(mut parts: Vec<Vec<W>>) -> Vec<W> {
    parts.retain(|part| !part.is_empty());
    if parts.len() < 2 {
        return parts.pop().unwrap_or_default();
    }
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|mut part| all.append(&mut part));
    sort_runs(&mut all);
    all
}

/// Descending parts as one descending list.
fn descending<W: Word>(parts: Vec<Vec<W>>) -> Vec<W> {
    let mut all = merged(parts);
    if all.first() < all.last() {
        all.reverse();
    }
    all
}
