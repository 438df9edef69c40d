//! Cells of a grid, their owners and corners, and their positions in the image.

use super::cell::Cell;
use super::gradient::table::PAIRS;
use super::grid::Grid;
use super::loops::{corner_of_face, owner_of_face};
use crate::cubical::construction::Construction;

/// A cell of a grid: the place of its least corner, and a mask of the axes along which it extends, the fastest in
/// memory first. The dual cell has the same centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GridCell(u64);

impl GridCell {
    /// The cell with this least corner that extends along these axes.
    #[inline]
    pub(super) fn new(corner: usize, along: usize) -> Self {
        GridCell((corner as u64) << 3 | along as u64)
    }

    /// An edge (`dim` 1) or a face (`dim` 2), given by its owner.
    #[inline]
    pub(super) fn of(grid: &Grid, cell: Cell, dim: usize) -> Self {
        let (place, direction) = (grid.place(cell), cell.direction());
        if dim == 1 {
            let along = 1 << (direction / 2);
            GridCell::new(if direction % 2 == 0 { grid.neighbour(place, direction) } else { place }, along)
        } else {
            GridCell::face(corner_of_face(grid, place, direction), direction / 4)
        }
    }

    /// The face with this least corner along a pair of axes.
    #[inline]
    fn face(corner: usize, pair: usize) -> Self {
        let (a, b) = PAIRS[pair];
        GridCell::new(corner, 1 << a | 1 << b)
    }

    /// The edge or face that a word of [`Incidence`](super::loops::Incidence) encodes.
    pub(super) fn of_word(grid: &Grid, word: u64) -> Self {
        let (corner, which) = ((word >> 2) as usize, (word & 3) as usize);
        match grid.construction {
            Construction::V => GridCell::new(corner, 1 << which),
            Construction::T => GridCell::face(corner, which),
        }
    }

    /// The place of the least corner.
    #[inline]
    pub(super) fn corner(self) -> usize {
        (self.0 >> 3) as usize
    }

    /// Mask of the axes along which the cell extends.
    #[inline]
    pub(super) fn along(self) -> usize {
        (self.0 & 7) as usize
    }

    /// The axis, of so many, along which a facet of a top cell does not extend.
    #[inline]
    pub(super) fn across(self, axes: usize) -> usize {
        (((1 << axes) - 1) & !self.along()).trailing_zeros() as usize
    }

    /// The owner of an edge or face, and the direction of the cell from there.
    #[inline]
    pub(super) fn owner(self, grid: &Grid) -> (usize, usize) {
        if self.along().count_ones() == 2 {
            return owner_of_face(grid, self.corner(), 2 - self.across(3));
        }
        let axis = self.along().trailing_zeros() as usize;
        let far = self.corner() + grid.layout.strides[axis];
        if grid.is_earlier(far, self.corner()) { (self.corner(), 2 * axis + 1) } else { (far, 2 * axis) }
    }

    /// Doubled plane, row and column of the cell's centre, behind the 0 of a fourth axis.
    pub(super) fn centre(self, grid: &Grid) -> [i32; 4] {
        let [plane, row, column] = grid.layout.coordinates(self.corner());
        let half = |axis: usize| i32::from(self.along() >> axis & 1 == 1);
        [0, 2 * plane + half(2), 2 * row + half(1), 2 * column + half(0)]
    }

    /// The places of the cell's voxels: its vertices (V), or the voxel that the dual cell enters with (T).
    pub(super) fn voxels<'a>(self, grid: &'a Grid<'a>) -> impl Iterator<Item = usize> + 'a {
        let corners = self.corners(grid);
        let owner = match grid.construction {
            Construction::V => None,
            Construction::T => corners.clone().max_by_key(|&place| grid.entry(place)),
        };
        corners.filter(move |&place| owner.is_none_or(|owner| place == owner))
    }

    /// The places of the cell's corners in the grid.
    pub(super) fn corners<'a>(self, grid: &'a Grid<'a>) -> impl Iterator<Item = usize> + Clone + 'a {
        let along = self.along();
        let shift =
            |at: usize| (0..3).map(|axis| (at >> axis & 1) * grid.layout.strides[axis]).sum::<usize>();
        (0..8).filter(move |at| at & !along == 0).map(move |at| self.corner() + shift(at))
    }
}
