//! Keys, matchings and neighbours on a grid.
//!
//! Paths and columns look these up all the time. Most grids hold keys and codes and do not close up; there a look-up
//! asks for nothing else ([`Plain`]). What is written once for both kinds of grids is compiled for each.

use super::gradient::Gradient;
use super::gradient::table::{Star, Table};
use super::grid::{Grid, last_of};
use crate::simd::prefetch;

/// Keys, matchings and neighbours on a grid.
pub(super) trait Look: Sync {
    /// The key at a place.
    fn key(&self, place: usize) -> i32;

    /// The matching of a voxel's lower star.
    fn star(&self, place: usize) -> Star;

    /// The critical cells of a voxel's lower star, as [`Gradient::critical`].
    fn critical(&self, place: usize) -> u32;

    /// Whether it pays to [`prefetch`](Self::prefetch).
    fn prefetches(&self) -> bool {
        false
    }

    /// Starts to load the key and the matching of a place into the caches, if they are in tables.
    fn prefetch(&self, _place: usize) {}

    /// The step from a place to its neighbour by an edge.
    fn step(&self, place: usize, edge: usize) -> isize;

    /// The last voxel of a cell, as [`Grid::last_of`].
    fn last_of<const N: usize>(&self, corner: usize, shifts: &[usize; N]) -> (usize, usize);

    /// The neighbour of a place by an edge.
    #[inline(always)]
    fn neighbour(&self, place: usize, edge: usize) -> usize {
        place.wrapping_add_signed(self.step(place, edge))
    }
}

/// The tables of a grid that holds keys and codes and does not close up.
pub(super) struct Plain<'a> {
    keys: &'a [i32],
    codes: &'a [u16],
    table: &'static Table,
    slack: i64,
    /// The step from a place to its neighbour by each edge.
    steps: [isize; 6],
    /// Whether it pays to load ahead: for the long columns of smooth images. Short ones take 2 to 4 % longer with it.
    pub(super) prefetches: bool,
}

impl<'a> Plain<'a> {
    /// The tables of a grid and its gradient; `None` unless it holds them and does not close up.
    pub(super) fn of(grid: &'a Grid<'a>, gradient: &'a Gradient) -> Option<Self> {
        let (codes, table) = (grid.is_held() && !grid.layout.closes_up()).then(|| gradient.codes())?;
        let stride = |edge: usize| grid.layout.strides[edge / 2].cast_signed();
        let steps = std::array::from_fn(|edge| if edge % 2 == 0 { -stride(edge) } else { stride(edge) });
        Some(Plain { keys: grid.keys(), codes, table, slack: grid.slack(), steps, prefetches: false })
    }
}

impl Look for Plain<'_> {
    #[inline(always)]
    fn key(&self, place: usize) -> i32 {
        self.keys[place]
    }

    #[inline(always)]
    fn star(&self, place: usize) -> Star {
        self.table.star(self.codes[place])
    }

    #[inline(always)]
    fn critical(&self, place: usize) -> u32 {
        self.table.critical(self.codes[place])
    }

    #[inline(always)]
    fn prefetches(&self) -> bool {
        self.prefetches
    }

    #[inline(always)]
    fn prefetch(&self, place: usize) {
        prefetch(self.keys, place);
        prefetch(self.codes, place);
    }

    #[inline(always)]
    fn step(&self, _: usize, edge: usize) -> isize {
        self.steps[edge]
    }

    #[inline(always)]
    fn last_of<const N: usize>(&self, corner: usize, shifts: &[usize; N]) -> (usize, usize) {
        let k = last_of(self.keys, self.slack, corner, shifts);
        (k, corner + shifts[k])
    }
}

/// Any grid, and its gradient. Long look-ups are called out of line.
#[derive(Clone, Copy)]
pub(super) struct Any<'a> {
    pub(super) grid: &'a Grid<'a>,
    pub(super) gradient: &'a Gradient,
}

impl Look for Any<'_> {
    fn key(&self, place: usize) -> i32 {
        self.grid.key(place)
    }

    #[cold]
    fn star(&self, place: usize) -> Star {
        self.gradient.star(self.grid, place)
    }

    #[cold]
    fn critical(&self, place: usize) -> u32 {
        self.gradient.critical(self.grid, place)
    }

    #[cold]
    fn step(&self, place: usize, edge: usize) -> isize {
        self.grid.neighbour(place, edge).wrapping_sub(place).cast_signed()
    }

    #[cold]
    fn last_of<const N: usize>(&self, corner: usize, shifts: &[usize; N]) -> (usize, usize) {
        self.grid.last_of(corner, shifts)
    }
}
