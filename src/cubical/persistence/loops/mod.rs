//! Dimension 1 of three-dimensional images: loops, which are born with critical edges and die with critical faces.
//!
//! Components and cavities have settled the other critical cells: edges that kill a component close no loop
//! (*compressed*: columns are without them), and faces paired with a cube close a cavity (*cleared*: they are not
//! columns). As many edges as faces remain, unless an axis is periodic: then some loops are never filled, and some
//! faces close a cavity that never is, whose columns become zero.
//!
//! A column starts as the boundary of a critical face. An edge matched with its voxel is dropped. An edge matched with
//! a face is replaced by that face's other three edges, but only once it is the last of the column, so nothing is
//! followed beyond the pivot. Followed to the end, the column would be the boundary in the Morse complex, which has the
//! same pivots.
//!
//! Columns are reduced by the lock-free algorithm of Morozov and Nigmetov (2020), whose correctness is proved in
//! [`crate::rips::submatrix_reduction`]. Here the pivot is the last edge of a column. If two columns have the same
//! pivot, the earlier face keeps the row and reduction continues with the other. A column is stored without its pivot,
//! and only when it claims a row.
//!
//! # The order of columns
//!
//! Any order gives the same pairs. *Later faces first* needs the fewest additions: a later face claims a pivot
//! immediately, and an earlier face with the same pivot takes the row over as it is, not reduced by columns that turn
//! out not to be needed. (On a random binary image of 128³ voxels that is a fourteenth of the additions of earlier
//! faces first.) *Neighbours together* keeps the data in the caches. So columns are taken by place, in the direction
//! along memory in which faces become earlier; on plateaus both criteria coincide. Where values are many, so that there
//! are hardly any plateaus, places are taken brick by brick, and the data of a brick stays in the caches of a core.
//!
//! # The dual
//!
//! For cycles of a T-construction, loops are reduced in the complex whose dual is the grid: its edges are the grid's
//! faces and its faces the grid's edges ([`OfDual`]). All of the above holds for both.

mod arena;
mod bricks;
mod checkpoint;
mod column;
mod incidence;
mod rows;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rayon::slice::ParallelSliceMut as _;

use self::arena::{Arena, Writer};
use self::bricks::Bricks;
use self::column::Column;
pub(super) use self::incidence::{Incidence, MATCHED, OfDual, OfGrid, corner_of_face, owner_of_face};
pub(super) use self::rows::Rows;
use super::cell::Cell;
use super::grid::Grid;
use super::statistics::StageClock;
use crate::parallel::{self, SharedRange, into_inner, lock};
use crate::progress::{Progress, check, keeping};
use crate::snapshot::SnapshotError;

/// Owner of a row that is no column's pivot.
const FREE: u64 = 0;

/// Stands for the face that fills a loop which none fills.
pub(super) const UNFILLED: u32 = u32::MAX;

/// Greatest number of columns that a worker claims at a time. Those of a smooth image are few, and long.
const BATCH: usize = 512;
/// Number of claims that a worker makes at the least, if there are enough columns.
const CLAIMS: usize = 32;

/// Number of critical edges that a thread takes at a time.
const PART: usize = 1 << 12;

/// Number of additions between two checks whether the run should end.
const ADDED_AT_ONCE: u64 = 256;

/// Reduced columns: the face that fills the loop of each edge, and the loop's edges outside the forest.
///
/// The columns depend on the timing of threads; the pivots do not.
pub(super) struct Columns {
    rows: Rows,
    /// Owner of each row: [`FREE`], or the address in the arena of the column whose pivot it is.
    owners: Vec<AtomicU64>,
    arena: Arena,
}

