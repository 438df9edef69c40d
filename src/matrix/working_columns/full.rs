//! A bitset of rows, and a heap of the rows that were touched.

use std::collections::BinaryHeap;

use phat_formats::Index;

use super::WorkingColumn;

/// A bitset of the rows in the column, and a heap with all of them and some that have cancelled since.
#[derive(Debug, Clone)]
pub(crate) struct Full<I> {
    /// Bitset of the rows in the column.
    ones: Vec<u64>,
    /// Bitset of the rows in the heap.
    touched: Vec<u64>,
    heap: BinaryHeap<I>,
}

#[inline]
fn place<I: Index>(row: I) -> (usize, u64) {
    (row.to_usize() / 64, 1 << (row.to_usize() % 64))
}

impl<I: Index> Full<I> {
    /// Creates an empty column for `rows` rows.
    pub(crate) fn new(rows: usize) -> Self {
        let words = rows.div_ceil(64);
        Full { ones: vec![0; words], touched: vec![0; words], heap: BinaryHeap::new() }
    }
}

impl<I: Index> WorkingColumn<I> for Full<I> {
    #[inline]
    fn add(&mut self, column: &[I]) {
        for &row in column {
            let (word, bit) = place(row);
            self.ones[word] ^= bit;
            if self.touched[word] & bit == 0 {
                self.touched[word] |= bit;
                self.heap.push(row);
            }
        }
    }

    #[inline]
    fn pivot(&mut self) -> Option<I> {
        while let Some(&row) = self.heap.peek() {
            let (word, bit) = place(row);
            if self.ones[word] & bit != 0 {
                return Some(row);
            }
            self.touched[word] &= !bit;
            self.heap.pop();
        }
        None
    }

    fn take(&mut self, rows: &mut Vec<I>) {
        rows.clear();
        for row in self.heap.drain() {
            let (word, bit) = place(row);
            if self.ones[word] & bit != 0 {
                rows.push(row);
            }
            self.ones[word] &= !bit;
            self.touched[word] &= !bit;
        }
        rows.sort_unstable();
    }
}
