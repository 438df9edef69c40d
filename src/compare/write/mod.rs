//! Writers of barcodes and pairs to files that [`read`](super::read) reads back.
//!
//! | format | bars | pairs of cells |
//! |---|---|---|
//! | `text` | Ripser's lines, for superlevel sets after a header that says so, with the fewest digits that read back as the same double | |
//! | `csv` | one line per bar, `dim,birth,death`, with essential deaths `inf` | |
//! | `json` | `{"bars": [{"dim", "birth", "death"}, …]}`, for superlevel sets with `"superlevel": true` | `{"pairs": [[birth, death], …], "essential": [cell, …]}` |
//! | `npy` | one row per bar: dim, birth, death | |
//! | `npz` | an array `bars`, as in `npy` | arrays `pairs` and `essential` |
//! | `dipha` | DIPHA's persistence diagram | |
//! | `phat-ascii`, `phat-binary` | | PHAT's pairs, without the cells of essential classes |
//!
//! Bars keep their order except in `text`, which groups them by dimension, and in `dipha`, which has DIPHA's order.
//! In `dipha`, essential bars die at the end of the filtration, or at the greatest finite value of the bars if that
//! is unknown; in other formats at infinity, or at `-inf` for superlevel sets.

mod file;
#[cfg(test)]
mod tests;

pub use file::{BarcodeFile, UnwritableBarcode};
