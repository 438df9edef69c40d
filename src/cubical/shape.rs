//! The shape of an image: its extent along each axis and the order of voxels in memory.

use std::fmt;

/// The axis of the user's array that varies fastest in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Order {
    /// The last axis varies fastest, as in C and NumPy.
    #[default]
    C,
    /// The first axis varies fastest, as in Fortran.
    F,
}

/// Greatest number of axes of more than one voxel.
const MOST: usize = 4;

/// Greatest number of axes of a user's array, including those of one voxel: NumPy's limit.
const MOST_AXES: usize = 64;

/// The extents of an image along the axes by which its user indexes it. There may be up to 64 axes, of which at most
/// four have more than one voxel. Persistent homology and curves are computed along four, everything else along three.
///
/// Axes of one voxel do not affect results: an image of shape (512, 512, 1) is a plane. They are left out of
/// [`dim`](Shape::dim) and [`extents`](Shape::extents), on which all computations work, and kept in
/// [`axes`](Shape::axes) and [`coordinates`](Shape::coordinates), which are shown to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The extents, the slowest axis in memory first, padded with 1 at the front.
    extents: [usize; MOST],
    dim: usize,
    order: Order,
    /// The number of the user's axes.
    count: u8,
    /// The indices of the user's axes that are kept: the first `dim` entries, ascending.
    kept: [u8; MOST],
}

/// An error in the shape of an image, or voxels that do not fit it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// There is no axis, or more axes of more than one voxel than there may be.
    #[error("expected 1 to {most} axes of more than one voxel, found shape {found:?}")]
    Axes {
        /// The greatest number of axes: 4, or 3 where four cannot be computed.
        most: usize,
        /// The shape.
        found: Vec<usize>,
    },
    /// An axis has no voxels.
    #[error("expected at least one voxel along each axis, found shape {found:?}")]
    Empty {
        /// The shape.
        found: Vec<usize>,
    },
    /// There are more voxels than can be addressed.
    #[error("expected fewer than 2^63 voxels, found shape {found:?}")]
    TooLarge {
        /// The shape.
        found: Vec<usize>,
    },
    /// The number of values differs from the number of voxels.
    #[error("expected {expected} voxels, found {found}")]
    Voxels {
        /// The number of voxels of the shape.
        expected: usize,
        /// The number of values given.
        found: usize,
    },
    /// A voxel is NaN, which has no place in the order.
    #[error("voxel {voxel:?}: expected a number, found NaN")]
    NotANumber {
        /// The coordinates of the voxel along the user's axes.
        voxel: Vec<usize>,
    },
}

impl Shape {
    /// The shape of an array with these axes, in this memory order.
    ///
    /// # Errors
    /// [`ShapeError`]: there are no axes or too many, more than four have more than one voxel, or the number of voxels
    /// is 0 or too large.
    pub fn new(axes: &[usize], order: Order) -> Result<Shape, ShapeError> {
        if axes.contains(&0) {
            return Err(ShapeError::Empty { found: axes.to_vec() });
        }
        let long: Vec<usize> = (0..axes.len()).filter(|&axis| axes[axis] > 1).collect();
        if !(1..=MOST_AXES).contains(&axes.len()) || long.len() > MOST {
            return Err(ShapeError::Axes { most: MOST, found: axes.to_vec() });
        }
        let count = axes.iter().try_fold(1_usize, |count, &axis| count.checked_mul(axis));
        if count.is_none_or(|count| count > isize::MAX as usize) {
            return Err(ShapeError::TooLarge { found: axes.to_vec() });
        }
        // A single voxel keeps its last axis, so that `dim` is at least 1.
        let long = if long.is_empty() { vec![axes.len() - 1] } else { long };
        let (dim, mut extents, mut kept) = (long.len(), [1; MOST], [0; MOST]);
        for (k, &axis) in long.iter().enumerate() {
            let place = if order == Order::C { MOST - dim + k } else { MOST - 1 - k };
            extents[place] = axes[axis];
            // There are at most 64 axes.
            kept[k] = axis as u8;
        }
        Ok(Shape { extents, dim, order, count: axes.len() as u8, kept })
    }

    /// The number of axes of more than one voxel, or 1 for a single voxel: 1 to 4.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The numbers of planes, rows per plane and voxels per row: the slowest axis in memory first, axes of one voxel
    /// left out. Missing axes come first and are 1. Of four axes, the planes of all volumes are counted together, as
    /// they follow each other in memory.
    pub fn extents(&self) -> [usize; 3] {
        let [volumes, planes, rows, columns] = self.extents;
        [volumes * planes, rows, columns]
    }

