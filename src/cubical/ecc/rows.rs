//! The rows of a curve, in memory or in a temporary file.

use std::fmt;
use std::io;

use super::spill::{Records, Run};
use super::vcec::Vcec;
use crate::cubical::image::Voxel;
use crate::cubical::key::Key;
use crate::cubical::value::Value;

/// The rows of a curve: in memory, or in a temporary file if there are more distinct values than memory holds.
#[derive(Debug)]
pub enum VcecRows {
    /// The rows in memory.
    Memory(Vcec),
    /// The rows in a file.
    Disk(Spilled),
}

/// Iterator over items read from a file; an item is an error if it cannot be read.
type Items<'a, T> = Box<dyn Iterator<Item = io::Result<T>> + 'a>;

/// Opens an iterator from the first row on: a value, and the change of the Euler characteristic at it.
type Read = dyn Fn() -> io::Result<Items<'static, (Value, i64)>> + Send + Sync;

/// Rows in a temporary file, which is removed when this is dropped.
pub struct Spilled {
    count: u64,
    read: Box<Read>,
}

impl fmt::Debug for Spilled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spilled").field("count", &self.count).finish_non_exhaustive()
    }
}

impl Spilled {
    /// The rows of a run: its keys are in filtration order, and the changes are its sums times `sign`.
    pub(super) fn new<T: Voxel>(run: Run<T::Key>, superlevel: bool, sign: i64) -> Self {
        let row = move |(key, sum): (T::Key, i64)| {
            (T::of_key(if superlevel { key.reversed() } else { key }).into(), sign * sum)
        };
        let count = run.count;
        let read = move || -> io::Result<Items<'static, (Value, i64)>> {
            let records: Records<T::Key> = run.records()?;
            Ok(Box::new(records.map(move |record| record.map(row))))
        };
        Spilled { count, read: Box::new(read) }
    }
}

impl VcecRows {
    /// Number of rows.
    pub fn count(&self) -> u64 {
        match self {
            VcecRows::Memory(curve) => curve.changes.len() as u64,
            VcecRows::Disk(spilled) => spilled.count,
        }
    }

    /// Iterates over value, change and Euler characteristic of each row. Rows in a file allow one iterator at a time.
    ///
    /// # Errors
    /// The file cannot be read. Later read errors are items of the iterator.
    pub fn iter(&self) -> io::Result<Items<'_, (Value, i64, i64)>> {
        Ok(match self {
            VcecRows::Memory(curve) => Box::new(curve.rows().map(Ok)),
            VcecRows::Disk(spilled) => {
                let mut sum = 0;
                let row = move |row: io::Result<(Value, i64)>| {
                    let (value, change) = row?;
                    sum += change;
                    Ok((value, change, sum))
                };
                Box::new((spilled.read)()?.map(row))
            }
        })
    }

    /// Loads all rows into memory.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn into_vcec(self) -> io::Result<Vcec> {
        let spilled = match self {
            VcecRows::Memory(curve) => return Ok(curve),
            VcecRows::Disk(spilled) => spilled,
        };
        let rows = (spilled.read)()?.collect::<io::Result<Vec<_>>>()?;
        let (values, changes): (Vec<Value>, Vec<i64>) = rows.into_iter().unzip();
        Ok(Vcec { values: values.into_iter().collect(), changes })
    }
}
