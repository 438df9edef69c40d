//! The rows of a curve, in memory or in a temporary file.

use std::io;

use super::spill::SpilledRun;
use super::vcec::Vcec;
use crate::cubical::order::VoxelOrder;
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
    /// Its keys are in filtration order.
    pub(super) run: SpilledRun,
    pub(super) order: VoxelOrder,
    /// The changes are the sums of the run times this.
    pub(super) sign: i64,
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
            VcecRows::Disk(Spilled { run, order, sign }) => {
                let mut euler = 0;
                Box::new(run.records()?.map(move |record| {
                    let (key, sum) = record?;
                    euler += sign * sum;
                    Ok((order.value(key), sign * sum, euler))
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
