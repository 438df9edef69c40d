//! The Morse complex of an image of up to four axes: its critical cells alone, with the boundaries that a discrete
//! gradient gives them.
//!
//! The cells that a voxel owns are matched among themselves ([`star`]); unmatched cells are critical. In the Morse
//! complex the boundary of a critical cell is the set of critical cells to which an odd number of paths leads (Forman
//! 1998, section 8). It starts as the boundary among all cells, from whose last cell on
//!
//! - a cell matched with a cofacet is replaced by the other facets of that cofacet,
//! - a cell matched with a facet is dropped, and
//! - a critical cell stays.
//!
//! Matched cells have one owner, so the pairs of the Morse complex that have different owners are those of the complex
//! of all cells, by owners (Robins, Wood, Sheppard 2011; Mischaikow, Nanda 2013).
//!
//! # Both constructions
//!
//! Stars are those of the complex whose vertices are the voxels. That of the T-construction is dual to it: a cell has
//! the dimension of the axes along which it does not extend, its owner is the least voxel instead of the greatest,
//! cofacets are facets, and the cells of a star enter in the reverse of the order in which they are removed.
//!
//! # Words
//!
//! Each cell of the image has a word: 44 bits for the rank of its owner, 7 for when it is removed from the star, 7 for
//! its number in the star, and 5 for its mate. Words compare in filtration order, and a word alone tells the place of
//! its cell. So memory holds eight bytes per cell, and what the critical cells take.

mod star;

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use phat_formats::{BoundaryMatrix, Dimension, Index};
use rayon::prelude::*;

use self::star::{CELLS, POWERS, lower_star, match_cells, step};
use super::ComplexError;
use super::boundary_matrix::positions;
use super::by_owner::{AnyImageComplex, ImageComplex, places};
use super::cubical_grid::{Axis, Grid, Line, count_cells};
use crate::cubical::persistence::PersistenceRequest;
use crate::cubical::{AnyImage, Construction};
use crate::memory;
use crate::parallel;
use crate::progress::Progress;

/// The complex of the critical cells of an image whose classes are requested. Cells above the dimension `upper_dim` are
/// left out.
///
/// # Errors
/// An axis cannot be periodic, or there is not enough memory.
pub fn morse_complex(
    image: &AnyImage,
    request: &PersistenceRequest,
    upper_dim: Option<usize>,
    progress: &dyn Progress,
) -> Result<AnyImageComplex, ComplexError> {
    request.periodic.check(image.shape())?;
    let lines = Line::of(image.shape(), request.periodic);
    let cells = ComplexError::check_size::<u64>("cells", count_cells(request.construction, &lines))?;
    let voxels = image.shape().count();
    memory::probe(bytes(cells as u64, voxels as u64))?;
    progress.begin("order", None, 1);
    let order = places(image, request.superlevel);
    let cells = Cells::of(&lines, request.construction, &order, cells)?;
    progress.begin("gradient", None, voxels as u64);
    let upper_dim = upper_dim.unwrap_or(lines.len()).min(lines.len());
    let critical = cells.match_stars(upper_dim, progress);
    progress.begin("boundaries", None, critical.len() as u64);
    let parts = parallel::map(critical.len().div_ceil(COLUMNS), &|part| {
        let columns = &critical[part * COLUMNS..critical.len().min((part + 1) * COLUMNS)];
        let boundaries = cells.boundaries(columns, &critical);
        progress.advance(columns.len() as u64);
        boundaries
    });
    let entries: usize = parts.iter().map(|part| part.rows.len()).sum();
    let dims = critical.iter().map(|&word| cells.dim(word) as Dimension).collect();
    let owners = critical.iter().map(|&word| image.shape().memory_place(order[rank(word)] as usize));
    let numbers = critical.iter().map(|&word| cells.cell(word));
    let max_dim = upper_dim as Dimension;
    Ok(if cells.words.len().max(entries) <= u32::MOST {
        AnyImageComplex::Narrow(complex(dims, &parts, owners, numbers, max_dim)?)
    } else {
        AnyImageComplex::Wide(complex(dims, &parts, owners, numbers, max_dim)?)
    })
}

