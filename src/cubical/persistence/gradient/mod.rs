//! A discrete gradient of the complex in which voxels are vertices.
//!
//! A cell is *owned* by the last of its voxels, and enters with it. The cells that a voxel owns, its *lower star*, are matched
//! among themselves, face with cofacet, along no closed path (Forman 1998); those left over are *critical*. All cells of a star have
//! one value, so any such matching does for persistence (Robins, Wood, Sheppard 2011), and one that leaves as few as can be depends
//! on nothing but which of the 26 cells around a voxel it owns. There are 15 935 ways ([`table`]), so the whole gradient is a
//! *code* of 16 bits a voxel, found from 26 comparisons, and each cell's mate is looked up from its owner's code.

pub(crate) mod cpu;
pub(crate) mod cuda;
pub(crate) mod table;

use rayon::prelude::*;

use self::table::{FIRST_CUBE, FIRST_FACE, Star, Table, VOXEL};
use super::cell::Cell;
use super::grid::Grid;
use super::layout::GridPlace;
use crate::backend::{Difference, expect_same};
use crate::cuda::{CudaError, Gpu};
use crate::memory::{self, Refused};
use crate::progress::Progress;

/// The gradient of a grid.
pub struct Gradient {
    codes: Vec<u16>,
    table: &'static Table,
    axes: usize,
}

impl Gradient {
    /// The gradient, found by the processor.
    pub fn new(grid: &Grid, progress: &dyn Progress) -> Self {
        progress.begin(STAGE, None, grid.ranks().len() as u64);
        Gradient { codes: cpu::codes(grid, progress), table: Table::of(grid.axes()), axes: grid.axes() }
    }

    /// The gradient, found by a device, which does not tell how far it is.
    ///
    /// # Errors
    /// As [`cuda::codes`].
    pub fn on_device(gpu: &Gpu, grid: &Grid, progress: &dyn Progress) -> Result<Self, CudaError> {
        progress.begin(STAGE, None, 1);
        Ok(Gradient { codes: cuda::codes(gpu, grid)?, table: Table::of(grid.axes()), axes: grid.axes() })
    }

    /// Compares the codes that a device found with the processor's, place by place.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn compare(&self, processor: &Gradient) -> Result<(), Difference> {
        let mut codes = self.codes.iter().zip(&processor.codes).enumerate();
        let differing = codes.find(|(_, (found, expected))| found != expected);
        differing.map_or(Ok(()), |(place, (found, expected))| {
            let code = |code: &u16| format!("code {code}");
            expect_same(|| format!("the gradient at place {place}"), code(found), code(expected))
        })
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

    /// The code of the matching of a voxel's lower star.
    #[inline(always)]
    pub(super) fn code(&self, place: usize) -> u16 {
        self.codes[place]
    }

    /// The critical cells of some dimensions, in order. A voxel is [`WORK_OF_VOXEL`] units of work.
    ///
    /// # Errors
    /// [`Refused`]: there is no memory for them and for what joins them.
    pub fn critical_cells(
        &self,
        grid: &Grid,
        wanted: [bool; 4],
        progress: &dyn Progress,
    ) -> Result<Critical, Refused> {
        let wanted = Wanted::new(wanted, self.axes);
        // Counted first, they are written where they belong.
        let parts = grid.in_order().par_chunks(PART);
        let count = |places: &[GridPlace]| {
            progress.advance(places.len() as u64);
            wanted.count(&self.critical_of(places))
        };
        let counts: Vec<[usize; 4]> = parts.clone().map(count).collect();
        let totals = [0, 1, 2, 3].map(|dim| total(&counts, dim));
        memory::probe(bytes(totals, wanted.ends() * grid.ranks().len()))?;
        let (mut minima, mut maxima) = (memory::zeroed(totals[0])?, memory::zeroed(totals[3])?);
        let (mut edges, mut faces) = (memory::zeroed(totals[1])?, memory::zeroed(totals[2])?);
        let slices = (split(&mut minima, &counts, 0), split(&mut edges, &counts, 1));
        let slices = (slices, (split(&mut faces, &counts, 2), split(&mut maxima, &counts, 3)));
        parts.enumerate().zip(slices).panic_fuse().for_each(
            |((i, places), ((minima, edges), (faces, maxima)))| {
                let first = (i * PART + 1) as u32;
                wanted.write(
                    first,
                    places,
                    &self.critical_of(places),
                    Slices { minima, edges, faces, maxima },
                );
                progress.advance(places.len() as u64);
            },
        );
        let cells = |words: Vec<u64>| words.into_iter().map(Cell::of_word).collect();
        Ok(Critical { minima, edges: cells(edges), faces: cells(faces), maxima })
    }

