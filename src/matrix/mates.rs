//! The table of persistence pairs found so far.

use std::ops::Range;

use phat_formats::Dimension;

use super::cell_table::CellTable;
use super::index::{AtomicIndex, SharedIndex};
use crate::parallel;

/// Number of cells in a task.
const CELLS: usize = 1 << 14;

/// The *mate* of each cell: the cell that it is paired with. A cell with a later mate is a *creator*, one with an
/// earlier mate a *destroyer*. A cell without a mate is *open*: it may become a creator or a destroyer, or prove
/// essential.
///
/// During a reduction the entry of a creator may be a *mark* instead: the place of a reduced column in a list, plus
/// [`Mates::marks`]. A mark exceeds every cell number, so it reads as a later cell.
#[derive(Debug)]
pub(crate) struct Mates<I: SharedIndex> {
    /// The mate of each cell; none for an open cell.
    table: CellTable<I>,
}

/// Numbers of cells of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Census {
    /// Number of all cells.
    pub(crate) cells: usize,
    /// Number of open cells.
    pub(crate) open: usize,
}

impl<I: SharedIndex> Mates<I> {
    /// Creates a table of `cells` open cells.
    pub(crate) fn new(cells: usize) -> Self {
        Mates { table: CellTable::new(cells) }
    }

    /// The least number that is a mark.
    pub(crate) fn marks() -> usize {
        I::MOST
    }

    /// The mark that stands for an element of a list.
    ///
    /// # Panics
    /// No mark is left for the element: with 32 bits, after more than two thousand million elements, each with a
    /// column of its own.
    #[inline]
    pub(crate) fn mark(element: usize) -> usize {
        // A mark lies above the top bit of a cell number, and a mark plus one still fits the width.
        assert!(element <= I::MOST, "expected at most {} reduced columns, found one more", I::MOST);
        Self::marks() + element
    }

    /// The mate or mark of a cell.
    #[inline]
    pub(crate) fn get(&self, cell: usize) -> Option<usize> {
        self.table.get(cell)
    }

    /// Whether a cell is known to destroy a class.
    #[inline]
    pub(crate) fn is_destroyer(&self, cell: usize) -> bool {
        self.get(cell).is_some_and(|mate| mate < cell)
    }

    /// Whether a cell is known to create a class that is destroyed.
    #[inline]
    pub(crate) fn is_creator(&self, cell: usize) -> bool {
        self.get(cell).is_some_and(|mate| mate > cell)
    }

    /// Pairs two open cells.
    #[inline]
    pub(crate) fn pair(&self, creator: usize, destroyer: usize) {
        debug_assert!(creator < destroyer);
        self.table.put(creator, destroyer);
        self.table.put(destroyer, creator);
    }

    /// Replaces the mate or mark of a creator if it is still `current`.
    ///
    /// # Errors
    /// Returns the entry that was found instead.
    #[inline]
    pub(crate) fn replace(
        &self,
        creator: usize,
        current: Option<usize>,
        new: usize,
    ) -> Result<(), Option<usize>> {
        self.table.replace(creator, current, new)
    }

    /// The open cells of a dimension, ascending.
    pub(crate) fn open(&self, dims: &[Dimension], dim: Dimension) -> Vec<I> {
        parallel::listed(dims.len(), CELLS, &|cells| {
            let mates = &self.table.entries()[cells.clone()];
            let cells = dims[cells.clone()].iter().zip(mates).zip(cells);
            let open = cells.filter(|((of_cell, mate), _)| **of_cell == dim && mate.peek() == I::default());
            open.map(|(_, cell)| I::from_usize(cell)).collect()
        })
    }

    /// Counts the cells and the open cells of each dimension.
    pub(crate) fn census(&self, dims: &[Dimension], max_dim: Dimension) -> Vec<Census> {
        let none = vec![Census::default(); usize::from(max_dim) + 1];
        let count = |cells: Range<usize>| {
            let mut census = none.clone();
            for (mate, &dim) in self.table.entries()[cells.clone()].iter().zip(&dims[cells]) {
                census[usize::from(dim)].cells += 1;
                census[usize::from(dim)].open += usize::from(mate.peek() == I::default());
            }
            census
        };
        parallel::joined(dims.len(), CELLS, none.clone(), &count, &|sum, found| {
            for (sum, found) in sum.iter_mut().zip(found) {
                sum.cells += found.cells;
                sum.open += found.open;
            }
        })
    }

    /// The pairs (creator, destroyer), sorted by creator, without creators that have a mark. Other threads may set
    /// marks meanwhile.
    pub(crate) fn pairs(&self) -> Vec<(I, I)> {
        parallel::listed(self.table.entries().len(), CELLS, &|cells| {
            let mated = cells.filter_map(|cell| Some((cell, self.get(cell)?)));
            let pairs = mated.filter(|&(cell, mate)| cell < mate && mate < Self::marks());
            pairs.map(|(cell, mate)| (I::from_usize(cell), I::from_usize(mate))).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_end_with_the_width() {
        assert_eq!(Mates::<u32>::mark(0), Mates::<u32>::marks());
        let last = Mates::<u32>::mark(u32::MAX as usize >> 1);
        assert_eq!(last + 1, u32::MAX as usize);
    }

    #[test]
    #[should_panic(expected = "found one more")]
    fn there_is_no_mark_past_the_last() {
        Mates::<u32>::mark(1 << 31);
    }
}
