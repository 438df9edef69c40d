//! The Rips complex as its ranked distances: simplices are never listed, cofacets are found when asked for.

mod dense;
mod ordered;
mod sparse;

pub use dense::Dense;
pub(crate) use dense::{RankMatrix, last_lane, stride};
pub(crate) use ordered::{FEW, RankedEdge};
pub(crate) use sparse::Sparse;
pub(super) use sparse::{LONG, Submatrix, Subset};

use super::apparent_pairs;

/// The rank of a pair of points that is no edge of the filtration.
pub(crate) const ABSENT: u32 = u32::MAX;

/// Ranks from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Band {
    /// The least.
    pub from: u32,
    /// The greatest.
    pub to: u32,
}

impl Band {
    /// Whether a rank lies in it.
    #[inline(always)]
    pub fn contains(self, rank: u32) -> bool {
        self.from <= rank && rank <= self.to
    }
}

/// A cofacet of a known simplex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cofacet {
    /// The vertex it adds.
    pub vertex: u32,
    /// Its rank.
    pub rank: u32,
}

/// A clique complex with ranked edges; the rank of a simplex is the greatest rank of its edges, 0 for a vertex.
///
/// Simplices are given by their vertices in descending order, and `rank` is always the rank of the given simplex.
/// A cofacet is named by the vertex it adds.
///
/// The trait is used as `dyn Complex`: reduction is compiled once for all complexes. Each method does enough work for a call
/// through a table to cost nothing in comparison, except [`edge`](Complex::edge), of which loops are to be avoided there.
pub trait Complex: Sync {
    /// The number of points.
    fn points(&self) -> usize;

    /// The rank of the edge {u, v}, u ≠ v, or [`ABSENT`].
    fn edge(&self, u: u32, v: u32) -> u32;

    /// The greatest vertex w ≥ `floor` whose cofacet has rank `rank`.
    fn greatest_cofacet(&self, simplex: &[u32], rank: u32, floor: u32) -> Option<u32>;

    /// Replaces what is in `found` by all cofacets whose rank lies in `band` and whose vertex is not less than `floor`, their vertices
    /// ascending.
    fn cofacets(&self, simplex: &[u32], rank: u32, band: Band, floor: u32, found: &mut Vec<Cofacet>);

    /// The cofacet first in filtration order: least rank, then greatest vertex.
    fn oldest_cofacet(&self, simplex: &[u32], rank: u32) -> Option<Cofacet>;

    /// [`apparent_pairs::youngest_facet`] in this complex.
    fn youngest_facet(&self, simplex: &[u32], rank: u32) -> Option<usize> {
        apparent_pairs::youngest_facet(self, simplex, rank)
    }

    /// [`apparent_pairs::facet_of`] in this complex.
    fn apparent_facet(&self, simplex: &[u32], rank: u32, facet: &mut Vec<u32>) -> Option<usize> {
        apparent_pairs::facet_of(self, simplex, rank, facet)
    }
}

/// The rank of a simplex: the greatest of its edges', 0 of a vertex.
#[inline]
pub(crate) fn rank_of<C: Complex + ?Sized>(complex: &C, simplex: &[u32]) -> u32 {
    let edges = (0..simplex.len()).flat_map(|k| (0..k).map(move |l| (k, l)));
    edges.map(|(k, l)| complex.edge(simplex[k], simplex[l])).fold(0, u32::max)
}

#[cfg(test)]
mod tests;
