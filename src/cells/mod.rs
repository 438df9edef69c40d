//! Filtered cell complexes of images and distances with explicit cells: the boundary matrices that path 2 reduces.
//!
//! Path 1 and the persistence of images never list all cells ([`crate::rips`], [`crate::cubical::persistence`]). This
//! module builds boundary matrices for DIPHA's images and distances, for `lacuna convert`, and for checks of the
//! other paths.
//!
//! | complex | cells and values | constructor |
//! |---|---|---|
//! | cubical, of an image (V-construction) | voxels are vertices; a cell has the greatest value of its vertices | [`cubical_complex`] |
//! | cubical, of an image (V- or T-construction) | a cell enters with its owner voxel | [`image_complex`] |
//! | Vietoris–Rips, of distances | simplices; **half** the diameter | [`rips_complex`] |
//!
//! Cells, values and order are DIPHA's (Bauer, Kerber, Reininghaus 2014), except for [`image_complex`]: ascending by
//! value, then by dimension, then by the number of the cell in its complex. All cells up to the maximal dimension are
//! included.

mod boundary_matrix;
mod by_owner;
mod by_value;
mod cubical_grid;
mod rips;

pub use phat_formats::dipha::WeightedBoundaryMatrix;
use phat_formats::{ColumnError, Dimension, Index};

use crate::memory::Refused;
pub use by_owner::{AnyImageComplex, ImageComplex, image_complex};
pub use by_value::cubical_complex;
pub(crate) use cubical_grid::count_cells;
pub use rips::rips_complex;

/// The error of a complex that cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComplexError {
    /// The image has no voxels or no axes.
    #[error(
        "expected an image with at least one voxel along each of 1 to {most} axes, found shape {shape:?}"
    )]
    Shape {
        /// Number of voxels along each axis.
        shape: Vec<usize>,
        /// Maximum number of axes.
        most: usize,
    },
    /// The number of values differs from the number of voxels.
    #[error("expected a value for each voxel of an image of shape {shape:?}, found {found}")]
    Voxels {
        /// Number of voxels along each axis.
        shape: Vec<usize>,
        /// Number of values.
        found: usize,
    },
    /// A value is not a number.
    #[error("voxel {voxel}: expected a number, found NaN")]
    NotANumber {
        /// Number of the voxel, x fastest.
        voxel: usize,
    },
    /// No cell can have this dimension.
    #[error("expected a dimension up to {}, found {found}", Dimension::MAX)]
    Dimension {
        /// The dimension.
        found: usize,
    },
    /// There are more cells or entries than the index type can number.
    #[error("expected at most {most} {what}, which {bits}-bit indices number, found {}", or_more(*found))]
    TooLarge {
        /// The word "cells" or "entries".
        what: &'static str,
        /// The number found; `None` if it exceeds 64 bits.
        found: Option<usize>,
        /// The greatest number that the index type allows.
        most: usize,
        /// Bits of an index.
        bits: usize,
    },
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The cells do not form a boundary matrix.
    #[error(transparent)]
    Column(#[from] ColumnError),
}

fn or_more(found: Option<usize>) -> String {
    found.map_or_else(|| "more than 2^64".to_owned(), |found| found.to_string())
}

impl ComplexError {
    /// Returns `found` if the index type can number as many things.
    fn check_size<I: Index>(what: &'static str, found: Option<usize>) -> Result<usize, Self> {
        let too_large = ComplexError::TooLarge { what, found, most: I::MOST, bits: 8 * size_of::<I>() };
        found.filter(|&found| found <= I::MOST).ok_or(too_large)
    }
}

#[cfg(test)]
mod tests;
