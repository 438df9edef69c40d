//! Sums by key that exceed the memory limit, in temporary files.
//!
//! A thread whose sums exceed its limit writes them, sorted by key, as a *run*, and starts anew. At the end all runs
//! are merged into one file, adding the sums of equal keys. Each run is an unnamed file, which the system removes
//! however the program ends.
//!
//! Merging takes [`MERGE_BYTES`] of memory, however many runs there are: as soon as there are [`FAN_IN`] of them, they
//! are merged into one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::parallel::lock;

/// Number of runs merged at a time.
const FAN_IN: usize = 32;
/// Bytes of a run held in memory while it is read or written.
const BUFFER: usize = 64 << 10;
/// Bytes of memory used by merging.
pub(super) const MERGE_BYTES: usize = (FAN_IN + 4) * BUFFER;

/// Bytes of a sum in a file.
const SUM: usize = size_of::<i64>();

/// Runs in files of a directory.
#[derive(Debug)]
pub(crate) struct Store {
    directory: PathBuf,
    key_bytes: usize,
    /// The runs, or the first error of writing one.
    runs: Mutex<io::Result<Vec<SpilledRun>>>,
}

/// A file of records (key and sum), ascending by key.
#[derive(Debug)]
pub(crate) struct SpilledRun {
    file: File,
    key_bytes: usize,
    /// Number of records.
    pub(crate) count: u64,
}

/// Takes a record.
type Put<'a> = &'a mut dyn FnMut(u64, i64) -> io::Result<()>;

impl Store {
    /// A store without runs, for keys of `key_bytes` bytes.
    pub(crate) fn new(directory: &Path, key_bytes: usize) -> Self {
        Store { directory: directory.to_path_buf(), key_bytes, runs: Mutex::new(Ok(Vec::new())) }
    }

    /// Writes ascending records as a run. [`Store::finish`] returns any error.
    pub(crate) fn put(&self, mut records: impl Iterator<Item = (u64, i64)>) {
        let written = self.write(|put| records.try_for_each(|(key, sum)| put(key, sum)));
        let mut all = lock(&self.runs);
        let Ok(runs) = &mut *all else { return };
        let outcome = written.and_then(|run| {
            runs.push(run);
            if runs.len() == FAN_IN {
                let merged = self.merged(std::mem::take(runs))?;
                runs.push(merged);
            }
            Ok(())
        });
        if let Err(error) = outcome {
            *all = Err(error);
        }
    }

    /// Whether a run could not be written, so that further work is useless.
    pub(crate) fn has_failed(&self) -> bool {
        lock(&self.runs).is_err()
    }

    /// Whether nothing was put, neither written runs nor failed ones.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.runs).as_ref().is_ok_and(Vec::is_empty)
    }

    /// Merges all runs into one.
    ///
    /// # Errors
    /// A run could not be written or read.
    pub(crate) fn finish(&self) -> io::Result<SpilledRun> {
        let runs = std::mem::replace(&mut *lock(&self.runs), Ok(Vec::new()))?;
        self.merged(runs)
    }

    fn merged(&self, runs: Vec<SpilledRun>) -> io::Result<SpilledRun> {
        // Each run is closed once its records are open.
        let sources = runs.into_iter().map(|run| run.records()).collect::<io::Result<Vec<_>>>()?;
        self.write(|put| merge(sources, put))
    }

    /// Writes the records that `fill` puts, which ascend.
    fn write(&self, fill: impl FnOnce(Put<'_>) -> io::Result<()>) -> io::Result<SpilledRun> {
        let mut out = BufWriter::with_capacity(2 * BUFFER, tempfile::tempfile_in(&self.directory)?);
        let (key_bytes, mut count) = (self.key_bytes, 0);
        fill(&mut |key, sum| {
            count += 1;
            let record = u128::from(key) << 64 | u128::from(sum.cast_unsigned());
            out.write_all(&record.to_le_bytes()[..SUM + key_bytes])
        })?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(SpilledRun { file, key_bytes, count })
    }
}

impl SpilledRun {
    /// Iterates over the records. Only one iterator may be in use at a time.
    pub(crate) fn records(&self) -> io::Result<Records> {
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        let file = BufReader::with_capacity(BUFFER, file);
        Ok(Records { file, key_bytes: self.key_bytes, left: self.count })
    }
}

/// Iterator over the records of a run.
pub(crate) struct Records {
    file: BufReader<File>,
    key_bytes: usize,
    left: u64,
}

impl Iterator for Records {
    type Item = io::Result<(u64, i64)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let mut bytes = [0; 2 * SUM];
        let read = self.file.read_exact(&mut bytes[..SUM + self.key_bytes]);
        let record = u128::from_le_bytes(bytes);
        Some(read.map(|()| ((record >> 64) as u64, (record as u64).cast_signed())))
    }
}

/// Merges sources of ascending records into one; the sums of equal keys are added.
fn merge(mut sources: Vec<Records>, put: Put<'_>) -> io::Result<()> {
    let mut heads = BinaryHeap::with_capacity(sources.len());
    for (source, records) in sources.iter_mut().enumerate() {
        heads.extend(records.next().transpose()?.map(|(key, sum)| Reverse((key, source, sum))));
    }
    let mut last: Option<(u64, i64)> = None;
    while let Some(Reverse((key, source, sum))) = heads.pop() {
        match &mut last {
            Some((same, all)) if *same == key => *all += sum,
            last => {
                if let Some((before, all)) = last.replace((key, sum)) {
                    put(before, all)?;
                }
            }
        }
        heads.extend(sources[source].next().transpose()?.map(|(key, sum)| Reverse((key, source, sum))));
    }
    last.map_or(Ok(()), |(key, all)| put(key, all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(run: &SpilledRun) -> Vec<(u64, i64)> {
        run.records().unwrap().collect::<io::Result<_>>().unwrap()
    }

    #[test]
    fn runs_become_one_whatever_their_number() {
        let directory = tempfile::tempdir().unwrap();
        for count in [1, 2, FAN_IN as u64 - 1, FAN_IN as u64, 3 * FAN_IN as u64 + 1] {
            let store = Store::new(directory.path(), 4);
            assert!(store.is_empty());
            for k in 0..count {
                store.put([(7, 1), (1000 + k, -2), (u32::MAX.into(), i64::MAX / 1000)].into_iter());
            }
            let run = store.finish().unwrap();
            let mut expected = vec![(7, count as i64)];
            expected.extend((0..count).map(|k| (1000 + k, -2)));
            expected.push((u32::MAX.into(), count as i64 * (i64::MAX / 1000)));
            assert_eq!(records(&run), expected);
            assert_eq!((run.count, records(&run)), (expected.len() as u64, expected));
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "files have no names");
    }

    #[test]
    fn sums_of_no_records() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path(), 4);
        store.put(std::iter::empty());
        assert_eq!(records(&store.finish().unwrap()), []);
    }

    #[test]
    fn a_directory_that_is_not_there() {
        let store = Store::new(Path::new("no such directory"), 8);
        store.put(std::iter::once((1, 1)));
        assert!(store.has_failed() && !store.is_empty());
        assert_eq!(store.finish().unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
