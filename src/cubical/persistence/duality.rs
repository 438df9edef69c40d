//! The complex whose vertices are the voxels: that of the image (V) or its dual (T), in which the engine works.
//!
//! The engine works on complexes whose vertices are voxels. The V-construction is one. The T-construction is the dual
//! of one: of the V-construction of the image in reverse order with a rim around it, relative to the rim. A class of
//! dimension k, born at voxel x and killed at y, is there a class of dimension d − 1 − k for d axes, born at y and
//! killed at x (see the [parent module](super)).

use std::ops::Range;

use crate::cubical::construction::Construction;

impl Construction {
    /// Whether voxels enter in the reverse of the image's order.
    pub(crate) fn is_reversed(self) -> bool {
        self == Construction::T
    }

    /// The dimensions in this complex of the classes of the first `wanted` dimensions of an image of `axes` axes.
    pub(crate) fn dimensions(self, wanted: usize, axes: usize) -> Range<usize> {
        match self {
            Construction::V => 0..wanted,
            Construction::T => axes - wanted..axes,
        }
    }
}
