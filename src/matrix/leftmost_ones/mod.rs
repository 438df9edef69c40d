//! The scan of leftmost ones (Zhang et al. 2019, Algorithm 2): which columns are reduced as they stand. It is what the paper
//! calls the GPU scan.
//!
//! The *leftmost one* of row i is in the first column that has a one there. A column whose low is the leftmost one of its
//! row is *stable*: no column to its left has that low, before or after any additions, for none of them ever has a one in
//! that row. So a stable column is reduced, and its pair is known without an addition. (Path 1 calls such pairs apparent pairs.)
//! The column of that low then reduces to zero, as [`clearing`](super::clearing) explains; so does a column of zeros. The paper counts
//! both as stable too, and what is left is *unstable*.
//!
//! | module | what it does |
//! |---|---|
//! | `cpu` | scans on all threads |
//! | [`cuda`] | scans on a device, which gets the matrix while it is read |
//! | [`Scanner`] | runs the scan on the machine that was decided on, and checks it on the processor if that was asked for |
//! | [`Feeds`] | gives a device the columns of a file while it is read |
//!
//! Processor and device find the same, in whatever order columns come: the leftmost of all columns that have a row is the
//! least of their numbers.

mod check;
mod cpu;
pub mod cuda;
mod estimate;
mod feed;
mod scan;
mod scanner;
#[cfg(test)]
mod tests;

use crate::backend::Difference;
pub use cpu::scan;
pub(super) use cpu::{claim, note_leftmost, pair_stable};
pub use feed::{Feed, Feeds};
pub(crate) use scan::Leftmost;
pub use scan::Scan;
pub use scanner::{ScanError, Scanner};

use super::index::SharedIndex;

impl<I: SharedIndex> Scan<I> {
    /// Compares what a device found with what the processor found.
    ///
    /// # Errors
    /// The first difference.
    pub fn compare(&self, processor: &Scan<I>) -> Result<(), Difference> {
        check::scan(self, processor)
    }
}
