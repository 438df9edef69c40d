//! How many voxels an image has along each axis, and in which order they lie in memory.

use std::fmt;

/// Which of the user's axes varies fastest in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Order {
    /// The last axis varies fastest, as in C and NumPy.
    #[default]
    C,
    /// The first axis varies fastest, as in Fortran.
    F,
}

/// The most axes that a user's array may have, those of one voxel included: NumPy's limit.
const MOST_AXES: usize = 64;

/// Voxels along the axes of an image, as its user indexes it: any number of axes, of which at most three have more than one voxel.
///
/// Axes of one voxel change nothing: an image of shape (512, 512, 1) is a plane. They are left out of [`dim`](Shape::dim) and
/// [`extents`](Shape::extents), which are what all work is done with, and stay in [`axes`](Shape::axes) and in
/// [`coordinates`](Shape::coordinates), which are what the user is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The slowest axis in memory first; axes that are left out are 1, and the first ones.
    extents: [usize; 3],
    dim: usize,
    order: Order,
    /// The number of the user's axes.
    count: u8,
    /// Which of the user's axes are not left out, the first `dim` entries ascending.
    kept: [u8; 3],
}

/// Why there is no such shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// No axis, or more than three of more than one voxel.
    #[error("expected 1 to 3 axes of more than one voxel, found shape {found:?}")]
    Axes {
        /// The shape.
        found: Vec<usize>,
    },
    /// An axis without voxels.
    #[error("expected at least one voxel along each axis, found shape {found:?}")]
    Empty {
        /// The shape.
        found: Vec<usize>,
    },
    /// More voxels than can be counted.
    #[error("expected fewer than 2^63 voxels, found shape {found:?}")]
    TooLarge {
        /// The shape.
        found: Vec<usize>,
    },
    /// Not one value a voxel.
    #[error("expected {expected} voxels, found {found}")]
    Voxels {
        /// What the shape takes.
        expected: usize,
        /// What there is.
        found: usize,
    },
    /// A voxel that cannot be compared with others.
    #[error("voxel {voxel:?}: expected a number, found NaN")]
    NotANumber {
        /// Its coordinates along the user's axes.
        voxel: Vec<usize>,
    },
}

impl Shape {
    /// The shape of an array that its user indexes by these axes, which lie in memory in this order.
    ///
    /// # Errors
    /// [`ShapeError`]: there are no axes, more than three of more than one voxel, or no voxels or too many.
    pub fn new(axes: &[usize], order: Order) -> Result<Shape, ShapeError> {
        if axes.contains(&0) {
            return Err(ShapeError::Empty { found: axes.to_vec() });
        }
        let long: Vec<usize> = (0..axes.len()).filter(|&axis| axes[axis] > 1).collect();
        if !(1..=MOST_AXES).contains(&axes.len()) || long.len() > 3 {
            return Err(ShapeError::Axes { found: axes.to_vec() });
        }
        let count = axes.iter().try_fold(1_usize, |count, &axis| count.checked_mul(axis));
        if count.is_none_or(|count| count > isize::MAX as usize) {
            return Err(ShapeError::TooLarge { found: axes.to_vec() });
        }
        // A single voxel keeps its last axis: there is always one.
        let long = if long.is_empty() { vec![axes.len() - 1] } else { long };
        let (dim, mut extents, mut kept) = (long.len(), [1; 3], [0; 3]);
        for (k, &axis) in long.iter().enumerate() {
            let place = if order == Order::C { 3 - dim + k } else { 2 - k };
            extents[place] = axes[axis];
            // There are at most 64 axes.
            kept[k] = axis as u8;
        }
        Ok(Shape { extents, dim, order, count: axes.len() as u8, kept })
    }

    /// The number of axes of more than one voxel, or 1 for a single voxel: 1 to 3.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Planes, rows of a plane, voxels of a row: the slowest axis in memory first, axes of one voxel left out. Absent axes, the first
    /// ones, are 1.
    pub fn extents(&self) -> [usize; 3] {
        self.extents
    }

    /// Which of the user's axes varies fastest.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The shape with the same axes of the user's, which lie in memory in this order.
    #[must_use]
    pub fn in_order(self, order: Order) -> Shape {
        let mut extents = self.extents;
        if order != self.order {
            extents[3 - self.dim..].reverse();
        }
        Shape { extents, order, ..self }
    }

    /// Voxels along the user's axes, those of one voxel included.
    pub fn axes(&self) -> Vec<usize> {
        let mut axes = vec![1; self.count.into()];
        self.kept().zip(self.users(self.extents)).for_each(|(axis, extent)| axes[axis] = extent);
        axes
    }

