//! A tree of bit sets, 64 children a node.

use phat_formats::Index;

use super::WorkingColumn;

/// One bit per row in words of 64, with levels of words above that say which words below are not zero, up to a single
/// word.
///
/// The levels are stored from the root down, and the children of word w are the words 64w + 1 to 64w + 64, as in a
/// binary heap. All levels but the last are complete; the last holds the rows and starts at `leaves`.
///
/// Adding a row flips one bit, and continues upwards only if a word becomes zero or ceases to be zero: once for many
/// rows of one word. The pivot is found by descending along the highest bits.
#[derive(Debug, Clone)]
pub(crate) struct BitTree {
    words: Vec<u64>,
    leaves: usize,
}

const SHIFT: u32 = 6;
const CHILDREN: usize = 1 << SHIFT;

impl BitTree {
    /// Creates an empty column for `rows` rows.
    pub(crate) fn new(rows: usize) -> Self {
        let last = rows.div_ceil(CHILDREN).max(1);
        let (mut level, mut leaves) = (1, 0);
        while level < last {
            leaves += level;
            level <<= SHIFT;
        }
        BitTree { words: vec![0; leaves + last], leaves }
    }

    /// Adds the column that consists of the single row `row`.
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
            // The word has other bits, so the levels above do not change.
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

/// The parent of a node, and its number among the parent's children.
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

    /// Descends along the lowest bits to a word of rows, empties it, and ascends to the first word with more bits.
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
