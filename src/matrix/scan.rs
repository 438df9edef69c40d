//! The scan of leftmost ones (Zhang et al. 2019, §3): which columns are reduced as they stand.
//!
//! The *leftmost one* of row i is in the first column that has a one there. A column whose low is the leftmost one of its
//! row is *stable*: no column left of it has that low, now or after any additions, for they never had the row. So it is
//! reduced, and its pair is known without an addition. (Path 1 calls these apparent pairs.)
//!
//! Rows are claimed by compare and exchange, the smaller column wins; so any order of columns gives the same answer.

use rayon::prelude::*;

use super::mates::Mates;
use super::row::Atomic;
use super::{BoundaryMatrix, Row};

/// Columns looked at by one task.
const COLUMNS: usize = 1 << 13;

/// For each row, the column of its leftmost one.
#[derive(Debug)]
pub(crate) struct Leftmost<I: Row> {
    /// The column plus one; zero for a row of zeros.
    table: Vec<I::Atomic>,
}

impl<I: Row> Leftmost<I> {
    /// Scans a matrix.
    pub(crate) fn of(matrix: &BoundaryMatrix<I>) -> Self {
        let table = I::zeros(matrix.len());
        if rayon::current_num_threads() == 1 {
            for column in 0..matrix.len() {
                let number = I::from_usize(column + 1);
                for row in matrix.column(column) {
                    let first = &table[row.to_usize()];
                    if first.peek() == I::default() {
                        first.put(number);
                    }
                }
            }
        } else {
            tasks(matrix.len()).for_each(|columns| {
                for column in columns {
                    let number = I::from_usize(column + 1);
                    for row in matrix.column(column) {
                        claim(&table[row.to_usize()], number);
                    }
                }
            });
        }
        Leftmost { table }
    }

    /// The column of the leftmost one of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<usize> {
        self.table[row].peek().to_usize().checked_sub(1)
    }

    /// Pairs the lows of stable columns with these.
    pub(crate) fn pair_stable(&self, matrix: &BoundaryMatrix<I>) -> Mates<I> {
        let mates = Mates::new(matrix.len());
        tasks(matrix.len()).for_each(|columns| {
            for column in columns {
                if let Some(low) = matrix.low(column) {
                    let low = low.to_usize();
                    if self.get(low) == Some(column) {
                        mates.pair(low, column);
                    }
                }
            }
        });
        mates
    }
}

/// Notes `column` unless a smaller one is noted.
#[inline]
fn claim<I: Row>(first: &I::Atomic, column: I) {
    let mut found = first.peek();
    while found == I::default() || found > column {
        match first.exchange(found, column) {
            Ok(_) => return,
            Err(other) => found = other,
        }
    }
}

/// Ranges of columns, a task each.
pub(crate) fn tasks(columns: usize) -> impl ParallelIterator<Item = std::ops::Range<usize>> {
    (0..columns.div_ceil(COLUMNS))
        .into_par_iter()
        .map(move |task| task * COLUMNS..columns.min((task + 1) * COLUMNS))
}