    /// What an image of this shape is, for messages: `7x6x5 image of u16`; of one axis, `line of 600 voxels of f64`.
    pub fn described(&self, voxel_type: &str) -> String {
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

    /// The coordinates of the voxel at a place in memory, along the user's axes, those of one voxel included.
    pub fn coordinates(&self, place: usize) -> Vec<usize> {
        let mut coordinates = vec![0; self.count.into()];
        self.kept().zip(self.long_coordinates(place)).for_each(|(axis, at)| coordinates[axis] = at);
        coordinates
    }

    /// The coordinates of the voxel at a place in memory along three axes: the user's, 0 along those that are not there; where the user
    /// has more than three, those of more than one voxel.
    pub fn three_coordinates(&self, place: usize) -> [usize; 3] {
        let all = if self.count > 3 { self.long_coordinates(place) } else { self.coordinates(place) };
        std::array::from_fn(|axis| all.get(axis).copied().unwrap_or(0))
    }

    /// The place in C order of the voxel at a place in memory.
    pub(crate) fn c_place(&self, place: usize) -> usize {
        match self.order {
            Order::C => place,
            Order::F => transposed(self.extents, place),
        }
    }

    /// The place in memory of a voxel, by its place in C order: the inverse of [`c_place`](Shape::c_place).
    pub(crate) fn memory_place(&self, c_place: usize) -> usize {
        match self.order {
            Order::C => c_place,
            Order::F => transposed(self.in_order(Order::C).extents, c_place),
        }
    }

    fn long_coordinates(&self, place: usize) -> Vec<usize> {
        let [_, rows, columns] = self.extents;
        self.users([place / columns / rows, place / columns % rows, place % columns])
    }

    /// The user's axes that are not left out.
    fn kept(&self) -> impl Iterator<Item = usize> {
        self.kept.into_iter().take(self.dim).map(usize::from)
    }

    /// Numbers that belong to planes, rows and columns, along the user's axes; 0 along those of one voxel.
    pub(in crate::cubical) fn along_axes(&self, memory: [i32; 3]) -> Vec<i32> {
        let mut axes = vec![0; self.count.into()];
        self.kept().zip(self.users(memory)).for_each(|(axis, number)| axes[axis] = number);
        axes
    }

    /// What belongs to the axes in memory, in the order of the user's.
    fn users<T: Copy>(&self, memory: [T; 3]) -> Vec<T> {
        let mut axes = memory[3 - self.dim..].to_vec();
        if self.order == Order::F {
            axes.reverse();
        }
        axes
    }
}

/// The place of a voxel in an array of `extents` once the order of the axes is reversed. Absent axes come first and have extent 1.
fn transposed([planes, rows, columns]: [usize; 3], place: usize) -> usize {
    let (plane, row, column) = (place / columns / rows, place / columns % rows, place % columns);
    (column * rows + row) * planes + plane
}

/// As `512x512x40`, along the user's axes.
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
        ] {
            let shape = Shape::new(axes, Order::C).unwrap();
            assert_eq!((shape.extents(), shape.dim(), shape.axes()), (extents, dim, axes.to_vec()));
            let mut memory = extents;
            memory[3 - dim..].reverse();
            let other = Shape::new(axes, Order::F).unwrap();
            assert_eq!((other.extents(), other.dim(), other.axes()), (memory, dim, axes.to_vec()));
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
        assert_eq!((shape.coordinates(7), shape.three_coordinates(7)), (vec![2, 0, 1], [2, 0, 1]));
        let shape = Shape::new(&[1, 5, 4, 1], Order::C).unwrap();
        assert_eq!((shape.coordinates(7), shape.three_coordinates(7)), (vec![0, 1, 3, 0], [1, 3, 0]));
    }

    #[test]
    fn shapes_that_cannot_be() {
        for axes in [vec![], vec![2; 4], vec![1, 2, 1, 2, 2, 1, 3], vec![1; 65]] {
            assert_eq!(Shape::new(&axes, Order::C), Err(ShapeError::Axes { found: axes }));
        }
        assert_eq!(Shape::new(&[3, 0], Order::C), Err(ShapeError::Empty { found: vec![3, 0] }));
        let huge = vec![1 << 31, 1 << 31, 2];
        assert_eq!(Shape::new(&huge, Order::C), Err(ShapeError::TooLarge { found: huge.clone() }));
    }
}
