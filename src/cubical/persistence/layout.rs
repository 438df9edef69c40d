//! Conversion between places in memory and places on a grid with a rim.

use std::ops::Range;

use super::error::PersistenceError;
use crate::cubical::periodic::Periodic;
use crate::cubical::shape::{Order, Shape};
use crate::parallel;

/// Number of places in the lines that a thread takes at a time, at least.
const PART: usize = 1 << 12;

/// The layout of an image in memory and on a grid with one additional place at either end of each axis, the *rim*.
///
/// The grid is in C order of the user's axes, whatever the order in memory. Ties are broken by grid places, so the
/// result is a function of the array and not of its storage.
///
/// Axes of one voxel are left out, since they change no class. Along a periodic axis, places of the rim stand for the
/// voxels at the other end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GridLayout {
    shape: Shape,
    /// Number of axes with more than one voxel.
    pub(crate) axes: usize,
    /// Number of planes, rows and columns of the image.
    pub(crate) extents: [usize; 3],
    /// The distance between neighbouring places along axis 0 (columns), 1 (rows), 2 (planes).
    pub(crate) strides: [usize; 3],
    /// Whether the grid closes up along axis 0 (columns), 1 (rows), 2 (planes).
    pub(crate) is_periodic: [bool; 3],
    /// The first slice along the slowest axis, and the number of slices of the whole image, if this is a block of it.
    pub(crate) slices: (usize, usize),
    places: usize,
    /// Whether the first of the user's axes, the slowest on the grid, is the fastest in memory.
    is_transposed: bool,
}

/// Exclusive limit of grid places: beside its place, a cell in memory has 4 bits.
const LIMIT: u64 = 1 << 36;
/// Exclusive limit of grid places where voxels are sorted: the number of a value and a place take 30 bits each.
const LIMIT_OF_SORTED: u64 = 1 << 30;
/// Exclusive limit of an extent: doubled coordinates of cells are signed and take 32 bits.
const LIMIT_OF_EXTENT: usize = (1 << 30) - 1;

impl GridLayout {
    /// The layout of an image of this shape.
    ///
    /// # Errors
    /// [`PersistenceError`]: there are four axes; the grid has 2^36 places or more, or a line of 2^30; or an axis
    /// cannot be periodic.
    pub(crate) fn new(shape: Shape, periodic: Periodic) -> Result<Self, PersistenceError> {
        shape.check_three()?;
        periodic.check(shape)?;
        let extents = shape.in_order(Order::C).extents();
        let axes = extents.iter().filter(|&&extent| extent > 1).count();
        let with_rim = |axis: usize| extents[axis] + if extents[axis] > 1 { 2 } else { 0 };
        if extents.iter().any(|&extent| extent >= LIMIT_OF_EXTENT) {
            return Err(PersistenceError::TooLarge { shape, most: LIMIT_OF_EXTENT as u64 + 2 });
        }
        let places = (0..3).try_fold(1, |places: usize, axis| places.checked_mul(with_rim(axis)));
        let too_large = PersistenceError::TooLarge { shape, most: LIMIT };
        let places = places.filter(|&places| (places as u64) < LIMIT).ok_or(too_large)?;
        let strides = [1, with_rim(2), with_rim(1) * with_rim(2)];
        let is_transposed = shape.order() == Order::F && axes > 1;
        let mut is_periodic = periodic.in_memory(shape.in_order(Order::C));
        is_periodic.reverse();
        let slices = (0, extents[3 - axes.max(1)]);
        Ok(GridLayout { shape, axes, extents, strides, is_periodic, slices, places, is_transposed })
    }

    /// Checks whether the voxels can be sorted.
    ///
    /// # Errors
    /// [`PersistenceError::TooWide`]: the grid has 2^30 places or more.
    pub(super) fn check_sortable(&self) -> Result<(), PersistenceError> {
        let is_sortable = (self.places as u64) < LIMIT_OF_SORTED;
        let too_wide = PersistenceError::TooWide { shape: self.shape, most: LIMIT_OF_SORTED };
        is_sortable.then_some(()).ok_or(too_wide)
    }

