//! The scan on all threads.
//!
//! Rows are claimed by compare and exchange, the smaller column wins; so any order of columns gives the same answer.

use rayon::prelude::*;

use super::{Leftmost, Scan};
use crate::matrix::mates::Mates;
use crate::matrix::row::{Atomic, touch};
use crate::matrix::state::Lookup;
use crate::matrix::{BoundaryMatrix, Dimension, Row};

/// Columns looked at by one task.
const COLUMNS: usize = 1 << 13;

/// Columns of a batch.
const BATCH: usize = 16;

impl<I: Row> Leftmost<I> {
    /// Scans a matrix.
    pub(crate) fn of(matrix: &BoundaryMatrix<I>) -> Self {
        Leftmost::of_blocks(matrix, I::zeros(matrix.len()), |_| true)
    }

    /// The table.
    pub(crate) fn into_table(self) -> Vec<I::Atomic> {
        self.table
    }

    /// Scans the columns of some dimensions. The table, a number a row, is zero at all rows of these.
    pub(crate) fn of_blocks(
        matrix: &BoundaryMatrix<I>,
        table: Vec<I::Atomic>,
        wanted: impl Fn(Dimension) -> bool + Sync,
    ) -> Self {
        let alone = rayon::current_num_threads() == 1;
        tasks(matrix.len()).for_each(|columns| {
            for columns in batches(columns) {
                touch::<I>(&table, matrix.rows_of(columns.clone()).iter().map(|row| row.to_usize()));
                for column in columns.filter(|&column| wanted(matrix.dim(column))) {
                    let number = I::from_usize(column + 1);
                    for row in matrix.column(column) {
                        claim::<I>(&table[row.to_usize()], number, alone);
                    }
                }
            }
        });
        Leftmost { table }
    }

    /// Pairs the lows of stable columns of some dimensions, which were scanned, with these.
    pub(crate) fn pair_stable(
        &self,
        matrix: &BoundaryMatrix<I>,
        wanted: impl Fn(Dimension) -> bool + Sync,
    ) -> Mates<I> {
        let mates = Mates::new(matrix.len());
        tasks(matrix.len()).for_each(|columns| {
            for columns in batches(columns) {
                let columns = columns.filter(|&column| wanted(matrix.dim(column)));
                let lows = columns.clone().filter_map(|column| matrix.low(column));
                touch::<I>(&self.table, lows.map(|low| low.to_usize()));
                for column in columns {
                    let low = matrix.low(column).map(|low| low.to_usize());
                    if let Some(low) = low.filter(|&low| self.get(low) == Some(column)) {
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
pub(crate) fn claim<I: Row>(first: &I::Atomic, column: I, alone: bool) {
    let mut found = first.peek();
    while found == I::default() || found > column {
        if alone {
            return first.put(column);
        }
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

/// Batches of columns whose table entries are touched together.
pub(crate) fn batches(columns: std::ops::Range<usize>) -> impl Iterator<Item = std::ops::Range<usize>> {
    columns.clone().step_by(BATCH).map(move |first| first..columns.end.min(first + BATCH))
}

/// Scans a matrix for leftmost ones.
pub fn scan<I: Row>(matrix: &BoundaryMatrix<I>) -> Scan<I> {
    scan_with(matrix, &Leftmost::of(matrix))
}

/// The rest of the scan of a matrix, with these leftmost ones.
pub(super) fn scan_with<I: Row>(matrix: &BoundaryMatrix<I>, leftmost: &Leftmost<I>) -> Scan<I> {
    let lookup = Lookup::new(matrix.len());
    let holds_leftmost =
        |column: usize| matrix.column(column).iter().any(|row| leftmost.get(row.to_usize()) == Some(column));
    let destroyers = (0..matrix.len()).into_par_iter().with_min_len(COLUMNS).map(holds_leftmost).collect();
    let found: Vec<(usize, Vec<I>)> = tasks(matrix.len())
        .map(|columns| {
            let mut stable = 0;
            let mut unstable = Vec::new();
            for column in columns {
                match matrix.low(column).map(|low| low.to_usize()) {
                    Some(low) if leftmost.get(low) == Some(column) => {
                        lookup.set(low, column);
                        stable += 1;
                    }
                    Some(_) => unstable.push(I::from_usize(column)),
                    None => {}
                }
            }
            (stable, unstable)
        })
        .collect();
    let stable = found.iter().map(|(stable, _)| stable).sum();
    Scan {
        lookup,
        destroyers,
        stable,
        unstable: found.into_iter().flat_map(|(_, unstable)| unstable).collect(),
    }
}
