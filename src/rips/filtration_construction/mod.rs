//! Filtration construction with clearing and apparent-pair search.
//!
//! **Meaning.** Of all d-simplices up to the threshold, the *residue*: those that are neither the death of a pair of
//! dimension d−1 (clearing; such a column reduces to zero) nor the birth of a zero apparent pair (its column is
//! reduced as it is). Sorted in reverse filtration order, the order columns are reduced in. No simplex is listed that
//! is not in the residue.
//!
//! **How.** `sweep` streams over the simplices of a matrix of ranks. A dense complex is one such matrix, its work cut
//! by the two greatest vertices. A sparse one is cut by the greatest vertex v: every simplex with that greatest vertex,
//! and every cofacet of it, lies in v's neighbourhood, whose matrix is small (`neighbourhood`).

mod alone;
mod block;
mod cuda;
mod neighbourhood;
mod sweep;

pub use cuda::{Offload, Undecided, Whole};
pub use sweep::Counts;

use rayon::prelude::*;

use self::sweep::{Buffers, Sink, Sweep};
use super::Progress;
use super::code::Code;
use super::complex::{Complex, Dense, Sparse};
use super::pair_store::{ApparentPairs, PairStore};
use super::plan;
use super::word::Word;
use crate::cuda::{CudaError, KernelRank};
use crate::simd::{Level, Rank};

/// What assembly gives.
#[derive(Debug)]
pub struct Assembly<W> {
    /// Entries of the residue, in reverse filtration order.
    pub columns: Vec<W>,
    /// The zero apparent pairs of these columns' dimension: layer 2 of the pair store.
    pub apparent: ApparentPairs<W>,
    /// Simplices counted.
    pub counts: Counts,
    /// Look-ups in layer 1.
    pub layer1_reads: u64,
}

/// A complex whose residue can be assembled.
pub trait Assemble: Complex {
    /// Units of work in dimension `dim`, as `task.progress` is told of them: simplices at most.
    fn work(&self, dim: usize) -> u64;

    /// The residue of dimension `task.dim`.
    fn assemble<W: Word>(&self, task: &Task<'_, W>) -> Assembly<W>;

    /// Lets devices sweep all dimensions, and hands over what each leaves until told to stop.
    fn offload<W: Word>(
        &self,
        task: &Offload<'_>,
        rank_width: u32,
        found: impl FnMut(Result<Undecided<W>, CudaError>) -> bool,
    );
}

/// What to assemble.
pub struct Task<'a, W> {
    /// The dimension d ≥ 1.
    pub dim: usize,
    /// Entries of d-simplices.
    pub code: Code<W>,
    /// Entries of their cofacets.
    pub cofacet_code: Code<W>,
    /// Pairs of dimension d−1.
    pub cleared: &'a PairStore<W>,
    /// Which second layer to make.
    pub layer: plan::PairStore,
    /// Bits of a stored rank.
    pub rank_width: u32,
    /// The instruction set of sweeps.
    pub level: Level,
    /// Told of the work done, in the units of [`Assemble::work`].
    pub progress: &'a dyn Progress,
}

impl<R: Rank + KernelRank> Assemble for Dense<R> {
    fn work(&self, dim: usize) -> u64 {
        binomial(self.points(), dim + 1)
    }

    fn assemble<W: Word>(&self, task: &Task<'_, W>) -> Assembly<W> {
        assemble_dense(self, task)
    }

    fn offload<W: Word>(
        &self,
        task: &Offload<'_>,
        _: u32,
        found: impl FnMut(Result<Undecided<W>, CudaError>) -> bool,
    ) {
        task.run(&Whole::Dense(self.tile()), found);
    }
}

impl Assemble for Sparse {
    fn work(&self, dim: usize) -> u64 {
        let vertices = (0..self.points() as u32).into_par_iter();
        vertices.map(|v| neighbourhood::at_most(self, v, dim)).reduce(|| 0, u64::saturating_add)
    }

    fn assemble<W: Word>(&self, task: &Task<'_, W>) -> Assembly<W> {
        match task.rank_width {
            16 => neighbourhood::assemble::<W, u16>(self, task),
            _ => neighbourhood::assemble::<W, u32>(self, task),
        }
    }

    fn offload<W: Word>(
        &self,
        task: &Offload<'_>,
        rank_width: u32,
        found: impl FnMut(Result<Undecided<W>, CudaError>) -> bool,
    ) {
        match rank_width {
            16 => task.run(&Whole::<u16>::Sparse(self), found),
            _ => task.run(&Whole::<u32>::Sparse(self), found),
        }
    }
}

