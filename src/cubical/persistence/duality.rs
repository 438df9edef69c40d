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

    /// Converts the rank of a voxel between the order of the image and that of this complex; ranks are 1 to `voxels`.
    #[inline(always)]
    pub(crate) fn mirrored(self, rank: u32, voxels: u32) -> u32 {
        match self {
            Construction::V => rank,
            Construction::T => voxels + 1 - rank,
        }
    }

    /// Converts birth and death ranks in this complex to birth and death ranks in the image.
    #[inline(always)]
    pub(crate) fn pair_of_image(self, (birth, death): (u32, u32), voxels: u32) -> (u32, u32) {
        match self {
            Construction::V => (birth, death),
            Construction::T => (self.mirrored(death, voxels), self.mirrored(birth, voxels)),
        }
    }
}
