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
use super::grid::{Grid, Place};
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
        Gradient { codes: cpu::codes(grid), table: Table::of(grid.axes()), axes: grid.axes() }
    }

    /// By a device.
    ///
    /// # Errors
    /// As [`cuda::codes`].
    pub fn on_device(gpu: &Gpu, grid: &Grid) -> Result<Self, CudaError> {
        Ok(Gradient { codes: cuda::codes(gpu, grid)?, table: Table::of(grid.axes()), axes: grid.axes() })
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
        // Of a part's voxels, looked up first and all together: they lie anywhere in memory, and so the loads overlap.
        let critical = |places: &[Place]| -> Vec<u32> {
            places.iter().map(|&place| self.critical(place as usize)).collect()
        };
        let count = |places: &[Place]| {
            let mut counts = [0; 4];
            for critical in critical(places) {
                counts[0] += usize::from(critical & VOXEL != 0);
                counts[1] += (critical & of_edges).count_ones() as usize;
                counts[2] += (critical >> FIRST_FACE & of_faces).count_ones() as usize;
                counts[3] += usize::from(critical & of_top != 0);
            }
            counts
        };
        // Counted first, they are written where they belong.
        let parts = grid.in_order().par_chunks(PART);
        let counts: Vec<[usize; 4]> = parts.clone().map(count).collect();
        let [mut minima, mut maxima] = [0, 3].map(|dim| vec![0; total(&counts, dim)]);
        let [mut edges, mut faces] = [1, 2].map(|dim| vec![0; total(&counts, dim)]);
        let slices = (split(&mut minima, &counts, 0), split(&mut edges, &counts, 1));
        let slices = (slices, (split(&mut faces, &counts, 2), split(&mut maxima, &counts, 3)));
        parts.enumerate().zip(slices).for_each(|((i, places), ((minima, edges), (faces, maxima)))| {
            let (mut minima, mut maxima) = (minima.iter_mut(), maxima.iter_mut());
            let (mut edges, mut faces) = (edges.iter_mut(), faces.iter_mut());
            for ((rank, &place), critical) in (i * PART + 1..).zip(places).zip(critical(places)) {
                if critical == 0 {
                    continue;
                }
                let rank = rank as u32;
                let write = |words: &mut std::slice::IterMut<'_, u64>, mut of_voxel: u32| {
                    while of_voxel != 0 {
                        let direction = of_voxel.trailing_zeros() as usize;
                        let cell = Cell::new(rank, direction, place as usize);
                        words.next().into_iter().for_each(|word| *word = cell.word());
                        of_voxel &= of_voxel - 1;
                    }
                };
                write(&mut edges, critical & of_edges);
                write(&mut faces, critical >> FIRST_FACE & of_faces);
                if critical & VOXEL != 0 {
                    minima.next().into_iter().for_each(|minimum| *minimum = rank);
                }
                if critical & of_top != 0 {
                    maxima.next().into_iter().for_each(|maximum| *maximum = rank);
                }
            }
        });
        let cells = |words: Vec<u64>| words.into_iter().map(Cell::of_word).collect();
        Critical { minima, edges: cells(edges), faces: cells(faces), maxima }
    }
}

/// The cells of a dimension in all parts.
fn total(counts: &[[usize; 4]], dim: usize) -> usize {
    counts.iter().map(|counts| counts[dim]).sum()
}

/// As many words for each part as it has cells of a dimension.
fn split<'a, T>(mut words: &'a mut [T], counts: &[[usize; 4]], dim: usize) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(counts.len());
    for counts in counts {
        let part;
        (part, words) = words.split_at_mut(counts[dim]);
        parts.push(part);
    }
    parts
}

/// Critical cells in order.
#[derive(Debug)]
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
