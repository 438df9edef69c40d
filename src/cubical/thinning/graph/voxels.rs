//! The voxels of a skeleton, numbered in C order, and their neighbours.

use crate::cubical::shape::Shape;
use crate::cubical::thinning::bits::{BitImage, WORD};
use crate::memory::{self, Refused};
use crate::parallel;

/// Class of a voxel, by its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Class {
    /// No neighbour.
    #[default]
    Isolated,
    /// One neighbour.
    End,
    /// Two neighbours that do not touch each other.
    Line,
    /// All others.
    Junction,
}

/// The voxels of a skeleton, numbered in C order.
pub(super) struct Voxels<'a> {
    image: &'a BitImage,
    places: Vec<usize>,
    /// Number of voxels before each word of the image.
    before: Vec<usize>,
    classes: Vec<Class>,
}

/// The neighbours of a voxel: at most 26 numbers, ascending.
#[derive(Clone, Copy, Default)]
pub(super) struct Neighbours {
    numbers: [usize; 26],
    count: usize,
}

impl std::ops::Deref for Neighbours {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.numbers[..self.count]
    }
}

impl IntoIterator for Neighbours {
    type Item = usize;
    type IntoIter = std::iter::Take<std::array::IntoIter<usize, 26>>;

    fn into_iter(self) -> Self::IntoIter {
        self.numbers.into_iter().take(self.count)
    }
}

impl<'a> Voxels<'a> {
    pub(super) fn of(image: &'a BitImage) -> Result<Self, Refused> {
        let mut before = memory::with_room(image.words().len())?;
        let mut count = 0;
        for word in image.words() {
            before.push(count);
            count += word.count_ones() as usize;
        }
        let mut voxels = Voxels { image, places: image.places(), before, classes: Vec::new() };
        voxels.classes = parallel::table(count, |voxel| match *voxels.neighbours(voxel) {
            [] => Class::Isolated,
            [_] => Class::End,
            [a, b] if !voxels.touch(a, b) => Class::Line,
            _ => Class::Junction,
        });
        Ok(voxels)
    }

    pub(super) fn shape(&self) -> Shape {
        self.image.shape()
    }

    /// Number of voxels.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn class(&self, voxel: usize) -> Class {
        self.classes[voxel]
    }

    /// Place of a voxel in C order.
    pub(super) fn place(&self, voxel: usize) -> usize {
        self.places[voxel]
    }

    /// Plane, row and column of a voxel.
    pub(super) fn at(&self, voxel: usize) -> [usize; 3] {
        at(self.shape(), self.places[voxel])
    }

    /// Distances of two voxels along the axes, in voxels.
    pub(super) fn apart(&self, a: usize, b: usize) -> [usize; 3] {
        let (a, b) = (self.at(a), self.at(b));
        std::array::from_fn(|axis| a[axis].abs_diff(b[axis]))
    }

    /// Whether two voxels touch or are the same.
    pub(super) fn touch(&self, a: usize, b: usize) -> bool {
        self.apart(a, b).into_iter().all(|apart| apart <= 1)
    }

    /// The voxels that touch a voxel.
    pub(super) fn neighbours(&self, voxel: usize) -> Neighbours {
        let [planes, rows, columns] = self.shape().extents();
        let [plane, row, column] = self.at(voxel);
        let around = |at: usize, extent: usize| at.saturating_sub(1)..extent.min(at + 2);
        let mut found = Neighbours::default();
        for z in around(plane, planes) {
            for y in around(row, rows) {
                let words = (z * rows + y) * self.image.width();
                for x in around(column, columns) {
                    let (word, bit) = (words + x / WORD, x % WORD);
                    let bits = self.image.words()[word];
                    if bits >> bit & 1 == 1 && (z, y, x) != (plane, row, column) {
                        let number = self.before[word] + (bits & !(!0 << bit)).count_ones() as usize;
                        found.numbers[found.count] = number;
                        found.count += 1;
                    }
                }
            }
        }
        found
    }
}

/// Plane, row and column of the voxel at a place in C order.
pub(super) fn at(shape: Shape, place: usize) -> [usize; 3] {
    let [_, rows, columns] = shape.extents();
    [place / columns / rows, place / columns % rows, place % columns]
}
