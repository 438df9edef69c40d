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
//! | Morse, of an image (V- or T-construction) | critical cells only, which enter with their owner voxels | [`morse_complex`] |
//! | Vietoris–Rips, of distances | simplices; **half** the diameter | [`rips_complex`] |
//!
//! Cells, values and order are DIPHA's (Bauer, Kerber, Reininghaus 2014), except for [`image_complex`]: ascending by
//! value, then by dimension, then by the number of the cell in its complex. All cells up to the maximal dimension are
//! included.

mod boundary_matrix;
mod by_owner;
mod by_value;
mod cubical_grid;
mod morse;
mod rips;

pub use phat_formats::dipha::WeightedBoundaryMatrix;
use phat_formats::{ColumnError, Index};

use crate::input::Problem;
use crate::memory::Refused;
pub use by_owner::{AnyImageComplex, ImageComplex, image_complex};
pub use by_value::cubical_complex;
pub(crate) use by_value::cubical_complex_watched;
pub(crate) use cubical_grid::{Grid, Line, count_cells};
pub(crate) use morse::bytes as bytes_of_morse_complex;
pub use morse::morse_complex;
pub use rips::rips_complex;

/// The error of a complex that cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComplexError {
    /// The shape, a value or the requested dimension is invalid.
    #[error(transparent)]
    Invalid(#[from] Problem),
    /// More cells or entries than the index type can number.
    #[error(transparent)]
    TooLarge(Problem),
    /// Not enough memory.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The cells do not form a boundary matrix.
    #[error(transparent)]
    Column(#[from] ColumnError),
}

impl ComplexError {
    /// The error of an input as a whole.
    fn new(expected: String, found: String) -> Self {
        ComplexError::Invalid(Problem::whole(expected, found))
    }

    /// Returns `found` if the index type can number as many things; it is `None` if it exceeds 64 bits.
    fn check_size<I: Index>(what: &str, found: Option<usize>) -> Result<usize, Self> {
        found.filter(|&found| found <= I::MOST).ok_or_else(|| {
            let (most, bits) = (I::MOST, 8 * size_of::<I>());
            let expected = format!("at most {most} {what}, which {bits}-bit indices number");
            let found = found.map_or_else(|| "more than 2^64".to_owned(), |found| found.to_string());
            ComplexError::TooLarge(Problem::whole(expected, found))
        })
    }
}

#[cfg(test)]
mod tests;
