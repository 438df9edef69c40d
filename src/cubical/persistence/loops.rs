//! Dimension 1 of space: loops, born with critical edges, and the critical faces that fill them.
//!
//! Components and cavities have settled the others: critical edges that kill a component close no loop (*compressed*: their rows are
//! dropped), critical faces that a cube is paired with close a cavity (*cleared*: they are no columns). What is left is as
//! many edges as faces.
//!
//! A column is the boundary of a critical face, made of whatever edges it comes to: one that is matched with its voxel is dropped,
//! one that is matched with a face is replaced by that face's other three edges when it is the last of the column, and so only
//! what is later than the pivot is ever followed (all of it would be the face's boundary in the Morse complex). Over that runs
//! the lock-free reduction of Morozov and Nigmetov (2020).

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::cell::Cell;
use super::gradient::Gradient;
use super::gradient::table::{EDGES, edges_of_face};
use super::grid::Grid;

/// A column that has a pivot.
struct Reduced {
    /// The number of its face.
    column: u32,
    /// What it is made of but for the pivot.
    rest: Box<[u64]>,
}

/// Of a row: nothing has it as its pivot.
const FREE: u32 = 0;
/// Of a row: its edge kills a component.
const DROPPED: u32 = 1;
/// Of a row: this plus the number of the [`Reduced`] whose pivot it is.
const FIRST: u32 = 2;

/// A direction that says that an edge is matched with a face: such an edge is later than critical ones of its star.
const MATCHED: usize = 8;

/// Pairs the critical edges that close loops with faces, which are given in order.
pub fn loops(
    grid: &Grid,
    gradient: &Gradient,
    edges: &[Cell],
    killers: &[Cell],
    faces: &[Cell],
) -> Vec<(u32, u32)> {
    let rows = Rows::new(gradient, grid.ranks().len());
    let owners: Vec<AtomicU32> = (0..rows.count).map(|_| AtomicU32::new(FREE)).collect();
    killers.par_iter().for_each(|edge| {
        owners[rows.of(gradient, *edge)].store(DROPPED, Ordering::Relaxed);
    });
    let problem = Problem { grid, gradient, rows, owners, faces, reduced: boxcar::Vec::new() };
    (0..faces.len()).into_par_iter().with_min_len(64).for_each_init(
        || Worker { problem: &problem, entries: BinaryHeap::new() },
        |worker, column| {
            worker.reduce(column as u32);
        },
    );
    let pair = |edge: &Cell| {
        let owner = problem.owners[problem.rows.of(gradient, *edge)].load(Ordering::Relaxed);
        let column = problem.reduced[(owner - FIRST) as usize].column;
        (edge.place() as u32, faces[column as usize].place() as u32)
    };
    edges.par_iter().map(pair).collect()
}

/// Critical edges, numbered by place.
struct Rows {
    first: Vec<u32>,
    count: usize,
}

impl Rows {
    fn new(gradient: &Gradient, places: usize) -> Self {
        let mut count = 0;
        let mut next = |place| {
            let first = count;
            count += (gradient.critical(place) & ((1 << EDGES) - 1)).count_ones();
            first
        };
        let first = (0..places).map(&mut next).collect();
        Rows { first, count: count as usize }
    }

    #[inline(always)]
    fn of(&self, gradient: &Gradient, edge: Cell) -> usize {
        let before = gradient.critical(edge.place()) & ((1 << edge.direction()) - 1);
        (self.first[edge.place()] + before.count_ones()) as usize
    }
}

struct Problem<'a> {
    grid: &'a Grid,
    gradient: &'a Gradient,
    rows: Rows,
    owners: Vec<AtomicU32>,
    faces: &'a [Cell],
    reduced: boxcar::Vec<Reduced>,
}

struct Worker<'a> {
    problem: &'a Problem<'a>,
    entries: BinaryHeap<u64>,
}

