//! The scan of leftmost ones (Zhang et al. 2019, §3): which columns are reduced as they stand.
//!
//! The *leftmost one* of row i is in the first column that has a one there. A column whose low is the leftmost one of its
//! row is *stable*: no column left of it has that low, now or after any additions, for they never had the row. So it is
//! reduced, and its pair is known without an addition. (Path 1 calls these apparent pairs.)
//!
//! Rows are claimed by compare and exchange, the smaller column wins; so any order of columns gives the same answer.

use rayon::prelude::*;

use super::mates::Mates;
use super::row::{Atomic, touch};
use super::state::Lookup;
use super::{BoundaryMatrix, Dimension, Row};

/// Columns looked at by one task.
const COLUMNS: usize = 1 << 13;

/// Columns of a batch.
const BATCH: usize = 16;

/// For each row, the column of its leftmost one.
#[derive(Debug)]
pub(crate) struct Leftmost<I: Row> {
    /// The column plus one; zero for a row of zeros.
    table: Vec<I::Atomic>,
}

impl<I: Row> Leftmost<I> {
    /// Scans a matrix.
    pub(crate) fn of(matrix: &BoundaryMatrix<I>) -> Self {
        Leftmost::of_blocks(matrix, I::zeros(matrix.len()), |_| true)
    }

    /// What is noted in a table: of each row the first column plus one.
    pub(crate) fn noted(table: Vec<I::Atomic>) -> Self {
        Leftmost { table }
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

    /// The column of the leftmost one of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<usize> {
        self.table[row].peek().to_usize().checked_sub(1)
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

/// What the scan says of each column and row, as the later stages of HYPHA take it.
pub struct Scan<I: Row> {
    /// The stable column of each row that is the low of one.
    pub lookup: Lookup<I>,
    /// Columns that hold the leftmost one of some row. They cannot reduce to zero (Lemma 4): whatever is added to them, that
    /// one stays. So their cells destroy.
    pub destroyers: Vec<bool>,
    /// Stable columns: reduced as they stand.
    pub stable: usize,
    /// The others that are not zero, ascending.
    pub unstable: Vec<I>,
}

/// Scans a matrix for leftmost ones.
pub fn scan<I: Row>(matrix: &BoundaryMatrix<I>) -> Scan<I> {
    let leftmost = Leftmost::of(matrix);
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
