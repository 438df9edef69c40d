//! The scan of leftmost ones (Zhang et al. 2019, §3): which columns are reduced as they stand.
//!
//! The *leftmost one* of row i is in the first column that has a one there. A column whose low is the leftmost one of its
//! row is *stable*: no column left of it has that low, now or after any additions, for they never had the row. So it is
//! reduced, and its pair is known without an addition. (Path 1 calls these apparent pairs.)
//!
//! | module | |
//! |---|---|
//! | `cpu` | the scan on all threads |
//! | [`cuda`] | on a device, fed while the matrix is read |
//! | [`Scanner`] | the scan on the machine that was decided on, checked by the processor if that was asked for |
//! | [`Feeds`] | what a device is given while a file is read |
//!
//! Processor and device find the same, whatever the order in which columns come: the smaller column wins a row, and a column has a row once.

mod check;
mod cpu;
pub mod cuda;
mod estimate;
mod feed;
mod scanner;
#[cfg(test)]
mod tests;

use super::Row;
use super::row::Atomic;
use super::state::Lookup;
use crate::backend::Difference;

pub use cpu::scan;
pub(crate) use cpu::{batches, claim, tasks};
pub use estimate::estimate;
pub use feed::{Feed, Feeds};
pub use scanner::{ScanError, Scanner};

/// For each row, the column of its leftmost one.
#[derive(Debug)]
pub(crate) struct Leftmost<I: Row> {
    /// The column plus one; zero for a row of zeros.
    table: Vec<I::Atomic>,
}

impl<I: Row> Leftmost<I> {
    /// From a table that has the column plus one of each row, and zero for none.
    pub(crate) fn from_table(table: Vec<I::Atomic>) -> Self {
        Leftmost { table }
    }

    /// The column of the leftmost one of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<usize> {
        self.table[row].peek().to_usize().checked_sub(1)
    }
}

/// What the scan says of each column and row, in the form that the later stages of HYPHA take.
pub struct Scan<I: Row> {
    /// The stable column of each row that is the low of one.
    pub lookup: Lookup<I>,
    /// Columns that hold the leftmost one of some row. They cannot reduce to zero (Lemma 4): whatever is added to them, that
    /// one stays. So their cells destroy.
    pub destroyers: Vec<bool>,
    /// Stable columns: reduced as they stand.
    pub stable: usize,
    /// The columns that are neither stable nor zero, ascending.
    pub unstable: Vec<I>,
}

impl<I: Row> Scan<I> {
    /// Compares what a device found with what the processor found.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare(&self, processor: &Scan<I>) -> Result<(), Difference> {
        check::scan(self, processor)
    }
}
