//! Parallel lock-free reduction of the columns that no earlier stage settles.
//!
//! When a block arrives here, its stable pairs are known and only some of its columns are open. Threads take open
//! columns from left to right and reduce them by the lock-free algorithm (Morozov, Nigmetov 2020), as
//! [`crate::rips::submatrix_reduction`] does, which proves it. Here the columns of stable pairs are read from the
//! matrix and reduced ones from a list that only grows, so a version of a column never changes; and a low is claimed
//! in [`Mates`] by the mark of such a version.
//!
//! Rows of cells that are known to destroy a class one dimension below are left out whenever a column is read: they
//! are never lows, so they decide no addition (compression, Bauer, Kerber, Reininghaus 2014; it is complete if the
//! block below is solved).

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use phat_formats::{BoundaryMatrix, Dimension};

use super::cell_set::CellSet;
use crate::matrix::checkpoint::{SavedColumns, Scope, save_columns};
use crate::matrix::index::SharedIndex;
use crate::matrix::mates::Mates;
use crate::matrix::working_columns::{BitTree, WorkingColumn};
use crate::parallel::SharedRange;
use crate::progress::{Progress, check, keeping};
use crate::snapshot::SnapshotError;

/// Number of columns that a worker reduces alternately, so that their loads from memory overlap.
const LANES: usize = 8;

/// Number of rows above which a column is reduced as a bit tree instead of a sorted vector.
const SHORT: usize = if cfg!(test) { 3 } else { 96 };

/// Number of steps between checks whether the run is to end.
const STEPS: usize = 256;

/// Name of the saved columns of a block.
const RESIDUE: &str = "residue";

/// Progress and checkpoint of the reduction of a block.
pub(super) struct Keeping<'a> {
    pub(super) progress: &'a dyn Progress,
    /// The dimension of the columns of the block.
    pub(super) dim: Dimension,
    /// Saves the pairs known before the block, from which its reduction starts.
    pub(super) save_before: &'a (dyn Fn() + Sync),
}

/// Reduces the open columns of a block and pairs those that do not become zero. Returns the number of column
/// additions.
///
/// # Errors
/// The checkpoint of the block cannot be resumed.
pub(super) fn reduce<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    open: &[I],
    mates: &Mates<I>,
    keeping: &Keeping<'_>,
) -> Result<u64, SnapshotError> {
    let rows = CellSet::of(matrix.dims(), keeping.dim - 1, |cell| !mates.is_destroyer(cell));
    Block::new(matrix, &rows, open, mates).reduce(keeping, false)
}

/// Pairs the open rows of a block by reducing them as columns of the anti-transpose, `dual`. Returns the number of
/// column additions.
///
/// # Errors
/// The checkpoint of the block cannot be resumed.
pub(super) fn reduce_dual<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dual: &BoundaryMatrix<I>,
    open: &[I],
    mates: &Mates<I>,
    keeping: &Keeping<'_>,
) -> Result<u64, SnapshotError> {
    let dim = keeping.dim;
    let mirror = |cell: usize| matrix.len() - 1 - cell;
    // A creator in the matrix is a destroyer in the anti-transpose.
    let dual_mates = Mates::new(dual.len());
    let in_block = |&(creator, _): &(I, I)| matrix.dim(creator.to_usize()) == dim - 1;
    let stable = mates.pairs().into_iter().filter(in_block);
    stable.for_each(|(i, j)| dual_mates.pair(mirror(j.to_usize()), mirror(i.to_usize())));
    let rows = CellSet::of(matrix.dims(), dim, |cell| !mates.is_creator(cell)).mirrored();
    let columns: Vec<I> = open.iter().rev().map(|row| I::from_usize(mirror(row.to_usize()))).collect();
    let additions = Block::new(dual, &rows, &columns, &dual_mates).reduce(keeping, true)?;
    for row in open {
        if let Some(column) = dual_mates.get(mirror(row.to_usize())) {
            mates.pair(row.to_usize(), mirror(column));
        }
    }
    Ok(additions)
}

/// A block under reduction.
struct Block<'a, I: SharedIndex> {
    /// The matrix that contains the block.
    matrix: &'a BoundaryMatrix<I>,
    /// The rows that may be lows.
    rows: &'a CellSet,
    /// The open columns, ascending.
    columns: &'a [I],
    /// The pairs known so far, to which those of the block are added.
    mates: &'a Mates<I>,
    /// Versions of columns in the order of their claims.
    reduced: boxcar::Vec<Reduced<I>>,
    /// The open columns whose claims were restored from a checkpoint; they are reduced further only if they are
    /// evicted.
    was_claimed: Vec<AtomicBool>,
    /// The open columns that are zero, recorded where there is a checkpoint.
    is_zero: Vec<AtomicBool>,
}

/// A version of a column, as it was when it claimed a low.
struct Reduced<I> {
    column: usize,
    rows: Box<[I]>,
}

impl<I: SharedIndex> Reduced<I> {
    fn low(&self) -> usize {
        self.rows[self.rows.len() - 1].to_usize()
    }
}

