//! A discrete gradient of the complex in which voxels are vertices.
//!
//! A cell is *owned* by the last of its voxels, and enters with it. The cells that a voxel owns, its *lower star*, are matched
//! among themselves, face with cofacet, along no closed path (Forman 1998); those left over are *critical*. All cells of a star have
//! one value, so any such matching does for persistence (Robins, Wood, Sheppard 2011), and one that leaves as few as can be depends
//! on nothing but which of the 26 cells around a voxel it owns. There are 15 935 ways ([`table`]), so the whole gradient is a
//! *code* of 16 bits a voxel, found from 26 comparisons, and each cell's mate is looked up from its owner's code.

pub mod cpu;
pub mod cuda;
pub mod table;

use rayon::prelude::*;

use self::table::{FIRST_CUBE, FIRST_FACE, Star, Table, VOXEL};
use super::cell::Cell;
use super::grid::Grid;
use crate::cuda::{CudaError, Gpu};

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

    /// By a device.
    ///
    /// # Errors
    /// As [`cuda::codes`].
    pub fn on_device(gpu: &Gpu, grid: &Grid) -> Result<Self, CudaError> {
        Ok(Gradient { codes: cuda::codes(gpu, grid)?, table: Table::get(), axes: grid.axes() })
    }

    /// The first place at which another gradient of the grid has another code.
    pub(super) fn difference(&self, other: &Gradient) -> Option<usize> {
        self.codes.iter().zip(&other.codes).position(|(own, other)| own != other)
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

    /// The critical cells of some dimensions, in order.
    pub fn critical_cells(&self, grid: &Grid, wanted: [bool; 4]) -> Critical {
        let (first_top, end_top) = bits_of(self.axes);
        let mut masks = [0; 4];
        for (dim, mask) in masks.iter_mut().enumerate().filter(|(dim, _)| wanted[*dim]) {
            let (first, end) = bits_of(dim);
            *mask = (1_u32 << (end - first)) - 1;
        }
        let [_, of_edges, of_faces, _] = masks;
        let of_top = if wanted[3] { ((1 << (end_top - first_top)) - 1) << first_top } else { 0 };
        let cells = |(i, places): (usize, &[u32])| {
            let mut found = Critical::default();
            // Voxels lie anywhere in memory; looked up first and all together, the loads overlap.
            let critical: Vec<u32> = places.iter().map(|&place| self.critical(place as usize)).collect();
            for ((rank, &place), critical) in (i * PART + 1..).zip(places).zip(critical) {
                let rank = rank as u32;
                if critical == 0 {
                    continue;
                }
                let push = |cells: &mut Vec<Cell>, mut of_voxel: u32| {
                    while of_voxel != 0 {
                        let direction = of_voxel.trailing_zeros() as usize;
                        cells.push(Cell::new(rank, direction, place as usize));
                        of_voxel &= of_voxel - 1;
                    }
                };
                push(&mut found.edges, critical & of_edges);
                push(&mut found.faces, critical >> FIRST_FACE & of_faces);
                if critical & VOXEL != 0 {
                    found.minima.push(rank);
                }
                if critical & of_top != 0 {
                    found.maxima.push(rank);
                }
            }
            found
        };
        let parts: Vec<Critical> = grid.in_order().par_chunks(PART).enumerate().map(cells).collect();
        let all = |of: fn(&Critical) -> &[u32]| concat(parts.iter().map(of).collect());
        let cells = |of: fn(&Critical) -> &[Cell]| concat(parts.iter().map(of).collect());
        Critical {
            minima: all(|part| &part.minima),
            edges: cells(|part| &part.edges),
            faces: cells(|part| &part.faces),
            maxima: all(|part| &part.maxima),
        }
    }
}

/// One after another.
fn concat<T: Copy + Send + Sync>(parts: Vec<&[T]>) -> Vec<T> {
    parts.into_par_iter().flat_map_iter(|part| part.iter().copied()).collect()
}

/// Critical cells in order.
#[derive(Debug, Default)]
pub struct Critical {
    /// The ranks of critical voxels.
    pub minima: Vec<u32>,
    /// Edges.
    pub edges: Vec<Cell>,
    /// Faces.
    pub faces: Vec<Cell>,
    /// The ranks of voxels that own a critical cell of the grid's dimension: one at most.
    pub maxima: Vec<u32>,
}

/// Voxels of a task.
const PART: usize = 1 << 14;

/// The bits of the cells of a dimension in [`table::Owned`].
fn bits_of(dim: usize) -> (u32, u32) {
    match dim {
        0 | 1 => (0, FIRST_FACE),
        2 => (FIRST_FACE, FIRST_CUBE),
        _ => (FIRST_CUBE, FIRST_CUBE + 8),
    }
}
