//! The simplices of a sparse complex from dimension 2 on, one neighbourhood at a time.
//!
//! All simplices with greatest vertex v, and all their cofacets, consist of v and its neighbours. The ranks among these
//! form a small dense matrix, which is swept with v as the fixed first top. Vertices keep their order, so ties are
//! broken as in the whole complex. A neighbourhood that is too large for a matrix, that of a hub, is cut down to the
//! common neighbours of two, three, … tops; if none of these fits, the simplices are decided one by one on the
//! neighbour lists.

use std::ops::Range;

use super::cuda::{DeviceSweep, OnSwept, Source};
use super::sweep::{Buffers, Neighbourhood, Sink, Sweep};
use super::{Construction, Enumerate, Parts, SimplexCounts, edges};
use crate::parallel::joined;
use crate::rips::binomial::binomial;
use crate::rips::clearing;
use crate::rips::complex::{Complex, RankMatrix, Sparse, Submatrix, Subset, apparent_pairs, rank_of, stride};
use crate::simd::{Level, Rank};

/// Greatest number of vertices in a matrix: 16 MiB of 32-bit ranks.
pub(super) const MOST_VERTICES: usize = 2048;

impl Enumerate for Sparse {
    fn work(&self, dim: usize) -> u64 {
        let of = |vertices: Range<usize>| {
            vertices.fold(0u64, |sum, v| sum.saturating_add(at_most(self, v as u32, dim)))
        };
        joined(self.points(), 1 << 10, 0, &of, &|sum, work| *sum = sum.saturating_add(work))
    }

    fn parts(&self, _: usize) -> usize {
        self.points()
    }

    fn enumerate(
        &self,
        construction: &Construction<'_>,
        parts: &Parts<'_>,
        sink: &mut dyn Sink,
    ) -> SimplexCounts {
        if construction.dim == 1 {
            return edges::enumerate(self, construction, parts, sink);
        }
        match construction.rank_width {
            16 => sweep_parts::<u16>(self, construction, parts, sink),
            _ => sweep_parts::<u32>(self, construction, parts, sink),
        }
    }

    fn sweep_on(&self, devices: &DeviceSweep<'_>, found: OnSwept<'_>) {
        match devices.rank_width {
            16 => devices.run(&Source::<u16>::Graph(self), found),
            _ => devices.run(&Source::<u32>::Graph(self), found),
        }
    }
}

/// Sweeps the neighbourhoods of the vertices that `parts` hands out.
fn sweep_parts<R: Rank>(
    complex: &Sparse,
    construction: &Construction<'_>,
    parts: &Parts<'_>,
    sink: &mut dyn Sink,
) -> SimplexCounts {
    let n = complex.points();
    let mut cutter = Cutter::<R> {
        complex,
        construction,
        buffers: Buffers::default(),
        counts: SimplexCounts::default(),
        sink,
        ranks: Vec::new(),
        subset: Subset::of_none(n),
        tops: Vec::new(),
    };
    while let Some(taken) = parts.take() {
        for part in taken {
            // Greater vertices tend to have more smaller neighbours. Points are at most `MOST_POINTS`, so they fit 32
            // bits.
            let v = (n - 1 - part) as u32;
            let (neighbours, _) = complex.row(v);
            cutter.tops.clear();
            cutter.tops.push(v);
            cutter.enumerate(neighbours);
            construction.progress.advance(at_most(complex, v, construction.dim));
        }
    }
    cutter.counts
}

/// Upper bound on the number of simplices of dimension `dim` with greatest vertex `v`, the unit of progress.
pub(super) fn at_most(complex: &Sparse, v: u32, dim: usize) -> u64 {
    let (neighbours, _) = complex.row(v);
    binomial(neighbours.partition_point(|&w| w < v), dim)
}

/// The intersection of two ascending lists, ascending, by binary search in the longer list.
fn intersection(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.iter().copied().filter(|item| long.binary_search(item).is_ok()).collect()
}

/// The state of one thread.
struct Cutter<'a, R> {
    complex: &'a Sparse,
    construction: &'a Construction<'a>,
    buffers: Buffers<R>,
    counts: SimplexCounts,
    sink: &'a mut dyn Sink,
    ranks: Vec<R>,
    /// The vertices of the matrix that is swept.
    subset: Subset,
    /// The tops chosen so far, descending.
    tops: Vec<u32>,
}

impl<R: Rank> Cutter<'_, R> {
    /// Enumerates all simplices that start with `tops`; `common` are the common neighbours of these, ascending.
    fn enumerate(&mut self, common: &[u32]) {
        let Some(&last) = self.tops.last() else { return };
        let below = common.partition_point(|&v| v < last);
        // The remaining vertices of a simplex are among these.
        if below + self.tops.len() <= self.construction.dim {
            return;
        }
        if common.len() + self.tops.len() <= self.construction.most_vertices {
            return self.sweep(common);
        }
        for k in (0..below).rev() {
            self.tops.push(common[k]);
            if self.tops.len() > self.construction.dim {
                self.decide();
            } else {
                let closer = intersection(common, self.complex.row(common[k]).0);
                self.enumerate(&closer);
            }
            self.tops.pop();
        }
    }

    /// Sweeps the matrix of the tops and their common neighbours.
    fn sweep(&mut self, common: &[u32]) {
        let Cutter { complex, construction, subset, ranks, tops, .. } = self;
        let mut ids: Vec<u32> = common.iter().chain(tops.iter()).copied().collect();
        ids.sort_unstable();
        subset.choose(&ids);
        let (level, stride) = (Level::detect(), stride(ids.len()));
        // In the rows of vertices greater than all tops the sweep reads only the columns of possible vertices of a
        // simplex, which are not greater than the first top.
        level.run(Submatrix { graph: complex, subset, top: tops[0], stride, ranks });
        let fixed: Vec<usize> = tops.iter().map(|&top| subset.number(top)).collect();
        level.run(Sweep {
            matrix: RankMatrix { n: ids.len(), stride, ranks },
            fixed: &fixed,
            dim: construction.dim,
            neighbourhood: Some(Neighbourhood { ids: &ids, graph: complex }),
            lists_apparent: construction.lists_apparent(),
            buffers: &mut self.buffers,
            counts: &mut self.counts,
            sink: self.sink,
        });
    }

    /// Decides the simplex `tops` on the neighbour lists.
    fn decide(&mut self) {
        let (complex, simplex) = (self.complex, &self.tops);
        let rank = rank_of(complex, simplex);
        self.counts.simplices += 1;
        if clearing::by_apparent_pair(complex, simplex, rank, &mut Vec::new()) {
            self.counts.cleared += 1;
            return;
        }
        let cofacet = apparent_pairs::cofacet_of(complex, simplex, rank);
        self.counts.apparent += u64::from(cofacet.is_some());
        if cofacet.is_none() || self.construction.lists_apparent() {
            self.sink.receive(simplex, cofacet, rank);
        }
    }
}
