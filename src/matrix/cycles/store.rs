//! The cycles in flat tables, and the view of one of them.

use phat_formats::{Dimension, Index};

use super::lists::Lists;

/// Cycles that represent classes: those of pairs by birth, then those of essential classes by birth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycles<I> {
    /// The dimensions of the classes.
    pub(super) dims: Vec<Dimension>,
    /// The cells that create them.
    pub(super) births: Vec<I>,
    /// The cells that destroy them; essential classes, the last ones, have none.
    pub(super) deaths: Vec<I>,
    /// The cells of the cycles.
    pub(super) cells: Lists<I>,
    /// The number of columns that were added to others.
    pub(super) additions: u64,
}

/// A class, and a cycle that represents it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cycle<'a, I> {
    /// The dimension of the class, which is that of all cells of the cycle.
    pub dim: Dimension,
    /// The cell that creates the class: the youngest of the cycle.
    pub birth: I,
    /// The cell that destroys the class, with which the cycle becomes a boundary; none of an essential class.
    pub death: Option<I>,
    /// The cells of the cycle, ascending. The sum of their boundaries is zero.
    pub cells: &'a [I],
}

impl<I: Index> Cycles<I> {
    /// The number of cycles.
    pub fn len(&self) -> usize {
        self.births.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.births.is_empty()
    }

    /// All of them: those of pairs by birth, then those of essential classes by birth.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cycle<'_, I>> + Clone {
        (0..self.len()).map(|cycle| Cycle {
            dim: self.dims[cycle],
            birth: self.births[cycle],
            death: self.deaths.get(cycle).copied(),
            cells: self.cells.get(cycle),
        })
    }

    /// Where the cells of each cycle start among those of all cycles, and at the end their number.
    pub fn offsets(&self) -> &[usize] {
        self.cells.offsets()
    }

    /// The cells of all cycles, one after another.
    pub fn cells(&self) -> &[I] {
        self.cells.items()
    }

    /// The number of columns that were added to others.
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
