//! Sums over a whole image.

use crate::cubical::ecc::spill::Run;

/// Sums by key, ascending, or by bin.
#[derive(Debug)]
pub(crate) enum Summed<K> {
    /// The distinct keys, and the sum of each.
    Keys(Vec<K>, Vec<i64>),
    Bins(Vec<i64>),
    /// Keys and sums in a file.
    Run(Run<K>),
}