    /// The extents along four axes, the slowest in memory first: numbers of volumes, of planes per volume, and so on.
    pub fn four_extents(&self) -> [usize; 4] {
        self.extents
    }

    /// Checks that there are at most three axes of more than one voxel.
    ///
    /// # Errors
    /// [`ShapeError::Axes`]: there are four.
    pub fn check_three(&self) -> Result<(), ShapeError> {
        if self.dim < MOST { Ok(()) } else { Err(ShapeError::Axes { most: MOST - 1, found: self.axes() }) }
    }

    /// The order of the axes in memory.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The shape with the same user's axes in another memory order.
    #[must_use]
    pub fn in_order(self, order: Order) -> Shape {
        let mut extents = self.extents;
        if order != self.order {
            extents[MOST - self.dim..].reverse();
        }
        Shape { extents, order, ..self }
    }

    /// The extents along the user's axes, including those of one voxel.
    pub fn axes(&self) -> Vec<usize> {
        self.along_axes(self.users(self.extents), 1)
    }

    /// Describes an image of this shape for messages: `7x6x5 image of u16`; with one axis, `line of 600 voxels of f64`.
    pub fn described(&self, voxel_type: impl fmt::Display) -> String {
        match self.axes()[..] {
            [1] => format!("line of 1 voxel of {voxel_type}"),
            [voxels] => format!("line of {voxels} voxels of {voxel_type}"),
            _ => format!("{self} image of {voxel_type}"),
        }
    }

    /// The number of voxels.
    pub fn count(&self) -> usize {
        self.extents.iter().product()
    }

    /// The coordinates, along the user's axes including those of one voxel, of the voxel at a place in memory.
    pub fn coordinates(&self, place: usize) -> Vec<usize> {
        self.along_axes(self.long_coordinates(place), 0)
    }

    /// The coordinates along three axes, or four, of the voxel at a place in memory: those along the user's axes,
    /// padded with 0 at the end. If the user has more than three axes, only those of more than one voxel count.
    pub fn coordinates_of_three(&self, place: usize) -> Vec<usize> {
        let mut all = if self.count > 3 { self.long_coordinates(place) } else { self.coordinates(place) };
        all.resize(all.len().max(3), 0);
        all
    }

    /// The place in C order of the voxel at a place in memory.
    pub(crate) fn c_place(&self, place: usize) -> usize {
        match self.order {
            Order::C => place,
            Order::F => transposed(self.extents, place),
        }
    }

    /// The place in memory of the voxel at a place in C order: the inverse of [`c_place`](Shape::c_place).
    pub(crate) fn memory_place(&self, c_place: usize) -> usize {
        match self.order {
            Order::C => c_place,
            Order::F => transposed(self.in_order(Order::C).extents, c_place),
        }
    }

    fn long_coordinates(&self, place: usize) -> Vec<usize> {
        self.users(coordinates(self.extents, place))
    }

    /// Places one item per kept axis among all of the user's axes; the others have `other`.
    pub(in crate::cubical) fn along_axes<T: Copy>(&self, long: Vec<T>, other: T) -> Vec<T> {
        let mut axes = vec![other; self.count.into()];
        self.kept.into_iter().zip(long).for_each(|(axis, item)| axes[usize::from(axis)] = item);
        axes
    }

    /// Rearranges one item per user's axis to memory order, of no fewer axes than are kept; axes that are left out have
    /// none, missing ones have `other`.
    pub(in crate::cubical) fn long<T: Copy, const N: usize>(&self, users: &[T], other: T) -> [T; N] {
        let mut memory = [other; N];
        for (k, &axis) in self.kept.iter().take(self.dim).enumerate() {
            memory[N - self.dim + k] = users[usize::from(axis)];
        }
        if self.order == Order::F {
            memory[N - self.dim..].reverse();
        }
        memory
    }

    /// Rearranges one item per kept axis from memory order to the order of the user's axes.
    pub(crate) fn users<T: Copy, const N: usize>(&self, memory: [T; N]) -> Vec<T> {
        let mut axes = memory[N - self.dim..].to_vec();
        if self.order == Order::F {
            axes.reverse();
        }
        axes
    }
}

/// The coordinates of a place in an array of these extents.
fn coordinates([_, planes, rows, columns]: [usize; MOST], place: usize) -> [usize; MOST] {
    let (row, plane) = (place / columns, place / columns / rows);
    [plane / planes, plane % planes, row % rows, place % columns]
}

