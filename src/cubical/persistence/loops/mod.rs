//! Dimension 1 of space: loops, born with critical edges, and the critical faces that fill them.
//!
//! Components and cavities have settled the others: critical edges that kill a component close no loop (*compressed*: their rows are
//! dropped), critical faces that a cube is paired with close a cavity (*cleared*: they are no columns). What is left is as
//! many edges as faces.
//!
//! A column is the boundary of a critical face, made of whatever edges it comes to: one that is matched with its voxel is dropped;
//! one that is matched with a face is replaced by that face's other three edges, but only once it is the last of the column. So
//! nothing is followed further than to the pivot; followed to the end, the column would be the face's boundary in the Morse
//! complex, of which the same is true.
//!
//! Columns are reduced by the lock-free algorithm of Morozov and Nigmetov (2020); why it is right is said in
//! [`crate::rips::submatrix_reduction`]. What differs here: a pivot is the last edge of a column; of two columns with one pivot the earlier face
//! keeps the row, and reduction goes on with the other; a column is written down without its pivot, and only when it claims a row.
//!
//! # The order of columns
//!
//! Any order gives the same pairs. *Later faces first* takes fewest additions: a later face claims a pivot as it comes, and an
//! earlier one that has it too inherits it as it is, not reduced by columns that turn out not to be needed. (On a random binary image of
//! 128³ voxels that is fourteen times less than earlier faces first.) *Neighbours together* keeps what is read
//! in the caches. Columns are taken by place, in that direction along memory in which faces become earlier; on plateaus
//! both are the same.

mod arena;
mod column;
mod rows;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use self::arena::{Arena, Writer};
use self::column::Column;
use self::rows::Rows;
use super::cell::Cell;
use super::figures::StageClock;
use super::gradient::Gradient;
use super::gradient::table::edges_of_face;
use super::grid::Grid;
use crate::progress::{Progress, check};

/// The owner of a row that no column has as its pivot.
const FREE: u64 = 0;
/// The owner of a row whose edge kills a component.
const DROPPED: u64 = u64::MAX;

/// A direction that says that an edge is matched with a face: such an edge is later than critical ones of its star.
const MATCHED: usize = 8;

/// Columns that a worker takes at a time.
const BATCH: usize = 512;

/// After so many additions a thread looks whether the run is to end.
const ADDED_AT_ONCE: u64 = 256;

/// The number of the face that fills the loop of each edge. All are given in order. Tells of its stage, whose units of
/// work are faces.
pub(super) fn loops(
    grid: &Grid,
    gradient: &Gradient,
    edges: &[Cell],
    killers: &[Cell],
    faces: &[Cell],
    clock: &mut StageClock<'_>,
) -> Vec<u32> {
    let progress = clock.progress;
    progress.begin("loops", None, faces.len() as u64);
    let rows = Rows::new(gradient, grid.ranks().len());
    let owners: Vec<AtomicU64> = (0..rows.count()).map(|_| AtomicU64::new(FREE)).collect();
    killers.par_iter().for_each(|edge| {
        owners[rows.of(gradient, *edge)].store(DROPPED, Ordering::Relaxed);
    });
    let reduction = Reduction { grid, gradient, rows, owners, faces, arena: Arena::default() };
    let order = schedule(grid, faces);
    let next = AtomicUsize::new(0);
    let work = |_| {
        let mut worker = Worker {
            reduction: &reduction,
            progress,
            column: Column::default(),
            writer: Writer::default(),
            additions: 0,
            steps: 0,
        };
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            let Some(batch) = order.get(start..order.len().min(start + BATCH)) else { break };
            batch.iter().for_each(|&column| worker.reduce(column));
            if batch.is_empty() {
                break;
            }
            progress.advance(batch.len() as u64);
        }
        (worker.additions, worker.steps)
    };
    let sum = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
    let workers = (0..rayon::current_num_threads()).into_par_iter().with_max_len(1);
    (clock.figures.additions, clock.figures.steps) = workers.map(work).reduce(|| (0, 0), sum);
    clock.figures.columns = faces.len();
    let filler = |edge: &Cell| {
        let owner = reduction.owners[reduction.rows.of(gradient, *edge)].load(Ordering::Relaxed);
        reduction.arena.column(owner)
    };
    edges.par_iter().map(filler).collect()
}

/// The numbers of the faces by place, in the direction in which they become earlier.
fn schedule(grid: &Grid, faces: &[Cell]) -> Vec<u32> {
    let mut words: Vec<u64> =
        faces.par_iter().enumerate().map(|(i, face)| (face.place() as u64) << 32 | i as u64).collect();
    words.par_sort_unstable();
    let mut order: Vec<u32> = words.into_par_iter().map(|word| word as u32).collect();
    let (first, last) = order.split_at(order.len() / 2);
    let sum = |columns: &[u32]| columns.par_iter().map(|&column| u64::from(column)).sum::<u64>();
    let (first, last) = (sum(first), sum(last));
    // A plateau's ranks ascend with places, or descend if the order is reversed; noise leaves it to them.
    let slack = (first + last) / 16;
    let descends = if first.abs_diff(last) > slack { first > last } else { grid.complex().is_reversed() };
    if !descends {
        order.reverse();
    }
    order
}

struct Reduction<'a> {
    grid: &'a Grid,
    gradient: &'a Gradient,
    rows: Rows,
    /// The owner of each row: [`FREE`], [`DROPPED`] or where in the arena the column is that has it as its pivot.
    owners: Vec<AtomicU64>,
    faces: &'a [Cell],
    arena: Arena,
}

