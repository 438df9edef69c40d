//! How an image is made a filtered cubical complex.

use std::fmt;

/// How an image is made a filtered complex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Construction {
    /// Voxels are top cells; a lower cell takes the least value of the voxels it lies in. Sublevel sets are
    /// 8-connected in the plane, 26-connected in space.
    #[default]
    T,
    /// Voxels are vertices; a higher cell takes the greatest value of its vertices. Sublevel sets are 4- and 6-connected.
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
