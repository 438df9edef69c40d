//! Representatives: the cells and the voxels of cycles.

use super::super::classes::Class;
use super::super::limits::Limits;
use super::super::request::PersistenceRequest;
use super::Wanted;
use crate::cubical::construction::Construction;
use crate::cubical::image::AnyImage;
use crate::cubical::periodic::Periodic;
use crate::cubical::shape::{Order, Shape};
use crate::memory::{self, Refused};

/// Representative cycles of the bars of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct Representatives {
    shape: Shape,
    construction: Construction,
    periodic: Periodic,
    /// By dimension and index of the bar within it.
    all: Vec<Representative>,
}

/// A representative cycle of a bar.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Representative {
    /// The dimension of the bar and of the cells.
    pub dim: usize,
    /// The index of the bar among those of its dimension, from 0.
    pub index: usize,
    /// The places in memory of the birth voxel and the death voxel.
    pub class: Class,
    /// The cells of the cycle, in C order of the user's axes.
    pub cells: Cells,
    /// The places in memory of the voxels of the cells, in C order of the user's axes: the vertices of the cells in the
    /// V-construction, the first voxel that contains each cell in the T-construction.
    pub voxels: Vec<usize>,
}

/// Cells, each given by twice the coordinates of its centre along the user's axes; see the [module](super).
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    axes: usize,
    centres: Vec<i32>,
}

impl Cells {
    /// Cells with these doubled centres, the slowest of four axes in C order first, of an image of this shape.
    fn new(shape: Shape, centres: impl Iterator<Item = [i32; 4]>) -> Self {
        let (axes, in_c_order) = (shape.axes().len(), shape.in_order(Order::C));
        let users = |centre| in_c_order.along_axes(in_c_order.users(centre), 0);
        Cells { axes, centres: centres.flat_map(users).collect() }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.centres.len() / self.axes
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// Twice the coordinates of the centre of each cell.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[i32]> + Clone {
        self.centres.chunks_exact(self.axes)
    }
}

impl Representative {
    /// The representative of a selected bar of an image, in a filtration that ends at the limits: cells by their
    /// doubled centres, and voxels by their places in memory.
    ///
    /// # Errors
    /// There is too little memory.
    pub(in super::super) fn new(
        wanted: &Wanted,
        image: &AnyImage,
        request: &PersistenceRequest,
        limits: Limits<'_>,
        centres: impl ExactSizeIterator<Item = [i32; 4]>,
        voxels: Vec<usize>,
    ) -> Result<Self, Refused> {
        let Wanted { dim, index, class, .. } = *wanted;
        memory::probe((centres.len() * image.shape().axes().len() * size_of::<i32>()) as u64)?;
        let death = class.death.filter(|&place| limits.reach(image, request, place));
        let class = Class { death, ..class };
        Ok(Representative { dim, index, class, cells: Cells::new(image.shape(), centres), voxels })
    }
}

impl Representatives {
    /// The cycles of an image of this shape, by dimension and index.
    pub(in super::super) fn new(
        shape: Shape,
        request: &PersistenceRequest,
        all: Vec<Representative>,
    ) -> Self {
        let PersistenceRequest { construction, periodic, .. } = *request;
        Representatives { shape, construction, periodic, all }
    }

    /// All representatives, by dimension and index.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Representative> + Clone {
        self.all.iter()
    }

    /// The representatives of the bars of dimension `dim`.
    pub fn of_dimension(&self, dim: usize) -> impl Iterator<Item = &Representative> + Clone {
        self.iter().filter(move |found| found.dim == dim)
    }

    /// The number of representatives.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no representatives.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The shape of the image.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How the image is made a filtered complex.
    pub fn construction(&self) -> Construction {
        self.construction
    }

    /// The axes along which the image closes up.
    pub fn periodic(&self) -> Periodic {
        self.periodic
    }

    /// Twice the coordinates of the corners of a cell, which is given by twice the coordinates of its centre: the
    /// vertex itself, the two ends of an edge, or the four corners of a face in cyclic order. For a cell that extends
    /// along more axes the corners of one face are returned. Along a periodic axis of n voxels, a cell of the
    /// V-construction between the last voxel and the first has a corner at 2n, which is the first voxel again.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_go_round() {
        let shape = Shape::new(&[4, 1, 5, 6], Order::C).unwrap();
        let corners = |construction, cell: [i32; 4]| {
            let request = PersistenceRequest { construction, ..PersistenceRequest::default() };
            Representatives::new(shape, &request, Vec::new()).corners(&cell)
        };
        assert_eq!(corners(Construction::V, [2, 0, 4, 0]), [[2, 0, 4, 0]]);
        assert_eq!(corners(Construction::V, [2, 0, 5, 0]), [[2, 0, 4, 0], [2, 0, 6, 0]]);
        let face = [[0, 0, 4, 0], [2, 0, 4, 0], [2, 0, 6, 0], [0, 0, 6, 0]];
        assert_eq!(corners(Construction::V, [1, 0, 5, 0]), face);
        assert_eq!(corners(Construction::T, [-1, 0, -1, 11]), [[-1, 0, -1, 11]]);
        assert_eq!(corners(Construction::T, [-1, 0, 2, 11]), [[-1, 0, 1, 11], [-1, 0, 3, 11]]);
    }
}