impl Reduction<'_> {
    /// The edge from a place to its neighbour in a direction, unless it is matched with its voxel.
    #[inline(always)]
    fn edge(&self, place: usize, neighbour: usize, direction: usize) -> Option<Cell> {
        let (here, there) = (self.grid.rank(place), self.grid.rank(neighbour));
        if here > there {
            self.owned(place, here, direction)
        } else if there > here {
            self.owned(neighbour, there, direction ^ 1)
        } else {
            // Both are the rim, which is one vertex.
            None
        }
    }

    /// The edge that a voxel owns in a direction, unless they are matched.
    #[inline(always)]
    fn owned(&self, place: usize, rank: u32, edge: usize) -> Option<Cell> {
        let star = self.gradient.star(place);
        if star.edge_of_voxel() == Some(edge) {
            return None;
        }
        let direction = if star.goes_to_face(edge) { edge | MATCHED } else { edge };
        Some(Cell::new(rank, direction, place))
    }
}

struct Worker<'a> {
    reduction: &'a Reduction<'a>,
    progress: &'a dyn Progress,
    column: Column,
    writer: Writer,
    additions: u64,
    steps: u64,
}

impl Worker<'_> {
    /// Reduces a column, and then those that it takes a pivot from.
    fn reduce(&mut self, mut number: u32) {
        let reduction = self.reduction;
        let face = reduction.faces[number as usize];
        self.add_boundary(face.place(), face.direction(), None);
        while let Some(row) = self.pivot() {
            // Written down at most once: what is left of the column below this pivot.
            let mut written = FREE;
            loop {
                let owner = reduction.owners[row].load(Ordering::Acquire);
                let held = (owner != FREE).then(|| reduction.arena.column(owner));
                if let Some(other) = held.filter(|&other| other < number) {
                    debug_assert_ne!(other, number);
                    if written != FREE {
                        self.add_rest(written);
                    }
                    self.add_rest(owner);
                    self.additions += 1;
                    break;
                }
                if written == FREE {
                    written = self.write(number);
                }
                let claim = reduction.owners[row].compare_exchange(
                    owner,
                    written,
                    Ordering::AcqRel,
                    Ordering::Relaxed,
                );
                match (claim, held) {
                    (Err(_), _) => {}
                    (Ok(_), None) => return,
                    (Ok(_), Some(other)) => {
                        number = other;
                        self.add_rest(written);
                        self.add_rest(owner);
                        self.additions += 1;
                        break;
                    }
                }
            }
        }
    }

    /// Takes out the pivot, and gives its row: that of the last critical edge that closes a loop, once all that is later has been followed.
    fn pivot(&mut self) -> Option<usize> {
        let reduction = self.reduction;
        while let Some(edge) = self.column.pop() {
            let (place, direction) = (edge.place(), edge.direction());
            if direction >= MATCHED {
                let near = direction - MATCHED;
                self.steps += 1;
                self.add_boundary(place, reduction.gradient.star(place).face_of(near), Some(near));
            } else {
                let row = reduction.rows.of(reduction.gradient, edge);
                if reduction.owners[row].load(Ordering::Relaxed) != DROPPED {
                    if self.additions.is_multiple_of(ADDED_AT_ONCE) {
                        check(self.progress);
                    }
                    return Some(row);
                }
            }
        }
        None
    }

    /// Adds the edges of a face but for one at its owner.
    #[inline]
    fn add_boundary(&mut self, place: usize, face: usize, but: Option<usize>) {
        let reduction = self.reduction;
        let grid = reduction.grid;
        let (a, b) = edges_of_face(face);
        let (to_a, to_b) = (grid.neighbour(place, a), grid.neighbour(place, b));
        let corner = grid.neighbour(to_a, b);
        for edge in [a, b] {
            if but != Some(edge) {
                reduction
                    .owned(place, grid.rank(place), edge)
                    .into_iter()
                    .for_each(|edge| self.column.add(edge));
            }
        }
        // The far edges: from the end of one near edge in the direction of the other.
        for edge in [reduction.edge(to_a, corner, b), reduction.edge(to_b, corner, a)] {
            edge.into_iter().for_each(|edge| self.column.add(edge));
        }
    }

    /// Adds a column of the arena, its pivot left out.
    fn add_rest(&mut self, at: u64) {
        let reduction = self.reduction;
        let mut run = self.column.start_run();
        run.extend(reduction.arena.rest(at).filter_map(|edge| {
            let (place, axis) = ((edge >> 2) as usize, (edge & 3) as usize);
            reduction.edge(place, reduction.grid.neighbour(place, 2 * axis + 1), 2 * axis + 1)
        }));
        self.column.add_run(run);
    }

    /// Writes the column down and empties it: each edge as the place of its lesser end and its axis.
    fn write(&mut self, number: u32) -> u64 {
        let grid = self.reduction.grid;
        let run = self.column.take();
        let edges = run.iter().map(|edge| {
            let direction = edge.direction() % MATCHED;
            let place = if direction.is_multiple_of(2) {
                grid.neighbour(edge.place(), direction)
            } else {
                edge.place()
            };
            (place as u32) << 2 | (direction / 2) as u32
        });
        let address = self.writer.write(&self.reduction.arena, number, edges);
        self.column.give_back(run);
        address
    }
}
