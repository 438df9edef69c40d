//! The rows of a curve, in memory or in a temporary file.

use std::io;

use super::spill::SpilledRun;
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

/// Rows in a temporary file, which is removed when this is dropped.
#[derive(Debug)]
pub struct Spilled {
    run: SpilledRun,
    /// The value of a key in filtration order.
    value: fn(u64) -> Value,
    /// The changes are the sums of the run times this.
    sign: i64,
}

impl Spilled {
    /// The rows of a run: its keys are in filtration order, and the changes are its sums times `sign`.
    pub(super) fn new<T: Voxel>(run: SpilledRun, superlevel: bool, sign: i64) -> Self {
        let value: fn(u64) -> Value = match superlevel {
            true => |key| T::of_key(T::Key::from_u64(key).reversed()).into(),
            false => |key| T::of_key(T::Key::from_u64(key)).into(),
        };
        Spilled { run, value, sign }
    }
}

/// Iterator over value, change and Euler characteristic of rows; an item is an error if it cannot be read.
type Rows<'a> = Box<dyn Iterator<Item = io::Result<(Value, i64, i64)>> + 'a>;

impl VcecRows {
    /// Number of rows.
    pub fn count(&self) -> u64 {
        match self {
            VcecRows::Memory(curve) => curve.changes.len() as u64,
            VcecRows::Disk(spilled) => spilled.run.count,
        }
    }

    /// Iterates over value, change and Euler characteristic of each row. Rows in a file allow one iterator at a time.
    ///
    /// # Errors
    /// The file cannot be read. Later read errors are items of the iterator.
    pub fn iter(&self) -> io::Result<Rows<'_>> {
        Ok(match self {
            VcecRows::Memory(curve) => Box::new(curve.rows().map(Ok)),
            VcecRows::Disk(Spilled { run, value, sign }) => {
                let mut euler = 0;
                Box::new(run.records()?.map(move |record| {
                    let (key, sum) = record?;
                    euler += sign * sum;
                    Ok((value(key), sign * sum, euler))
                }))
            }
        })
    }

    /// Loads all rows into memory.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn into_vcec(self) -> io::Result<Vcec> {
        if let VcecRows::Memory(curve) = self {
            return Ok(curve);
        }
        let rows = self.iter()?.map(|row| row.map(|(value, change, _)| (value, change)));
        let (values, changes): (Vec<Value>, Vec<i64>) = rows.collect::<io::Result<_>>()?;
        Ok(Vcec { values: values.into_iter().collect(), changes })
    }
}