/// Bytes of memory for these numbers of cells and voxels, beside critical cells: a cell has a word, and a voxel its
/// place with its key while it is sorted, and then its rank and the number of its cell.
pub(crate) fn bytes(cells: u64, voxels: u64) -> u64 {
    cells.saturating_mul(8).saturating_add(voxels.saturating_mul(24))
}

/// Number of voxels that a thread takes at a time.
const PART: usize = 1 << 10;
/// Number of critical cells that a thread takes at a time; those of a smooth image are few, with long paths.
const COLUMNS: usize = 1 << 4;

/// Boundaries of consecutive critical cells: their lengths, and all their rows.
#[derive(Default)]
struct Boundaries {
    lengths: Vec<usize>,
    rows: Vec<usize>,
}

/// The complex of critical cells, given by their dimensions, boundaries, owners and numbers.
fn complex<I: Index>(
    dims: Vec<Dimension>,
    parts: &[Boundaries],
    owners: impl Iterator<Item = usize>,
    numbers: impl Iterator<Item = usize>,
    max_dim: Dimension,
) -> Result<ImageComplex<I>, ComplexError> {
    let mut end = 0;
    let ends = parts.iter().flat_map(|part| &part.lengths).map(|length| {
        end += length;
        I::from_usize(end)
    });
    let offsets = std::iter::once(I::default()).chain(ends).collect();
    let rows = parts.iter().flat_map(|part| &part.rows).map(|&row| I::from_usize(row)).collect();
    let matrix = BoundaryMatrix::from_parts(dims, offsets, rows)?;
    let [owners, numbers] = [owners.map(I::from_usize).collect(), numbers.map(I::from_usize).collect()];
    Ok(ImageComplex { matrix, owners, numbers, max_dim })
}

/// Bits of a word below those of the rank, of the order in the star, and of the number in the star.
const RANK: u32 = 20;
const REMOVED: u32 = 12;
const NUMBER: u32 = 5;
/// Flag of a cell matched with a cofacet, at twice its axis plus one if the cofacet has the greater coordinate.
const UP: u64 = 1 << 4;
/// A critical cell.
const CRITICAL: u64 = UP | 1 << 3;
/// Mask of the bits of the mate.
const MATE: u64 = (1 << NUMBER) - 1;

/// The rank of a cell's owner.
fn rank(word: u64) -> usize {
    (word >> RANK) as usize
}

/// The number of a cell in its owner's star.
fn number(word: u64) -> usize {
    (word >> NUMBER) as usize % (1 << (REMOVED - NUMBER))
}

/// The cells of an image.
struct Cells {
    grid: Grid,
    construction: Construction,
    /// Whether an axis is periodic.
    closes_up: bool,
    /// The number of the cell of each voxel, by rank.
    voxels: Vec<usize>,
    /// The word of each cell by number.
    words: Vec<AtomicU64>,
    /// Ranks by place in an image that has one more voxel at either end of each axis: those beyond the ends of a
    /// periodic axis, or [`MISSING`].
    ranks: Vec<u64>,
    /// The steps in `ranks` along each axis.
    strides: Vec<usize>,
    /// The steps in `ranks` from a voxel to the farthest voxel of each cell of its star.
    neighbours: [isize; CELLS],
    /// The steps from the cell of a voxel to each cell of its star, if no axis is periodic.
    steps: [isize; CELLS],
    /// The axes along which each cell of a star has facets.
    axes_of_facets: [Vec<usize>; CELLS],
}

/// The rank of a voxel beyond the border, after all others. As a vertex it would own each cell that it is in, so these
/// are in no star; as a top cell it owns none.
const MISSING: u64 = u64::MAX;

