//! A matrix of ranks, and the short edges of it as neighbour lists too.
//!
//! To find the cofacets of a simplex, a matrix is read along its vertices' rows, from end to end: some ten thousand ranks a row of a large
//! matrix, which lies in no cache. Most columns of the residue are paired soon after they are born, so that only cofacets of small
//! ranks are asked for; and those lie in lists a fiftieth as long.

use super::{Band, Cofacet, Complex, Sparse};
use crate::memory::Refused;
use crate::parallel;

/// A complex whose edges up to a rank are neighbour lists too.
pub(crate) struct Layered<'a> {
    whole: &'a dyn Complex,
    /// The edges of ranks up to `limit`.
    short: Sparse,
    limit: u32,
}

impl<'a> Layered<'a> {
    /// Lists the edges up to a rank.
    ///
    /// # Errors
    /// There is no memory for the lists.
    pub(crate) fn new(whole: &'a dyn Complex, limit: u32) -> Result<Self, Refused> {
        let points = whole.points();
        let greater = |v: usize| {
            let mut found = Vec::new();
            // A vertex has rank 0, and its cofacets are the edges to its neighbours.
            whole.cofacets(&[v as u32], 0, Band { from: 0, to: limit }, &mut found);
            let greater = found.into_iter().filter(|cofacet| cofacet.vertex as usize > v);
            greater.map(|cofacet| (cofacet.vertex, v as u32, cofacet.rank)).collect::<Vec<_>>()
        };
        let edges = parallel::map(points, &greater).concat();
        Ok(Layered { whole, short: Sparse::new(points, &edges)?, limit })
    }
}

impl Complex for Layered<'_> {
    fn points(&self) -> usize {
        self.whole.points()
    }

    fn edge(&self, u: u32, v: u32) -> u32 {
        self.whole.edge(u, v)
    }

    fn greatest_cofacet(&self, simplex: &[u32], rank: u32, floor: u32) -> Option<u32> {
        if rank <= self.limit {
            self.short.greatest_cofacet(simplex, rank, floor)
        } else {
            self.whole.greatest_cofacet(simplex, rank, floor)
        }
    }

    fn cofacets(&self, simplex: &[u32], rank: u32, band: Band, found: &mut Vec<Cofacet>) {
        if band.to <= self.limit {
            self.short.cofacets(simplex, rank, band, found);
        } else {
            self.whole.cofacets(simplex, rank, band, found);
        }
    }

    fn oldest_cofacet(&self, simplex: &[u32], rank: u32) -> Option<Cofacet> {
        let short = if rank <= self.limit { self.short.oldest_cofacet(simplex, rank) } else { None };
        short.or_else(|| self.whole.oldest_cofacet(simplex, rank))
    }
}
