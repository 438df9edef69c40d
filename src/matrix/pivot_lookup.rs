//! The look-up table of a reduction, from a low to the column that has it.

use super::index::{AtomicIndex, SharedIndex};
use super::optional_table::{OptionalTable, cell};

/// The known column with each row as its low: the table L of the standard algorithm and `Lookup` of HYPHA (Zhang et
/// al. 2019, Algorithms 1 and 2).
pub struct PivotLookup<I: SharedIndex> {
    columns: OptionalTable<I>,
}

impl<I: SharedIndex> PivotLookup<I> {
    /// Creates a table of `rows` rows without any column.
    pub fn new(rows: usize) -> Self {
        PivotLookup { columns: OptionalTable::new(rows) }
    }

    /// Returns the known column whose low is `row`.
    #[inline]
    pub fn get(&self, row: usize) -> Option<usize> {
        self.columns.get(row)
    }

    /// Records that the low of `column` is `row`.
    #[inline]
    pub fn set(&self, row: usize, column: usize) {
        self.columns.publish(row, column);
    }

    /// Replaces the column of `row` if it is still `current`.
    ///
    /// # Errors
    /// Returns the column that was found instead.
    #[inline]
    pub fn replace(&self, row: usize, current: Option<usize>, column: usize) -> Result<(), Option<usize>> {
        self.columns.replace(row, current, column)
    }

    /// Returns all pairs (row, column) as indices, sorted by row.
    pub(super) fn to_pairs(&self) -> Vec<(I, I)> {
        self.pairs().map(|(row, column)| (I::from_usize(row), I::from_usize(column))).collect()
    }

    /// Iterates over all pairs (row, column), sorted by row.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let entries = self.columns.entries().iter().enumerate();
        entries.filter_map(|(row, entry)| Some((row, cell(entry.load())?)))
    }
}
