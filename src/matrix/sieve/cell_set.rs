//! A set of cells.

use phat_formats::Dimension;

use crate::parallel;

/// Number of bits in a word.
const BITS: usize = 64;

/// A set of cells, as a bitset over all cells of the matrix.
pub(super) struct CellSet {
    words: Vec<u64>,
    cells: usize,
}

impl CellSet {
    /// The cells of dimension `dim` for which `is_in` holds.
    pub(super) fn of(dims: &[Dimension], dim: Dimension, is_in: impl Fn(usize) -> bool + Sync) -> Self {
        let word = |first: usize| {
            let mut word = 0;
            for (bit, &of_cell) in dims[first..].iter().take(BITS).enumerate() {
                word |= u64::from(of_cell == dim && is_in(first + bit)) << bit;
            }
            word
        };
        let words =
            parallel::listed(dims.len(), 256 * BITS, &|cells| cells.step_by(BITS).map(word).collect());
        CellSet { words, cells: dims.len() }
    }

    /// Returns the set that contains cell n − 1 − i for each cell i of this set.
    pub(super) fn mirrored(&self) -> Self {
        let word = |place: usize| {
            let mirrored = |bit: &usize| {
                let cell = place * BITS + bit;
                cell < self.cells && self.contains(self.cells - 1 - cell)
            };
            (0..BITS).filter(mirrored).fold(0, |word, bit| word | 1 << bit)
        };
        CellSet { words: (0..self.words.len()).map(word).collect(), cells: self.cells }
    }

    /// Whether the set contains a cell.
    #[inline]
    pub(super) fn contains(&self, cell: usize) -> bool {
        self.words[cell / BITS] >> (cell % BITS) & 1 == 1
    }
}
