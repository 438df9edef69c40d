//! Whether a device found what the processor finds.

use std::fmt::Display;

use super::scan::{Leftmost, Scan};
use crate::matrix::index::SharedIndex as Row;

/// The first thing that a device found otherwise than the processor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{stage}: {place}: {device} on the device, {processor} on the processor")]
pub struct Difference {
    /// The stage: `leftmost`, `lookup`, `destroyers`, `stable` or `unstable`, in this order.
    pub stage: &'static str,
    /// The row or column.
    pub place: String,
    /// What the device found there.
    pub device: String,
    /// What the processor found there.
    pub processor: String,
}

/// Compares leftmost ones row by row.
pub(super) fn leftmost<I: Row>(
    rows: usize,
    device: &Leftmost<I>,
    processor: &Leftmost<I>,
) -> Result<(), Difference> {
    (0..rows).try_for_each(|row| {
        let place = || format!("row {row}");
        same("leftmost", place, Column(device.get(row)), Column(processor.get(row)))
    })
}

/// Compares all else.
pub(super) fn scan<I: Row>(device: &Scan<I>, processor: &Scan<I>) -> Result<(), Difference> {
    let rows = processor.destroyers.len();
    for row in 0..rows {
        let place = || format!("row {row}");
        same("lookup", place, Column(device.lookup.get(row)), Column(processor.lookup.get(row)))?;
    }
    for column in 0..rows {
        let place = || format!("column {column}");
        let destroys = |scan: &Scan<I>| if scan.destroyers[column] { "a leftmost one" } else { "none" };
        same("destroyers", place, destroys(device), destroys(processor))?;
    }
    same("stable", || "all columns".to_owned(), device.stable, processor.stable)?;
    for place in 0..device.unstable.len().max(processor.unstable.len()) {
        let unstable = |scan: &Scan<I>| Column(scan.unstable.get(place).map(|column| column.to_usize()));
        same("unstable", || format!("place {place}"), unstable(device), unstable(processor))?;
    }
    Ok(())
}

/// A column, or that there is none, which compares quickly and reads well.
#[derive(Clone, Copy, PartialEq)]
struct Column(Option<usize>);

impl Display for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(column) => write!(f, "column {column}"),
            None => f.write_str("none"),
        }
    }
}

fn same<T: PartialEq + Display>(
    stage: &'static str,
    place: impl FnOnce() -> String,
    device: T,
    processor: T,
) -> Result<(), Difference> {
    if device == processor {
        return Ok(());
    }
    Err(Difference { stage, place: place(), device: device.to_string(), processor: processor.to_string() })
}
