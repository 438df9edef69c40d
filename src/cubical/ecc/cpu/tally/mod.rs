//! Sums of the numbers c(x) of voxels, by key or by bin.

mod binned;
mod bytes;
pub(super) mod runs;
mod words;

use std::io;

use crate::cubical::ecc::bins::Edges;
use crate::cubical::ecc::spill;
use crate::cubical::image::Voxel;
use crate::cubical::key::Key;
use binned::BinTally;
use serde::{Deserialize, Serialize};

use bytes::ByteTally;
use runs::{Run, RunTally, Spill};
use words::WordTally;

/// Sums over a whole image.
#[derive(Debug)]
pub(crate) enum Summed<K> {
    /// The distinct keys, ascending, and the sum of each.
    Keys(Run<K>),
    /// The sum of each bin.
    Bins(Vec<i64>),
    /// Keys and sums in a file.
    File(spill::Run<K>),
}

/// Sums over a part of an image, in a form that can be saved and added to the sums of the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PartialSums {
    /// Number of bins; 0 if the sums are by key.
    pub(crate) bins: usize,
    /// The keys that occurred, or the numbers of all bins, ascending.
    pub(crate) keys: Vec<u64>,
    /// The sum of each key.
    pub(crate) sums: Vec<i64>,
}

/// The sum of each key of up to 16 bits or of each bin.
#[derive(Debug)]
pub(crate) struct Table {
    changes: Vec<i64>,
    /// Whether each key has occurred.
    seen: Vec<bool>,
}

impl Table {
    fn new(length: usize) -> Self {
        Table { changes: vec![0; length], seen: vec![false; length] }
    }

    /// Adds the sums of another table.
    fn absorb(&mut self, other: &Table) {
        self.changes.iter_mut().zip(&other.changes).for_each(|(change, other)| *change += other);
        self.seen.iter_mut().zip(&other.seen).for_each(|(seen, other)| *seen |= other);
    }

    /// The keys that occurred.
    fn keys(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.seen.len()).filter(|&key| self.seen[key])
    }
}

/// Error: the saved sums belong to a curve with other parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected sums of the curve that is asked for, found others")]
pub struct OtherSums;

/// The sums of a thread; the variant depends on the width of keys and on whether there are bins.
#[derive(Debug)]
pub(crate) enum Sums<T: Voxel> {
    /// Sums of 8-bit keys.
    Bytes(Box<ByteTally>),
    /// Sums of 16-bit keys.
    Words(Box<WordTally<T::Key>>),
    /// Sums of wider keys by bins whose edges are known.
    Bins(BinTally<T>),
    /// Sums of wider keys, key by key.
    Runs(RunTally<T::Key>),
}

impl<T: Voxel> Sums<T> {
    /// Empty sums. Keys of up to 16 bits ignore `edges`; they are binned at the end. Excess keys go to `spill`.
    pub(crate) fn new(
        edges: Option<&Edges<T::Key>>,
        superlevel: bool,
        spill: Option<&Spill<T::Key>>,
    ) -> Self {
        match (T::Key::BITS, edges) {
            (8, _) => Sums::Bytes(Box::new(ByteTally::new())),
            (16, _) => Sums::Words(Box::new(WordTally::new())),
            (_, Some(edges)) => Sums::Bins(BinTally::new(edges, superlevel)),
            (_, None) => Sums::Runs(RunTally::new(spill.cloned())),
        }
    }

    /// Whether spilling keys has failed.
    pub(crate) fn has_failed(&self) -> bool {
        if let Sums::Runs(runs) = self { runs.has_failed() } else { false }
    }

    /// Number of bins; 0 if the sums are by key.
    fn bins(&self) -> usize {
        if let Sums::Bins(sum) = self { sum.table.changes.len() } else { 0 }
    }

    /// The table of the sums so far; `None` if keys are too wide for one.
    fn table(&mut self) -> Option<&mut Table> {
        match self {
            Sums::Bytes(sum) => Some(sum.table()),
            Sums::Words(sum) => Some(sum.table()),
            Sums::Bins(sum) => Some(&mut sum.table),
            Sums::Runs(_) => None,
        }
    }

    /// Returns the sums so far of several threads, which may add more; `None` if some are in temporary files.
    pub(crate) fn so_far<'a>(all: impl Iterator<Item = &'a mut Self>) -> Option<PartialSums> {
        let (mut bins, mut table, mut run) = (0, None::<Table>, Run::default());
        for sums in all {
            bins = sums.bins();
            if let Sums::Runs(sum) = sums {
                run = sum.merged_with(&run)?;
            } else if let Some(more) = sums.table() {
                table.get_or_insert_with(|| Table::new(more.changes.len())).absorb(more);
            }
        }
        Some(match table {
            Some(Table { changes, .. }) if bins > 0 => {
                PartialSums { bins, keys: (0..bins as u64).collect(), sums: changes }
            }
            Some(table) => PartialSums {
                bins,
                keys: table.keys().map(|key| key as u64).collect(),
                sums: table.keys().map(|key| table.changes[key]).collect(),
            },
            None => {
                PartialSums { bins, keys: run.keys.iter().map(|key| key.to_u64()).collect(), sums: run.sums }
            }
        })
    }

    /// Adds saved sums.
    ///
    /// # Errors
    /// [`OtherSums`]: the saved sums do not fit this curve (keys or bins), or their keys do not ascend or are too wide.
    pub(crate) fn add_partial(&mut self, partial: &PartialSums) -> Result<(), OtherSums> {
        let PartialSums { bins, keys, sums } = partial;
        let end = if *bins > 0 { *bins as u64 - 1 } else { T::Key::MAX.to_u64() };
        let fits = *bins == self.bins()
            && keys.len() == sums.len()
            && keys.is_sorted_by(|a, b| a < b)
            && keys.last().is_none_or(|&last| last <= end);
        if !fits {
            return Err(OtherSums);
        }
        if let Some(table) = self.table() {
            for (&key, sum) in keys.iter().zip(sums) {
                table.changes[key as usize] += sum;
                table.seen[key as usize] = true;
            }
        } else if let Sums::Runs(runs) = self {
            let keys = keys.iter().map(|&key| T::Key::from_u64(key)).collect();
            runs.add_run(Run { keys, sums: sums.clone() });
        }
        Ok(())
    }

    /// Combines the sums of all threads. The result does not depend on how the work was shared.
    ///
    /// # Errors
    /// Spilled keys could not be written to a file.
    pub(crate) fn finish(all: Vec<Self>) -> io::Result<Summed<T::Key>> {
        let mut all = all.into_iter();
        let mut sum = all.next().expect("a thread at least");
        for other in all {
            match (&mut sum, other) {
                (Sums::Runs(sum), Sums::Runs(other)) => sum.absorb(other),
                (sum, mut other) => {
                    if let (Some(sum), Some(other)) = (sum.table(), other.table()) {
                        sum.absorb(other);
                    }
                }
            }
        }
        let bins = sum.bins();
        match sum {
            Sums::Runs(sum) => sum.finish(),
            mut sum => {
                let table = sum.table().expect("only runs have no table");
                if bins > 0 {
                    return Ok(Summed::Bins(std::mem::take(&mut table.changes)));
                }
                let keys = table.keys().map(|key| T::Key::from_u64(key as u64)).collect();
                Ok(Summed::Keys(Run { keys, sums: table.keys().map(|key| table.changes[key]).collect() }))
            }
        }
    }
}