impl Cells {
    /// The cells, so many, of an image whose voxels have this order; words are not known yet.
    fn of(
        lines: &[Line],
        construction: Construction,
        order: &[u64],
        cells: usize,
    ) -> Result<Self, ComplexError> {
        let grid = Grid::new(construction, lines);
        let rank_at = positions(order);
        let (mut strides, mut places) = (Vec::new(), 1);
        for line in lines {
            strides.push(places);
            places *= line.voxels + 2;
        }
        let ranks = parallel::table(places, |at| {
            let mut place = 0;
            for (axis, stride) in grid.axes.iter().zip(&strides) {
                let Line { voxels, is_periodic } = axis.line;
                let coordinate = at / stride % (voxels + 2);
                if !is_periodic && !(1..=voxels).contains(&coordinate) {
                    return MISSING;
                }
                place += (coordinate + voxels - 1) % voxels * axis.voxel_stride;
            }
            rank_at[place]
        });
        drop(rank_at);
        let shift = usize::from(construction == Construction::T);
        let cell = |place: usize| grid.of_voxel(place).map(|(axis, at)| (2 * at + shift) * axis.cell_stride);
        let voxels = parallel::table(order.len(), |rank| cell(order[rank] as usize).sum());
        let all_steps = |strides: &dyn Fn(usize) -> usize| {
            let along = |cell, axis| step(cell, axis) * strides(axis) as isize;
            std::array::from_fn(|cell| (0..lines.len()).map(|axis| along(cell, axis)).sum())
        };
        let has_facets = |cell, axis| (step(cell, axis) == 0) == (construction == Construction::T);
        Ok(Cells {
            construction,
            closes_up: lines.iter().any(|line| line.is_periodic),
            voxels,
            words: memory::zeroed(cells)?,
            ranks,
            neighbours: all_steps(&|axis| strides[axis]),
            steps: all_steps(&|axis| grid.axes[axis].cell_stride),
            axes_of_facets: std::array::from_fn(|cell| {
                (0..lines.len()).filter(|&axis| has_facets(cell, axis)).collect()
            }),
            strides,
            grid,
        })
    }

    /// Matches all lower stars, and returns the critical cells up to a dimension in filtration order. A voxel is a unit
    /// of work.
    fn match_stars(&self, upper_dim: usize, progress: &dyn Progress) -> Vec<u64> {
        let mut critical = parallel::listed(self.voxels.len(), PART, &|places| {
            let mut critical = Vec::new();
            places.clone().for_each(|place| self.match_star(place, &mut critical));
            progress.advance(places.len() as u64);
            critical
        });
        critical.retain(|&word| self.dim(word) <= upper_dim);
        critical.par_sort_unstable();
        critical
    }

    /// Matches the lower star of the voxel at a place and lists its critical cells.
    fn match_star(&self, place: usize, critical: &mut Vec<u64>) {
        let at = self.grid.of_voxel(place).zip(&self.strides);
        let at: usize = at.map(|((_, coordinate), stride)| (coordinate + 1) * stride).sum();
        let (own, is_dual) = (self.ranks[at], self.construction == Construction::T);
        let star = lower_star(self.strides.len(), |cell| {
            let rank = self.ranks[at.wrapping_add_signed(self.neighbours[cell])];
            if is_dual { rank > own } else { rank < own }
        });
        let voxel = self.voxels[own as usize];
        let mut removed = 0;
        match_cells(star, |facet, cofacet| {
            removed += 1;
            let when = if is_dual { CELLS as u64 - removed } else { removed };
            let set = |cell: usize, mate: u64| {
                let word = own << RANK | when << REMOVED | (cell as u64) << NUMBER | mate;
                self.words[self.of_star(voxel, cell)].store(word, Relaxed);
                word
            };
            let Some(cofacet) = cofacet else { return critical.push(set(facet, CRITICAL)) };
            let axis = POWERS.partition_point(|&power| power < cofacet.abs_diff(facet)) as u64;
            let [up, down] = if is_dual { [0, UP] } else { [UP, 0] };
            set(facet, up + 2 * axis + u64::from(cofacet > facet));
            set(cofacet, down + 2 * axis + u64::from(cofacet < facet));
        });
    }

    /// The dimension of a cell.
    fn dim(&self, word: u64) -> usize {
        self.axes_of_facets[number(word)].len()
    }

    /// The number of a cell in the image.
    fn cell(&self, word: u64) -> usize {
        self.of_star(self.voxels[rank(word)], number(word))
    }

    /// The cell with a number in the star of a voxel, given the voxel's cell.
    fn of_star(&self, voxel: usize, number: usize) -> usize {
        if !self.closes_up {
            return voxel.wrapping_add_signed(self.steps[number]);
        }
        (0..self.strides.len()).fold(voxel, |cell, axis| self.beside(cell, axis, step(number, axis)))
    }