    /// Calls `clear` with the elements of each line of a table of places, rim included, and then `work` with those of
    /// its voxels and the number of the line of voxels. Threads take some lines at a time.
    pub(super) fn each_line<T: Send>(
        &self,
        table: &mut [T],
        clear: &(dyn Fn(&mut [T]) + Sync),
        work: &(dyn Fn(usize, &mut [T]) + Sync),
    ) {
        let [planes, rows, columns] = self.extents;
        let line = self.strides[1].max(columns);
        let per_plane = self.strides[2] / line;
        let first = self.shift();
        let (skipped_planes, skipped_rows) = (first / self.strides[2], first % self.strides[2] / line);
        let lines = (PART / line).max(1);
        parallel::pieces_mut(table, lines * line, &|part, table| {
            for (number, table) in (part * lines..).zip(table.chunks_mut(line)) {
                clear(table);
                let plane = (number / per_plane).checked_sub(skipped_planes).filter(|&plane| plane < planes);
                let row = (number % per_plane).checked_sub(skipped_rows).filter(|&row| row < rows);
                if let (Some(plane), Some(row)) = (plane, row) {
                    let start = first % line;
                    work(plane * rows + row, &mut table[start..start + columns]);
                }
            }
        });
    }

    /// Whether any axis is periodic.
    #[inline(always)]
    pub(crate) fn closes_up(&self) -> bool {
        self.is_periodic != [false; 3]
    }

    /// The distance between neighbouring slices, along the slowest axis.
    pub(super) fn slice(&self) -> usize {
        self.strides[self.axes.max(1) - 1]
    }

    /// The layout of some slices of the image with a rim: those beside them, or the rim of the whole.
    pub(super) fn block(&self, slices: Range<usize>) -> Self {
        let mut block = *self;
        block.extents[3 - self.axes.max(1)] = slices.len();
        block.slices.0 = slices.start;
        block.places = (slices.len() + if self.axes > 0 { 2 } else { 0 }) * self.slice();
        block
    }

    /// The number of a voxel among those of the whole image along an axis, and how many these are.
    pub(super) fn along(&self, axis: usize, at: usize) -> (usize, usize) {
        let (first, slices) = self.slices;
        if axis + 1 == self.axes { (first + at, slices) } else { (at, self.extents[2 - axis]) }
    }

    /// The place of the voxel that a place stands for: another one on the rim of a periodic axis.
    #[cold]
    pub(super) fn home(&self, mut place: usize) -> usize {
        for axis in (0..3).filter(|&axis| self.is_periodic[axis]) {
            let (extent, stride) = (self.extents[2 - axis], self.strides[axis]);
            match place / stride % (extent + 2) {
                0 => place += extent * stride,
                at if at > extent => place -= extent * stride,
                _ => {}
            }
        }
        place
    }

    /// Copies what a table has at voxels to the places of the rim that stand for them, unless these are in another
    /// block.
    pub(super) fn close_up<T: Copy>(&self, table: &mut [T]) {
        let is_whole = self.slices == (0, self.extents[3 - self.axes.max(1)]);
        let axes = if is_whole { self.axes } else { self.axes - 1 };
        for axis in (0..axes).filter(|&axis| self.is_periodic[axis]) {
            let (extent, stride) = (self.extents[2 - axis], self.strides[axis]);
            for slabs in table.chunks_exact_mut((extent + 2) * stride) {
                slabs.copy_within(extent * stride..(extent + 1) * stride, 0);
                slabs.copy_within(stride..2 * stride, (extent + 1) * stride);
            }
        }
    }

    /// Number of places on the grid, including the rim.
    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// The extents in memory and the grid distances between neighbouring voxels, both for the slowest axis in memory
    /// first.
    pub(super) fn memory(&self) -> ([usize; 3], [usize; 3]) {
        let (mut extents, [column, row, plane]) = (self.extents, self.strides);
        let mut strides = [plane, row, column];
        if self.is_transposed {
            extents[3 - self.axes..].reverse();
            strides[3 - self.axes..].reverse();
        }
        (extents, strides)
    }

    /// The grid place of the first voxel.
    pub(crate) fn shift(&self) -> usize {
        self.strides[..self.axes].iter().sum()
    }

    /// The place of the first voxel of a row.
    pub(crate) fn row(&self, plane: usize, row: usize) -> usize {
        plane * self.strides[2] + row * self.strides[1] + self.shift()
    }

    /// The grid place of the voxel at a place in memory.
    pub(crate) fn on_grid(&self, place: usize) -> usize {
        let (extents, [plane, row, column]) = self.memory();
        let [_, rows, columns] = extents;
        let (line, x) = divided(place, columns);
        let (z, y) = divided(line, rows);
        z * plane + y * row + x * column + self.shift()
    }

