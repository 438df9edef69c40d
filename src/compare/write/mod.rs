//! Barcodes and pairs as files: what [`read`](super::read) reads back.
//!
//! | format | bars | pairs of cells |
//! |---|---|---|
//! | `text` | Ripser's lines, of superlevel sets below a line that says so, every number with the digits that read back as the same double | |
//! | `csv` | a line a bar, `dim,birth,death`, essential deaths `inf` | |
//! | `json` | `{"bars": [{"dim", "birth", "death"}, …]}`, of superlevel sets with `"superlevel": true` | `{"pairs": [[birth, death], …], "essential": [cell, …]}` |
//! | `npy` | a row a bar: dim, birth, death | |
//! | `npz` | an array `bars`, as in `npy` | arrays `pairs` and `essential` |
//! | `dipha` | DIPHA's persistence diagram | |
//! | `phat-ascii`, `phat-binary` | | PHAT's pairs; not the cells of essential classes |
//!
//! Bars keep their order but in `text`, which has those of a dimension together, and in `dipha`, which has DIPHA's order. Essential bars
//! die in `dipha` at the greatest finite value of the bars, where the file that was read does not say where; elsewhere at infinity, or
//! `-inf`, whichever they have.

mod file;
#[cfg(test)]
mod tests;

pub use file::{BarcodeFile, UnwritableBarcode};
