//! Where voxels lie: in memory, and on a grid with a rim.

use super::error::PersistenceError;
use crate::cubical::shape::{Order, Shape};

/// A place on the grid.
pub type GridPlace = u32;

/// Where voxels lie: in memory, and on a grid that has one more place at either end of each axis, the *rim*.
///
/// The grid is in C order of the user's axes, whatever the order in memory: ties are broken by places on the grid, so that what is found is a
/// function of the array and not of its storage.
///
/// Axes along which the image has one voxel are left out: they change no class.
#[derive(Debug, Clone, Copy)]
pub struct GridLayout {
    pub(super) axes: usize,
    /// Planes, rows, columns of the image.
    pub(super) extents: [usize; 3],
    /// The distance from a place to the next along axis 0 (columns), 1 (rows), 2 (planes).
    pub(super) strides: [usize; 3],
    places: usize,
    /// Whether the first of the user's axes, the slowest on the grid, is the fastest in memory.
    is_transposed: bool,
}

/// Voxels that are too many: ranks and places take 30 bits each.
const LIMIT: usize = 1 << 30;

impl GridLayout {
    /// The layout of an image of this shape.
    ///
    /// # Errors
    /// [`PersistenceError::TooLarge`]: places are not numbered.
    pub fn new(shape: Shape) -> Result<Self, PersistenceError> {
        let mut extents = [1; 3];
        let long: Vec<usize> =
            shape.in_order(Order::C).extents().into_iter().filter(|&extent| extent > 1).collect();
        extents[3 - long.len()..].copy_from_slice(&long);
        let with_rim = |axis: usize| extents[axis] + if 3 - axis <= long.len() { 2 } else { 0 };
        let places = (0..3).try_fold(1, |places: usize, axis| places.checked_mul(with_rim(axis)));
        let too_large = PersistenceError::TooLarge { shape, most: LIMIT };
        let places = places.filter(|&places| places < LIMIT).ok_or(too_large)?;
        let strides = [1, with_rim(2), with_rim(1) * with_rim(2)];
        let is_transposed = shape.order() == Order::F && long.len() > 1;
        Ok(GridLayout { axes: long.len(), extents, strides, places, is_transposed })
    }

    /// Places on the grid.
    pub fn places(&self) -> usize {
        self.places
    }

    /// The slowest axis in memory first: the extents in memory, and the distances on the grid from a voxel to the next along each.
    fn memory(&self) -> ([usize; 3], [usize; 3]) {
        let (mut extents, [column, row, plane]) = (self.extents, self.strides);
        let mut strides = [plane, row, column];
        if self.is_transposed {
            extents[3 - self.axes..].reverse();
            strides[3 - self.axes..].reverse();
        }
        (extents, strides)
    }

    /// The place of the first voxel.
    pub(super) fn shift(&self) -> usize {
        self.strides[..self.axes].iter().sum()
    }

    /// The place on the grid of a place in memory.
    pub fn on_grid(&self, place: usize) -> GridPlace {
        let (extents, [plane, row, column]) = self.memory();
        // Narrow words divide sooner.
        let [_, rows, columns] = extents.map(|extent| extent as u32);
        let (line, x) = (place as u32 / columns, place as u32 % columns);
        let (z, y) = ((line / rows) as usize, (line % rows) as usize);
        (z * plane + y * row + x as usize * column + self.shift()) as GridPlace
    }

    /// The places on the grid of a place in memory and those after it, without end.
    pub fn places_from(&self, place: usize) -> impl Iterator<Item = GridPlace> + Clone + '_ {
        let ([_, _, columns], [_, _, step]) = self.memory();
        let step = step as GridPlace;
        let mut left = columns - place % columns;
        let (mut place, mut next) = (place, self.on_grid(place));
        std::iter::repeat_with(move || {
            if left == 0 {
                left = columns;
                next = self.on_grid(place);
            }
            left -= 1;
            place += 1;
            next += step;
            next - step
        })
    }

    /// The plane, row and column of a place on the grid, those of the first voxel being 0; along an axis with a rim they begin at −1.
    pub fn coordinates(&self, place: usize) -> [i32; 3] {
        let [_, line, plane] = self.strides;
        let rim = |axis: usize| i32::from(axis < self.axes);
        let (z, y, x) = (place / plane, place % plane / line, place % plane % line);
        // There are fewer than 2^30 places.
        [z as i32 - rim(2), y as i32 - rim(1), x as i32 - rim(0)]
    }

    /// The place in memory of a voxel's place on the grid.
    pub fn in_memory(&self, place: usize) -> usize {
        let [planes, rows, columns] = self.extents;
        let (place, [_, line, plane]) =
            ((place - self.shift()) as u32, self.strides.map(|stride| stride as u32));
        let (z, rest) = ((place / plane) as usize, place % plane);
        let (y, x) = ((rest / line) as usize, (rest % line) as usize);
        if self.is_transposed { (x * rows + y) * planes + z } else { (z * rows + y) * columns + x }
    }
}

/// Whether images of this shape can have their classes found, before they are read.
///
/// # Errors
/// [`PersistenceError::TooLarge`]: they take 2^30 places or more.
pub fn check(shape: Shape) -> Result<(), PersistenceError> {
    GridLayout::new(shape).map(drop)
}
