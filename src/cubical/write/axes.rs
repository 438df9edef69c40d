//! Voxels in the order of an output format.

use std::borrow::Cow;

use crate::cubical::image::Image;
use crate::cubical::shape::Order;
#[cfg(feature = "codecs")]
use crate::cubical::shape::Shape;

/// Rows and columns of the planes of an image. An image with two user axes has these; one with a single axis is a row;
/// otherwise they are the last axes longer than 1.
#[cfg(feature = "codecs")]
pub(super) fn rows_and_columns(shape: Shape) -> [usize; 2] {
    match shape.axes()[..] {
        [rows, columns] => [rows, columns],
        _ => {
            let [_, rows, columns] = shape.in_order(Order::C).extents();
            [rows, columns]
        }
    }
}

/// The voxels of an image in this order of its user's axes, copied only if they are in the other.
pub(super) fn in_order<T: Copy>(image: &Image<T>, order: Order) -> Cow<'_, [T]> {
    let shape = image.shape();
    if shape.order() == order || shape.dim() == 1 {
        return Cow::Borrowed(image.voxels());
    }
    // In the other order the slowest axis becomes the fastest.
    let [planes, rows, columns] = shape.extents();
    let mut voxels = Vec::with_capacity(shape.count());
    for column in 0..columns {
        for row in 0..rows {
            voxels.extend((0..planes).map(|plane| image.voxels()[(plane * rows + row) * columns + column]));
        }
    }
    Cow::Owned(voxels)
}