    /// The cell beside another in a direction along an axis.
    fn beside(&self, cell: usize, axis: usize, step: isize) -> usize {
        let Axis { cells, cell_stride, .. } = self.grid.axes[axis];
        if !self.closes_up {
            return cell.wrapping_add_signed(step * cell_stride as isize);
        }
        let coordinate = cell / cell_stride % cells;
        cell - coordinate * cell_stride + (coordinate + cells).wrapping_add_signed(step) % cells * cell_stride
    }

    /// The boundaries of some of all critical cells, with rows by number among these.
    fn boundaries(&self, columns: &[u64], critical: &[u64]) -> Boundaries {
        let (mut found, mut column) = (Boundaries::default(), BinaryHeap::new());
        for &word in columns {
            let start = found.rows.len();
            let cell = self.cell(word);
            self.add_facets(cell, number(word), None, &mut column);
            while let Some(word) = column.pop() {
                if column.peek() == Some(&word) {
                    column.pop();
                } else if word & MATE == CRITICAL {
                    found.rows.push(critical.partition_point(|&other| other < word));
                } else {
                    let cell = self.cell(word);
                    let (axis, is_after) = ((word & !UP & MATE) as usize / 2, word & 1 == 1);
                    let mate = self.beside(cell, axis, if is_after { 1 } else { -1 });
                    let power = POWERS[axis];
                    let number = if is_after { number(word) + power } else { number(word) - power };
                    self.add_facets(mate, number, Some(cell), &mut column);
                }
            }
            found.rows[start..].reverse();
            found.lengths.push(found.rows.len() - start);
        }
        found
    }

    /// Adds the facets of a cell that has this number in its owner's star, but for one facet, and for those that are
    /// matched with a facet of their own.
    fn add_facets(&self, cell: usize, number: usize, but: Option<usize>, column: &mut BinaryHeap<u64>) {
        for &axis in &self.axes_of_facets[number] {
            for facet in [self.beside(cell, axis, -1), self.beside(cell, axis, 1)] {
                let word = self.words[facet].load(Relaxed);
                if Some(facet) != but && word & UP != 0 {
                    column.push(word);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;
    use crate::cubical::{Image, Order, Periodic, Shape};

    fn narrow(image: &AnyImage, request: &PersistenceRequest, upper_dim: Option<usize>) -> ImageComplex<u32> {
        match morse_complex(image, request, upper_dim, &()).unwrap() {
            AnyImageComplex::Narrow(complex) => complex,
            AnyImageComplex::Wide(_) => panic!("a small image"),
        }
    }

    #[test]
    fn boundaries_have_no_boundary() {
        let mut rng = Pcg64Mcg::seed_from_u64(3);
        for round in 0..60 {
            let axes = 1 + round % 4;
            let most = [12, 6, 5, 4][axes - 1];
            let shape: Vec<usize> = (0..axes).map(|_| rng.random_range(1..=most)).collect();
            let shape = Shape::new(&shape, if round % 8 < 4 { Order::C } else { Order::F }).unwrap();
            let voxels: Vec<u8> = (0..shape.count()).map(|_| rng.random_range(0..200)).collect();
            let image = Image::new(shape, voxels).unwrap().into();
            for construction in [Construction::T, Construction::V] {
                for periodic in Periodic::all(shape) {
                    let request =
                        PersistenceRequest { construction, periodic, ..PersistenceRequest::default() };
                    let complex = narrow(&image, &request, None);
                    assert_eq!(complex.matrix.check(), Ok(()), "{request:?} of {shape}");
                    let cut = narrow(&image, &request, Some(1));
                    let kept = |&dim: &Dimension| dim < 2;
                    assert!(
                        cut.matrix.dims().iter().eq(complex.matrix.dims().iter().filter(|dim| kept(dim)))
                    );
                }
            }
        }
    }

    /// Along each axis values ascend, so the only critical cell is a vertex.
    #[test]
    fn a_slope_has_one_critical_cell() {
        let voxels: Vec<u16> = (0..3 * 4 * 5 * 6).collect();
        let image = AnyImage::from_slice(&voxels, &[3, 4, 5, 6]).unwrap();
        for construction in [Construction::T, Construction::V] {
            let request = PersistenceRequest { construction, ..PersistenceRequest::default() };
            let complex = narrow(&image, &request, None);
            assert_eq!((complex.matrix.dims(), &complex.owners[..]), (&[0][..], &[0][..]), "{construction}");
        }
    }
}
