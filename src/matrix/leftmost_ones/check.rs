//! Comparison of the results of a device with those of the processor.

use std::fmt::{self, Display};

use super::scan::Scan;
use crate::backend::{Difference, expect_same};
use crate::matrix::cell_table::CellTable;
use crate::matrix::index::SharedIndex;

/// Compares tables of columns row by row; `what` names them.
pub(super) fn tables<I: SharedIndex>(
    what: &str,
    device: &CellTable<I>,
    processor: &CellTable<I>,
) -> Result<(), Difference> {
    (0..processor.entries().len()).try_for_each(|row| {
        let place = || format!("{what}: row {row}");
        expect_same(place, Column(device.get(row)), Column(processor.get(row)))
    })
}

impl<I: SharedIndex> Scan<I> {
    /// Compares the results of a device with those of the processor, in the order of the fields.
    ///
    /// # Errors
    /// Returns the first difference.
    pub fn compare(&self, processor: &Scan<I>) -> Result<(), Difference> {
        let device = self;
        tables("lookup", &device.lookup, &processor.lookup)?;
        for column in 0..processor.destroyers.len() {
            let place = || format!("destroyers: column {column}");
            let destroys = |scan: &Scan<I>| if scan.destroyers[column] { "a leftmost one" } else { "none" };
            expect_same(place, destroys(device), destroys(processor))?;
        }
        expect_same(|| "stable: all columns".to_owned(), device.stable, processor.stable)?;
        expect_same(|| "cleared: all columns".to_owned(), device.cleared, processor.cleared)?;
        for place in 0..device.unstable.len().max(processor.unstable.len()) {
            let unstable = |scan: &Scan<I>| Column(scan.unstable.get(place).map(|column| column.to_usize()));
            expect_same(|| format!("unstable: place {place}"), unstable(device), unstable(processor))?;
        }
        Ok(())
    }
}

/// A column or none, formatted only when a difference is reported, so that comparisons stay fast.
#[derive(Clone, Copy, PartialEq)]
struct Column(Option<usize>);

impl Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(column) => write!(f, "column {column}"),
            None => f.write_str("none"),
        }
    }
}
