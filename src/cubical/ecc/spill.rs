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

use crate::cubical::key::Key;
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
pub(crate) struct Store<K> {
    directory: PathBuf,
    /// The runs, or the first error of writing one.
    runs: Mutex<io::Result<Vec<Run<K>>>>,
}

/// A file of records (key and sum), ascending by key.
#[derive(Debug)]
pub(crate) struct Run<K> {
    file: File,
    /// Number of records.
    pub(crate) count: u64,
    keys: std::marker::PhantomData<K>,
}

impl<K: Key> Store<K> {
    /// A store without runs.
    pub(crate) fn new(directory: &Path) -> Self {
        Store { directory: directory.to_path_buf(), runs: Mutex::new(Ok(Vec::new())) }
    }

    /// Writes ascending records as a run. [`Store::finish`] returns any error.
    pub(crate) fn put(&self, records: impl Iterator<Item = (K, i64)>) {
        let written = Run::write(&self.directory, records.map(Ok));
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
    pub(crate) fn finish(&self) -> io::Result<Run<K>> {
        let runs = std::mem::replace(&mut *lock(&self.runs), Ok(Vec::new()))?;
        self.merged(runs)
    }

    fn merged(&self, runs: Vec<Run<K>>) -> io::Result<Run<K>> {
        let sources = runs.into_iter().map(Run::into_records).collect::<io::Result<Vec<_>>>()?;
        Run::write(&self.directory, merge(sources))
    }
}

impl<K: Key> Run<K> {
    /// Bytes of a key in a file.
    const KEY: usize = K::BITS as usize / 8;

    fn write(directory: &Path, records: impl Iterator<Item = io::Result<(K, i64)>>) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(2 * BUFFER, tempfile::tempfile_in(directory)?);
        let mut count = 0;
        for record in records {
            let (key, sum) = record?;
            let mut bytes = [0; 2 * SUM];
            bytes[..SUM].copy_from_slice(&sum.to_le_bytes());
            bytes[SUM..].copy_from_slice(&key.to_u64().to_le_bytes());
            out.write_all(&bytes[..SUM + Self::KEY])?;
            count += 1;
        }
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(Run { file, count, keys: std::marker::PhantomData })
    }

    /// Iterates over the records. Only one iterator may be in use at a time.
    pub(crate) fn records(&self) -> io::Result<Records<K>> {
        let Run { ref file, count, keys } = *self;
        Run { file: file.try_clone()?, count, keys }.into_records()
    }

    fn into_records(mut self) -> io::Result<Records<K>> {
        self.file.rewind()?;
        let file = BufReader::with_capacity(BUFFER, self.file);
        Ok(Records { file, left: self.count, keys: self.keys })
    }
}

/// Iterator over the records of a run.
pub(crate) struct Records<K> {
    file: BufReader<File>,
    left: u64,
    keys: std::marker::PhantomData<K>,
}

impl<K: Key> Iterator for Records<K> {
    type Item = io::Result<(K, i64)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let mut bytes = [0; 2 * SUM];
        if let Err(error) = self.file.read_exact(&mut bytes[..SUM + Run::<K>::KEY]) {
            self.left = 0;
            return Some(Err(error));
        }
        let [sum, key] = [0, SUM].map(|from| {
            let mut word = [0; SUM];
            word.copy_from_slice(&bytes[from..from + SUM]);
            word
        });
        Some(Ok((K::from_u64(u64::from_le_bytes(key)), i64::from_le_bytes(sum))))
    }
}

/// Merges sources of ascending records into one; the sums of equal keys are added. Ends at the first error.
fn merge<K: Key>(mut sources: Vec<Records<K>>) -> impl Iterator<Item = io::Result<(K, i64)>> {
    let count = sources.len();
    let mut heads = BinaryHeap::with_capacity(count);
    let mut error = None;
    let mut pull = move |heads: &mut BinaryHeap<Reverse<(K, usize, i64)>>, source: usize| {
        match sources[source].next() {
            Some(Ok((key, sum))) => heads.push(Reverse((key, source, sum))),
            Some(Err(found)) => return Err(found),
            None => {}
        }
        Ok(())
    };
    let mut begun = false;
    std::iter::from_fn(move || {
        if !std::mem::replace(&mut begun, true) {
            error = (0..count).find_map(|source| pull(&mut heads, source).err());
        }
        if let Some(error) = error.take() {
            heads.clear();
            return Some(Err(error));
        }
        let Reverse((key, source, mut all)) = heads.pop()?;
        error = pull(&mut heads, source).err();
        while error.is_none()
            && let Some(&Reverse((next, source, sum))) = heads.peek()
            && next == key
        {
            heads.pop();
            all += sum;
            error = pull(&mut heads, source).err();
        }
        Some(Ok((key, all)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(run: &Run<u32>) -> Vec<(u32, i64)> {
        run.records().unwrap().collect::<io::Result<_>>().unwrap()
    }

    #[test]
    fn runs_become_one_whatever_their_number() {
        let directory = tempfile::tempdir().unwrap();
        for count in [1, 2, FAN_IN as u32 - 1, FAN_IN as u32, 3 * FAN_IN as u32 + 1] {
            let store = Store::new(directory.path());
            assert!(store.is_empty());
            for k in 0..count {
                store.put([(7, 1), (1000 + k, -2), (u32::MAX, i64::MAX / 1000)].into_iter());
            }
            let run = store.finish().unwrap();
            let mut expected = vec![(7, i64::from(count))];
            expected.extend((0..count).map(|k| (1000 + k, -2)));
            expected.push((u32::MAX, i64::from(count) * (i64::MAX / 1000)));
            assert_eq!(records(&run), expected);
            assert_eq!((run.count, records(&run)), (expected.len() as u64, expected));
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "files have no names");
    }

    #[test]
    fn sums_of_no_records() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path());
        store.put(std::iter::empty());
        assert_eq!(records(&store.finish().unwrap()), []);
    }

    #[test]
    fn a_directory_that_is_not_there() {
        let store = Store::<u64>::new(Path::new("no such directory"));
        store.put(std::iter::once((1, 1)));
        assert!(store.has_failed() && !store.is_empty());
        assert_eq!(store.finish().unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
