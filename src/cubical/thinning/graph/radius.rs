//! The exact Euclidean distance transform of an image at single voxels.
//!
//! Radii are needed only along a skeleton, and skeletons are thin. So no field of distances over the whole image is
//! computed: rows are visited by their distance from the voxel, until they are farther away than the nearest background
//! so far, and each is searched a word of 64 voxels at a time. In space that takes some πr² rows for a radius of r
//! voxels, as many as there are voxels in a cross-section of the object; so along a curve it takes about as many steps
//! as the object has voxels, and in the plane fewer. Nothing is stored.

use super::voxels::{Voxels, at};
use crate::cubical::shape::Shape;
use crate::cubical::thinning::bits::{BitImage, WORD};

/// Distances of neighbouring voxels along planes, rows and columns.
pub(super) struct Spacing {
    axes: [f64; 3],
    /// Whether the image has each of these axes.
    is_axis: [bool; 3],
    /// Length of the step to a neighbour; bit k of the index says whether it leads along axis k.
    steps: [f64; 8],
}

impl Spacing {
    /// The spacings of an image in C order; `users` has one for each of the user's axes.
    pub(super) fn new(shape: Shape, users: &[f64]) -> Self {
        let (axes, dim) = (shape.long(users, 1.0), shape.dim());
        let step = |along: usize| -> f64 {
            let squares = (0..3).filter(|axis| along >> axis & 1 == 1).map(|axis| axes[axis] * axes[axis]);
            squares.sum::<f64>().sqrt()
        };
        Spacing { axes, is_axis: [dim == 3, dim >= 2, true], steps: std::array::from_fn(step) }
    }

    /// Distance of two voxels that touch.
    pub(super) fn between(&self, voxels: &Voxels<'_>, a: usize, b: usize) -> f64 {
        let [z, y, x] = voxels.apart(a, b);
        self.steps[z | y << 1 | x << 2]
    }

    /// Square of a distance of so many voxels along an axis.
    pub(super) fn square(&self, axis: usize, voxels: f64) -> f64 {
        let apart = voxels * self.axes[axis];
        apart * apart
    }
}

/// Distance of the voxel at `place`, in C order, from the nearest voxel of background; outside the image is
/// background. Sums of squares are exact unless they need more than 53 bits.
pub(super) fn radius(object: &BitImage, spacing: &Spacing, place: usize) -> f64 {
    let extents = object.shape().extents();
    let [plane, row, column] = at(object.shape(), place);
    let width = object.width();
    let mut least = f64::INFINITY;
    outwards(spacing, 0, plane, extents[0], 0.0, &mut least, &mut |z, of_plane, least| {
        let Some(z) = z else { return of_plane };
        outwards(spacing, 1, row, extents[1], of_plane, least, &mut |y, of_row, least| {
            let Some(y) = y else { return of_row };
            let words = &object.words()[(z * extents[1] + y) * width..][..width];
            let voxels = gap(words, column, |voxels| of_row + spacing.square(2, voxels) < *least);
            voxels.map_or(f64::INFINITY, |voxels| of_row + spacing.square(2, voxels as f64))
        });
        *least
    });
    least.sqrt()
}

/// Visits the places along an axis by their distance from `start`, until they are farther away than the least square
/// of a distance so far. `visit` gets the place, or `None` outside the image, and the square of its distance, to which
/// `before` is added; it returns the least square that it finds.
fn outwards(
    spacing: &Spacing,
    axis: usize,
    start: usize,
    extent: usize,
    before: f64,
    least: &mut f64,
    visit: &mut dyn FnMut(Option<usize>, f64, &mut f64) -> f64,
) {
    let last = if spacing.is_axis[axis] { extent } else { 0 };
    for apart in 0..=last {
        let square = before + spacing.square(axis, apart as f64);
        if square >= *least {
            return;
        }
        let places = [start.checked_sub(apart), Some(start + apart).filter(|&place| place < extent)];
        for place in places.into_iter().take(1 + usize::from(apart > 0)) {
            let found = visit(place, square, least);
            *least = least.min(found);
        }
    }
}

/// Number of voxels from `column` to the nearest background of a row, 0 if it is background itself; `None` if that is
/// farther away than matters, which `matters` says for a lower bound.
fn gap(row: &[u64], column: usize, matters: impl Fn(f64) -> bool) -> Option<usize> {
    let (word, bit) = (column / WORD, column % WORD);
    // The background of a word, the nearest voxel in bit 0 to the right and in bit 63 to the left, and the number of
    // voxels from `column` to that bit.
    let (mut right, mut to_right) = (!row[word] >> bit, 0);
    let (mut left, mut to_left) = (!row[word] << (WORD - 1 - bit), 0);
    let (mut past_right, mut past_left, mut further) = (WORD - bit, bit + 1, 0);
    let mut found = None;
    loop {
        let on_right = (right != 0).then(|| to_right + right.trailing_zeros() as usize);
        let on_left = (left != 0).then(|| to_left + left.leading_zeros() as usize);
        found = [found, on_right, on_left].into_iter().flatten().min();
        let nearest = past_right.min(past_left);
        if found.is_some_and(|found| found <= nearest) || !matters(nearest as f64) {
            return found;
        }
        further += 1;
        right = !row.get(word + further).copied().unwrap_or(0);
        left = !word.checked_sub(further).map_or(0, |word| row[word]);
        (to_right, to_left) = (past_right, past_left);
        (past_right, past_left) = (past_right + WORD, past_left + WORD);
    }
}
