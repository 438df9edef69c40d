//! Representatives stored in flat arrays, and views of them.

use super::super::classes::Class;
use crate::cubical::construction::Construction;
use crate::cubical::shape::{Order, Shape};
use crate::memory::{self, Refused};

/// Representative cycles of the bars of an image, by dimension and index of the bar within it.
#[derive(Debug, Clone, PartialEq)]
pub struct Representatives {
    shape: Shape,
    construction: Construction,
    /// The number of the user's axes.
    axes: usize,
    rows: Vec<Row>,
    /// Twice the coordinates of the centres of all cells, cycle after cycle.
    centres: Vec<i32>,
    /// The places in memory of the voxels of all cycles, cycle after cycle.
    voxels: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Row {
    dim: usize,
    index: usize,
    class: Class,
    /// The range of its numbers in `centres`.
    centres: (usize, usize),
    /// The range of its voxels in `voxels`.
    voxels: (usize, usize),
}

/// A representative cycle of a bar.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Representative<'a> {
    /// The dimension of the bar and of the cells.
    pub dim: usize,
    /// The index of the bar among those of its dimension, from 0.
    pub index: usize,
    /// The places in memory of the birth voxel and the death voxel.
    pub class: Class,
    /// The cells of the cycle, in C order of the user's axes.
    pub cells: Cells<'a>,
    /// The places in memory of the voxels of the cells, in C order of the user's axes: the vertices of the cells in the
    /// V-construction, the first voxel that contains each cell in the T-construction.
    pub voxels: &'a [usize],
}

/// Cells, each given by twice the coordinates of its centre along the user's axes; see the [module](super).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cells<'a> {
    axes: usize,
    centres: &'a [i32],
}

impl<'a> Cells<'a> {
    /// The number of cells.
    pub fn len(&self) -> usize {
        self.centres.len() / self.axes
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// Twice the coordinates of the centre of each cell.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [i32]> + Clone + use<'a> {
        self.centres.chunks_exact(self.axes)
    }
}

impl Representatives {
    /// An empty collection for an image of this shape and construction.
    pub(super) fn new(shape: Shape, construction: Construction) -> Self {
        let (rows, centres, voxels) = (Vec::new(), Vec::new(), Vec::new());
        Representatives { shape, construction, axes: shape.axes().len(), rows, centres, voxels }
    }

    /// Adds a cycle. `centres` holds twice the centres of its cells, as plane, row and column in C order; `voxels`
    /// their voxels.
    ///
    /// # Errors
    /// [`Refused`]: there is no memory for the cycle.
    pub(super) fn push(
        &mut self,
        dim: usize,
        index: usize,
        class: Class,
        centres: impl ExactSizeIterator<Item = [i32; 3]>,
        voxels: &[usize],
    ) -> Result<(), Refused> {
        let in_c_order = self.shape.in_order(Order::C);
        let begin = (self.centres.len(), self.voxels.len());
        make_room(&mut self.centres, self.axes * centres.len())?;
        make_room(&mut self.voxels, voxels.len())?;
        centres.for_each(|centre| self.centres.extend(in_c_order.along_axes(centre)));
        self.voxels.extend(voxels);
        let row = Row {
            dim,
            index,
            class,
            centres: (begin.0, self.centres.len()),
            voxels: (begin.1, self.voxels.len()),
        };
        memory::push(&mut self.rows, row)
    }

    /// All representatives, by dimension and index.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Representative<'_>> + Clone {
        self.rows.iter().map(|row| Representative {
            dim: row.dim,
            index: row.index,
            class: row.class,
            cells: Cells { axes: self.axes, centres: &self.centres[row.centres.0..row.centres.1] },
            voxels: &self.voxels[row.voxels.0..row.voxels.1],
        })
    }

    /// The representatives of the bars of dimension `dim`.
    pub fn of_dimension(&self, dim: usize) -> impl Iterator<Item = Representative<'_>> + Clone {
        self.iter().filter(move |found| found.dim == dim)
    }

    /// The number of representatives.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no representatives.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The shape of the image.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How the image is made a filtered complex.
    pub fn construction(&self) -> Construction {
        self.construction
    }

    /// Twice the coordinates of the corners of a cell, which is given by twice the coordinates of its centre: the
    /// vertex itself, the two ends of an edge, or the four corners of a face in cyclic order. A cell that extends along
    /// three axes is a voxel and part of no cycle; for it the corners of one face are returned.
    ///
    /// # Panics
    /// If the number of coordinates differs from the number of axes of the image.
    pub fn corners(&self, cell: &[i32]) -> Vec<Vec<i32>> {
        let extents = self.shape.axes();
        assert_eq!(cell.len(), extents.len(), "a coordinate for each axis");
        let odd = match self.construction {
            Construction::V => 1,
            Construction::T => 0,
        };
        let extends = |&axis: &usize| extents[axis] > 1 && cell[axis].rem_euclid(2) == odd;
        let moved = |corner: &[i32], axis: usize, by: i32| {
            let mut corner = corner.to_vec();
            corner[axis] += by;
            corner
        };
        let mut corners = vec![cell.to_vec()];
        for axis in (0..cell.len()).filter(extends).take(2) {
            let back: Vec<_> = corners.iter().map(|corner| moved(corner, axis, -1)).collect();
            let forth = corners.iter().rev().map(|corner| moved(corner, axis, 1));
            corners = back.into_iter().chain(forth).collect();
        }
        corners
    }
}

/// Reserves room for more items. It at least doubles the length, so that reallocations are rare.
fn make_room<T>(items: &mut Vec<T>, more: usize) -> Result<(), Refused> {
    if items.capacity() - items.len() >= more {
        return Ok(());
    }
    let more = more.max(items.len());
    memory::probe((more as u64).saturating_mul(size_of::<T>() as u64))?;
    memory::reserve(items, more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_go_round() {
        let shape = Shape::new(&[4, 1, 5, 6], Order::C).unwrap();
        let corners = |construction, cell: [i32; 4]| Representatives::new(shape, construction).corners(&cell);
        assert_eq!(corners(Construction::V, [2, 0, 4, 0]), [[2, 0, 4, 0]]);
        assert_eq!(corners(Construction::V, [2, 0, 5, 0]), [[2, 0, 4, 0], [2, 0, 6, 0]]);
        let face = [[0, 0, 4, 0], [2, 0, 4, 0], [2, 0, 6, 0], [0, 0, 6, 0]];
        assert_eq!(corners(Construction::V, [1, 0, 5, 0]), face);
        assert_eq!(corners(Construction::T, [-1, 0, -1, 11]), [[-1, 0, -1, 11]]);
        assert_eq!(corners(Construction::T, [-1, 0, 2, 11]), [[-1, 0, 1, 11], [-1, 0, 3, 11]]);
    }
}
