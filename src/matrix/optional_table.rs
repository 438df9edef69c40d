//! An atomic table of optional cells, one entry per cell.

use super::index::{AtomicIndex, SharedIndex};

/// A table that maps each cell to another cell or to none. Threads share it.
///
/// An entry is the number of the other cell plus one, or zero for none. So a new table consists of zeros, and its
/// memory is not touched until it is used.
#[derive(Debug)]
pub(crate) struct OptionalTable<I: SharedIndex> {
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

impl<I: SharedIndex> OptionalTable<I> {
    /// Creates a table in which no entry has a cell.
    pub(crate) fn new(cells: usize) -> Self {
        OptionalTable { entries: I::zeros(cells) }
    }

    /// All entries.
    pub(crate) fn entries(&self) -> &[I::Atomic] {
        &self.entries
    }

    /// Returns the cell at `place`, with acquire ordering: everything that its writer wrote before
    /// [`publish`](Self::publish) is visible.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<usize> {
        cell(self.entries[place].load())
    }

    /// Stores a cell at `place` with release ordering.
    #[inline]
    pub(crate) fn publish(&self, place: usize, cell: usize) {
        self.entries[place].store(entry(Some(cell)));
    }

    /// Stores a cell at `place` with relaxed ordering.
    #[inline]
    pub(crate) fn put(&self, place: usize, cell: usize) {
        self.entries[place].put(entry(Some(cell)));
    }

    /// Replaces `current` at `place` by `new` if it is still there.
    ///
    /// # Errors
    /// Returns the cell that was found instead.
    #[inline]
    pub(crate) fn replace(
        &self,
        place: usize,
        current: Option<usize>,
        new: usize,
    ) -> Result<(), Option<usize>> {
        match self.entries[place].exchange(entry(current), entry(Some(new))) {
            Ok(_) => Ok(()),
            Err(found) => Err(cell(found)),
        }
    }
}
