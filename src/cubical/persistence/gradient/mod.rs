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
mod stage;
pub(crate) mod table;

use std::ops::Range;

pub(super) use self::stage::{GradientStage, estimate};
use self::table::{FIRST_CUBE, FIRST_FACE, NO_VOXEL, Star, Table, VOXEL};
use super::cell::Cell;
use super::error::PersistenceError;
use super::grid::Grid;
use crate::backend::{Difference, expect_same};
use crate::cuda::{CudaError, Gpu};
use crate::memory::{self, Refused};
use crate::parallel;
use crate::progress::Progress;

/// The discrete gradient of a grid.
pub(crate) struct Gradient {
    /// The codes of the first places: of all, unless keys are derived. Others are found when they are asked for.
    codes: Vec<u16>,
    table: &'static Table,
}

impl Gradient {
    /// Computes the gradient on the CPU.
    pub(crate) fn new(grid: &Grid, progress: &dyn Progress) -> Self {
        progress.begin(STAGE, None, grid.voxels() as u64);
        Gradient { codes: cpu::codes(grid, progress), table: Table::of(grid.layout.axes) }
    }

    /// Computes the gradient on a GPU, as a single unit of progress.
    ///
    /// # Errors
    /// The errors of [`cuda::codes`].
    pub(crate) fn on_device(gpu: &Gpu, grid: &Grid, progress: &dyn Progress) -> Result<Self, CudaError> {
        progress.begin(STAGE, None, 1);
        Ok(Gradient { codes: cuda::codes(gpu, grid)?, table: Table::of(grid.layout.axes) })
    }

    /// The gradient of a grid whose keys are derived, with room for the codes of the slices among so many places.
    ///
    /// # Errors
    /// Memory does not suffice.
    pub(super) fn derived(grid: &Grid<'_>, places: usize) -> Result<Self, Refused> {
        let (slice, all) = (grid.layout.slice(), grid.places());
        let mut codes = memory::zeroed(places.min(all) / slice * slice)?;
        for rim in [0, all - slice] {
            codes.iter_mut().skip(rim).take(slice).for_each(|code| *code = NO_VOXEL);
        }
        Ok(Gradient { codes, table: Table::of(grid.layout.axes) })
    }

    /// Keeps the codes of the slices of a block, as far as there is room.
    pub(super) fn keep(&mut self, block: &Gradient, of: &Grid<'_>) {
        let slice = of.layout.slice();
        let (start, own) = (of.first + slice, &block.codes[slice..of.places() - slice]);
        let codes = self.codes.get_mut(start..).unwrap_or_default();
        let room = own.len().min(codes.len());
        parallel::pieces_mut(&mut codes[..room], PART, &|part, codes| {
            codes.copy_from_slice(&own[part * PART..][..codes.len()]);
        });
    }

