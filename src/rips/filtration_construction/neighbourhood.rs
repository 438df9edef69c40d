//! Assembly of a sparse complex, one neighbourhood at a time.
//!
//! The simplices with greatest vertex v, and all their cofacets, lie among v and its neighbours: the ranks among those
//! make a small dense matrix, swept with v as the fixed first top. Vertices keep their order, so ties are broken as in
//! the whole. Where a neighbourhood is too large for that (a hub), it is cut down to the common neighbours of two, three,
//! … tops; should none of these fit, the simplices are decided one by one on the neighbour lists.

use rayon::prelude::*;

use super::{Assembly, Part, Sink, Sweep, Task, binomial, merge};
use crate::rips::complex::{ABSENT, Complex, Sparse, Tile, apparent, stride};
use crate::rips::word::Word;
use crate::simd::Rank;

/// Vertices of a tile at most: 16 MiB of 32-bit ranks.
const MAX_TILE: usize = 2048;

/// A list of neighbours is long for a tile when it is more than this many times as long as the list of the tile's vertices.
/// Then these are searched for in it, for walking along the list of a hub once for each of its neighbours takes time that
/// grows with the square of their number.
pub(super) const LONG: usize = 8;

pub(super) fn assemble<W: Word, R: Rank>(complex: &Sparse, task: &Task<'_, W>) -> Assembly<W> {
    assemble_by_tiles::<W, R>(complex, task, MAX_TILE)
}

/// With tiles of `max_tile` vertices at most.
pub(super) fn assemble_by_tiles<W: Word, R: Rank>(
    complex: &Sparse,
    task: &Task<'_, W>,
    max_tile: usize,
) -> Assembly<W> {
    let n = complex.points() as u32;
    let parts = (0..n).into_par_iter().fold(
        || Cutter::<W, R> {
            complex,
            task,
            max_tile,
            part: Part::new(task),
            ranks: Vec::new(),
            local: vec![ABSENT; n as usize],
            tops: Vec::new(),
        },
        |mut cutter, v| {
            let (neighbours, _) = complex.row(v);
            cutter.tops.clear();
            cutter.tops.push(v);
            cutter.assemble(neighbours);
            task.progress.advance(at_most(complex, v, task.dim));
            cutter
        },
    );
    merge(parts.map(|cutter| cutter.part).collect())
}

/// Simplices of dimension `dim` with greatest vertex `v` that there can be: units of progress.
pub(super) fn at_most(complex: &Sparse, v: u32, dim: usize) -> u64 {
    let (neighbours, _) = complex.row(v);
    binomial(neighbours.partition_point(|&w| w < v), dim)
}

/// What two ascending lists have in common, ascending: the items of the shorter one are searched for in the longer one.
fn intersection(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short.iter().copied().filter(|item| long.binary_search(item).is_ok()).collect()
}

/// One thread's state.
struct Cutter<'a, W, R> {
    complex: &'a Sparse,
    task: &'a Task<'a, W>,
    max_tile: usize,
    part: Part<'a, W, R>,
    ranks: Vec<R>,
    /// The place of a vertex in the tile, or `ABSENT`.
    local: Vec<u32>,
    /// Descending.
    tops: Vec<u32>,
}

impl<W: Word, R: Rank> Cutter<'_, W, R> {
    /// All simplices that start with `tops`; `common` are the common neighbours of these, ascending.
    fn assemble(&mut self, common: &[u32]) {
        let Some(&last) = self.tops.last() else { return };
        let below = common.partition_point(|&v| v < last);
        // The vertices that a simplex still lacks are among these.
        if below + self.tops.len() <= self.task.dim {
            return;
        }
        if common.len() + self.tops.len() <= self.max_tile {
            return self.sweep(common);
        }
        for k in (0..below).rev() {
            self.tops.push(common[k]);
            if self.tops.len() > self.task.dim {
                self.decide();
            } else {
                let closer = intersection(common, self.complex.row(common[k]).0);
                self.assemble(&closer);
            }
            self.tops.pop();
        }
    }

    /// Sweeps the matrix of the tops and their common neighbours.
    fn sweep(&mut self, common: &[u32]) {
        let mut ids: Vec<u32> = common.iter().chain(&self.tops).copied().collect();
        ids.sort_unstable();
        let stride = stride(ids.len());
        self.ranks.clear();
        self.ranks.resize(ids.len() * stride, R::MAX);
        for (k, &id) in ids.iter().enumerate() {
            self.local[id as usize] = k as u32;
        }
        for (k, &id) in ids.iter().enumerate() {
            let row = &mut self.ranks[k * stride..][..stride];
            let (neighbours, ranks) = self.complex.row(id);
            if neighbours.len() / LONG > ids.len() {
                for (out, w) in row.iter_mut().zip(&ids) {
                    if let Ok(place) = neighbours.binary_search(w) {
                        *out = R::narrow(ranks[place]);
                    }
                }
                continue;
            }
            for (&w, &rank) in neighbours.iter().zip(ranks) {
                let place = self.local[w as usize];
                if place != ABSENT {
                    row[place as usize] = R::narrow(rank);
                }
            }
        }
        let fixed: Vec<usize> = self.tops.iter().map(|&t| self.local[t as usize] as usize).collect();
        for &id in &ids {
            self.local[id as usize] = ABSENT;
        }
        let tile = Tile { n: ids.len(), stride, ranks: &self.ranks };
        let Part { buffers, counts, residue } = &mut self.part;
        residue.ids = Some(ids);
        residue.graph = Some(self.complex);
        self.task.level.run(Sweep {
            tile,
            fixed: &fixed,
            dim: self.task.dim,
            partial: true,
            pairs: self.task.pairs(),
            buffers,
            counts,
            sink: residue,
        });
    }

    /// Decides the simplex `tops` on the neighbour lists.
    fn decide(&mut self) {
        let (complex, simplex) = (self.complex, &self.tops);
        let edges = (0..simplex.len()).flat_map(|k| (0..k).map(move |l| (k, l)));
        let rank = edges.map(|(k, l)| complex.edge(simplex[k], simplex[l])).fold(0, u32::max);
        let Part { counts, residue, .. } = &mut self.part;
        residue.ids = None;
        counts.simplices += 1;
        let mut facet = Vec::new();
        if self.task.dim > 1 && apparent::zero_apparent_facet(complex, simplex, rank, &mut facet).is_some() {
            counts.cleared += 1;
        } else if let Some(w) = apparent::zero_apparent_cofacet(complex, simplex, rank) {
            counts.apparent += 1;
            if self.task.pairs() {
                residue.apparent(simplex, w, rank);
            }
        } else {
            residue.undecided(simplex, rank);
        }
    }
}
