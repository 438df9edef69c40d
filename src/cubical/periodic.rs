//! Axes along which an image closes up.

use std::fmt;

use super::shape::Shape;
use crate::input::{Place, Problem};

/// The periodic axes of an image, along which the first voxel is next to the last: of three, the image is a torus.
///
/// A periodic axis has two voxels or more. If it has two, they are next to each other twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Periodic(u64);

impl Periodic {
    /// An image that closes up along no axis.
    pub const NONE: Self = Periodic(0);
    /// Number of axes that an array can have.
    const MOST: usize = u64::BITS as usize;

    /// The axes with these indices of the user's array, each below 64.
    ///
    /// # Errors
    /// The index of an axis that no array has.
    pub fn along(axes: impl IntoIterator<Item = usize>) -> Result<Self, usize> {
        let add = |all, axis| if axis < Self::MOST { Ok(all | 1_u64 << axis) } else { Err(axis) };
        axes.into_iter().try_fold(0, add).map(Periodic)
    }

    /// Whether no axis is periodic.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The indices of the periodic axes.
    pub fn axes(self) -> impl Iterator<Item = usize> {
        (0..Self::MOST).filter(move |axis| self.0 >> axis & 1 == 1)
    }

    /// Checks that an image of this shape has the axes, and more than one voxel along each.
    ///
    /// # Errors
    /// An axis that is not there, or has one voxel.
    pub fn check(self, shape: Shape) -> Result<(), Problem> {
        let extents = shape.axes();
        match self.axes().find(|&axis| extents.get(axis).is_none_or(|&extent| extent < 2)) {
            Some(axis) => {
                let place = Place::Named(format!("periodic axis {axis}"));
                Err(Problem::new(place, "an axis of two voxels or more", format!("shape {shape}")))
            }
            None => Ok(()),
        }
    }

    /// Whether an image of this shape closes up along each axis, the slowest in memory first.
    pub(crate) fn in_memory<const N: usize>(self, shape: Shape) -> [bool; N] {
        let flags: Vec<bool> = (0..shape.axes().len()).map(|axis| self.0 >> axis & 1 == 1).collect();
        shape.long(&flags, false)
    }

    /// All sets of axes that can be periodic in an image of this shape.
    #[cfg(test)]
    pub(crate) fn all(shape: Shape) -> impl Iterator<Item = Self> {
        (0..1 << shape.axes().len()).map(Periodic).filter(move |periodic| periodic.check(shape).is_ok())
    }

    /// Whether an image of this shape is a torus, which has no border. A torus has a class of its own dimension.
    pub(super) fn is_closed(self, shape: Shape) -> bool {
        shape.count() > 1
            && self.in_memory::<4>(shape).iter().filter(|is_periodic| **is_periodic).count() == shape.dim()
    }
}

impl fmt::Display for Periodic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.axes().map(|axis| axis.to_string()).collect();
        let word = if axes.len() == 1 { "axis" } else { "axes" };
        write!(f, "periodic along {word} {}", axes.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cubical::Order;

    #[test]
    fn axes_are_those_of_the_array() {
        let shape = |axes: &[usize], order| Shape::new(axes, order).unwrap();
        let along = |axes: &[usize]| Periodic::along(axes.iter().copied()).unwrap();
        for order in [Order::C, Order::F] {
            let solid = shape(&[4, 1, 6, 5], order);
            assert_eq!(along(&[0, 3]).in_memory(solid), [true, false, true]);
            let last = if order == Order::C { [false, false, true] } else { [false, true, false] };
            assert_eq!(along(&[2]).in_memory(shape(&[3, 1, 7], order)), last);
            assert!(along(&[0, 2, 3]).is_closed(solid) && !along(&[0, 2]).is_closed(solid));
            assert_eq!(along(&[0, 2, 3]).check(solid), Ok(()));
            for axis in [1, 4] {
                let expected = format!(
                    "periodic axis {axis}: expected an axis of two voxels or more, found shape 4x1x6x5"
                );
                assert_eq!(along(&[0, axis]).check(solid).unwrap_err().to_string(), expected);
            }
        }
        assert!(!Periodic::default().is_closed(shape(&[1], Order::C)));
        assert_eq!(Periodic::along([3, 64]), Err(64));
    }
}
