//! Sums of the numbers c(x) of voxels, by key or by bin.

mod binned;
mod bytes;
pub(super) mod runs;
mod words;

use std::io;

use crate::cubical::ecc::bins::Edges;
use crate::cubical::ecc::cpu::numbers::Tally;
use crate::cubical::ecc::error::EccError;
use crate::cubical::ecc::run::Run;
use crate::cubical::ecc::slabs::PartialCurve;
use crate::cubical::ecc::spill::SpilledRun;
use crate::cubical::key::Key;
use crate::cubical::order::VoxelOrder;
use binned::BinTally;
use bytes::ByteTally;
use runs::{RunTally, Spill};
use words::WordTally;

/// Sums over a whole image: the distinct keys, or all bins, ascending, and the sum of each.
#[derive(Debug)]
pub(crate) enum Summed<K> {
    /// In memory.
    Memory(Run<K>),
    /// In a file.
    File(SpilledRun),
}

/// The sum of each key of up to 16 bits or of each bin.
#[derive(Debug)]
pub(crate) struct Table {
    changes: Vec<i64>,
    /// Whether each key has occurred; all bins count as such.
    seen: Vec<bool>,
}

impl Table {
    fn new(length: usize, seen: bool) -> Self {
        Table { changes: vec![0; length], seen: vec![seen; length] }
    }

    /// Adds the sums of another table.
    fn absorb(&mut self, other: &Table) {
        self.changes.iter_mut().zip(&other.changes).for_each(|(change, other)| *change += other);
        self.seen.iter_mut().zip(&other.seen).for_each(|(seen, other)| *seen |= other);
    }

    /// The keys that occurred and the sum of each.
    fn run<K: Key>(&self) -> Run<K> {
        let keys = (0..self.seen.len()).filter(|&key| self.seen[key]);
        let (keys, sums) = keys.map(|key| (K::from_u64(key as u64), self.changes[key])).unzip();
        Run { keys, sums }
    }
}

/// The sums of a thread; the variant depends on the width of keys and on whether there are bins.
#[derive(Debug)]
pub(crate) enum Sums<K: Key> {
    /// Sums of 8-bit keys.
    Bytes(Box<ByteTally>),
    /// Sums of 16-bit keys.
    Words(Box<WordTally>),
    /// Sums of wider keys by bins whose edges are known.
    Bins(BinTally<K>),
    /// Sums of wider keys, key by key.
    Runs(RunTally<K>),
}

impl<K: Key> Sums<K> {
    /// Empty sums. Keys of up to 16 bits ignore `edges`; they are binned at the end. Excess keys go to `spill`.
    pub(crate) fn new(edges: Option<&Edges>, order: VoxelOrder, spill: Option<&Spill>) -> Self {
        match (K::BITS, edges) {
            (8, _) => Sums::Bytes(Box::new(ByteTally::new())),
            (16, _) => Sums::Words(Box::new(WordTally::new())),
            (_, Some(edges)) => Sums::Bins(BinTally::new(edges, order)),
            (_, None) => Sums::Runs(RunTally::new(spill.cloned())),
        }
    }

    /// What adds up the numbers of voxels.
    pub(crate) fn tally(&mut self) -> &mut dyn Tally<K> {
        match self {
            Sums::Bytes(tally) => &mut **tally,
            Sums::Words(tally) => &mut **tally,
            Sums::Bins(tally) => tally,
            Sums::Runs(tally) => tally,
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

    /// Returns the sums so far over the first `slices` slices, in a form that can be saved; `None` if some are in
    /// temporary files. The threads may add more.
    pub(crate) fn so_far<'a>(all: impl Iterator<Item = &'a mut Self>, slices: usize) -> Option<PartialCurve> {
        let (mut bins, mut table, mut run) = (0, None::<Table>, Run::default());
        for sums in all {
            bins = sums.bins();
            if let Sums::Runs(sum) = sums {
                run = sum.merged_with(&run)?;
            } else if let Some(more) = sums.table() {
                table.get_or_insert_with(|| Table::new(more.changes.len(), false)).absorb(more);
            }
        }
        let Run { keys, sums } = table.map_or(run, |table| table.run());
        Some(PartialCurve { slices, bins, keys: keys.into_iter().map(Key::to_u64).collect(), sums })
    }

    /// Adds saved sums.
    ///
    /// # Errors
    /// [`EccError::Since`]: the saved sums do not fit this curve (keys or bins), or their keys do not ascend or are too
    /// wide.
    pub(crate) fn add_partial(&mut self, partial: &PartialCurve) -> Result<(), EccError> {
        let PartialCurve { bins, keys, sums, .. } = partial;
        let end = if *bins > 0 { *bins as u64 - 1 } else { K::MAX.to_u64() };
        let fits = *bins == self.bins()
            && keys.len() == sums.len()
            && keys.is_sorted_by(|a, b| a < b)
            && keys.last().is_none_or(|&last| last <= end);
        if !fits {
            return Err(EccError::Since);
        }
        if let Some(table) = self.table() {
            for (&key, sum) in keys.iter().zip(sums) {
                table.changes[key as usize] += sum;
                table.seen[key as usize] = true;
            }
        } else if let Sums::Runs(runs) = self {
            let keys = keys.iter().map(|&key| K::from_u64(key)).collect();
            runs.add_run(Run { keys, sums: sums.clone() });
        }
        Ok(())
    }

    /// Combines the sums of all threads. The result does not depend on how the work was shared.
    ///
    /// # Errors
    /// Spilled keys could not be written to a file.
    pub(crate) fn finish(mut all: Vec<Self>) -> io::Result<Summed<K>> {
        if let Some((first, rest)) = all.split_first_mut()
            && let Some(table) = first.table()
        {
            rest.iter_mut().filter_map(Self::table).for_each(|more| table.absorb(more));
            return Ok(Summed::Memory(table.run()));
        }
        let runs = all.into_iter().map(|sums| match sums {
            Sums::Runs(runs) => runs,
            _ => unreachable!("all threads keep sums of one kind"),
        });
        let joined = runs.reduce(|mut sum, other| {
            sum.absorb(other);
            sum
        });
        joined.expect("a thread at least").finish()
    }
}
