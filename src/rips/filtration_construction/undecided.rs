//! What a device's sweep leaves of a dimension: everything that distances alone do not decide.
//!
//! The entries are lists of 64-bit limbs, least significant first, as the kernels write them; so the code that drives devices does
//! not depend on the width of an entry.

use std::time::Instant;

use super::{Residue, SimplexCounts};
use crate::rips::clearing;
use crate::rips::code::Code;
use crate::rips::pair_store::{ApparentPairs, Layer2Seconds, PairStore};
use crate::rips::plan::SecondLayer;
use crate::rips::word::Word;

/// What a sweep leaves of a dimension.
#[derive(Debug)]
pub struct Undecided {
    /// Entries of simplices neither apparent nor cleared by an apparent pair; each part in reverse filtration order.
    pub columns: Vec<Vec<u64>>,
    /// The cofacets of apparent simplices, if they were asked for; each part ascending.
    pub cofacets: Vec<Vec<u64>>,
    /// What sorting the cofacets and bringing them from the devices took, summed over devices.
    pub layer2_seconds: Layer2Seconds,
    /// Simplices counted.
    pub counts: SimplexCounts,
    /// Seconds the devices took.
    pub seconds: f64,
}

impl Undecided {
    /// Compares with what the processor finds when layer 1 clears nothing.
    ///
    /// # Errors
    /// The first difference, in words.
    pub fn check<W: Word>(&self, own: &Residue<W>, code: &Code<W>) -> Result<(), String> {
        if self.counts != own.counts {
            return Err(format!(
                "counts: {:?} on the device, {:?} on the processor",
                self.counts, own.counts
            ));
        }
        let theirs = descending::<W>(&self.columns);
        if let Some((place, ours, theirs)) = first_difference(own.columns.iter(), theirs.iter()) {
            return Err(format!(
                "residue, column {place}: {} on the device, {} on the processor",
                named(theirs, code),
                named(ours, code)
            ));
        }
        if let ApparentPairs::Sorted(ours) = &own.apparent {
            let theirs = listed::<W>(self.cofacets.clone());
            if let Some((place, ours, theirs)) = first_difference(ours.iter(), theirs.iter()) {
                return Err(format!(
                    "apparent pairs, cofacet {place}: {theirs:?} on the device, {ours:?} on the processor"
                ));
            }
        }
        Ok(())
    }

    /// The residue: what layer 1 of the dimension below does not clear.
    pub fn clear<W: Word>(self, below: &PairStore<W>, layer: SecondLayer) -> Residue<W> {
        let undecided = descending(&self.columns);
        drop(self.columns);
        let columns = clearing::uncleared_by_layer1(&undecided, below);
        let mut counts = self.counts;
        counts.cleared += (undecided.len() - columns.len()) as u64;
        let started = Instant::now();
        let apparent = match layer {
            SecondLayer::Implicit => ApparentPairs::Implicit,
            SecondLayer::Sorted => ApparentPairs::Sorted(listed(self.cofacets)),
        };
        let mut layer2_seconds = self.layer2_seconds;
        if layer == SecondLayer::Sorted {
            layer2_seconds.list += started.elapsed().as_secs_f64();
        }
        Residue { columns, apparent, counts, layer1_reads: undecided.len() as u64, layer2_seconds }
    }
}

/// The place where two lists first differ, and what they have there.
fn first_difference<'a, W: Word>(
    mut ours: impl Iterator<Item = &'a W>,
    mut theirs: impl Iterator<Item = &'a W>,
) -> Option<(usize, Option<W>, Option<W>)> {
    let mut place = 0;
    loop {
        let (own, their) = (ours.next(), theirs.next());
        if own != their {
            return Some((place, own.copied(), their.copied()));
        }
        own?;
        place += 1;
    }
}

fn named<W: Word>(entry: Option<W>, code: &Code<W>) -> String {
    let Some(entry) = entry else { return "nothing".into() };
    let mut vertices = Vec::new();
    code.vertices_of(entry, &mut vertices);
    format!("{vertices:?} of rank {}", code.rank(entry))
}

/// The words of descending parts, given by their limbs, as one descending list.
fn descending<W: Word>(parts: &[Vec<u64>]) -> Vec<W> {
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.len() / W::LIMBS).sum());
    for part in parts {
        all.extend(part.chunks_exact(W::LIMBS).rev().map(|limbs| W::from_limbs(|k| limbs[k])));
    }
    if parts.len() > 1 {
        W::sort_runs(&mut all);
    }
    all.reverse();
    all
}

/// The words of ascending parts, given by their limbs, as one ascending list. There may be as many as simplices: where they are one
/// part of words of one limb, they are that part.
fn listed<W: Word>(mut parts: Vec<Vec<u64>>) -> Vec<W> {
    parts.retain(|part| !part.is_empty());
    if parts.len() < 2 {
        return W::from_limb_list(parts.pop().unwrap_or_default());
    }
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.len() / W::LIMBS).sum());
    parts.into_iter().for_each(|part| all.append(&mut W::from_limb_list(part)));
    W::sort_runs(&mut all);
    all
}
