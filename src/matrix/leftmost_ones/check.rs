//! Comparison of the results of a device with those of the processor.

use std::fmt::{self, Display};

use super::scan::{Leftmost, Scan};
use crate::backend::{Difference, expect_same};
use crate::matrix::index::SharedIndex;

/// Compares leftmost ones row by row.
pub(super) fn leftmost<I: SharedIndex>(
    rows: usize,
    device: &Leftmost<I>,
    processor: &Leftmost<I>,
) -> Result<(), Difference> {
    (0..rows).try_for_each(|row| {
        let place = || format!("leftmost: row {row}");
        expect_same(place, Column(device.get(row)), Column(processor.get(row)))
    })
}

/// Compares all results of a scan, in the order of the fields of [`Scan`].
pub(super) fn scan<I: SharedIndex>(device: &Scan<I>, processor: &Scan<I>) -> Result<(), Difference> {
    let rows = processor.destroyers.len();
    for row in 0..rows {
        let place = || format!("lookup: row {row}");
        expect_same(place, Column(device.lookup.get(row)), Column(processor.lookup.get(row)))?;
    }
    for column in 0..rows {
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
