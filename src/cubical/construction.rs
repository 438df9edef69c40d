//! The two constructions of a filtered cubical complex from an image.

use std::fmt;

/// Construction of the filtered cubical complex from an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Construction {
    /// Voxels are top-dimensional cells; a lower cell takes the least value of the voxels that contain it. Sublevel
    /// sets are 8-connected in the plane and 26-connected in space.
    #[default]
    T,
    /// Voxels are vertices; a higher cell takes the greatest value of its vertices. Sublevel sets are 4-connected in
    /// the plane and 6-connected in space.
    V,
}

impl fmt::Display for Construction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Construction::T => "T",
            Construction::V => "V",
        })
    }
}
