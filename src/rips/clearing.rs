//! Clearing: columns that are known to reduce to zero are skipped.
//!
//! **Statement** (Chen, Kerber 2011; for coboundary matrices Bauer 2021; Zhang, Xiao, Wang 2020, Algorithms 4 and 5).
//! If (σ, τ) is a persistence pair of a (d−1)-simplex and a d-simplex, then the column of τ in the coboundary matrix of
//! dimension d reduces to zero. Dimensions are processed in ascending order, so when the columns of dimension d are
//! listed all pairs of dimension d−1 are known, and their d-simplices are left out.
//!
//! **Decision.** A d-simplex τ is cleared for one of two reasons:
//!
//! - It is in a zero apparent pair of dimension d−1. Distances alone decide this ([`apparent_pairs`], seen from τ):
//!   [`by_apparent_pair`] does so for one simplex, and `filtration_construction::single_simplex` on the vector unit for
//!   the simplices that a sweep tests one by one.
//! - It is the pivot of a reduced column of dimension d−1, or an edge of the spanning forest: layer 1 of the pair store
//!   holds it. [`Layer1Clearing`] decides this for one simplex at a time, [`uncleared_by_layer1`] for a list.

use std::sync::Mutex;

use super::apparent_pairs;
use super::complex::Complex;
use super::pair_store::{PairStore, Pivots};
use super::word::Word;
use crate::parallel::{SharedRange, into_inner, lock};

/// Whether a d-simplex, d ≥ 1, is in a zero apparent pair with one of its facets. `facet` is scratch.
///
/// Edges are in none: the pairs of dimension 0 are those of the spanning forest, all of which layer 1 holds.
pub fn by_apparent_pair<C: Complex>(complex: &C, simplex: &[u32], rank: u32, facet: &mut Vec<u32>) -> bool {
    simplex.len() > 2 && apparent_pairs::facet_of(complex, simplex, rank, facet).is_some()
}

/// Clears simplices by the pairs that dimension d−1 left in layer 1 of its pair store, and counts the look-ups.
#[derive(Debug)]
pub struct Layer1Clearing<'a, W> {
    pivots: &'a Pivots<W>,
    /// Number of look-ups so far. Each one that clears nothing leaves a column of the residue.
    pub reads: u64,
}

impl<'a, W: Word> Layer1Clearing<'a, W> {
    /// Clears by the pairs of dimension d−1, which are in `below`.
    pub fn new(below: &'a PairStore<W>) -> Self {
        Layer1Clearing { pivots: &below.pivots, reads: 0 }
    }

    /// Whether the simplex of this entry is cleared.
    #[inline]
    pub fn clears(&mut self, entry: W) -> bool {
        self.reads += 1;
        self.pivots.get(entry).is_some()
    }
}

/// Number of entries that a thread looks up at a time.
const CHUNK: usize = 1 << 12;

/// The entries that layer 1 does not clear, in their given order.
pub fn uncleared_by_layer1<W: Word>(entries: &[W], below: &PairStore<W>) -> Vec<W> {
    let (chunks, kept) = (SharedRange::new(entries.len(), CHUNK), Mutex::new(Vec::new()));
    chunks.share(&|| {
        while let Some(chunk) = chunks.take() {
            let (first, mut clearing) = (chunk.start, Layer1Clearing::new(below));
            let left: Vec<W> =
                entries[chunk].iter().copied().filter(|&entry| !clearing.clears(entry)).collect();
            lock(&kept).push((first, left));
        }
    });
    let mut kept = into_inner(kept);
    kept.sort_unstable_by_key(|&(first, _)| first);
    let mut all = Vec::with_capacity(kept.iter().map(|(_, left)| left.len()).sum());
    kept.iter().for_each(|(_, left)| all.extend_from_slice(left));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::pair_store::ApparentPairs;

    #[test]
    fn deaths_of_the_dimension_below_are_left_out() {
        let entries: Vec<u64> = (0..3 * CHUNK as u64 + 5).rev().collect();
        let deaths = entries.iter().copied().filter(|entry| entry % 3 == 0);
        let pivots = Pivots::with_capacity(entries.len()).unwrap();
        deaths.for_each(|entry| pivots.insert(entry, 0).unwrap());
        let below = PairStore { pivots, apparent: ApparentPairs::Implicit };
        let found = uncleared_by_layer1(&entries, &below);
        assert!(found.into_iter().eq(entries.iter().copied().filter(|entry| entry % 3 != 0)));
        let mut clearing = Layer1Clearing::new(&below);
        assert_eq!([3, 4, 6].map(|entry| clearing.clears(entry)), [true, false, true]);
        assert_eq!(clearing.reads, 3);
    }
}
