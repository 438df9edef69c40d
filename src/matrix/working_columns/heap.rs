//! A binary heap that cancels equal rows when they reach its top.

use std::collections::BinaryHeap;

use phat_formats::Index;

use super::WorkingColumn;

/// The rows of all added columns; a row is in the column if it occurs an odd number of times.
///
/// When more rows have been added than the last cancellation left, all equal rows are cancelled at once, so that
/// memory stays within a factor of the greatest length of the column.
#[derive(Debug, Clone)]
pub(crate) struct Heap<I> {
    rows: BinaryHeap<I>,
    /// The number of rows above which equal rows are cancelled.
    limit: usize,
}

const LEAST_LIMIT: usize = 1024;

impl<I: Index> Heap<I> {
    /// Removes and returns the greatest row that does not cancel.
    #[inline]
    fn greatest(&mut self) -> Option<I> {
        loop {
            let row = self.rows.pop()?;
            if self.rows.peek() != Some(&row) {
                return Some(row);
            }
            self.rows.pop();
        }
    }

    fn cancel(&mut self) {
        let mut rows = std::mem::take(&mut self.rows).into_vec();
        rows.sort_unstable();
        keep_odd(&mut rows);
        self.limit = LEAST_LIMIT.max(2 * rows.len());
        self.rows = BinaryHeap::from(rows);
    }
}

/// Reduces ascending rows to one copy of each row that occurs an odd number of times.
fn keep_odd<I: Index>(rows: &mut Vec<I>) {
    let mut kept = 0;
    for next in 0..rows.len() {
        if kept > 0 && rows[kept - 1] == rows[next] {
            kept -= 1;
        } else {
            rows[kept] = rows[next];
            kept += 1;
        }
    }
    rows.truncate(kept);
}

impl<I: Index> Default for Heap<I> {
    /// Creates an empty column.
    fn default() -> Self {
        Heap { rows: BinaryHeap::new(), limit: LEAST_LIMIT }
    }
}

impl<I: Index> WorkingColumn<I> for Heap<I> {
    fn add(&mut self, column: &[I]) {
        self.rows.extend(column);
        if self.rows.len() > self.limit {
            self.cancel();
        }
    }

    #[inline]
    fn pivot(&mut self) -> Option<I> {
        let row = self.greatest()?;
        self.rows.push(row);
        Some(row)
    }

    fn take(&mut self, rows: &mut Vec<I>) {
        rows.clear();
        rows.extend(self.rows.drain());
        rows.sort_unstable();
        keep_odd(rows);
        self.limit = LEAST_LIMIT;
    }
}
