//! A table that notes at most one cell for each cell. Threads share it.

use super::index::{AtomicIndex, SharedIndex};

/// A table that holds another cell, or none, for each cell.
///
/// An entry is the number of the other cell plus one, and zero for none. So a new table is a table of zeros, whose
/// memory is not touched until it is used.
#[derive(Debug)]
pub(crate) struct OptionalTable<I: SharedIndex> {
    entries: Vec<I::Atomic>,
}

/// The entry that stands for a cell or for none.
#[inline]
fn entry<I: SharedIndex>(cell: Option<usize>) -> I {
    I::from_usize(cell.map_or(0, |cell| cell + 1))
}

/// The cell of an entry.
#[inline]
pub(super) fn cell<I: SharedIndex>(entry: I) -> Option<usize> {
    entry.to_usize().checked_sub(1)
}

impl<I: SharedIndex> OptionalTable<I> {
    /// A table of `cells` entries without a cell.
    pub(crate) fn new(cells: usize) -> Self {
        OptionalTable { entries: I::zeros(cells) }
    }

    /// The entries.
    pub(crate) fn entries(&self) -> &[I::Atomic] {
        &self.entries
    }

    /// The cell noted at `place`, with what the thread that noted it has written before.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> Option<usize> {
        cell(self.entries[place].load())
    }

    /// Notes a cell at `place`, and publishes what this thread has written before.
    #[inline]
    pub(crate) fn publish(&self, place: usize, cell: usize) {
        self.entries[place].store(entry(Some(cell)));
    }

    /// Notes a cell at `place`, and publishes nothing else.
    #[inline]
    pub(crate) fn put(&self, place: usize, cell: usize) {
        self.entries[place].put(entry(Some(cell)));
    }

    /// Notes `new` at `place` if `current` is still noted there.
    ///
    /// # Errors
    /// What is noted there instead.
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
