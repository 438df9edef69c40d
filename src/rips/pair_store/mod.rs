//! The two-layer pair store (Zhang, Xiao, Wang 2020, Section 5).
//!
//! The store answers one question: which column, if any, has a given simplex as its pivot? Layer 1 holds the pairs that
//! submatrix reduction found, layer 2 the zero apparent pairs, which are never reduced. Layer 2 is either *implicit*,
//! recomputed from the distances at each look-up, or *sorted*: the cofacets of all apparent pairs in an array with
//! binary search, as in the paper. Both give the same answers.

mod pivots;

pub use pivots::{Found, Pivots};

use serde::{Deserialize, Serialize};

use super::complex::{Complex, apparent_pairs};
use super::word::Word;

/// Storage of the second layer of the pair store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SecondLayer {
    /// Apparent pairs are recomputed from the distances at each look-up, which takes no memory.
    #[default]
    Implicit,
    /// Apparent pairs are stored in an array sorted by cofacet, as in the paper.
    Sorted,
}

/// Zero apparent pairs (σ, τ) of one dimension, looked up by τ.
#[derive(Debug, Default)]
pub enum ApparentPairs<W> {
    /// The pairs are decided from the distances.
    #[default]
    Implicit,
    /// The entries of all τ, ascending.
    Sorted(Vec<W>),
}

impl<W: Word> ApparentPairs<W> {
    /// The position in τ of the vertex whose omission gives σ, if τ is in a pair. `vertices` and `rank` are those of
    /// `entry`. On success `facet` holds the vertices of σ.
    #[inline]
    pub fn facet(
        &self,
        complex: &dyn Complex,
        entry: W,
        vertices: &[u32],
        rank: u32,
        facet: &mut Vec<u32>,
    ) -> Option<usize> {
        match self {
            ApparentPairs::Implicit => complex.apparent_facet(vertices, rank, facet),
            ApparentPairs::Sorted(cofacets) => {
                cofacets.binary_search(&entry).ok()?;
                let omitted = complex.youngest_facet(vertices, rank)?;
                apparent_pairs::omit(vertices, omitted, facet);
                Some(omitted)
            }
        }
    }
}

/// The results of a dimension that the next one needs.
pub(super) struct Below<W> {
    /// Layer 1 of the pair store, which clears columns of the next dimension.
    pub(super) store: Pivots<W>,
    /// The columns of the residue and the pivot of each, from which the cycles of essential classes are made; empty in
    /// dimension 0, and if no cycles are wanted.
    pub(super) columns: Vec<W>,
    pub(super) pivots: Vec<Option<W>>,
}

impl<W> Below<W> {
    /// The results of a dimension for which no columns are recorded.
    pub(super) fn new(store: Pivots<W>) -> Self {
        Below { store, columns: Vec::new(), pivots: Vec::new() }
    }
}
