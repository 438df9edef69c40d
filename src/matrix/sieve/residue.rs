//! What no earlier stage settles, reduced: few columns, in parallel, without locks.
//!
//! A block comes here with its stable pairs known and only some of its columns open. Workers take open columns, left to
//! right, and add the columns that have their low; the column of a stable pair is read from the matrix, a reduced one
//! from the list of those. A worker claims a low by compare and exchange. Who finds it claimed by a column to the right
//! takes it over and reduces that one on; by a column to the left, adds that one (Morozov, Nigmetov 2020). Whatever the
//! order of events, every column ends with a low that no column left of it has, and those are unique: same pairs at any
//! number of threads.
//!
//! Rows of cells that are known to destroy a class one dimension below are left out wherever a column is read: they are
//! never lows, so no addition is ever decided by them (Bauer, Kerber, Reininghaus 2014: compression; here it is
//! complete, for the block below is solved).

use std::sync::atomic::{AtomicUsize, Ordering};

use phat_formats::{BoundaryMatrix, Dimension};

use super::cell_set::CellSet;
use crate::matrix::index::SharedIndex;
use crate::matrix::mates::Mates;
use crate::matrix::working_columns::{BitTree, WorkingColumn};

/// Columns a worker reduces side by side.
const LANES: usize = 8;

/// Rows past which a column is a bit tree.
const SHORT: usize = if cfg!(test) { 3 } else { 96 };

/// Pairs the open columns of block `dim`, as far as they do not reduce to zero. Answers the number of column additions.
pub(super) fn reduce<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dim: Dimension,
    open: &[I],
    mates: &Mates<I>,
) -> u64 {
    let rows = CellSet::of(matrix.dims(), dim - 1, |cell| !mates.is_destroyer(cell));
    Residue { matrix, rows: &rows, columns: open, mates }.reduce()
}

/// The same by the anti-transpose, `dual`: pairs the open rows of block `dim`.
pub(super) fn reduce_dual<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dual: &BoundaryMatrix<I>,
    dim: Dimension,
    open: &[I],
    mates: &Mates<I>,
) -> u64 {
    let mirror = |cell: usize| matrix.len() - 1 - cell;
    // What creates one way destroys the other.
    let dual_mates = Mates::new(dual.len());
    let in_block = |&(creator, _): &(I, I)| matrix.dim(creator.to_usize()) == dim - 1;
    let stable = mates.pairs().into_iter().filter(in_block);
    stable.for_each(|(i, j)| dual_mates.pair(mirror(j.to_usize()), mirror(i.to_usize())));
    let rows = CellSet::of(matrix.dims(), dim, |cell| !mates.is_creator(cell)).mirrored();
    let columns: Vec<I> = open.iter().rev().map(|row| I::from_usize(mirror(row.to_usize()))).collect();
    let additions = Residue { matrix: dual, rows: &rows, columns: &columns, mates: &dual_mates }.reduce();
    for row in open {
        if let Some(column) = dual_mates.get(mirror(row.to_usize())) {
            mates.pair(row.to_usize(), mirror(column));
        }
    }
    additions
}

/// A block to be reduced.
struct Residue<'a, I: SharedIndex> {
    /// The matrix it is in.
    matrix: &'a BoundaryMatrix<I>,
    /// The rows that may be lows.
    rows: &'a CellSet,
    /// The open columns, ascending.
    columns: &'a [I],
    /// Who is paired; the block's pairs are added.
    mates: &'a Mates<I>,
}

/// A column that has been reduced, at some time.
struct Reduced<I> {
    column: usize,
    rows: Box<[I]>,
}

impl<I: SharedIndex> Residue<'_, I> {
    fn reduce(&self) -> u64 {
        let reduced = boxcar::Vec::new();
        let next = AtomicUsize::new(0);
        let additions: Vec<u64> = rayon::broadcast(|_| Worker::new(self, &reduced).run(&next));
        self.unmark(&reduced);
        additions.iter().sum()
    }

    /// Puts the columns in the place of their marks.
    fn unmark(&self, reduced: &boxcar::Vec<Reduced<I>>) {
        for (place, Reduced { column, rows }) in reduced {
            let low = rows[rows.len() - 1].to_usize();
            // A column that was taken over has left its mark to another.
            if self.mates.get(low) == Some(Mates::<I>::mark(place)) {
                self.mates.pair(low, *column);
            }
        }
    }
}

/// A column being reduced.
struct Lane<I> {
    column: usize,
    /// Ascending; the pivot is the last one.
    rows: Vec<I>,
    owner: Option<usize>,
}

struct Worker<'a, I: SharedIndex> {
    residue: &'a Residue<'a, I>,
    reduced: &'a boxcar::Vec<Reduced<I>>,
    tree: Option<BitTree>,
    additions: u64,
}

/// What becomes of a lane after a step.
enum Step {
    On,
    Long,
    Done,
}

impl<'a, I: SharedIndex> Worker<'a, I> {
    fn new(residue: &'a Residue<'a, I>, reduced: &'a boxcar::Vec<Reduced<I>>) -> Self {
        Worker { residue, reduced, tree: None, additions: 0 }
    }