/// The place of a voxel after the order of the axes of an array of `extents` is reversed. Missing axes come first and
/// have extent 1.
fn transposed(extents: [usize; MOST], place: usize) -> usize {
    let along = coordinates(extents, place).into_iter().zip(extents);
    along.rev().fold(0, |place, (coordinate, extent)| place * extent + coordinate)
}

/// Formats the extents along the user's axes as `512x512x40`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.axes().iter().map(usize::to_string).collect();
        f.write_str(&axes.join("x"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn fortran_order_is_the_same_array_indexed_backwards() {
        let shape = Shape::new(&[2, 3, 5], Order::F).unwrap();
        assert_eq!((shape.extents(), shape.axes()), ([5, 3, 2], vec![2, 3, 5]));
        assert_eq!(shape.coordinates(7), [1, 0, 1]);
        assert_eq!(Shape::new(&[2, 3, 5], Order::C).unwrap().coordinates(7), [0, 1, 2]);
        let plane = Shape::new(&[4, 6], Order::F).unwrap();
        assert_eq!(
            (plane.extents(), plane.coordinates(5), plane.to_string()),
            ([1, 6, 4], vec![1, 1], "4x6".into())
        );
    }

    #[test]
    fn axes_of_one_voxel_are_told_and_nothing_else() {
        for (axes, extents, dim) in [
            (&[5, 4, 1][..], [1, 5, 4], 2),
            (&[5, 1, 4], [1, 5, 4], 2),
            (&[1, 5, 4], [1, 5, 4], 2),
            (&[1, 5, 1, 4, 1], [1, 5, 4], 2),
            (&[2, 1, 3, 4], [2, 3, 4], 3),
            (&[1, 7, 1], [1, 1, 7], 1),
            (&[7, 1], [1, 1, 7], 1),
            (&[1, 1, 1, 1], [1, 1, 1], 1),
            (&[2, 3, 1, 4, 5], [6, 4, 5], 4),
        ] {
            let shape = Shape::new(axes, Order::C).unwrap();
            assert_eq!((shape.extents(), shape.dim(), shape.axes()), (extents, dim, axes.to_vec()));
            let mut memory = shape.four_extents();
            memory[4 - dim..].reverse();
            let other = Shape::new(axes, Order::F).unwrap();
            assert_eq!((other.four_extents(), other.dim(), other.axes()), (memory, dim, axes.to_vec()));
            assert_eq!((shape.in_order(Order::F), other.in_order(Order::C)), (other, shape));
            assert_eq!(shape.in_order(Order::C), shape);
            for place in 0..shape.count() {
                assert_eq!(shape.c_place(place), place);
                assert_eq!(other.coordinates(place), shape.coordinates(other.c_place(place)));
                assert_eq!(other.memory_place(other.c_place(place)), place);
            }
            let last: Vec<usize> = axes.iter().map(|extent| extent - 1).collect();
            for shape in [shape, other] {
                assert_eq!(shape.coordinates(shape.count() - 1), last);
            }
        }
        let shape = Shape::new(&[5, 1, 4], Order::F).unwrap();
        assert_eq!((shape.coordinates(7), shape.coordinates_of_three(7)), (vec![2, 0, 1], vec![2, 0, 1]));
        let shape = Shape::new(&[1, 5, 4, 1], Order::C).unwrap();
        assert_eq!((shape.coordinates(7), shape.coordinates_of_three(7)), (vec![0, 1, 3, 0], vec![1, 3, 0]));
    }

    #[test]
    fn shapes_that_cannot_be() {
        for axes in [vec![], vec![2; 5], vec![1, 2, 1, 2, 2, 1, 3, 2], vec![1; 65]] {
            assert_eq!(Shape::new(&axes, Order::C), Err(ShapeError::Axes { most: 4, found: axes }));
        }
        let four = Shape::new(&[2, 1, 3, 2, 2], Order::F).unwrap();
        assert_eq!(four.check_three(), Err(ShapeError::Axes { most: 3, found: four.axes() }));
        assert_eq!(Shape::new(&[3, 0], Order::C), Err(ShapeError::Empty { found: vec![3, 0] }));
        let huge = vec![1 << 31, 1 << 31, 2];
        assert_eq!(Shape::new(&huge, Order::C), Err(ShapeError::TooLarge { found: huge.clone() }));
    }
}
