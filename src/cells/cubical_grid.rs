//! The cells of an image and their filtration by the ranks of voxels.
//!
//! Along an axis the cells are numbered so that odd ones extend along it: the dimension of a cell is the number of
//! its odd coordinates, and its facets are its neighbours along the axes of those. The construction decides whether
//! voxels are vertices or top cells. For an axis of n voxels:
//!
//! | construction | cells along an axis | voxel k | other cells | rank of a cell |
//! |---|---|---|---|---|
//! | V | 2n − 1 | is cell 2k | 2k + 1 lies between the voxels k and k + 1 | the greatest of its vertices |
//! | T | 2n + 1 | is cell 2k + 1 | 2k lies between the voxels k − 1 and k, if both exist | the least of the voxels that contain it |
//!
//! Along a periodic axis there are 2n cells, after the last of which comes the first again.
//!
//! Cells are sorted by counting: a cell goes to the bucket of its rank and dimension. Within a bucket cells are
//! ordered by number.

use phat_formats::{BoundaryMatrix, Dimension, Index};

use super::ComplexError;
use super::boundary_matrix::boundary_matrix;
use crate::cubical::{Construction, Order, Periodic, Shape};
use crate::parallel;
use crate::progress::Progress;

/// Number of cells in a task.
const PART: usize = 1 << 12;

/// The cells of an image in filtration order.
pub(super) struct Filtered<I> {
    /// The boundary matrix.
    pub(super) matrix: BoundaryMatrix<I>,
    /// The dimension of the complex, or the requested maximal dimension.
    pub(super) max_dim: Dimension,
    /// The number of each cell.
    pub(super) order: Vec<I>,
    /// The bucket of each cell by number.
    keys: Vec<I>,
}

impl<I: Index> Filtered<I> {
    /// The level of each cell: `level` maps a rank to what it stands for.
    pub(super) fn levels<L: Copy + Default + Send>(&self, level: impl Fn(usize) -> L + Sync) -> Vec<L> {
        let of_rank = usize::from(self.max_dim) + 1;
        parallel::table(self.order.len(), |k| level(self.keys[self.order[k].to_usize()].to_usize() / of_rank))
    }
}

/// An axis of an image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Number of voxels.
    pub(crate) voxels: usize,
    /// Whether the last voxel is next to the first.
    pub(crate) is_periodic: bool,
}

impl Line {
    /// The axes of an image of this shape, in the reverse of the user's order: the fastest in C order first.
    pub(crate) fn of(shape: Shape, periodic: Periodic) -> Vec<Line> {
        let shape = shape.in_order(Order::C);
        let periodic: [bool; 4] = periodic.in_memory(shape);
        let axes = shape.four_extents().into_iter().zip(periodic).skip(4 - shape.dim());
        axes.rev().map(|(voxels, is_periodic)| Line { voxels, is_periodic }).collect()
    }

    /// Number of cells along the axis, if 64 bits suffice.
    fn cells(self, construction: Construction) -> Option<usize> {
        let twice = self.voxels.checked_mul(2)?;
        match construction {
            _ if self.is_periodic => Some(twice),
            Construction::V => twice.checked_sub(1),
            Construction::T => twice.checked_add(1),
        }
    }
}

/// Sorts the cells of an image by (rank, dimension, number). `shape` has the fastest axis first; `ranks` are those of
/// the voxels, below `count`. Cells above the dimension `upper_dim` are left out. Stages are reported to `progress`.
///
/// # Errors
/// There are more cells, entries or buckets than the index type can number.
pub(super) fn filter<I: Index>(
    construction: Construction,
    shape: &[Line],
    ranks: &[I],
    count: usize,
    upper_dim: Option<usize>,
    progress: &dyn Progress,
) -> Result<Filtered<I>, ComplexError> {
    let max_dim = upper_dim.map_or(shape.len(), |upper_dim| upper_dim.min(shape.len()));
    let cells = cells::<I>(construction, shape)?;
    let buckets = count.checked_mul(max_dim + 1).and_then(|buckets| buckets.checked_add(1));
    let buckets = ComplexError::check_size::<I>("pairs of value and dimension", buckets)?;
    let grid = Grid::new(construction, shape);
    progress.begin("cells", None, cells as u64);
    let keys = grid.keys(cells, ranks, max_dim, I::from_usize(buckets - 1), progress);
    progress.begin("order of cells", None, 2 * cells as u64);
    let (mut order, position) = sort(&keys, buckets, progress);
    order.truncate(order.partition_point(|cell| keys[cell.to_usize()].to_usize() < buckets - 1));
    let dim = |cell: usize| (keys[cell].to_usize() % (max_dim + 1)) as Dimension;
    let facets = |cell: usize| {
        let along = grid.coordinates(cell).filter(|(_, coordinate)| coordinate % 2 == 1);
        along.flat_map(move |(axis, coordinate)| {
            let first = cell - coordinate * axis.cell_stride;
            [coordinate - 1, (coordinate + 1) % axis.cells].map(|facet| first + facet * axis.cell_stride)
        })
    };
    let matrix = boundary_matrix(&order, &position, dim, &|dim| 2 * dim, facets, progress)?;
    Ok(Filtered { matrix, max_dim: max_dim as Dimension, order, keys })
}

