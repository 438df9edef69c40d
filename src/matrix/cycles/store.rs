//! Cycles in flat tables, and a view of each.

use phat_formats::{Dimension, Index};

use crate::memory::{self, Refused};

/// Cycles that represent classes: those of pairs by birth, then those of essential classes by birth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycles<I> {
    /// The dimensions of the classes.
    pub(super) dims: Vec<Dimension>,
    /// The cells that create the classes.
    pub(super) births: Vec<I>,
    /// The cells that destroy the classes; essential classes, which come last, have none.
    pub(super) deaths: Vec<I>,
    /// Start of each cycle in `cells`, and then the number of all cells.
    pub(super) offsets: Vec<usize>,
    /// The cells of all cycles, concatenated.
    pub(super) cells: Vec<I>,
    /// Number of column additions.
    pub(super) additions: u64,
}

/// A class and a cycle that represents it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cycle<'a, I> {
    /// The dimension of the class, which is that of all cells of the cycle.
    pub dim: Dimension,
    /// The cell that creates the class: the youngest of the cycle.
    pub birth: I,
    /// The cell that destroys the class, whose entry makes the cycle a boundary; none for an essential class.
    pub death: Option<I>,
    /// The cells of the cycle, ascending. The sum of their boundaries is zero.
    pub cells: &'a [I],
}

impl<I: Index> Cycles<I> {
    /// Appends the cells of a cycle.
    pub(super) fn push(&mut self, cycle: &[I]) -> Result<(), Refused> {
        memory::make_room(&mut self.cells, cycle.len())?;
        self.cells.extend_from_slice(cycle);
        memory::push(&mut self.offsets, self.cells.len())
    }

    /// Number of cycles.
    pub fn len(&self) -> usize {
        self.births.len()
    }

    /// Whether there are no cycles.
    pub fn is_empty(&self) -> bool {
        self.births.is_empty()
    }

    /// Iterates over all cycles: those of pairs by birth, then those of essential classes by birth.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cycle<'_, I>> + Clone {
        (0..self.len()).map(|cycle| Cycle {
            dim: self.dims[cycle],
            birth: self.births[cycle],
            death: self.deaths.get(cycle).copied(),
            cells: &self.cells[self.offsets[cycle]..self.offsets[cycle + 1]],
        })
    }

    /// Start of the cells of each cycle in [`cells`](Self::cells), and then the number of all cells.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The cells of all cycles, concatenated.
    pub fn cells(&self) -> &[I] {
        &self.cells
    }

    /// Number of column additions.
    pub fn additions(&self) -> u64 {
        self.additions
    }
}

impl<'a, I: Index> IntoIterator for &'a Cycles<I> {
    type Item = Cycle<'a, I>;
    type IntoIter = Box<dyn Iterator<Item = Cycle<'a, I>> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}
