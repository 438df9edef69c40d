//! A discrete gradient of the complex whose vertices are the voxels.
//!
//! A cell is *owned* by the last of its voxels, and enters with it. The cells that a voxel owns, its *lower star*, are
//! matched among themselves, face with cofacet, without closed paths (Forman 1998); unmatched cells are *critical*. All
//! cells of a star have the same value, so any such matching is valid for persistence (Robins, Wood, Sheppard 2011). A
//! matching with the fewest critical cells depends only on which of the 26 cells around a voxel it owns. There are
//! 15,935 such sets ([`table`]), so the whole gradient is a *code* of 16 bits per voxel, computed from 26 comparisons,
//! and the mate of each cell is looked up from its owner's code.

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

/// The discrete gradient of a grid.
pub struct Gradient {
    codes: Vec<u16>,
    table: &'static Table,
    axes: usize,
}

impl Gradient {
    /// Computes the gradient on the CPU.
    pub fn new(grid: &Grid, progress: &dyn Progress) -> Self {
        progress.begin(STAGE, None, grid.ranks().len() as u64);
        Gradient { codes: cpu::codes(grid, progress), table: Table::of(grid.axes()), axes: grid.axes() }
    }

    /// Computes the gradient on a GPU, as a single unit of progress.
    ///
    /// # Errors
    /// The errors of [`cuda::codes`].
    pub fn on_device(gpu: &Gpu, grid: &Grid, progress: &dyn Progress) -> Result<Self, CudaError> {
        progress.begin(STAGE, None, 1);
        Ok(Gradient { codes: cuda::codes(gpu, grid)?, table: Table::of(grid.axes()), axes: grid.axes() })
    }

    /// Compares the codes that a device computed with the CPU's, place by place.
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

    /// Lists the critical cells of the wanted dimensions in filtration order. A voxel is [`WORK_OF_VOXEL`] units of
    /// progress.
    ///
    /// # Errors
    /// [`Refused`]: memory does not suffice for the cells and for joining them.
    pub fn critical_cells(
        &self,
        grid: &Grid,
        wanted: [bool; 4],
        progress: &dyn Progress,
    ) -> Result<Critical, Refused> {
        let wanted = Wanted::new(wanted, self.axes);
        // A first pass counts the cells of each part, so that a second can write them to their final positions.
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

    /// The critical cells of several voxels, looked up together so that loads from scattered places overlap.
    fn critical_of(&self, places: &[GridPlace]) -> Vec<u32> {
        places.iter().map(|&place| self.critical(place as usize)).collect()
    }
}

/// Masks of the wanted critical cells, as in [`table::Owned`].
struct Wanted {
    minima: bool,
    /// Mask of edges, from bit 0.
    edges: u32,
    /// Mask of faces, shifted down by [`FIRST_FACE`].
    faces: u32,
    /// Mask of the cells of the grid's dimension, not shifted.
    top: u32,
    has_top: bool,
}

/// Output slices for the critical cells of a part.
struct Slices<'a> {
    minima: &'a mut [u32],
    edges: &'a mut [u64],
    faces: &'a mut [u64],
    maxima: &'a mut [u32],
}

impl Wanted {
    /// Masks for the dimensions that are `true`; the last entry is the dimension of the grid.
    fn new([minima, edges, faces, top]: [bool; 4], axes: usize) -> Self {
        let mask = |is_wanted: bool, dim: usize| {
            let (first, end) = bits_of(dim);
            if is_wanted { (1_u32 << (end - first)) - 1 } else { 0 }
        };
        let of_top = mask(top, axes) << bits_of(axes).0;
        Wanted { minima, edges: mask(edges, 1), faces: mask(faces, 2), top: of_top, has_top: top }
    }

    /// Number of wanted kinds among minima and maxima, both of which end gradient paths.
    fn ends(&self) -> usize {
        usize::from(self.minima) + usize::from(self.has_top)
    }

    /// Counts the wanted cells of each dimension.
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

    /// Writes the wanted cells of consecutive voxels, the first of rank `first`, to slices of exactly their number.
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

/// Bytes needed for these numbers of critical cells by dimension, and for `ways` places on gradient paths to minima or
/// maxima. An edge or face needs itself, its ends and the node it kills; a minimum or maximum its rank, parent and
/// elder.
fn bytes(cells: [usize; 4], ways: usize) -> u64 {
    let [minima, edges, faces, maxima] = cells.map(|count| count as u64);
    20 * (edges + faces) + 12 * (minima + maxima) + 4 * ways as u64
}

/// Total number of cells of a dimension.
fn total(counts: &[[usize; 4]], dim: usize) -> usize {
    counts.iter().map(|counts| counts[dim]).sum()
}

/// Splits words into one slice per part, as long as its number of cells of a dimension.
fn split<'a, T>(mut words: &'a mut [T], counts: &[[usize; 4]], dim: usize) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(counts.len());
    for counts in counts {
        let part;
        (part, words) = words.split_at_mut(counts[dim]);
        parts.push(part);
    }
    parts
}

/// Critical cells in filtration order.
#[derive(Debug)]
pub struct Critical {
    /// The ranks of critical voxels.
    pub minima: Vec<u32>,
    /// Critical edges.
    pub edges: Vec<Cell>,
    /// Critical faces.
    pub faces: Vec<Cell>,
    /// The ranks of voxels that own a critical cell of the grid's dimension; a voxel owns at most one.
    pub maxima: Vec<u32>,
}

/// Units of progress per voxel for listing critical cells: they are counted, then written.
pub(crate) const WORK_OF_VOXEL: u64 = 2;

/// Name of the stage for progress.
const STAGE: &str = "gradient";

/// Number of voxels of a task.
const PART: usize = 1 << 14;

/// The range of bits of the cells of a dimension in [`table::Owned`].
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
        // An edge or a face takes 8 bytes, 8 for its ends, 4 for the node it kills; a minimum or maximum 4 + 4 + 4.
        assert_eq!(bytes([1, 10, 100, 1000], 0), 20 * 110 + 12 * 1001);
        assert_eq!(bytes([0; 4], 7), 28);
        // The most cells that a grid can have: seven edges and twelve faces per place, and two paths.
        let most = 1_usize << 30;
        let refused = memory::probe(bytes([most, 7 * most, 12 * most, most], 2 * most) << 20);
        assert!(refused.is_err(), "{refused:?}");
    }
}
