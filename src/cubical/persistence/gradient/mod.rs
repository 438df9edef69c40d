//! A discrete gradient of the complex in which voxels are vertices.
//!
//! A cell is *owned* by the last of its voxels, and enters with it. The cells that a voxel owns, its *lower star*, are matched
//! among themselves, face with cofacet, along no closed path (Forman 1998); those left over are *critical*. All cells of a star have
//! one value, so any such matching does for persistence (Robins, Wood, Sheppard 2011), and one that leaves as few as can be depends
//! on nothing but which of the 26 cells around a voxel it owns. There are 15 935 ways ([`table`]), so the whole gradient is a
//! *code* of 16 bits a voxel, found from 26 comparisons, and each cell's mate is looked up from its owner's code.

pub mod cpu;
pub mod table;

use rayon::prelude::*;

use self::table::{FIRST_CUBE, FIRST_FACE, Star, Table, VOXEL};
use super::cell::Cell;
use super::grid::Grid;

/// The gradient of a grid.
pub struct Gradient {
    codes: Vec<u16>,
    table: &'static Table,
    axes: usize,
}

impl Gradient {
    /// By the processor.
    pub fn new(grid: &Grid) -> Self {
        Gradient { codes: cpu::codes(grid), table: Table::get(), axes: grid.axes() }
    }

    /// The matching of a voxel's lower star.
    #[inline(always)]
    pub fn star(&self, place: usize) -> Star {
        self.table.star(self.codes[place])
    }

    /// The critical cells of a voxel's lower star, as in [`table::Owned`].
    #[inline(always)]
    pub fn critical(&self, place: usize) -> u32 {
        self.table.critical(self.codes[place])
    }

    /// Whether a voxel is critical: a minimum.
    #[inline(always)]
    pub fn is_minimum(&self, place: usize) -> bool {
        self.critical(place) & VOXEL != 0
    }

    /// Whether a voxel owns a critical cell of the dimension of the grid: it is a maximum.
    #[inline(always)]
    pub fn is_maximum(&self, place: usize) -> bool {
        let (first, end) = bits_of(self.axes);
        self.critical(place) >> first & ((1 << (end - first)) - 1) != 0
    }

    /// The critical cells of a dimension, at least 1, in order.
    pub fn critical_cells(&self, grid: &Grid, dim: usize) -> Vec<Cell> {
        let (first, end) = bits_of(dim);
        let mask = (1_u32 << (end - first)) - 1;
        let cells = |(i, places): (usize, &[u32])| {
            let mut cells = Vec::new();
            for (rank, &place) in (i * PART + 1..).zip(places) {
                let mut of_voxel = self.critical(place as usize) >> first & mask;
                while of_voxel != 0 {
                    let direction = of_voxel.trailing_zeros() as usize;
                    cells.push(Cell::new(rank as u32, direction, place as usize));
                    of_voxel &= of_voxel - 1;
                }
            }
            cells
        };
        let parts: Vec<Vec<Cell>> = grid.in_order().par_chunks(PART).enumerate().map(cells).collect();
        parts.concat()
    }
}

/// Voxels of a task.
const PART: usize = 1 << 14;

/// The bits of the cells of a dimension in [`table::Owned`].
fn bits_of(dim: usize) -> (u32, u32) {
    match dim {
        1 => (0, FIRST_FACE),
        2 => (FIRST_FACE, FIRST_CUBE),
        _ => (FIRST_CUBE, FIRST_CUBE + 8),
    }
}
