//! The scan of leftmost ones on all threads of the processor.
//!
//! A column claims its rows by compare and exchange, and the smaller of two columns wins; so the order in which
//! columns are processed does not matter.

use std::sync::atomic::{AtomicUsize, Ordering};

use phat_formats::{BoundaryMatrix, Dimension};

use super::scan::Scan;
use crate::matrix::cell_table;
use crate::matrix::cell_table::CellTable;
use crate::matrix::index::{AtomicIndex, SharedIndex};
use crate::matrix::mates::Mates;
use crate::matrix::traversal::{TASK, batches, touch};
use crate::parallel;

/// The column of the leftmost one of each row of a matrix: `Left` of HYPHA's Algorithm 2.
pub(crate) fn leftmost<I: SharedIndex>(matrix: &BoundaryMatrix<I>) -> CellTable<I> {
    let table = CellTable::new(matrix.len());
    note_leftmost(matrix, table.entries(), |_| true);
    table
}

/// Stores in `table`, for each row, the first column of the wanted dimensions that has it, plus one. The table must
/// be zero at all rows of these columns.
pub(crate) fn note_leftmost<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    table: &[I::Atomic],
    wanted: impl Fn(Dimension) -> bool + Sync,
) {
    let alone = rayon::current_num_threads() == 1;
    parallel::ranges(matrix.len(), TASK, &|columns| {
        for columns in batches(columns) {
            touch::<I>(table, matrix.rows_of(columns.clone()).iter().map(|row| row.to_usize()));
            for column in columns.filter(|&column| wanted(matrix.dim(column))) {
                let number = I::from_usize(column + 1);
                for row in matrix.column(column) {
                    claim::<I>(&table[row.to_usize()], number, alone);
                }
            }
        }
    });
}

/// Stores a column number at a row unless a smaller one is there. `alone` means that no other thread writes to the
/// table.
#[inline]
pub(crate) fn claim<I: SharedIndex>(first: &I::Atomic, column: I, alone: bool) {
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

/// Pairs the stable columns of the wanted dimensions with their lows. `table` holds the leftmost ones of their rows
/// as [`note_leftmost`] stores them.
pub(crate) fn pair_stable<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    table: &[I::Atomic],
    wanted: impl Fn(Dimension) -> bool + Sync,
) -> Mates<I> {
    let mates = Mates::new(matrix.len());
    let leftmost = |row: usize| cell_table::cell(table[row].peek());
    parallel::ranges(matrix.len(), TASK, &|columns| {
        for columns in batches(columns) {
            let columns = columns.filter(|&column| wanted(matrix.dim(column)));
            let lows = columns.clone().filter_map(|column| matrix.low(column));
            touch::<I>(table, lows.map(|low| low.to_usize()));
            for column in columns {
                let low = matrix.low(column).map(|low| low.to_usize());
                if let Some(low) = low.filter(|&low| leftmost(low) == Some(column)) {
                    mates.pair(low, column);
                }
            }
        }
    });
    mates
}

/// Scans a matrix for leftmost ones.
pub fn scan<I: SharedIndex>(matrix: &BoundaryMatrix<I>) -> Scan<I> {
    scan_with(matrix, &leftmost(matrix))
}

/// Scans a matrix whose leftmost ones are known.
pub(super) fn scan_with<I: SharedIndex>(matrix: &BoundaryMatrix<I>, leftmost: &CellTable<I>) -> Scan<I> {
    let lookup = CellTable::new(matrix.len());
    let holds_leftmost =
        |column: usize| matrix.column(column).iter().any(|row| leftmost.get(row.to_usize()) == Some(column));
    // The column in which a row is both the low and the leftmost one. `lookup` cannot be used, since it is incomplete
    // yet.
    let stable_with = |row: usize| {
        leftmost.get(row).filter(|&column| matrix.low(column).is_some_and(|low| low.to_usize() == row))
    };
    let (stable, cleared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // Classifies columns, and stores the pairs of the stable ones in `lookup`.
    let unstable = parallel::listed(matrix.len(), TASK, &|columns| {
        let (mut stable_here, mut cleared_here, mut unstable) = (0, 0, Vec::new());
        for column in columns {
            match matrix.low(column).map(|low| low.to_usize()) {
                Some(low) if leftmost.get(low) == Some(column) => {
                    lookup.set(low, column);
                    stable_here += 1;
                }
                Some(_) if stable_with(column).is_some() => cleared_here += 1,
                Some(_) => unstable.push(I::from_usize(column)),
                None => {}
            }
        }
        stable.fetch_add(stable_here, Ordering::Relaxed);
        cleared.fetch_add(cleared_here, Ordering::Relaxed);
        unstable
    });
    Scan {
        destroyers: parallel::table(matrix.len(), holds_leftmost),
        lookup,
        stable: stable.into_inner(),
        cleared: cleared.into_inner(),
        unstable,
    }
}