impl<'a, I: SharedIndex> Block<'a, I> {
    fn new(matrix: &'a BoundaryMatrix<I>, rows: &'a CellSet, columns: &'a [I], mates: &'a Mates<I>) -> Self {
        let [was_claimed, is_zero] =
            [(); 2].map(|()| columns.iter().map(|_| AtomicBool::new(false)).collect());
        Block { matrix, rows, columns, mates, reduced: boxcar::Vec::new(), was_claimed, is_zero }
    }

    fn reduce(&self, of_block: &Keeping<'_>, is_dual: bool) -> Result<u64, SnapshotError> {
        let of = Scope { cells: self.matrix.len(), dim: Some(of_block.dim), is_dual };
        let checkpoint = of_block.progress.checkpoint();
        let saved = SavedColumns::load(checkpoint, RESIDUE, of)?;
        let before = saved.map_or(0, |saved| self.restore(saved));
        let (next, additions) = (SharedRange::new(self.columns.len(), 1), AtomicU64::new(before));
        let has_saved_before = AtomicBool::new(false);
        let save = || {
            if !has_saved_before.swap(true, Relaxed) {
                (of_block.save_before)();
            }
            let claims = self.claims();
            let zeros = self.columns.iter().zip(&self.is_zero).filter(|(_, is_zero)| is_zero.load(Relaxed));
            let zeros: Vec<usize> = zeros.map(|(column, _)| column.to_usize()).collect();
            let done = format!("{} of {}", claims.len() + zeros.len(), self.columns.len());
            let told = ("columns that are reduced", done);
            save_columns(checkpoint, RESIDUE, of, &claims, &zeros, before, told);
        };
        keeping(of_block.progress, &save, |progress| {
            next.share(&|| {
                additions.fetch_add(Worker::new(self, progress).run(&next), Relaxed);
            });
        });
        self.unmark();
        Ok(additions.into_inner())
    }

    /// The columns with a claim, in order of their claims. A column that is evicted meanwhile may occur twice, the
    /// later claim last.
    fn claims(&self) -> Vec<(usize, &[I])> {
        let has_claim = |(place, version): &(usize, &Reduced<I>)| {
            self.mates.get(version.low()) == Some(Mates::<I>::mark(*place))
        };
        let claims = self.reduced.iter().filter(has_claim);
        claims.map(|(_, Reduced { column, rows })| (*column, &rows[..])).collect()
    }

    /// The version of a column that a mark stands for.
    #[inline]
    fn version(&self, mark: usize) -> &Reduced<I> {
        &self.reduced[mark - Mates::<I>::marks()]
    }

    /// The place of a column among the open columns.
    fn place(&self, column: usize) -> Option<usize> {
        self.columns.binary_search(&I::from_usize(column)).ok()
    }

    /// Restores saved claims and returns the number of their additions. If a column or a low occurs twice, the later
    /// claim wins.
    fn restore(&self, saved: SavedColumns<I>) -> u64 {
        saved.zeros.into_iter().for_each(|column| self.settle_zero(column));
        let is_of_block = |rows: &[I]| rows.iter().all(|row| self.rows.contains(row.to_usize()));
        for (column, rows) in saved.columns.into_iter().rev() {
            let version = Reduced { column, rows };
            let Some(place) = self.place(column).filter(|_| is_of_block(&version.rows)) else { continue };
            let low = version.low();
            // A column with a saved claim may have become zero before the zeros were read.
            if self.mates.get(low).is_none()
                && !self.is_zero[place].load(Relaxed)
                && !self.was_claimed[place].swap(true, Relaxed)
            {
                self.mates.replace(low, None, Mates::<I>::mark(self.reduced.push(version))).ok();
            }
        }
        saved.additions
    }

    /// Replaces marks by the columns that they stand for.
    fn unmark(&self) {
        for (place, version) in &self.reduced {
            // The low of an evicted column bears the mark of another column.
            if self.mates.get(version.low()) == Some(Mates::<I>::mark(place)) {
                self.mates.pair(version.low(), version.column);
            }
        }
    }

    /// Records that a column is zero.
    fn settle_zero(&self, column: usize) {
        if let Some(place) = self.place(column) {
            self.is_zero[place].store(true, Relaxed);
        }
    }
}

/// A column under reduction.
struct Lane<I> {
    column: usize,
    /// Ascending; the last one is the pivot.
    rows: Vec<I>,
    owner: Option<usize>,
}

struct Worker<'a, I: SharedIndex> {
    block: &'a Block<'a, I>,
    /// Receives the number of finished columns; may end the reduction early.
    progress: &'a dyn Progress,
    /// Whether zero columns are recorded, for a checkpoint.
    is_kept: bool,
    tree: Option<BitTree>,
    additions: u64,
}

/// The state of a lane after a step.
enum Step {
    On,
    Long,
    Done,
}

impl<'a, I: SharedIndex> Worker<'a, I> {
    fn new(block: &'a Block<'a, I>, progress: &'a dyn Progress) -> Self {
        Worker { block, progress, is_kept: progress.checkpoint().is_kept(), tree: None, additions: 0 }
    }

