//! The two-layer pair store (Zhang, Xiao, Wang 2020, Section 5).
//!
//! It answers one question: which column, if any, has this simplex as its pivot? Layer 1 holds the pairs that
//! submatrix reduction found; layer 2 the zero apparent pairs, which are never reduced. Layer 2 is either *implicit*,
//! recomputed from the distances at each look-up, or *sorted*: the cofacets of all apparent pairs in an array,
//! searched by bisection as in the paper. Both give the same answers.

mod pivots;

pub use pivots::{Found, Pivots};

use super::apparent_pairs;
use super::complex::Complex;
use super::word::Word;

/// What making the sorted layer 2 of a dimension took, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Layer2Seconds {
    /// Of sorting.
    pub sort: f64,
    /// Of bringing it from devices.
    pub copy: f64,
    /// Of making it one list.
    pub list: f64,
}

impl std::ops::AddAssign for Layer2Seconds {
    fn add_assign(&mut self, other: Layer2Seconds) {
        self.sort += other.sort;
        self.copy += other.copy;
        self.list += other.list;
    }
}

/// Zero apparent pairs (σ, τ) of one dimension, looked up by τ.
#[derive(Debug)]
pub enum ApparentPairs<W> {
    /// Decided from the distances.
    Implicit,
    /// The entries of all τ, ascending.
    Sorted(Vec<W>),
    /// There are none: vertices are paired with edges by union-find alone.
    None,
}

impl<W: Word> ApparentPairs<W> {
    /// The position in τ of the vertex to omit to get its σ, if τ is in a pair. `vertices` and `rank` are those of
    /// `entry`; `facet` is left with the vertices of the answer.
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
            ApparentPairs::None => None,
        }
    }

    /// Pairs written.
    pub fn written(&self) -> u64 {
        if let ApparentPairs::Sorted(cofacets) = self { cofacets.len() as u64 } else { 0 }
    }
}

/// Both layers, for pairs of simplices of one dimension with simplices of the next.
#[derive(Debug)]
pub struct PairStore<W> {
    /// Layer 1.
    pub pivots: Pivots<W>,
    /// Layer 2.
    pub apparent: ApparentPairs<W>,
}
