//! The complex that has voxels as its vertices: that of the image, or its dual.
//!
//! The engine knows complexes whose vertices are voxels. The V-construction is one. The T-construction is the dual of one: of the V-construction
//! of the image in the opposite order with a rim around it, relative to the rim. A class of dimension k, born with voxel x and killed by y, is
//! there a class of dimension d − 1 − k of the d axes, born with y and killed by x (see the [parent module](super)).

use std::ops::Range;

use crate::cubical::construction::Construction;

/// Which complex has the voxels as its vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complex {
    /// That of the image: the V-construction.
    Primal,
    /// The dual of that of the image, which is a T-construction. It has a rim.
    Dual,
}

impl Complex {
    /// The complex whose vertices are the voxels of an image of this construction.
    pub fn of(construction: Construction) -> Self {
        match construction {
            Construction::V => Complex::Primal,
            Construction::T => Complex::Dual,
        }
    }

    /// Whether its voxels come in the order opposite to that of the image.
    pub fn is_reversed(self) -> bool {
        self == Complex::Dual
    }

    /// The dimensions here of the classes of the first `asked` dimensions of an image of so many axes.
    pub fn dimensions(self, asked: usize, axes: usize) -> Range<usize> {
        match self {
            Complex::Primal => 0..asked,
            Complex::Dual => axes - asked..axes,
        }
    }

    /// The rank in the order of the image, of a voxel by its rank here, or the other way round; ranks are 1 to `voxels`.
    #[inline(always)]
    pub fn mirrored(self, rank: u32, voxels: u32) -> u32 {
        match self {
            Complex::Primal => rank,
            Complex::Dual => voxels + 1 - rank,
        }
    }

    /// Birth and death in the image, as ranks in its order, of those here.
    #[inline(always)]
    pub fn pair_of_image(self, (birth, death): (u32, u32), voxels: u32) -> (u32, u32) {
        match self {
            Complex::Primal => (birth, death),
            Complex::Dual => (self.mirrored(death, voxels), self.mirrored(birth, voxels)),
        }
    }

    /// The rank here of the first voxel of the image, which the essential class is born with.
    pub fn first_of_image(self, voxels: u32) -> u32 {
        self.mirrored(1, voxels)
    }
}