/// Reduces the columns of critical faces, given in filtration order. If `is_reversed`, places on plateaus descend in
/// the order. Reports a stage whose units of work are faces.
///
/// # Errors
/// [`SnapshotError`]: the checkpoint cannot be resumed from.
pub(super) fn reduce(
    incidence: &impl Incidence,
    rows: Rows,
    grid: &Grid<'_>,
    faces: &[Cell],
    is_reversed: bool,
    clock: &mut StageClock<'_>,
) -> Result<Columns, SnapshotError> {
    let (progress, checkpoint) = (clock.progress, clock.progress.checkpoint());
    progress.begin("loops", None, faces.len() as u64);
    // Zeroed memory is only mapped when it is first touched.
    let owners = vec![FREE; rows.count()].into_iter().map(AtomicU64::new).collect();
    let columns = Columns { rows, owners, arena: Arena::default() };
    let edge = |word| incidence.edge(word).filter(|&edge| !columns.rows.is_killer(incidence, edge));
    let is_reduced =
        checkpoint::restore(&columns, faces.len(), checkpoint, &edge, &|edge| incidence.place(edge))?;
    let word = |edge| incidence.word(edge);
    let cell = |place, direction| incidence.cell(place, direction);
    let save = || checkpoint::save(&columns, faces.len(), checkpoint, &cell, &word);
    let order = schedule(grid, faces, is_reversed);
    let batch = (order.len() / (CLAIMS * rayon::current_num_threads())).clamp(1, BATCH);
    let (batches, total) = (SharedRange::new(order.len(), batch), Mutex::new((0, 0)));
    let work = |progress: &dyn Progress| {
        let mut worker = Worker {
            incidence,
            columns: &columns,
            faces,
            progress,
            column: Column::default(),
            writer: Writer::default(),
            additions: 0,
            steps: 0,
        };
        while let Some(batch) = batches.take() {
            let open = order[batch.clone()].iter().filter(|&&column| !is_reduced[column as usize]);
            open.for_each(|&column| worker.reduce(column));
            progress.advance(batch.len() as u64);
        }
        let mut total = lock(&total);
        *total = (total.0 + worker.additions, total.1 + worker.steps);
    };
    let began = Instant::now();
    keeping(progress, &save, |progress| batches.share(&|| work(progress)));
    (clock.statistics.additions, clock.statistics.steps) = into_inner(total);
    if checkpoint.is_worth_keeping(began.elapsed()) {
        save();
    }
    clock.statistics.columns = faces.len();
    Ok(columns)
}

impl Columns {
    /// Adds edges to a column, without those that kill components.
    #[inline(always)]
    fn add(&self, incidence: &impl Incidence, edges: [Option<Cell>; 4], column: &mut Column) {
        for edge in edges.into_iter().flatten() {
            if !self.rows.is_killer(incidence, edge) {
                incidence.prefetch(edge);
                column.add(edge);
            }
        }
    }

    /// The numbers of the faces that fill the loops of these critical edges; [`UNFILLED`] if none does.
    pub(super) fn fillers(&self, incidence: &impl Incidence, edges: &[Cell]) -> Vec<u32> {
        parallel::table(edges.len(), |k| {
            match self.owners[self.rows.row(incidence, edges[k])].load(Ordering::Relaxed) {
                FREE => UNFILLED,
                owner => self.arena.column(owner),
            }
        })
    }

    /// The loop born at a critical edge: its edges outside the forest, starting with that edge.
    ///
    /// It is the unique sum of boundaries of faces, up to the one that fills it, whose last edge is `edge` and that
    /// contains no other edge that is last in such a sum. So it does not depend on the threads.
    pub(super) fn loop_of(&self, incidence: &impl Incidence, edge: Cell) -> Vec<Cell> {
        let mut column = Column::default();
        let mut edges = vec![edge];
        let own = self.owners[self.rows.row(incidence, edge)].load(Ordering::Relaxed);
        let filler = self.arena.column(own);
        self.add_rest(incidence, own, &mut column);
        while let Some(edge) = column.pop() {
            if edge.direction() >= MATCHED {
                self.add(incidence, incidence.rest_of_mate(edge), &mut column);
                continue;
            }
            let owner = self.owners[self.rows.row(incidence, edge)].load(Ordering::Relaxed);
            if self.arena.column(owner) < filler {
                self.add_rest(incidence, owner, &mut column);
            } else {
                edges.push(edge);
            }
        }
        edges
    }

