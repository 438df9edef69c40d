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

/// The bytes of the voxels of an image in this order of its user's axes, copied only if they are in the other.
pub(super) fn bytes_in_order(image: &AnyImage, order: Order) -> Cow<'_, [u8]> {
    let (shape, bytes) = (image.shape(), image.bytes());
    if shape.order() == order || shape.dim() == 1 {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(match image.voxel_type().bytes() {
        1 => transposed::<1>(bytes, shape),
        2 => transposed::<2>(bytes, shape),
        4 => transposed::<4>(bytes, shape),
        _ => transposed::<8>(bytes, shape),
    })
}

/// The bytes of voxels of `SIZE` bytes in the other order, in which the slowest axis in memory is the fastest.
fn transposed<const SIZE: usize>(bytes: &[u8], shape: Shape) -> Vec<u8> {
    let voxels = bytes.as_chunks::<SIZE>().0;
    let [planes, rows, columns] = shape.extents();
    let mut reordered = Vec::with_capacity(shape.count());
    for column in 0..columns {
        for row in 0..rows {
            reordered.extend((0..planes).map(|plane| voxels[(plane * rows + row) * columns + column]));
        }
    }
    reordered.into_flattened()
}

/// The values of the voxels of an image, the first of its user's axes fastest.
pub(super) fn values_in_fortran_order(image: &AnyImage) -> impl ExactSizeIterator<Item = f64> {
    let (is_fortran, shape) = (image.shape().order() == Order::F, image.shape().in_order(Order::F));
    (0..shape.count()).map(move |k| image.value(if is_fortran { k } else { shape.c_place(k) }))
}
