//! The two-layer pair store (Zhang, Xiao, Wang 2020, Section 5).
//!
//! The store answers one question: which column, if any, has a given simplex as its pivot? Layer 1 holds the pairs that
//! submatrix reduction found, layer 2 the zero apparent pairs, which are never reduced. Layer 2 is either *implicit*,
//! recomputed from the distances at each look-up, or *sorted*: the cofacets of all apparent pairs in an array with
//! binary search, as in the paper. Both give the same answers.

mod pivots;

pub use pivots::{Found, Pivots};

use super::apparent_pairs;
use super::complex::Complex;
use super::word::Word;

/// Zero apparent pairs (σ, τ) of one dimension, looked up by τ.
#[derive(Debug)]
pub enum ApparentPairs<W> {
    /// The pairs are decided from the distances.
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