    /// The grid places of the voxels from a place in memory on, as an endless iterator.
    pub(crate) fn places_from(&self, place: usize) -> impl Iterator<Item = usize> + Clone + '_ {
        let ([_, _, columns], [_, _, step]) = self.memory();
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

    /// The plane, row and column of a grid place. The first voxel has coordinate 0; along an axis with a rim they begin
    /// at −1.
    pub(crate) fn coordinates(&self, place: usize) -> [i32; 3] {
        let [_, line, plane] = self.strides;
        let rim = |axis: usize| i32::from(axis < self.axes);
        let (z, y, x) = (place / plane, place % plane / line, place % plane % line);
        // An extent has fewer than 2^30 voxels.
        [z as i32 - rim(2), y as i32 - rim(1), x as i32 - rim(0)]
    }

    /// The place in C order of the voxel at a place in memory.
    pub(super) fn c_place(&self, place: usize) -> usize {
        self.shape.c_place(place)
    }

    /// The distance in memory between neighbouring voxels along each axis of the grid.
    pub(super) fn strides_in_memory(&self) -> [usize; 3] {
        let [planes, rows, columns] = self.extents;
        if self.is_transposed { [rows * planes, planes, 1] } else { [1, columns, rows * columns] }
    }

    /// The column, row and plane of the voxel at a grid place; `None` if the place is on the rim.
    pub(super) fn voxel(&self, place: usize) -> Option<[usize; 3]> {
        let [_, line, plane] = self.strides;
        let rim = |axis: usize| usize::from(axis < self.axes);
        let (z, rest) = divided(place, plane);
        let (y, x) = divided(rest, line);
        let at = [x.wrapping_sub(rim(0)), y.wrapping_sub(rim(1)), z.wrapping_sub(rim(2))];
        at.iter().zip(self.extents.iter().rev()).all(|(at, extent)| at < extent).then_some(at)
    }

    /// The place in memory of the voxel at a grid place.
    pub(crate) fn in_memory(&self, place: usize) -> usize {
        let [_, line, plane] = self.strides;
        let (z, rest) = divided(place - self.shift(), plane);
        let (y, x) = divided(rest, line);
        dot([x, y, z], self.strides_in_memory())
    }
}

/// The sum of steps along each axis, given what a step along it is.
#[inline(always)]
pub(super) fn dot(steps: [usize; 3], strides: [usize; 3]) -> usize {
    steps.into_iter().zip(strides).map(|(step, stride)| step * stride).sum()
}

/// A quotient and its remainder.
#[inline(always)]
fn divided(number: usize, by: usize) -> (usize, usize) {
    // Division of 32 bits is faster than that of 64.
    match (u32::try_from(number), u32::try_from(by)) {
        (Ok(number), Ok(by)) => ((number / by) as usize, (number % by) as usize),
        _ => (number / by, number % by),
    }
}

/// Checks from the shape alone whether the classes of images can be computed, unless their values are too wide.
///
/// # Errors
/// [`PersistenceError`]: the grid has 2^36 places or more, or a line of 2^30; or an axis cannot be periodic.
pub fn check(shape: Shape, periodic: Periodic) -> Result<(), PersistenceError> {
    GridLayout::new(shape, periodic).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_36_bits_and_those_that_are_sorted_30() {
        let layout =
            |axes: &[usize], order| GridLayout::new(Shape::new(axes, order).unwrap(), Periodic::default());
        assert!(layout(&[1 << 18, (1 << 18) - 2], Order::C).is_err());
        assert!(layout(&[1 << 30], Order::C).is_err() && layout(&[(1 << 30) - 2], Order::C).is_ok());
        for (axes, order) in [
            (&[65534, 65533][..], Order::C),
            (&[65533, 65534], Order::F),
            (&[(1 << 18) - 2, (1 << 18) - 3], Order::C),
            (&[4094, 3001, 4095], Order::F),
        ] {
            let large = layout(axes, order).unwrap();
            let voxels: usize = axes.iter().product();
            for place in (0..9).chain(voxels / 2..voxels / 2 + 9).chain(voxels - 9..voxels) {
                assert_eq!(large.in_memory(large.on_grid(place)), place);
            }
            assert!(matches!(large.check_sortable(), Err(PersistenceError::TooWide { .. })));
        }
        assert!(layout(&[32766, 32766], Order::C).unwrap().check_sortable().is_err());
        assert!(layout(&[32766, 32765], Order::C).unwrap().check_sortable().is_ok());
    }
}