    fn run(mut self, next: &AtomicUsize) -> u64 {
        let mut lanes: Vec<Lane<I>> = Vec::with_capacity(LANES);
        let mut spare: Vec<Vec<I>> = Vec::new();
        loop {
            while lanes.len() < LANES {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(column) = self.residue.columns.get(place) else { break };
                let mut lane =
                    Lane { column: column.to_usize(), rows: spare.pop().unwrap_or_default(), owner: None };
                self.add_original(&mut lane.rows, lane.column);
                if lane.rows.is_empty() { spare.push(lane.rows) } else { lanes.push(lane) }
            }
            if lanes.is_empty() {
                return self.additions;
            }
            self.look_ahead(&mut lanes);
            let mut place = 0;
            while place < lanes.len() {
                match self.step(&mut lanes[place]) {
                    Step::On => {
                        place += 1;
                        continue;
                    }
                    Step::Long => self.finish_long(&mut lanes[place]),
                    Step::Done => {}
                }
                let mut lane = lanes.swap_remove(place);
                lane.rows.clear();
                spare.push(lane.rows);
            }
        }
    }

    /// Loads what the lanes will need next, each kind for all of them before any is used.
    fn look_ahead(&self, lanes: &mut [Lane<I>]) {
        for lane in lanes.iter_mut() {
            lane.owner = self.residue.mates.get(lane.rows[lane.rows.len() - 1].to_usize());
        }
        let mut sum = 0;
        for lane in &*lanes {
            match lane.owner {
                None => {}
                Some(stable) if stable < Mates::<I>::marks() => {
                    sum ^= self.residue.matrix.offsets()[stable].to_usize()
                }
                Some(mark) => sum ^= self.reduced[mark - Mates::<I>::marks()].column,
            }
        }
        for lane in &*lanes {
            match lane.owner {
                None => {}
                Some(stable) if stable < Mates::<I>::marks() => {
                    for row in self.residue.matrix.column(stable) {
                        sum ^= usize::from(self.residue.rows.contains(row.to_usize()));
                    }
                }
                Some(mark) => sum ^= self.reduced[mark - Mates::<I>::marks()].rows[0].to_usize(),
            }
        }
        std::hint::black_box(sum);
    }

    fn step(&mut self, lane: &mut Lane<I>) -> Step {
        match lane.owner {
            None => {
                let low = lane.rows[lane.rows.len() - 1].to_usize();
                return if self.claim(low, None, lane.column, &lane.rows) { Step::Done } else { Step::On };
            }
            Some(stable) if stable < Mates::<I>::marks() => {
                self.add_original(&mut lane.rows, stable);
                self.additions += 1;
            }
            Some(mark) => {
                let low = lane.rows[lane.rows.len() - 1].to_usize();
                let other = &self.reduced[mark - Mates::<I>::marks()];
                if other.column < lane.column {
                    self.additions += 1;
                    for &row in &other.rows {
                        toggle(&mut lane.rows, row);
                    }
                } else if self.claim(low, lane.owner, lane.column, &lane.rows) {
                    self.additions += 1;
                    lane.column = other.column;
                    for &row in &other.rows {
                        toggle(&mut lane.rows, row);
                    }
                }
            }
        }
        match lane.rows.len() {
            0 => Step::Done,
            1..=SHORT => Step::On,
            _ => Step::Long,
        }
    }

    #[inline]
    fn add_original(&self, rows: &mut Vec<I>, column: usize) {
        for &row in self.residue.matrix.column(column) {
            if self.residue.rows.contains(row.to_usize()) {
                toggle(rows, row);
            }
        }
    }

    /// Reduces a column to the end, and on with those it takes a low from.
    fn finish_long(&mut self, lane: &mut Lane<I>) {
        let mut tree = self.tree.take().unwrap_or_else(|| BitTree::new(self.residue.matrix.len()));
        tree.add(&lane.rows);
        let mut column = lane.column;
        while let Some(low) = tree.greatest() {
            let owner = self.residue.mates.get(low);
            match owner {
                Some(stable) if stable < Mates::<I>::marks() => {
                    for &row in self.residue.matrix.column(stable) {
                        if self.residue.rows.contains(row.to_usize()) {
                            tree.toggle(row.to_usize());
                        }
                    }
                    self.additions += 1;
                }
                Some(mark) if self.reduced[mark - Mates::<I>::marks()].column < column => {
                    tree.add(&self.reduced[mark - Mates::<I>::marks()].rows);
                    self.additions += 1;
                }
                _ => {
                    tree.take(&mut lane.rows);
                    let claimed = self.claim(low, owner, column, &lane.rows);
                    match owner {
                        _ if !claimed => tree.add(&lane.rows),
                        None => break,
                        Some(mark) => {
                            let other = &self.reduced[mark - Mates::<I>::marks()];
                            tree.add(&other.rows);
                            column = other.column;
                        }
                    }
                }
            }
        }
        self.tree = Some(tree);
    }

    /// Claims a low for a column; somebody may be faster.
    fn claim(&self, low: usize, owner: Option<usize>, column: usize, rows: &[I]) -> bool {
        let mark = Mates::<I>::mark(self.reduced.push(Reduced { column, rows: rows.into() }));
        self.residue.mates.replace(low, owner, mark).is_ok()
    }
}

/// Adds a row to ascending rows, or takes it out.
#[inline]
fn toggle<I: SharedIndex>(rows: &mut Vec<I>, row: I) {
    let mut place = rows.len();
    while place > 0 && rows[place - 1] > row {
        place -= 1;
    }
    if place > 0 && rows[place - 1] == row {
        rows.remove(place - 1);
    } else {
        rows.insert(place, row);
    }
}
