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
use crate::ranks::Ranks;
use binned::BinTally;
use bytes::ByteTally;
use runs::{RunTally, Spill};
use words::WordTally;

/// Most bytes of the messages of all ranks that are on their way together.
const MESSAGES: usize = 16 << 20;

/// Bytes of a key and its sum in a message.
const RECORD: usize = size_of::<u64>() + size_of::<i64>();

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

    /// Adds the tables of all ranks, on each of them.
    fn join(&mut self, ranks: &dyn Ranks) {
        ranks.sum(&mut self.changes);
        for seen in self.seen.chunks_mut(MESSAGES / size_of::<i64>()) {
            let mut times: Vec<i64> = seen.iter().map(|&seen| seen.into()).collect();
            ranks.sum(&mut times);
            seen.iter_mut().zip(times).for_each(|(seen, times)| *seen = times > 0);
        }
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

    /// Adds the sums of another thread, which are of the same kind.
    pub(crate) fn absorb(&mut self, other: Self) {
        match (self, other) {
            (Sums::Runs(sum), Sums::Runs(other)) => sum.absorb(other),
            (sum, ref mut other) => {
                if let (Some(table), Some(more)) = (sum.table(), other.table()) {
                    table.absorb(more);
                }
            }
        }
    }

    /// Adds the sums of all ranks to those of rank 0; the other ranks are left without. `spill` makes an error of one
    /// of temporary files.
    ///
    /// # Errors
    /// Spilled keys could not be written or read, or memory is refused.
    pub(crate) fn join(
        &mut self,
        ranks: &dyn Ranks,
        spill: &dyn Fn(io::Error) -> EccError,
    ) -> Result<(), EccError> {
        if let Some(table) = self.table() {
            table.join(ranks);
            return Ok(());
        }
        let Sums::Runs(runs) = self else { return Ok(()) };
        // Rank 0 sends nothing, and takes what all others send.
        let mut records: Box<dyn Iterator<Item = io::Result<(u64, i64)>>> = Box::new(std::iter::empty());
        if ranks.rank() > 0 {
            match std::mem::replace(runs, RunTally::new(None)).finish().map_err(spill)? {
                Summed::Memory(Run { keys, sums }) => {
                    records = Box::new(keys.into_iter().map(Key::to_u64).zip(sums).map(Ok));
                }
                Summed::File(run) => records = Box::new(run.records().map_err(spill)?),
            }
        }
        loop {
            let mut message = Vec::new();
            for record in records.by_ref().take((MESSAGES / RECORD / ranks.size()).max(1)) {
                let (key, sum) = record.map_err(spill)?;
                message.extend([key.to_le_bytes(), sum.to_le_bytes()].concat());
            }
            let mut all = [message.len() as i64];
            ranks.sum(&mut all);
            if all == [0] {
                return Ok(());
            }
            for message in ranks.gather(message)?.into_iter().filter(|message| !message.is_empty()) {
                let (words, _) = message.as_chunks();
                let (records, _) = words.as_chunks::<2>();
                let record = |[key, sum]: &[[u8; 8]; 2]| {
                    (K::from_u64(u64::from_le_bytes(*key)), i64::from_le_bytes(*sum))
                };
                let (keys, sums) = records.iter().map(record).unzip();
                runs.add_run(Run { keys, sums });
            }
        }
    }

    /// Combines the sums of all threads. The result does not depend on how the work was shared.
    ///
    /// # Errors
    /// Spilled keys could not be written to a file.
    pub(crate) fn finish(all: Vec<Self>) -> io::Result<Summed<K>> {
        let joined = all.into_iter().reduce(|mut sum, other| {
            sum.absorb(other);
            sum
        });
        let mut joined = joined.expect("a thread at least");
        match joined.table() {
            Some(table) => Ok(Summed::Memory(table.run())),
            None => match joined {
                Sums::Runs(runs) => runs.finish(),
                _ => unreachable!("sums of other kinds have a table"),
            },
        }
    }
}
