//! A tree of bit sets, 64 children a node.

use super::{Index, WorkingColumn};

/// A bit a row in words of 64, and above them words that say which words below are not zero, up to one word.
///
/// The words of a level follow each other, the levels from the root down: the children of word w are 64w + 1 to 64w +
/// 64, as in a binary heap. All levels but the last are whole; the last, the rows, starts at `leaves`.
///
/// Adding a row flips one bit, and goes up only where a word becomes zero or ceases to be: once a word of rows that are
/// added one after the other. The pivot is the way down along the highest bits.
#[derive(Debug, Clone)]
pub struct BitTree {
    words: Vec<u64>,
    leaves: usize,
}

const SHIFT: u32 = 6;
const CHILDREN: usize = 1 << SHIFT;

impl BitTree {
    /// Flips the bit that stands for `child` below `node`, and those above that change with it.
    #[inline]
    fn flip(&mut self, mut node: usize, mut child: usize) {
        loop {
            let bit = 1 << child;
            self.words[node] ^= bit;
            // Others were there before, and are.
            if self.words[node] & !bit != 0 || node == 0 {
                return;
            }
            (node, child) = parent(node);
        }
    }

    #[inline]
    fn highest(&self) -> Option<usize> {
        if self.words[0] == 0 {
            return None;
        }
        let mut node = 0;
        loop {
            let child = self.words[node].ilog2() as usize;
            if node >= self.leaves {
                return Some(((node - self.leaves) << SHIFT) + child);
            }
            node = (node << SHIFT) + 1 + child;
        }
    }
}

/// The node above, and which of its children this is.
#[inline]
fn parent(node: usize) -> (usize, usize) {
    ((node - 1) >> SHIFT, (node - 1) & (CHILDREN - 1))
}

impl<I: Index> WorkingColumn<I> for BitTree {
    fn new(rows: usize) -> Self {
        let last = rows.div_ceil(CHILDREN).max(1);
        let (mut level, mut leaves) = (1, 0);
        while level < last {
            leaves += level;
            level <<= SHIFT;
        }
        BitTree { words: vec![0; leaves + last], leaves }
    }

    #[inline]
    fn add(&mut self, column: &[I]) {
        for row in column {
            let row = row.to_usize();
            self.flip(self.leaves + (row >> SHIFT), row & (CHILDREN - 1));
        }
    }

    #[inline]
    fn pivot(&mut self) -> Option<I> {
        self.highest().map(I::from_usize)
    }

    fn pop(&mut self) -> Option<I> {
        let row = self.highest()?;
        self.flip(self.leaves + (row >> SHIFT), row & (CHILDREN - 1));
        Some(I::from_usize(row))
    }

    /// Down along the lowest bits to a word of rows, empties it, and up to the first word that has more.
    fn take(&mut self, rows: &mut Vec<I>) {
        rows.clear();
        let mut node = 0;
        loop {
            if self.words[node] == 0 {
                if node == 0 {
                    return;
                }
                let (above, child) = parent(node);
                self.words[above] &= !(1 << child);
                node = above;
            } else if node < self.leaves {
                node = (node << SHIFT) + 1 + self.words[node].trailing_zeros() as usize;
            } else {
                let mut bits = std::mem::take(&mut self.words[node]);
                while bits != 0 {
                    let row = ((node - self.leaves) << SHIFT) + bits.trailing_zeros() as usize;
                    rows.push(I::from_usize(row));
                    bits &= bits - 1;
                }
            }
        }
    }
}
