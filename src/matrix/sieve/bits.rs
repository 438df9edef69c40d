//! A set of rows, and a column that is one: bits in a tree.

use crate::matrix::mates::Mates;
use crate::matrix::{Dimension, Row};

use rayon::prelude::*;

/// Bits of a word.
const BITS: usize = 64;

/// A set of cells.
pub(super) struct CellSet {
    words: Vec<u64>,
}

impl CellSet {
    /// The cells of dimension `dim` that are not known to destroy.
    pub(super) fn of_not_destroyers<I: Row>(dims: &[Dimension], dim: Dimension, mates: &Mates<I>) -> Self {
        let word = |(place, dims): (usize, &[Dimension])| {
            let mut word = 0;
            for (bit, &of_cell) in dims.iter().enumerate() {
                let in_set = of_cell == dim && !mates.is_destroyer(place * BITS + bit);
                word |= u64::from(in_set) << bit;
            }
            word
        };
        CellSet { words: dims.par_chunks(BITS).enumerate().with_min_len(256).map(word).collect() }
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
