//! A tree of bit sets, 64 children a node.

use phat_formats::Index;

use super::WorkingColumn;

/// A bit a row in words of 64, and above them words that say which words below are not zero, up to one word.
///
/// The levels of the tree follow each other from the root down, and the children of word w are the words 64w + 1 to 64w +
/// 64, as in a binary heap. All levels but the last are complete; the last holds the rows and starts at `leaves`.
///
/// Adding a row flips one bit, and goes up only where a word becomes zero or ceases to be zero: once for many rows of one
/// word. The pivot is found on the way down along the highest bits.
#[derive(Debug, Clone)]
pub struct BitTree {
    words: Vec<u64>,
    leaves: usize,
}

const SHIFT: u32 = 6;
const CHILDREN: usize = 1 << SHIFT;

impl BitTree {
    /// The empty column over `rows` rows.
    pub fn new(rows: usize) -> Self {
        let last = rows.div_ceil(CHILDREN).max(1);
        let (mut level, mut leaves) = (1, 0);
        while level < last {
            leaves += level;
            level <<= SHIFT;
        }
        BitTree { words: vec![0; leaves + last], leaves }
    }

    /// Adds the column that has this row alone.
    #[inline]
    pub(crate) fn toggle(&mut self, row: usize) {
        self.flip(self.leaves + (row >> SHIFT), row & (CHILDREN - 1));
    }

    /// Flips the bit that stands for `child` below `node`, and the bits above that change with it.
    #[inline]
    fn flip(&mut self, mut node: usize, mut child: usize) {
        loop {
            let bit = 1 << child;
            self.words[node] ^= bit;
            // The word had other bits before, and has them still.
            if self.words[node] & !bit != 0 || node == 0 {
                return;
            }
            (node, child) = parent(node);
        }
    }

    /// The greatest row.
    #[inline]
    pub(crate) fn greatest(&self) -> Option<usize> {
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

/// The node above a node, and which of its children the node is.
#[inline]
fn parent(node: usize) -> (usize, usize) {
    ((node - 1) >> SHIFT, (node - 1) & (CHILDREN - 1))
}

impl<I: Index> WorkingColumn<I> for BitTree {
    #[inline]
    fn add(&mut self, column: &[I]) {
        for row in column {
            self.toggle(row.to_usize());
        }
    }

    #[inline]
    fn pivot(&mut self) -> Option<I> {
        self.greatest().map(I::from_usize)
    }

    fn pop(&mut self) -> Option<I> {
        let row = self.greatest()?;
        self.toggle(row);
        Some(I::from_usize(row))
    }

    /// Goes down along the lowest bits to a word of rows, empties it, and goes up to the first word that has more.
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
