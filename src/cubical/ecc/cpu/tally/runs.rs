//! Sums of the numbers c(x) by key, for keys of more than 16 bits, too wide for a table indexed by key.

use std::io;
use std::sync::Arc;

use super::Summed;
use crate::cubical::ecc::cpu::digits::OFFSET;
use crate::cubical::ecc::cpu::numbers::{Block, Numbers, Tally, number, places};
use crate::cubical::ecc::run::Run;
use crate::cubical::ecc::spill::Store;
use crate::cubical::key::Key;
use crate::simd::{BLOCK, Level};

/// Number of voxels that are sorted at a time.
const BATCH: usize = 1 << 16;

/// Destination of keys that exceed the memory limit.
#[derive(Debug, Clone)]
pub(crate) struct Spill {
    /// Runs in files, shared by all threads.
    pub(crate) store: Arc<Store>,
    /// Bytes for the runs of a thread, including what merging them takes.
    pub(crate) room: usize,
}

/// The sum of each key that occurred, including sums of 0, as sorted runs. The last two runs are merged when the last
/// is at least half as long as the one before, so there are logarithmically many runs and a key is moved
/// logarithmically often. When the runs exceed their memory limit, they are merged into a file.
#[derive(Debug)]
pub(crate) struct RunTally<K> {
    batch: Vec<(K, i8)>,
    runs: Vec<Run<K>>,
    spill: Option<Spill>,
}

impl<K: Key> RunTally<K> {
    pub(crate) fn new(spill: Option<Spill>) -> Self {
        // The batch allocates its memory when there is something to add.
        RunTally { batch: Vec::new(), runs: Vec::new(), spill }
    }

    /// Whether a file could not be written.
    pub(crate) fn has_failed(&self) -> bool {
        self.spill.as_ref().is_some_and(|spill| spill.store.has_failed())
    }

    /// Bytes of the runs, including what merging them takes.
    fn bytes(&self) -> usize {
        let keys: usize = self.runs.iter().map(|run| run.keys.len()).sum();
        2 * keys * (size_of::<K>() + size_of::<i64>())
    }

    /// Returns the sums of all keys that occurred.
    ///
    /// # Errors
    /// A run could not be written to a file.
    pub(crate) fn finish(mut self) -> io::Result<Summed<K>> {
        self.order();
        self.batch = Vec::new();
        if let Some(Spill { store, .. }) = self.spill.take_if(|spill| !spill.store.is_empty()) {
            self.put(&store);
            return Ok(Summed::File(store.finish()?));
        }
        Ok(Summed::Memory(self.merged()))
    }

    /// Adds the sums of another tally.
    pub(crate) fn absorb(&mut self, mut other: Self) {
        other.order();
        self.order();
        if let Some(Spill { store, .. }) = self.spill.as_ref().filter(|spill| !spill.store.is_empty()) {
            return other.put(&Arc::clone(store));
        }
        self.runs.append(&mut other.runs);
        self.runs.sort_by_key(|run| std::cmp::Reverse(run.keys.len()));
        self.merge_while(|before, last| before <= 2 * last);
    }

    /// Merges the sums of all keys that occurred with those of `run`; `None` if some of them are in files.
    pub(crate) fn merged_with(&mut self, run: &Run<K>) -> Option<Run<K>> {
        self.order();
        if self.spill.as_ref().is_some_and(|spill| !spill.store.is_empty()) {
            return None;
        }
        let own = self.merged();
        let all = Run::merged(&own, run);
        self.runs.push(own);
        Some(all)
    }

    /// Adds sums of keys. When all runs exceed their memory limit, they are merged into a file.
    pub(crate) fn add_run(&mut self, run: Run<K>) {
        self.runs.push(run);
        self.merge_while(|before, last| before <= 2 * last);
        if let Some(Spill { store, .. }) = self.spill.as_ref().filter(|spill| self.bytes() > spill.room) {
            self.put(&Arc::clone(store));
        }
    }

    /// Merges all runs and removes them.
    fn merged(&mut self) -> Run<K> {
        self.merge_while(|_, _| true);
        self.runs.pop().unwrap_or_default()
    }

    /// Merges all runs into a file.
    fn put(&mut self, store: &Store) {
        let Run { keys, sums } = self.merged();
        store.put(keys.into_iter().map(K::to_u64).zip(sums));
    }

    /// Sorts the batch into a run.
    #[cold]
    #[inline(never)]
    fn order(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        self.batch.sort_unstable_by_key(|&(key, _)| key);
        let mut run = Run::default();
        for equal in self.batch.chunk_by(|a, b| a.0 == b.0) {
            run.keys.push(equal[0].0);
            run.sums.push(equal.iter().map(|&(_, number)| i64::from(number)).sum());
        }
        self.batch.clear();
        self.add_run(run);
    }

    fn merge_while(&mut self, wanted: impl Fn(usize, usize) -> bool) {
        while let [.., before, last] = self.runs.as_slice()
            && wanted(before.keys.len(), last.keys.len())
        {
            let merged = Run::merged(before, last);
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(merged);
        }
    }
}

impl<K: Key> Tally<K> for RunTally<K> {
    fn plane(&mut self, _level: Level, numbers: &Numbers<'_, K>) {
        self.batch.reserve_exact(BATCH - self.batch.len());
        numbers.for_each(|Block { keys, digits, own, .. }| {
            for place in places(own) {
                self.batch.push((keys[place], number(digits, place) as i8 - OFFSET as i8));
            }
            if self.batch.len() > BATCH - BLOCK {
                self.order();
            }
        });
    }
}