/// Number of cells of an image, if 64 bits suffice.
pub(crate) fn count_cells(construction: Construction, shape: &[Line]) -> Option<usize> {
    shape.iter().try_fold(1_usize, |product, axis| product.checked_mul(axis.cells(construction)?))
}

/// Number of cells.
///
/// # Errors
/// The index type cannot number that many.
pub(super) fn cells<I: Index>(construction: Construction, shape: &[Line]) -> Result<usize, ComplexError> {
    ComplexError::check_size::<I>("cells", count_cells(construction, shape))
}

/// Bytes of memory for `cells` cells with their boundaries: each has a key, its places in both orders, an offset, an
/// owner, a dimension and its facets, on average one per axis.
pub(super) fn bytes<I>(cells: usize, shape: &[Line]) -> u64 {
    (cells as u64).saturating_mul(((5 + shape.len()) * size_of::<I>() + 1) as u64)
}

/// Sorts the cells by key and then by number; returns this order and its inverse. Each cell is two units of work: it
/// is counted, then placed.
fn sort<I: Index>(keys: &[I], buckets: usize, progress: &dyn Progress) -> (Vec<I>, Vec<I>) {
    let mut next = vec![I::default(); buckets + 1];
    let increment = |count: &mut I| *count = I::from_usize(count.to_usize() + 1);
    for keys in keys.chunks(PART) {
        for key in keys {
            increment(&mut next[key.to_usize() + 1]);
        }
        progress.advance(keys.len() as u64);
    }
    for bucket in 0..buckets {
        next[bucket + 1] = I::from_usize(next[bucket].to_usize() + next[bucket + 1].to_usize());
    }
    let mut order = vec![I::default(); keys.len()];
    let mut position = Vec::with_capacity(keys.len());
    for (part, keys) in keys.chunks(PART).enumerate() {
        for (cell, key) in (part * PART..).zip(keys) {
            let next = &mut next[key.to_usize()];
            order[next.to_usize()] = I::from_usize(cell);
            position.push(*next);
            increment(next);
        }
        progress.advance(keys.len() as u64);
    }
    (order, position)
}

/// The cells of an image with their numbering.
pub(crate) struct Grid {
    construction: Construction,
    pub(super) axes: Vec<Axis>,
}

#[derive(Clone, Copy)]
pub(super) struct Axis {
    /// Number of cells along the axis.
    pub(super) cells: usize,
    /// Difference between the numbers of consecutive cells along the axis.
    pub(super) cell_stride: usize,
    pub(super) line: Line,
    /// Difference between the places of consecutive voxels along the axis.
    pub(super) voxel_stride: usize,
}

impl Axis {
    /// The first and the last voxel along this axis that a cell contains (V) or is contained in (T).
    fn voxels(&self, construction: Construction, coordinate: usize) -> (usize, usize) {
        let Line { voxels, is_periodic } = self.line;
        match construction {
            Construction::V => (coordinate / 2, coordinate.div_ceil(2) % voxels),
            Construction::T if is_periodic => ((coordinate + self.cells - 1) / 2 % voxels, coordinate / 2),
            Construction::T => (coordinate.saturating_sub(1) / 2, (coordinate / 2).min(voxels - 1)),
        }
    }
}

