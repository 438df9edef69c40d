//! An atomic table of optional cells, one entry per cell.

use super::index::{AtomicIndex, SharedIndex};

/// A table that maps each cell to another cell or to none. Threads share it. As the look-up table of a reduction it
/// maps a row to the known column with that low: the table L of the standard algorithm and `Lookup` of HYPHA (Zhang et
/// al. 2019, Algorithms 1 and 2).
///
/// An entry is the number of the other cell plus one, or zero for none. So a new table consists of zeros, and its
/// memory is not touched until it is used.
#[derive(Debug)]
pub struct CellTable<I: SharedIndex> {
    entries: Vec<I::Atomic>,
}

/// Encodes an optional cell as an entry.
#[inline]
fn entry<I: SharedIndex>(cell: Option<usize>) -> I {
    I::from_usize(cell.map_or(0, |cell| cell + 1))
}

/// Decodes an entry.
#[inline]
pub(super) fn cell<I: SharedIndex>(entry: I) -> Option<usize> {
    entry.to_usize().checked_sub(1)
}

impl<I: SharedIndex> CellTable<I> {
    /// Creates a table in which no entry has a cell.
    pub fn new(cells: usize) -> Self {
        CellTable { entries: I::zeros(cells) }
    }

    /// All entries.
    pub(crate) fn entries(&self) -> &[I::Atomic] {
        &self.entries
    }

    /// Returns the cell at `place`, with acquire ordering: everything that its writer wrote before
    /// [`set`](Self::set) is visible.
    #[inline]
    pub fn get(&self, place: usize) -> Option<usize> {
        cell(self.entries[place].load())
    }

    /// Stores a cell at `place` with release ordering.
    #[inline]
    pub fn set(&self, place: usize, cell: usize) {
        self.entries[place].store(entry(Some(cell)));
    }

    /// Stores a cell at `place` with relaxed ordering.
    #[inline]
    pub(crate) fn put(&self, place: usize, cell: usize) {
        self.entries[place].put(entry(Some(cell)));
    }

    /// Iterates over all pairs of a place and its cell, sorted by place.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(place, entry)| Some((place, cell(entry.load())?)))
    }

    /// Returns all pairs of a place and its cell as indices, sorted by place.
    pub(super) fn to_pairs(&self) -> Vec<(I, I)> {
        self.pairs().map(|(place, cell)| (I::from_usize(place), I::from_usize(cell))).collect()
    }

    /// Replaces `current` at `place` by `new` if it is still there.
    ///
    /// # Errors
    /// Returns the cell that was found instead.
    #[inline]
    pub fn replace(&self, place: usize, current: Option<usize>, new: usize) -> Result<(), Option<usize>> {
        match self.entries[place].exchange(entry(current), entry(Some(new))) {
            Ok(_) => Ok(()),
            Err(found) => Err(cell(found)),
        }
    }
}