    /// The critical cells of some voxels, looked up all together: they lie anywhere in memory, and so the loads overlap.
    fn critical_of(&self, places: &[GridPlace]) -> Vec<u32> {
        places.iter().map(|&place| self.critical(place as usize)).collect()
    }
}

/// Which critical cells are wanted, as masks of [`table::Owned`].
struct Wanted {
    minima: bool,
    /// Edges, from bit 0.
    edges: u32,
    /// Faces, from the bit [`FIRST_FACE`].
    faces: u32,
    /// The cells of the grid's dimension, from bit 0.
    top: u32,
    has_top: bool,
}

/// Where the critical cells of some voxels are written.
struct Slices<'a> {
    minima: &'a mut [u32],
    edges: &'a mut [u64],
    faces: &'a mut [u64],
    maxima: &'a mut [u32],
}

impl Wanted {
    /// The cells of the dimensions that are `true`; the last stands for the dimension of the grid.
    fn new([minima, edges, faces, top]: [bool; 4], axes: usize) -> Self {
        let mask = |is_wanted: bool, dim: usize| {
            let (first, end) = bits_of(dim);
            if is_wanted { (1_u32 << (end - first)) - 1 } else { 0 }
        };
        let of_top = mask(top, axes) << bits_of(axes).0;
        Wanted { minima, edges: mask(edges, 1), faces: mask(faces, 2), top: of_top, has_top: top }
    }

    /// How many of minima and maxima are wanted, both of which end ways along the gradient.
    fn ends(&self) -> usize {
        usize::from(self.minima) + usize::from(self.has_top)
    }

    /// How many there are of each dimension.
    fn count(&self, critical: &[u32]) -> [usize; 4] {
        let mut counts = [0; 4];
        for critical in critical {
            counts[0] += usize::from(critical & VOXEL != 0);
            counts[1] += (critical & self.edges).count_ones() as usize;
            counts[2] += (critical >> FIRST_FACE & self.faces).count_ones() as usize;
            counts[3] += usize::from(critical & self.top != 0);
        }
        counts
    }

    /// Writes those of voxels in order, the first of which has this rank, into as much room as they take.
    fn write(&self, first: u32, places: &[GridPlace], critical: &[u32], slices: Slices<'_>) {
        let (mut minima, mut maxima) = (slices.minima.iter_mut(), slices.maxima.iter_mut());
        let (mut edges, mut faces) = (slices.edges.iter_mut(), slices.faces.iter_mut());
        for ((rank, &place), &critical) in (first..).zip(places).zip(critical) {
            if critical == 0 {
                continue;
            }
            let write = |words: &mut std::slice::IterMut<'_, u64>, mut of_voxel: u32| {
                while of_voxel != 0 {
                    let direction = of_voxel.trailing_zeros() as usize;
                    let cell = Cell::new(rank, direction, place as usize);
                    words.next().into_iter().for_each(|word| *word = cell.word());
                    of_voxel &= of_voxel - 1;
                }
            };
            write(&mut edges, critical & self.edges);
            write(&mut faces, critical >> FIRST_FACE & self.faces);
            if critical & VOXEL != 0 {
                minima.next().into_iter().for_each(|minimum| *minimum = rank);
            }
            if critical & self.top != 0 {
                maxima.next().into_iter().for_each(|maximum| *maximum = rank);
            }
        }
    }
}

/// Bytes that so many critical cells of each dimension take, together with `ways` places that lead to minima or maxima: for each edge
/// or face itself, its two ends and what it kills, for each minimum and maximum its rank, its parent and its elder.
fn bytes(cells: [usize; 4], ways: usize) -> u64 {
    let [minima, edges, faces, maxima] = cells.map(|count| count as u64);
    20 * (edges + faces) + 12 * (minima + maxima) + 4 * ways as u64
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

/// Units of work that it takes to list the critical cells of a voxel: they are counted, then written.
pub(crate) const WORK_OF_VOXEL: u64 = 2;

/// What its stage is called.
const STAGE: &str = "gradient";

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_critical_cells_take_is_asked_for() {
        // An edge or a face takes 8 bytes, 8 for its ends and 4 for its victim; a minimum or a maximum takes 4, 4 and 4.
        assert_eq!(bytes([1, 10, 100, 1000], 0), 20 * 110 + 12 * 1001);
        assert_eq!(bytes([0; 4], 7), 28);
        // As many as a grid can have: there are seven edges and twelve faces a place, and two ways.
        let most = 1_usize << 30;
        let refused = memory::probe(bytes([most, 7 * most, 12 * most, most], 2 * most) << 20);
        assert!(refused.is_err(), "{refused:?}");
    }
}
