//! What no earlier stage settles, reduced: few columns, in parallel, without locks.
//!
//! A block comes here with its stable pairs known and only some of its columns open. Workers take open columns, left to right,
//! and add the columns that have their low; the column of a stable pair is read from the matrix, a reduced one from the
//! list of those. A worker claims a low by compare and exchange. Who finds it claimed by a column to the right
//! takes it over and reduces that one on; by a column to the left, adds that one (Morozov, Nigmetov 2020). Whatever the order of events,
//! every column ends with a low that no column left of it has, and those are unique: same pairs at any number of threads.
//!
//! Rows of cells that are known to destroy a class one dimension below are left out wherever a column is read: they are never
//! lows, so no addition is ever decided by them (Bauer, Kerber, Reininghaus 2014: compression; here it is
//! complete, for the block below is solved).

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::matrix::mates::Mates;
use crate::matrix::{BoundaryMatrix, Row};

use super::bits::{BitTree, CellSet};

/// Columns a worker takes at a time.
const TAKE: usize = 32;

/// A block to be reduced.
pub(super) struct Residue<'a, I: Row> {
    /// The matrix it is in.
    pub(super) matrix: &'a BoundaryMatrix<I>,
    /// The rows that may be lows.
    pub(super) rows: &'a CellSet,
    /// The open columns, ascending.
    pub(super) columns: &'a [I],
    /// Who is paired; the block's pairs are added.
    pub(super) mates: &'a Mates<I>,
}

/// A column that has been reduced, at some time.
struct Reduced<I> {
    column: usize,
    rows: Box<[I]>,
}

impl<I: Row> Residue<'_, I> {
    /// Pairs the open columns, as far as they do not reduce to zero. Answers the number of column additions.
    pub(super) fn reduce(&self) -> u64 {
        let reduced = boxcar::Vec::new();
        let next = AtomicUsize::new(0);
        let additions: Vec<u64> = rayon::broadcast(|_| {
            let mut worker = Worker {
                residue: self,
                reduced: &reduced,
                column: BitTree::new(self.matrix.len()),
                rows: Vec::new(),
                additions: 0,
            };
            loop {
                let first = next.fetch_add(TAKE, Ordering::Relaxed);
                let Some(columns) = self.columns.get(first..) else { break worker.additions };
                for column in &columns[..columns.len().min(TAKE)] {
                    worker.settle(column.to_usize());
                }
            }
        });
        self.unmark(&reduced);
        additions.iter().sum()
    }

    /// Puts the columns in the place of their marks.
    fn unmark(&self, reduced: &boxcar::Vec<Reduced<I>>) {
        for (place, Reduced { column, rows }) in reduced {
            let low = rows[rows.len() - 1].to_usize();
            // A column that was taken over has left its mark to another.
            if self.mates.get(low) == Some(Mates::<I>::marks() + place) {
                self.mates.pair(low, *column);
            }
        }
    }
}

struct Worker<'a, I: Row> {
    residue: &'a Residue<'a, I>,
    reduced: &'a boxcar::Vec<Reduced<I>>,
    column: BitTree,
    rows: Vec<I>,
    additions: u64,
}

impl<I: Row> Worker<'_, I> {
    /// Reduces a column, and on with those it takes a low from.
    fn settle(&mut self, mut column: usize) {
        self.add_original(column);
        while let Some(low) = self.column.pivot() {
            let owner = self.residue.mates.get(low);
            match owner {
                None if self.claim(low, owner, column) => return,
                None => {}
                Some(stable) if stable < Mates::<I>::marks() => {
                    self.add_original(stable);
                    self.additions += 1;
                }
                Some(mark) => {
                    let other = &self.reduced[mark - Mates::<I>::marks()];
                    if other.column < column || self.claim(low, owner, column) {
                        self.column.add(&other.rows);
                        self.additions += u64::from(other.column < column);
                        column = column.max(other.column);
                    }
                }
            }
        }
    }

    /// Adds a column of the matrix, without the rows that are never lows.
    #[inline]
    fn add_original(&mut self, column: usize) {
        for row in self.residue.matrix.column(column) {
            if self.residue.rows.contains(row.to_usize()) {
                self.column.toggle(row.to_usize());
            }
        }
    }

    /// Claims a low for the working column, which is then empty. If somebody was faster the working column is as it was.
    fn claim(&mut self, low: usize, owner: Option<usize>, column: usize) -> bool {
        self.column.take(&mut self.rows);
        let place = self.reduced.push(Reduced { column, rows: self.rows.as_slice().into() });
        let claimed = self.residue.mates.replace(low, owner, Mates::<I>::marks() + place).is_ok();
        if !claimed {
            self.column.add(&self.rows);
        }
        claimed
    }
}
