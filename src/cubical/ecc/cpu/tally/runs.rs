//! By key, of more keys than a table has rows for.

use super::{Block, Level, Numbers, OFFSET, Tally, number, places};
use crate::cubical::Key;
use crate::simd::BLOCK;

/// Numbers that are put in order at a time.
const BATCH: usize = 1 << 16;

/// Sums by key, ascending.
#[derive(Debug, Default)]
struct Run<K> {
    keys: Vec<K>,
    sums: Vec<i64>,
}

/// The sum of the numbers of each key that occurred, be they 0: runs in order, which are merged when the last is no shorter than half of the
/// one before. So there are few, and a key is moved as often as there are runs.
#[derive(Debug)]
pub(crate) struct RunTally<K> {
    batch: Vec<(K, i8)>,
    runs: Vec<Run<K>>,
}

impl<K: Key> RunTally<K> {
    pub(crate) fn new() -> Self {
        RunTally { batch: Vec::with_capacity(BATCH), runs: Vec::new() }
    }

    /// Bytes of the runs and of what merging them takes.
    pub(crate) fn bytes(&self) -> usize {
        let keys: usize = self.runs.iter().map(|run| run.keys.len()).sum();
        2 * keys * (size_of::<K>() + size_of::<i64>())
    }

    /// The changes of all keys that occurred.
    pub(crate) fn finish(mut self) -> Vec<(K, i64)> {
        self.order();
        self.merge_while(|_, _| true);
        let run = self.runs.pop().unwrap_or_default();
        run.keys.into_iter().zip(run.sums).collect()
    }

    /// Adds what another added up.
    pub(crate) fn absorb(&mut self, mut other: Self) {
        other.order();
        self.order();
        self.runs.append(&mut other.runs);
        self.runs.sort_by_key(|run| std::cmp::Reverse(run.keys.len()));
        self.merge_while(|before, last| before <= 2 * last);
    }

    /// Makes a run of the batch.
    #[cold]
    #[inline(never)]
    fn order(&mut self) {
        self.batch.sort_unstable_by_key(|&(key, _)| key);
        let mut run = Run::default();
        for equal in self.batch.chunk_by(|a, b| a.0 == b.0) {
            run.keys.push(equal[0].0);
            run.sums.push(equal.iter().map(|&(_, number)| i64::from(number)).sum());
        }
        self.batch.clear();
        self.runs.push(run);
        self.merge_while(|before, last| before <= 2 * last);
    }

    fn merge_while(&mut self, wanted: impl Fn(usize, usize) -> bool) {
        while let [.., before, last] = self.runs.as_slice()
            && wanted(before.keys.len(), last.keys.len())
        {
            let merged = merge(before, last);
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(merged);
        }
    }
}

/// Both in order, equal keys added up.
fn merge<K: Key>(a: &Run<K>, b: &Run<K>) -> Run<K> {
    let room = a.keys.len() + b.keys.len();
    let mut run = Run { keys: Vec::with_capacity(room), sums: Vec::with_capacity(room) };
    let (mut i, mut j) = (0, 0);
    while i < a.keys.len() && j < b.keys.len() {
        let (left, right) = (a.keys[i], b.keys[j]);
        let (from_a, from_b) = (left <= right, right <= left);
        run.keys.push(left.min(right));
        run.sums.push(if from_a { a.sums[i] } else { 0 } + if from_b { b.sums[j] } else { 0 });
        i += usize::from(from_a);
        j += usize::from(from_b);
    }
    for (rest, from) in [(a, i), (b, j)] {
        run.keys.extend_from_slice(&rest.keys[from..]);
        run.sums.extend_from_slice(&rest.sums[from..]);
    }
    run.keys.shrink_to_fit();
    run.sums.shrink_to_fit();
    run
}

impl<K: Key> Tally<K> for RunTally<K> {
    fn plane(&mut self, _level: Level, numbers: &Numbers<'_, K>) {
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
