//! Voxels in the order of an output format.

use std::borrow::Cow;

use crate::cubical::image::AnyImage;
use crate::cubical::shape::{Order, Shape};

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

/// Whether voxels in memory are not in this order of the user's axes. In the other order the slowest axis in memory is
/// the fastest.
fn is_other(shape: Shape, order: Order) -> bool {
    shape.order() != order && shape.dim() > 1
}

/// The voxels of an image of this shape in this order of its user's axes, copied only if they are in the other.
fn in_order<T: Copy>(voxels: &[T], shape: Shape, order: Order) -> Cow<'_, [T]> {
    if !is_other(shape, order) {
        return Cow::Borrowed(voxels);
    }
    let [planes, rows, columns] = shape.extents();
    let mut reordered = Vec::with_capacity(shape.count());
    for column in 0..columns {
        for row in 0..rows {
            reordered.extend((0..planes).map(|plane| voxels[(plane * rows + row) * columns + column]));
        }
    }
    Cow::Owned(reordered)
}

/// The bytes of the voxels of an image in this order of its user's axes, copied only if they are in the other.
pub(super) fn bytes_in_order(image: &AnyImage, order: Order) -> Cow<'_, [u8]> {
    fn of_size<const SIZE: usize>(bytes: &[u8], shape: Shape, order: Order) -> Cow<'_, [u8]> {
        match in_order(bytes.as_chunks::<SIZE>().0, shape, order) {
            Cow::Borrowed(_) => Cow::Borrowed(bytes),
            Cow::Owned(voxels) => Cow::Owned(voxels.into_flattened()),
        }
    }
    let of_size = match image.voxel_type().bytes() {
        1 => of_size::<1>,
        2 => of_size::<2>,
        4 => of_size::<4>,
        _ => of_size::<8>,
    };
    of_size(image.bytes(), image.shape(), order)
}

/// The values of the voxels of an image in this order of its user's axes.
pub(super) fn values_in_order(image: &AnyImage, order: Order) -> impl ExactSizeIterator<Item = f64> {
    let (shape, is_other) = (image.shape(), is_other(image.shape(), order));
    let [planes, rows, columns] = shape.extents();
    (0..shape.count()).map(move |k| {
        let other = || (k % planes * rows + k / planes % rows) * columns + k / planes / rows;
        image.value(if is_other { other() } else { k })
    })
}
