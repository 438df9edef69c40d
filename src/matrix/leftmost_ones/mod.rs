//! The scan of leftmost ones (Zhang et al. 2019, Algorithm 2), which finds the columns that are reduced as they
//! stand. The paper calls it the GPU scan.
//!
//! The *leftmost one* of row i is in the first column that has a one in that row. A column whose low is the leftmost
//! one of its row is *stable*: no column to its left ever has that low, before or after any additions, since none of
//! them ever has a one in that row. So a stable column is reduced, and its pair is known without an addition. (Path 1
//! calls such pairs apparent pairs.) The column of that low then reduces to zero, as [`clearing`](super::clearing)
//! explains. The paper counts such columns and columns of zeros as stable too; all others are *unstable*.
//!
//! | module | what it does |
//! |---|---|
//! | `cpu` | scans on all threads |
//! | [`cuda`] | scans on a device, which receives the matrix piece by piece |
//! | [`Scanner`] | runs the scan on the chosen device or processor, and verifies it on the processor if requested |
//!
//! Processor and device find the same result for any order of the columns: the leftmost of the columns that have a
//! row is the minimum of their numbers.

mod check;
mod cpu;
pub mod cuda;
mod estimate;
mod scan;
mod scanner;
#[cfg(test)]
mod tests;

pub use cpu::scan;
pub(super) use cpu::{claim, note_leftmost, pair_stable};
pub(super) use estimate::estimate;
pub use scan::Scan;
pub use scanner::{ScanError, Scanner};
