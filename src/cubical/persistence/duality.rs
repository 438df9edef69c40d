//! The complex whose vertices are the voxels: that of the image (V) or its dual (T).
//!
//! The engine works on complexes whose vertices are voxels. The V-construction is one. The T-construction is the dual
//! of one: of the V-construction of the image in reverse order with a rim around it, relative to the rim. A class of
//! dimension k, born at voxel x and killed at y, is there a class of dimension d − 1 − k for d axes, born at y and
//! killed at x (see the [parent module](super)).

use std::ops::Range;

use crate::cubical::construction::Construction;

/// Relation of the complex whose vertices are the voxels to the complex of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Complex {
    /// The complex of the image itself, a V-construction.
    Primal,
    /// The dual, which has a rim, of the complex of the image, a T-construction.
    Dual,
}

impl Complex {
    /// The complex whose vertices are the voxels of an image of this construction.
    pub(crate) fn of(construction: Construction) -> Self {
        match construction {
            Construction::V => Complex::Primal,
            Construction::T => Complex::Dual,
        }
    }

    /// Whether voxels enter in the reverse of the image's order.
    pub(crate) fn is_reversed(self) -> bool {
        self == Complex::Dual
    }

    /// The dimensions in this complex of the classes of the first `asked` dimensions of an image of `axes` axes.
    pub(crate) fn dimensions(self, asked: usize, axes: usize) -> Range<usize> {
        match self {
            Complex::Primal => 0..asked,
            Complex::Dual => axes - asked..axes,
        }
    }

    /// Converts the rank of a voxel between the order of the image and that of this complex; ranks are 1 to `voxels`.
    #[inline(always)]
    pub(crate) fn mirrored(self, rank: u32, voxels: u32) -> u32 {
        match self {
            Complex::Primal => rank,
            Complex::Dual => voxels + 1 - rank,
        }
    }

    /// Converts birth and death ranks in this complex to birth and death ranks in the image.
    #[inline(always)]
    pub(crate) fn pair_of_image(self, (birth, death): (u32, u32), voxels: u32) -> (u32, u32) {
        match self {
            Complex::Primal => (birth, death),
            Complex::Dual => (self.mirrored(death, voxels), self.mirrored(birth, voxels)),
        }
    }

    /// The rank in this complex of the image's first voxel, at which the essential class is born.
    pub(crate) fn first_of_image(self, voxels: u32) -> u32 {
        self.mirrored(1, voxels)
    }
}