    /// The codes that are held, those of the first places, and the table of what they stand for.
    pub(super) fn codes(&self) -> (&[u16], &'static Table) {
        (&self.codes, self.table)
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
    pub(crate) fn star(&self, grid: &Grid<'_>, place: usize) -> Star {
        self.table.star(self.code(grid, place))
    }

    /// The critical cells of a voxel's lower star, as in [`table::Owned`].
    #[inline(always)]
    pub(crate) fn critical(&self, grid: &Grid<'_>, place: usize) -> u32 {
        self.table.critical(self.code(grid, place))
    }

    /// The code of the matching of a voxel's lower star.
    #[inline(always)]
    pub(super) fn code(&self, grid: &Grid<'_>, place: usize) -> u16 {
        self.codes.get(place).copied().unwrap_or_else(|| cpu::code(grid, place))
    }

    /// Whether this is a critical cell of the grid of a dimension as listed by
    /// [`critical_cells`](Gradient::critical_cells).
    pub(super) fn is_critical(&self, grid: &Grid<'_>, dim: usize, cell: Cell) -> bool {
        let (place, bits) = (grid.place(cell), bits_of([0, 1, 2, grid.layout.axes][dim]));
        let bit = bits.start + cell.direction() as u32;
        grid.layout.voxel(place).is_some()
            && grid.cell(place, cell.direction()) == cell
            && bits.contains(&bit)
            && self.critical(grid, place) >> bit & 1 == 1
    }

    /// Lists the critical cells of the wanted dimensions in the order of their owners' places: voxels, edges, faces,
    /// and cells of the grid's dimension, of which a voxel owns at most one. A place is [`WORK_OF_PLACE`] units of
    /// progress.
    ///
    /// # Errors
    /// [`PersistenceError`]: memory does not suffice for the cells and for joining them, or there are too many.
    pub(crate) fn critical_cells(
        &self,
        grid: &Grid,
        wanted: [bool; 4],
        progress: &dyn Progress,
    ) -> Result<[Vec<Cell>; 4], PersistenceError> {
        let bits: [Range<u32>; 4] = [0, 1, 2, grid.layout.axes].map(bits_of);
        let masks: [u32; 4] = std::array::from_fn(|dim| {
            bits[dim].clone().filter(|_| wanted[dim]).fold(0, |mask, bit| mask | 1 << bit)
        });
        // A first pass counts the cells of each part, so that a second can write them to their final positions.
        let parts: Vec<&[u16]> = self.codes.chunks(PART).collect();
        let counts = parallel::map(parts.len(), &|part| {
            progress.advance(parts[part].len() as u64);
            let mut counts = [0; 4];
            let critical = parts[part].iter().map(|&code| self.table.critical(code));
            for critical in critical.filter(|&critical| critical != 0) {
                (0..4).for_each(|dim| counts[dim] += (critical & masks[dim]).count_ones() as usize);
            }
            counts
        });
        let totals: [usize; 4] = std::array::from_fn(|dim| counts.iter().map(|counts| counts[dim]).sum());
        // Saddles are edges below, and above cells of one dimension less than the grid.
        let has_table = |end: usize, saddles: usize| wanted[end] && grid.has_table_for(totals[saddles]);
        let tables = usize::from(has_table(0, 1)) + usize::from(has_table(3, grid.layout.axes - 1));
        check(totals, tables * grid.places())?;
        let [a, b, c, d] = totals.map(memory::zeroed::<Cell>);
        let mut cells = [a?, b?, c?, d?];
        let mut rest = cells.each_mut().map(Vec::as_mut_slice);
        let mut slices = |counts: &[usize; 4]| -> [&mut [Cell]; 4] {
            std::array::from_fn(|dim| rest[dim].split_off_mut(..counts[dim]).unwrap_or_default())
        };
        let slices: Vec<_> = counts.iter().map(&mut slices).collect();
        let parts = parts.into_iter().enumerate().zip(slices);
        // Where an image is smooth, most parts have no critical cells.
        let parts = parts.filter(|(_, slices)| slices.iter().any(|slice| !slice.is_empty()));
        parallel::each_of(parts, &|((part, codes), slices)| {
            let mut slots = slices.map(<[Cell]>::iter_mut);
            for (place, &code) in (part * PART..).zip(codes) {
                let critical = self.table.critical(code);
                if critical == 0 {
                    continue;
                }
                for (dim, slots) in slots.iter_mut().enumerate() {
                    let mut of_voxel = critical & masks[dim];
                    while of_voxel != 0 {
                        let direction = of_voxel.trailing_zeros() - bits[dim].start;
                        let cell = grid.cell(place, direction as usize);
                        slots.next().into_iter().for_each(|slot| *slot = cell);
                        of_voxel &= of_voxel - 1;
                    }
                }
            }
            progress.advance(0);
        });
        Ok(cells)
    }
}

/// Checks that there are not too many critical cells by dimension, and that memory suffices for joining them by paths
/// that pass `ways` places.
pub(super) fn check(cells: [usize; 4], ways: usize) -> Result<(), PersistenceError> {
    are_numbered(cells)?;
    Ok(memory::probe(bytes(cells, ways))?)
}

/// Bytes needed for these numbers of critical cells by dimension, and for `ways` places on gradient paths to minima or
/// maxima. An edge or face needs itself, its ends and the node it merges; a minimum or maximum itself, its parent and
/// its survivor.
fn bytes(cells: [usize; 4], ways: usize) -> u64 {
    let [minima, edges, faces, maxima] = cells.map(|count| count as u64);
    20 * (edges + faces) + 16 * (minima + maxima) + 4 * ways as u64
}

/// Checks that 32 bits number the critical cells of each dimension, beside a number that stands for none.
fn are_numbered(cells: [usize; 4]) -> Result<(), PersistenceError> {
    let found = cells.into_iter().max().unwrap_or(0) as u64;
    if found < u32::MAX.into() { Ok(()) } else { Err(PersistenceError::TooCritical { found }) }
}

/// Units of progress per place for listing critical cells, which is mostly looking for them.
pub(crate) const WORK_OF_PLACE: u64 = 1;

/// Name of the stage for progress.
const STAGE: &str = "gradient";

/// Number of places of a task.
const PART: usize = 1 << 12;

/// The bits of the critical cells of a dimension in [`table::Owned`] with [`VOXEL`].
fn bits_of(dim: usize) -> Range<u32> {
    match dim {
        0 => VOXEL.ilog2()..VOXEL.ilog2() + 1,
        1 => 0..FIRST_FACE,
        2 => FIRST_FACE..FIRST_CUBE,
        _ => FIRST_CUBE..FIRST_CUBE + 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_critical_cells_take_is_asked_for() {
        // An edge or a face takes 8 bytes, 8 for its ends, 4 for the node it merges; a minimum or maximum 8 + 4 + 4.
        assert_eq!(bytes([1, 10, 100, 1000], 0), 20 * 110 + 16 * 1001);
        assert_eq!(bytes([0; 4], 7), 28);
        // The most cells that a grid can have: seven edges and twelve faces per place, and two paths.
        let most = 1_usize << 32;
        let refused = memory::probe(bytes([most, 7 * most, 12 * most, most], 2 * most) << 20);
        assert!(refused.is_err(), "{refused:?}");
    }

    #[test]
    fn cells_are_numbered_with_32_bits() {
        let most = u32::MAX as usize;
        assert_eq!(are_numbered([most - 1; 4]), Ok(()));
        let too_many = PersistenceError::TooCritical { found: most as u64 };
        assert_eq!(are_numbered([0, 1, most, 2]), Err(too_many));
    }
}