impl Grid {
    /// Creates the grid of a shape whose cells can be counted.
    pub(crate) fn new(construction: Construction, shape: &[Line]) -> Self {
        let (mut cell_stride, mut voxel_stride) = (1, 1);
        let axis = |&line: &Line| {
            let cells = line.cells(construction).expect("the cells can be counted");
            let axis = Axis { cells, cell_stride, line, voxel_stride };
            cell_stride *= cells;
            voxel_stride *= line.voxels;
            axis
        };
        Grid { construction, axes: shape.iter().map(axis).collect() }
    }

    /// The axes, each with the coordinate of the voxel at a place along it.
    pub(super) fn of_voxel(&self, place: usize) -> impl Iterator<Item = (&Axis, usize)> {
        self.axes.iter().map(move |axis| (axis, place / axis.voxel_stride % axis.line.voxels))
    }

    /// The axes, each with the coordinate of a cell along it.
    fn coordinates(&self, cell: usize) -> impl Iterator<Item = (&Axis, usize)> {
        let mut rest = cell;
        self.axes.iter().map(move |axis| {
            let coordinate = rest % axis.cells;
            rest /= axis.cells;
            (axis, coordinate)
        })
    }

    /// Twice the coordinates of the centre of a cell, where voxel k of an axis has its centre at k: the slowest axis
    /// first, behind a 0 for each missing one. Along an axis of one voxel all cells have the coordinate 0.
    pub(crate) fn doubled_centre(&self, cell: usize) -> [i32; 4] {
        // Number 0 of the T-construction is the border before the first voxel.
        let first = i32::from(self.construction == Construction::T);
        let mut centre = [0; 4];
        for ((axis, coordinate), at) in self.coordinates(cell).zip(centre.iter_mut().rev()) {
            *at = if axis.line.voxels > 1 { coordinate as i32 - first } else { 0 };
        }
        centre
    }

    /// The rank at which a cell enters, given those of two voxels: the greater in the V-construction, else the lesser.
    fn choose<I: Index>(&self, a: I, b: I) -> I {
        match self.construction {
            Construction::V => a.max(b),
            Construction::T => a.min(b),
        }
    }

    /// The bucket of each cell, by rank and dimension, or `above` for cells above `max_dim`. A cell is a unit of
    /// work.
    fn keys<I: Index>(
        &self,
        cells: usize,
        ranks: &[I],
        max_dim: usize,
        above: I,
        progress: &dyn Progress,
    ) -> Vec<I> {
        let mut keys = vec![above; cells];
        let axis = &self.axes[0];
        let keys_of_line = |corners: &mut Vec<usize>, number: usize, keys: &mut [I]| {
            let line_dim = self.corners(number * axis.cells, corners);
            let rank = |voxel: usize| {
                let others = corners[1..].iter().map(|corner| ranks[corner + voxel]);
                others.fold(ranks[corners[0] + voxel], |a, b| self.choose(a, b))
            };
            for (x, key) in keys.iter_mut().enumerate() {
                let dim = line_dim + x % 2;
                if dim <= max_dim {
                    let (first, last) = axis.voxels(self.construction, x);
                    let rank = self.choose(rank(first), rank(last)).to_usize();
                    *key = I::from_usize(rank * (max_dim + 1) + dim);
                }
            }
        };
        // A task consists of whole lines of cells.
        let lines = (PART / axis.cells).max(1);
        parallel::pieces_mut(&mut keys, lines * axis.cells, &|part, keys| {
            let mut corners = Vec::new();
            for (number, keys) in (part * lines..).zip(keys.chunks_mut(axis.cells)) {
                keys_of_line(&mut corners, number, keys);
            }
            progress.advance(keys.len() as u64);
        });
        keys
    }

    /// Replaces `corners` by the first voxels of a line of cells, whose first coordinate is 0, and returns the line's
    /// dimension.
    fn corners(&self, cell: usize, corners: &mut Vec<usize>) -> usize {
        corners.clear();
        corners.push(0);
        let mut dim = 0;
        for (axis, coordinate) in self.coordinates(cell).skip(1) {
            let (first, last) = axis.voxels(self.construction, coordinate);
            dim += coordinate % 2;
            corners.iter_mut().for_each(|corner| *corner += first * axis.voxel_stride);
            if last != first {
                let half = corners.len();
                corners.extend_from_within(..);
                let step = last.wrapping_sub(first).wrapping_mul(axis.voxel_stride);
                corners[half..].iter_mut().for_each(|corner| *corner = corner.wrapping_add(step));
            }
        }
        dim
    }
}
