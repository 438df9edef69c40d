//! Results of the scan of leftmost ones.

use crate::matrix::cell_table::CellTable;
use crate::matrix::index::SharedIndex;

/// The results of the scan for each column and row, for the later stages of HYPHA.
pub struct Scan<I: SharedIndex> {
    /// Maps the low of each stable column to that column.
    pub lookup: CellTable<I>,
    /// Whether each column holds the leftmost one of some row. Such a column cannot reduce to zero (Lemma 4), since
    /// no column that is added to it has that row; so its cell destroys a class.
    pub destroyers: Vec<bool>,
    /// Number of stable columns, whose low is the leftmost one of its row. They are reduced as they stand.
    pub stable: usize,
    /// Number of other non-zero columns whose cell is the low of a stable column. They reduce to zero (clearing).
    pub cleared: usize,
    /// The remaining columns, ascending: `u` of HYPHA's Algorithm 2.
    pub unstable: Vec<I>,
}