impl Worker<'_> {
    fn reduce(&mut self, mut column: u32) {
        let face = self.problem.faces[column as usize];
        self.add_boundary(face.place(), face.direction(), None);
        while let Some((pivot, row)) = self.pivot() {
            let problem = self.problem;
            loop {
                let owner = problem.owners[row].load(Ordering::Acquire);
                let other = owner.checked_sub(FIRST).map(|place| &problem.reduced[place as usize]);
                if let Some(other) = other.filter(|other| other.column < column) {
                    self.entries.extend(other.rest.iter());
                    break;
                }
                let rest = self.take();
                let place = problem.reduced.push(Reduced { column, rest }) as u32;
                let claimed = problem.owners[row].compare_exchange(
                    owner,
                    place + FIRST,
                    Ordering::AcqRel,
                    Ordering::Acquire,
                );
                match (claimed, other) {
                    (Err(_), _) => {
                        self.entries.extend(problem.reduced[place as usize].rest.iter());
                    }
                    (Ok(_), None) => return,
                    (Ok(_), Some(other)) => {
                        column = other.column;
                        self.entries.extend(problem.reduced[place as usize].rest.iter());
                        self.entries.extend(other.rest.iter());
                        break;
                    }
                }
            }
            let _ = pivot;
        }
    }

    /// Takes out the pivot: the last critical edge that closes a loop, once all that is later has been followed.
    fn pivot(&mut self) -> Option<(Cell, usize)> {
        while let Some(entry) = self.entries.pop() {
            let mut odd = true;
            while self.entries.peek() == Some(&entry) {
                self.entries.pop();
                odd = !odd;
            }
            if !odd {
                continue;
            }
            let edge = Cell::of_word(entry);
            let (place, direction) = (edge.place(), edge.direction());
            if direction >= MATCHED {
                let edge = direction - MATCHED;
                let face = self.problem.gradient.star(place).face_of(edge);
                self.add_boundary(place, face, Some(edge));
            } else {
                let row = self.problem.rows.of(self.problem.gradient, edge);
                if self.problem.owners[row].load(Ordering::Relaxed) != DROPPED {
                    return Some((edge, row));
                }
            }
        }
        None
    }

    /// Adds the edges of a face but for one at its owner.
    #[inline]
    fn add_boundary(&mut self, place: usize, face: usize, but: Option<usize>) {
        let grid = self.problem.grid;
        let (a, b) = edges_of_face(face);
        let (to_a, to_b) = (grid.neighbour(place, a), grid.neighbour(place, b));
        for edge in [a, b] {
            if but != Some(edge) {
                self.add_owned(place, grid.rank(place), edge);
            }
        }
        // The far edges: from the end of one near edge in the direction of the other.
        let corner = grid.neighbour(to_a, b);
        let of_corner = grid.rank(corner);
        for (end, direction) in [(to_a, b), (to_b, a)] {
            let of_end = grid.rank(end);
            if of_end > of_corner {
                self.add_owned(end, of_end, direction);
            } else if of_corner > of_end {
                self.add_owned(corner, of_corner, direction ^ 1);
            }
            // Else both are the rim, which is one vertex.
        }
    }

    #[inline]
    fn add_owned(&mut self, place: usize, rank: u32, edge: usize) {
        let star = self.problem.gradient.star(place);
        if star.edge_of_voxel() == Some(edge) {
            return;
        }
        let direction = if star.goes_to_face(edge) { edge | MATCHED } else { edge };
        self.entries.push(Cell::new(rank, direction, place).word());
    }

    /// All that is left, each edge once.
    fn take(&mut self) -> Box<[u64]> {
        let mut entries: Vec<u64> = self.entries.drain().collect();
        entries.sort_unstable();
        let mut rest: Vec<u64> = Vec::with_capacity(entries.len());
        for entry in entries {
            if rest.last() == Some(&entry) {
                rest.pop();
            } else {
                rest.push(entry);
            }
        }
        rest.into_boxed_slice()
    }
}