fn assemble_dense<W: Word, R: Rank>(complex: &Dense<R>, task: &Task<'_, W>) -> Assembly<W> {
    let n = complex.points();
    let level = complex.level();
    // A task fixes the greatest vertex, or the two greatest where that leaves a sweep blocks to share its
    // preparations; the long ones come first.
    let deep = task.dim > 2;
    let tasks = if deep { n * (n - 1) / 2 } else { n };
    let parts = (0..tasks).into_par_iter().rev().fold(
        || Part::<W, R>::new(task),
        |mut part, index| {
            let fixed = if deep { pair(index) } else { [index, 0] };
            let fixed = &fixed[..if deep { 2 } else { 1 }];
            let Part { buffers, counts, residue } = &mut part;
            residue.ids = None;
            level.run(Sweep {
                tile: complex.tile(),
                fixed,
                dim: task.dim,
                partial: false,
                pairs: task.pairs(),
                buffers,
                counts,
                sink: residue,
            });
            task.progress.advance(binomial(fixed[fixed.len() - 1], task.dim + 1 - fixed.len()));
            part
        },
    );
    merge(parts.collect())
}

/// The `index`-th of the pairs (1,0), (2,0), (2,1), (3,0), …
fn pair(index: usize) -> [usize; 2] {
    let mut i = ((1.0 + (1.0 + 8.0 * index as f64).sqrt()) / 2.0) as usize;
    while i * (i - 1) / 2 > index {
        i -= 1;
    }
    while i * (i + 1) / 2 <= index {
        i += 1;
    }
    [i, index - i * (i - 1) / 2]
}

impl<W> Task<'_, W> {
    /// Whether the apparent pairs are to be listed.
    fn pairs(&self) -> bool {
        self.layer == plan::PairStore::Sorted
    }
}

/// C(n, k), saturating.
pub fn binomial(n: usize, k: usize) -> u64 {
    if k > n {
        return 0;
    }
    let mut product = 1u128;
    for i in 0..k.min(n - k) {
        product = product * (n - i) as u128 / (i + 1) as u128;
        if product > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    // At most u64::MAX.
    product as u64
}

/// One thread's share.
struct Part<'a, W, R> {
    buffers: Buffers<R>,
    counts: Counts,
    residue: Residue<'a, W>,
}

impl<'a, W: Word, R: Rank> Part<'a, W, R> {
    fn new(task: &'a Task<'a, W>) -> Self {
        let residue = Residue {
            task,
            ids: None,
            graph: None,
            columns: Vec::new(),
            cofacets: Vec::new(),
            cleared: 0,
            reads: 0,
            vertices: Vec::new(),
        };
        Part { buffers: Buffers::default(), counts: Counts::default(), residue }
    }
}

/// Clears by layer 1 and keeps the rest.
struct Residue<'a, W> {
    task: &'a Task<'a, W>,
    /// The ids of a tile's vertices, when they are not their own.
    ids: Option<Vec<u32>>,
    /// The whole that a tile is part of.
    graph: Option<&'a Sparse>,
    columns: Vec<W>,
    cofacets: Vec<W>,
    cleared: u64,
    reads: u64,
    vertices: Vec<u32>,
}

impl<W: Word> Residue<'_, W> {
    fn id(&self, v: u32) -> u32 {
        self.ids.as_ref().map_or(v, |ids| ids[v as usize])
    }
}

impl<W: Word> Sink for Residue<'_, W> {
    fn apparent(&mut self, vertices: &[u32], w: u32, rank: u32) {
        self.vertices.clear();
        let at = vertices.partition_point(|&v| v > w);
        self.vertices.extend(vertices[..at].iter().chain([&w]).chain(&vertices[at..]));
        let ids = self.vertices.iter().map(|&v| self.id(v));
        let entry = self.task.cofacet_code.entry(rank, ids);
        self.cofacets.push(entry);
    }

    #[inline]
    fn undecided(&mut self, vertices: &[u32], rank: u32) {
        let entry = self.task.code.entry(rank, vertices.iter().map(|&v| self.id(v)));
        self.reads += 1;
        if self.task.cleared.pivots.get(entry).is_some() {
            self.cleared += 1;
        } else {
            self.columns.push(entry);
        }
    }

    fn older_outside(&mut self, facet: &[u32], rank: u32, above: u32) -> bool {
        let ids = facet.iter().map(|&v| self.id(v));
        let facet: Vec<u32> = ids.collect();
        let floor = self.id(above) + 1;
        self.graph.is_some_and(|graph| graph.greatest_cofacet(&facet, rank, floor).is_some())
    }
}

fn merge<W: Word, R: Rank>(parts: Vec<Part<'_, W, R>>) -> Assembly<W> {
    let pairs = parts.first().is_some_and(|part| part.residue.task.pairs());
    let mut all = Assembly {
        columns: Vec::new(),
        apparent: ApparentPairs::Implicit,
        counts: Counts::default(),
        layer1_reads: 0,
    };
    let mut cofacets = Vec::new();
    for part in parts {
        all.columns.extend(part.residue.columns);
        cofacets.extend(part.residue.cofacets);
        all.counts.simplices += part.counts.simplices;
        all.counts.apparent += part.counts.apparent;
        all.counts.cleared += part.counts.cleared + part.residue.cleared;
        all.layer1_reads += part.residue.reads;
    }
    all.columns.par_sort_unstable_by(|a, b| b.cmp(a));
    if pairs {
        cofacets.par_sort_unstable();
        all.apparent = ApparentPairs::Sorted(cofacets);
    }
    all
}

#[cfg(test)]
mod tests;
