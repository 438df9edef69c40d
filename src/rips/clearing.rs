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
//!   holds it. Filtration construction looks each undecided simplex up, [`uncleared_by_layer1`] those of a list.

use super::complex::{Complex, apparent_pairs};
use super::pair_store::Pivots;
use super::word::Word;
use crate::parallel::listed;

/// Whether a d-simplex, d ≥ 1, is in a zero apparent pair with one of its facets. `facet` is scratch.
///
/// Edges are in none: the pairs of dimension 0 are those of the spanning forest, all of which layer 1 holds.
pub fn by_apparent_pair<C: Complex>(complex: &C, simplex: &[u32], rank: u32, facet: &mut Vec<u32>) -> bool {
    simplex.len() > 2 && apparent_pairs::facet_of(complex, simplex, rank, facet).is_some()
}

/// Number of entries that a thread looks up at a time.
const CHUNK: usize = 1 << 12;

/// The entries that layer 1 of the dimension below does not clear, in the same order.
pub fn uncleared_by_layer1<W: Word>(entries: &[W], below: &Pivots<W>) -> Vec<W> {
    let is_left = |entry: &W| below.get(*entry).is_none();
    listed(entries.len(), CHUNK, &|range| entries[range].iter().copied().filter(is_left).collect())
}