    fn run(mut self, next: &SharedRange) -> u64 {
        let mut lanes: Vec<Lane<I>> = Vec::with_capacity(LANES);
        let mut spare: Vec<Vec<I>> = Vec::new();
        let (mut steps, mut done) = (0_usize, 0);
        loop {
            if steps.is_multiple_of(STEPS) {
                self.progress.advance(std::mem::take(&mut done));
                check(self.progress);
            }
            steps = steps.wrapping_add(1);
            while lanes.len() < LANES {
                let Some(Range { start: place, .. }) = next.take() else { break };
                let column = self.block.columns[place];
                if self.block.was_claimed[place].load(Relaxed) || self.block.is_zero[place].load(Relaxed) {
                    done += 1;
                    continue;
                }
                let mut lane =
                    Lane { column: column.to_usize(), rows: spare.pop().unwrap_or_default(), owner: None };
                self.add_original(&mut lane.rows, lane.column);
                if lane.rows.is_empty() {
                    self.settle_zero(lane.column);
                    done += 1;
                    spare.push(lane.rows);
                } else {
                    lanes.push(lane);
                }
            }
            if lanes.is_empty() {
                self.progress.advance(done);
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
                done += 1;
                let mut lane = lanes.swap_remove(place);
                lane.rows.clear();
                spare.push(lane.rows);
            }
        }
    }

    /// Preloads the entries that the lanes need next: each kind for all lanes before any is used.
    fn look_ahead(&self, lanes: &mut [Lane<I>]) {
        for lane in lanes.iter_mut() {
            lane.owner = self.block.mates.get(lane.rows[lane.rows.len() - 1].to_usize());
        }
        let mut sum = 0;
        for lane in &*lanes {
            match lane.owner {
                None => {}
                Some(stable) if stable < Mates::<I>::marks() => {
                    sum ^= self.block.matrix.offsets()[stable].to_usize()
                }
                Some(mark) => sum ^= self.block.version(mark).column,
            }
        }
        for lane in &*lanes {
            match lane.owner {
                None => {}
                Some(stable) if stable < Mates::<I>::marks() => {
                    for row in self.block.matrix.column(stable) {
                        sum ^= usize::from(self.block.rows.contains(row.to_usize()));
                    }
                }
                Some(mark) => sum ^= self.block.version(mark).rows[0].to_usize(),
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
                let other = self.block.version(mark);
                if other.column < lane.column || self.claim(low, lane.owner, lane.column, &lane.rows) {
                    self.additions += 1;
                    // A column to the right goes on in place of this one, which has claimed its low.
                    lane.column = lane.column.max(other.column);
                    for &row in &other.rows {
                        toggle(&mut lane.rows, row);
                    }
                }
            }
        }
        match lane.rows.len() {
            0 => {
                self.settle_zero(lane.column);
                Step::Done
            }
            1..=SHORT => Step::On,
            _ => Step::Long,
        }
    }

    /// Records that a column is zero.
    fn settle_zero(&self, column: usize) {
        if self.is_kept {
            self.block.settle_zero(column);
        }
    }

    #[inline]
    fn add_original(&self, rows: &mut Vec<I>, column: usize) {
        for &row in self.block.matrix.column(column) {
            if self.block.rows.contains(row.to_usize()) {
                toggle(rows, row);
            }
        }
    }

    /// Reduces a long column completely, and then the columns that it evicts.
    fn finish_long(&mut self, lane: &mut Lane<I>) {
        let mut tree = self.tree.take().unwrap_or_else(|| BitTree::new(self.block.matrix.len()));
        tree.add(&lane.rows);
        let mut column = lane.column;
        let mut is_zero = true;
        while let Some(low) = tree.greatest() {
            if self.additions.is_multiple_of(STEPS as u64) {
                check(self.progress);
            }
            let owner = self.block.mates.get(low);
            match owner {
                Some(stable) if stable < Mates::<I>::marks() => {
                    for &row in self.block.matrix.column(stable) {
                        if self.block.rows.contains(row.to_usize()) {
                            tree.toggle(row.to_usize());
                        }
                    }
                    self.additions += 1;
                }
                Some(mark) if self.block.version(mark).column < column => {
                    tree.add(&self.block.version(mark).rows);
                    self.additions += 1;
                }
                _ => {
                    tree.take(&mut lane.rows);
                    let claimed = self.claim(low, owner, column, &lane.rows);
                    match owner {
                        _ if !claimed => tree.add(&lane.rows),
                        None => {
                            is_zero = false;
                            break;
                        }
                        Some(mark) => {
                            let other = self.block.version(mark);
                            tree.add(&other.rows);
                            column = other.column;
                        }
                    }
                }
            }
        }
        if is_zero {
            self.settle_zero(column);
        }
        self.tree = Some(tree);
    }

    /// Claims a low for a column; fails if another thread has claimed it since `owner` was read.
    fn claim(&self, low: usize, owner: Option<usize>, column: usize, rows: &[I]) -> bool {
        let mark = Mates::<I>::mark(self.block.reduced.push(Reduced { column, rows: rows.into() }));
        self.block.mates.replace(low, owner, mark).is_ok()
    }
}

/// Adds a row to ascending rows over Z/2.
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
