//! The Rips complex as its ranked distances: simplices are never listed, cofacets are found when asked for.

pub mod apparent;
mod dense;
mod sparse;

pub use dense::{Dense, Tile, last_lane, stride};
pub use sparse::Sparse;

/// The rank of a pair of points that is no edge of the filtration.
pub const ABSENT: u32 = u32::MAX;

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

/// A clique complex with ranked edges; the rank of a simplex is the greatest rank of its edges, 0 for a vertex.
///
/// Simplices are given by their vertices in descending order, and `rank` is always the rank of the given simplex.
/// A cofacet is named by the vertex it adds.
pub trait Complex: Sync {
    /// The number of points.
    fn points(&self) -> usize;

    /// The rank of the edge {u, v}, u ≠ v, or [`ABSENT`].
    fn edge(&self, u: u32, v: u32) -> u32;

    /// The greatest vertex w ≥ `floor` whose cofacet has rank `rank`.
    fn greatest_cofacet(&self, simplex: &[u32], rank: u32, floor: u32) -> Option<u32>;

    /// Calls `f(w, rank of the cofacet)` for every cofacet whose rank lies in `band`, w ascending.
    fn cofacets(&self, simplex: &[u32], rank: u32, band: Band, f: impl FnMut(u32, u32));

    /// The cofacet first in filtration order, as (w, rank): least rank, then greatest w.
    fn oldest_cofacet(&self, simplex: &[u32], rank: u32) -> Option<(u32, u32)>;
}

#[cfg(test)]
mod tests;
