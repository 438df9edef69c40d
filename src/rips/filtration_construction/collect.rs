//! Collection of the residue: undecided simplices become entries, are looked up in layer 1, and are merged from all
//! threads.

use std::time::Instant;

use super::sweep::Sink;
use super::{Residue, SimplexCounts};
use crate::rips::code::Code;
use crate::rips::complex::apparent_pairs::join;
use crate::rips::pair_store::{ApparentPairs, Pivots, SecondLayer};
use crate::rips::stats::PairStoreStats;
use crate::rips::word::{Word, sort};

/// One thread's part of the residue.
pub(super) struct Collector<'a, W> {
    code: Code<W>,
    cofacet_code: Code<W>,
    /// The pairs of the dimension below.
    below: &'a Pivots<W>,
    /// Number of undecided simplices, each of which is looked up in layer 1.
    undecided: u64,
    columns: Vec<W>,
    /// The cofacets of apparent pairs, if they are to be listed.
    cofacets: Vec<W>,
    /// Scratch space for the vertices of a cofacet.
    vertices: Vec<u32>,
}

impl<'a, W: Word> Collector<'a, W> {
    pub(super) fn new(points: usize, dim: usize, below: &'a Pivots<W>) -> Self {
        let [code, cofacet_code] = [dim + 1, dim + 2].map(|vertices| Code::new(points, vertices));
        let (undecided, columns, cofacets, vertices) = Default::default();
        Collector { code, cofacet_code, below, undecided, columns, cofacets, vertices }
    }
}

impl<W: Word> Sink for Collector<'_, W> {
    fn receive(&mut self, vertices: &[u32], added: Option<u32>, rank: u32) {
        if let Some(w) = added {
            self.vertices.clear();
            self.vertices.extend_from_slice(vertices);
            join(&mut self.vertices, w);
            let entry = self.cofacet_code.entry(rank, self.vertices.iter().copied());
            return self.cofacets.push(entry);
        }
        let entry = self.code.entry(rank, vertices.iter().copied());
        self.undecided += 1;
        if self.below.get(entry).is_none() {
            self.columns.push(entry);
        }
    }
}

/// Merges the parts of all threads into the residue.
pub(super) fn residue<W: Word>(
    collected: Vec<(Collector<'_, W>, SimplexCounts)>,
    layer: SecondLayer,
) -> Residue<W> {
    let (mut columns, mut listed) = (Vec::new(), Vec::new());
    let (mut counts, mut undecided) = (SimplexCounts::default(), 0);
    columns.reserve_exact(collected.iter().map(|(part, _)| part.columns.len()).sum());
    for (part, swept) in collected {
        counts += swept;
        // An undecided simplex is a column unless layer 1 clears it.
        counts.cleared += part.undecided - part.columns.len() as u64;
        columns.extend(part.columns);
        listed.push(part.cofacets);
        undecided += part.undecided;
    }
    sort(&mut columns);
    columns.reverse();
    let mut pair_store = PairStoreStats::of_clearing(undecided);
    let apparent = match layer {
        SecondLayer::Implicit => ApparentPairs::Implicit,
        SecondLayer::Sorted => sorted(listed, &mut pair_store),
    };
    Residue { columns, apparent, counts, pair_store }
}

/// Makes the sorted layer 2 from the cofacets that the threads listed, and adds the time that took.
fn sorted<W: Word>(listed: Vec<Vec<W>>, pair_store: &mut PairStoreStats) -> ApparentPairs<W> {
    let started = Instant::now();
    let mut cofacets = Vec::new();
    cofacets.reserve_exact(listed.iter().map(Vec::len).sum());
    listed.into_iter().for_each(|part| cofacets.extend(part));
    let list = started.elapsed().as_secs_f64();
    sort(&mut cofacets);
    pair_store.layer2_writes = cofacets.len() as u64;
    pair_store.layer2_list_seconds = list;
    pair_store.layer2_sort_seconds = started.elapsed().as_secs_f64() - list;
    ApparentPairs::Sorted(cofacets)
}