    /// Adds a stored column, which lacks its pivot.
    fn add_rest(&self, incidence: &impl Incidence, at: u64, column: &mut Column) {
        let mut run = column.start_run();
        run.extend(self.arena.edges(at, |place, direction| incidence.cell(place, direction)));
        run.iter().for_each(|&edge| incidence.prefetch(edge));
        column.add_run(run);
    }
}

/// The numbers of faces, which are given in filtration order, sorted by place, in the direction in which faces become
/// earlier.
fn schedule(grid: &Grid<'_>, faces: &[Cell], is_reversed: bool) -> Vec<u32> {
    let bricks = Bricks::new(grid, faces);
    let number = |column: usize| bricks.number(grid.place(faces[column]));
    let mut words = parallel::table(faces.len(), |column| number(column) << 32 | column as u64);
    words.par_sort_unstable();
    let mut order = parallel::table(words.len(), |k| words[k] as u32);
    let (first, last) = order.split_at(order.len() / 2);
    let sum = |columns: &[u32]| columns.iter().map(|&column| u64::from(column)).sum::<u64>();
    let (first, last) = (sum(first), sum(last));
    // On plateaus faces become later with places, or earlier if reversed. Noise has no trend, so that rule decides.
    let slack = (first + last) / 16;
    let descends = if first.abs_diff(last) > slack { first > last } else { is_reversed };
    if !descends {
        order.reverse();
    }
    order
}

struct Worker<'a, I> {
    incidence: &'a I,
    columns: &'a Columns,
    faces: &'a [Cell],
    progress: &'a dyn Progress,
    column: Column,
    writer: Writer,
    additions: u64,
    steps: u64,
}

impl<I: Incidence> Worker<'_, I> {
    /// Reduces a column, then the columns whose pivots are taken over.
    fn reduce(&mut self, mut number: u32) {
        let (columns, incidence) = (self.columns, self.incidence);
        columns.add(incidence, incidence.boundary(self.faces[number as usize]), &mut self.column);
        while let Some(row) = self.pivot() {
            // Address of the stored column below this pivot; it is stored at most once.
            let mut written = FREE;
            loop {
                let owner = columns.owners[row].load(Ordering::Acquire);
                let held = (owner != FREE).then(|| columns.arena.column(owner));
                if let Some(other) = held.filter(|&other| other < number) {
                    debug_assert_ne!(other, number);
                    if written != FREE {
                        columns.add_rest(self.incidence, written, &mut self.column);
                    }
                    columns.add_rest(self.incidence, owner, &mut self.column);
                    self.additions += 1;
                    break;
                }
                if written == FREE {
                    written = self.write(number);
                }
                let claim =
                    columns.owners[row].compare_exchange(owner, written, Ordering::AcqRel, Ordering::Relaxed);
                match (claim, held) {
                    (Err(_), _) => {}
                    (Ok(_), None) => return,
                    (Ok(_), Some(other)) => {
                        number = other;
                        columns.add_rest(self.incidence, written, &mut self.column);
                        columns.add_rest(self.incidence, owner, &mut self.column);
                        self.additions += 1;
                        break;
                    }
                }
            }
        }
    }

    /// Pops the pivot, the last critical edge that closes a loop, replacing later matched edges; returns its row.
    fn pivot(&mut self) -> Option<usize> {
        let incidence = self.incidence;
        while let Some(edge) = self.column.pop() {
            if edge.direction() < MATCHED {
                if self.additions.is_multiple_of(ADDED_AT_ONCE) {
                    check(self.progress);
                }
                return Some(self.columns.rows.row(incidence, edge));
            }
            self.steps += 1;
            self.columns.add(incidence, incidence.rest_of_mate(edge), &mut self.column);
        }
        None
    }

    /// Stores the column, empties it, and returns its address.
    fn write(&mut self, number: u32) -> u64 {
        let run = self.column.take();
        let place = |edge| self.incidence.place(edge);
        let address = self.writer.write(&self.columns.arena, number, &run, place);
        self.column.give_back(run);
        address
    }
}
