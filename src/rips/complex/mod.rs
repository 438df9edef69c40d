//! The Rips complex, given by its ranked distances: simplices are never listed, and cofacets are found on demand.

pub mod apparent_pairs;
mod dense;
mod ordered;
mod sparse;

pub use dense::Dense;
pub(crate) use dense::{RankMatrix, last_lane, stride};
pub(crate) use ordered::{MOST_SORTED, RankedEdge};
pub(crate) use sparse::Sparse;
pub(super) use sparse::{LONG, Submatrix, Subset};

/// The rank of a pair of points that is not an edge of the filtration.
pub(crate) const ABSENT: u32 = u32::MAX;

/// A range of ranks, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Band {
    /// The least rank.
    pub from: u32,
    /// The greatest rank.
    pub to: u32,
}

impl Band {
    /// Whether a rank lies in the range.
    #[inline(always)]
    pub fn contains(self, rank: u32) -> bool {
        self.from <= rank && rank <= self.to
    }
}

/// A cofacet of a known simplex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cofacet {
    /// The vertex that it adds to the simplex.
    pub vertex: u32,
    /// The rank of the cofacet.
    pub rank: u32,
}

/// A clique complex with ranked edges. The rank of a simplex is the greatest rank of its edges, and 0 for a vertex.
///
/// Simplices are given by their vertices in descending order, and `rank` is always the rank of the given simplex. A
/// cofacet is identified by the vertex it adds.
///
/// The trait is used as `dyn Complex`, so that reduction is compiled only once. Each method does enough work to make
/// the cost of a virtual call negligible, except [`edge`](Complex::edge): avoid loops over it in code that uses `dyn
/// Complex`.
pub trait Complex: Sync {
    /// The number of points.
    fn points(&self) -> usize;

    /// The rank of the edge {u, v}, u ≠ v, or [`ABSENT`] if it is not in the filtration.
    fn edge(&self, u: u32, v: u32) -> u32;

    /// The greatest vertex w ≥ `floor` whose cofacet has rank `rank`, if there is one.
    fn greatest_cofacet(&self, simplex: &[u32], rank: u32, floor: u32) -> Option<u32>;

    /// Replaces the content of `found` by all cofacets whose rank lies in `band` and whose vertex is at least `floor`,
    /// in ascending order of their vertices.
    fn cofacets(&self, simplex: &[u32], rank: u32, band: Band, floor: u32, found: &mut Vec<Cofacet>);

    /// The first cofacet in filtration order: the one of least rank, and of these the one with the greatest vertex.
    fn oldest_cofacet(&self, simplex: &[u32], rank: u32) -> Option<Cofacet>;

    /// Calls [`apparent_pairs::youngest_facet`] for this complex.
    fn youngest_facet(&self, simplex: &[u32], rank: u32) -> Option<usize> {
        apparent_pairs::youngest_facet(self, simplex, rank)
    }

    /// Calls [`apparent_pairs::facet_of`] for this complex.
    fn apparent_facet(&self, simplex: &[u32], rank: u32, facet: &mut Vec<u32>) -> Option<usize> {
        apparent_pairs::facet_of(self, simplex, rank, facet)
    }
}

/// The rank of a simplex: the greatest rank of its edges, 0 for a vertex.
#[inline]
pub(crate) fn rank_of<C: Complex + ?Sized>(complex: &C, simplex: &[u32]) -> u32 {
    let edges = (0..simplex.len()).flat_map(|k| (0..k).map(move |l| (k, l)));
    edges.map(|(k, l)| complex.edge(simplex[k], simplex[l])).fold(0, u32::max)
}

#[cfg(test)]
pub(in crate::rips) mod tests;
