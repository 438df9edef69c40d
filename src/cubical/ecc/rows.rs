//! The rows of a curve, in memory or not.

use std::fmt;
use std::io;

use super::spill::{Records, Run};
use super::vcec::Vcec;
use crate::cubical::image::Voxel;
use crate::cubical::key::Key;
use crate::cubical::value::Value;

/// The rows of a curve: in memory or, of more distinct values than memory holds, in a temporary file.
#[derive(Debug)]
pub enum VcecRows {
    /// Rows in memory.
    Memory(Vcec),
    /// Rows in a file.
    Disk(Spilled),
}

/// Items that are read from a file one after another, or why the next cannot be.
type Items<'a, T> = Box<dyn Iterator<Item = io::Result<T>> + 'a>;

/// Begins to read rows from the first on: a value, and how the Euler characteristic changes at it.
type Read = dyn Fn() -> io::Result<Items<'static, (Value, i64)>> + Send + Sync;

/// VcecRows in a temporary file, which goes with them.
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
    /// The rows of a run: keys in the order of the filtration; changes are the sums times `sign`.
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
    /// How many there are.
    pub fn count(&self) -> u64 {
        match self {
            VcecRows::Memory(curve) => curve.changes.len() as u64,
            VcecRows::Disk(spilled) => spilled.count,
        }
    }

    /// Value, change, Euler characteristic of each. Those of a file may be read once at a time.
    ///
    /// # Errors
    /// The file cannot be read; that it cannot be read further is an item.
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

    /// All in memory.
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
