//! A set of rows, and a column that is one: bits in a tree.

use crate::matrix::{Dimension, Row};

use rayon::prelude::*;

/// Bits of a word.
const BITS: usize = 64;

/// A set of cells.
pub(super) struct CellSet {
    words: Vec<u64>,
    cells: usize,
}

impl CellSet {
    /// The cells of dimension `dim` for which `is_in` holds.
    pub(super) fn of(dims: &[Dimension], dim: Dimension, is_in: impl Fn(usize) -> bool + Sync) -> Self {
        let word = |(place, dims): (usize, &[Dimension])| {
            let mut word = 0;
            for (bit, &of_cell) in dims.iter().enumerate() {
                word |= u64::from(of_cell == dim && is_in(place * BITS + bit)) << bit;
            }
            word
        };
        let words = dims.par_chunks(BITS).enumerate().with_min_len(256).map(word).collect();
        CellSet { words, cells: dims.len() }
    }

    /// The set with cell n − 1 − i for cell i.
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

    /// Whether a cell is in it.
    #[inline]
    pub(super) fn contains(&self, cell: usize) -> bool {
        self.words[cell / BITS] >> (cell % BITS) & 1 == 1
    }
}

/// A working column: a bit a row, and above each level one that says which of its words are not zero.
pub(super) struct BitTree {
    levels: Vec<Vec<u64>>,
}

impl BitTree {
    pub(super) fn new(rows: usize) -> Self {
        let mut levels = Vec::new();
        let mut bits = rows;
        loop {
            let words = bits.div_ceil(BITS).max(1);
            levels.push(vec![0; words]);
            if words == 1 {
                return BitTree { levels };
            }
            bits = words;
        }
    }

    #[inline]
    pub(super) fn toggle(&mut self, mut bit: usize) {
        for level in &mut self.levels {
            let word = &mut level[bit / BITS];
            let before = *word;
            *word ^= 1 << (bit % BITS);
            // The level above changes when this word becomes zero or ceases to be.
            if before != 0 && *word != 0 {
                return;
            }
            bit /= BITS;
        }
    }

    #[inline]
    pub(super) fn pivot(&self) -> Option<usize> {
        let mut word = 0;
        for level in self.levels.iter().rev() {
            let bits = level[word];
            if bits == 0 {
                return None;
            }
            word = word * BITS + (BITS - 1 - bits.leading_zeros() as usize);
        }
        Some(word)
    }

    pub(super) fn add<I: Row>(&mut self, rows: &[I]) {
        for row in rows {
            self.toggle(row.to_usize());
        }
    }

    /// Empties the column into `rows`, ascending.
    pub(super) fn take<I: Row>(&mut self, rows: &mut Vec<I>) {
        rows.clear();
        while let Some(row) = self.pivot() {
            rows.push(I::from_usize(row));
            self.toggle(row);
        }
        rows.reverse();
    }
}
