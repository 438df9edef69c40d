//! Filtered cell complexes of images and distances, listed cell by cell: the boundary matrices that path 2 reduces.
//!
//! Path 1 and the images' own persistence never list all cells ([`crate::rips`], [`crate::cubical::persistence`]). This module is for inputs of
//! boundary matrices: DIPHA's images and distances, `lacuna convert`, and checks of the other paths.
//!
//! | complex | cells and values | constructor |
//! |---|---|---|
//! | cubical, of an image (V-construction) | voxels are vertices; a cell has the greatest value of its vertices | [`cubical_complex`] |
//! | cubical, of an image (V- or T-construction) | a cell enters with the voxel that owns it | [`image_complex`] |
//! | Vietoris–Rips, of distances | simplices; **half** the diameter | [`rips_complex`] |
//! | any | cells and values of a DIPHA file | [`FilteredComplex::from`] |
//!
//! Cells, values and order are DIPHA's (Bauer, Kerber, Reininghaus 2014), but for [`image_complex`]: ascending by value, ties by
//! dimension, then by the number of the cell in its complex. No cell up to the greatest dimension is
//! left out.

mod boundary_matrix;
mod by_owner;
mod by_value;
mod cubical_grid;
mod file;
mod rips;

use phat_formats::dipha::{DiagramPoint, WeightedBoundaryMatrix};
use phat_formats::{BoundaryMatrix, ColumnError, Dimension, Index};

use crate::memory::Refused;
pub use by_owner::{ImageComplex, image_complex};
pub use by_value::cubical_complex;
pub use file::{AnyImageComplex, MatrixFile};
pub use rips::rips_complex;

/// A filtered cell complex.
#[derive(Debug, Clone, PartialEq)]
pub struct FilteredComplex<I> {
    /// The boundary matrix, its columns in the order of the filtration.
    pub matrix: BoundaryMatrix<I>,
    /// The values of the cells, ascending.
    pub values: Vec<f64>,
    /// The dimension of the complex; of one that was cut off, that where it was cut. No cell is above it.
    pub max_dim: Dimension,
}

/// Why a complex cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComplexError {
    /// An image without voxels, or without axes.
    #[error(
        "expected an image with at least one voxel along each of 1 to {most} axes, found shape {shape:?}"
    )]
    Shape {
        /// Voxels along each axis.
        shape: Vec<usize>,
        /// The most axes.
        most: usize,
    },
    /// The number of values is not that of voxels.
    #[error("expected a value for each voxel of an image of shape {shape:?}, found {found}")]
    Voxels {
        /// Voxels along each axis.
        shape: Vec<usize>,
        /// The number of values.
        found: usize,
    },
    /// A value that is not a number.
    #[error("voxel {voxel}: expected a number, found NaN")]
    NotANumber {
        /// The voxel, x fastest.
        voxel: usize,
    },
    /// A dimension that no cell can have.
    #[error("expected a dimension up to {}, found {found}", Dimension::MAX)]
    Dimension {
        /// The dimension.
        found: usize,
    },
    /// There are more cells or entries than the index type numbers.
    #[error("expected at most {most} {what}, which {bits}-bit indices number, found {}", or_more(*found))]
    TooLarge {
        /// Cells, or entries.
        what: &'static str,
        /// How many there are; none when 64 bits do not hold it.
        found: Option<usize>,
        /// How many there can be.
        most: usize,
        /// The bits of an index.
        bits: usize,
    },
    /// There is not enough memory.
    #[error(transparent)]
    Memory(#[from] Refused),
    /// The cells make no boundary matrix.
    #[error(transparent)]
    Column(#[from] ColumnError),
}

fn or_more(found: Option<usize>) -> String {
    found.map_or_else(|| "more than 2^64".to_owned(), |found| found.to_string())
}

impl ComplexError {
    /// Whether `found` is a number of things that the index type numbers.
    fn check_size<I: Index>(what: &'static str, found: Option<usize>) -> Result<usize, Self> {
        let too_large = ComplexError::TooLarge { what, found, most: I::MOST, bits: 8 * size_of::<I>() };
        found.filter(|&found| found <= I::MOST).ok_or(too_large)
    }
}

/// The complex of a DIPHA file of type 0: [`phat_formats::dipha::read_boundary_matrix`].
impl<I> From<WeightedBoundaryMatrix<I>> for FilteredComplex<I> {
    fn from(WeightedBoundaryMatrix { matrix, values, max_dim }: WeightedBoundaryMatrix<I>) -> Self {
        FilteredComplex { matrix, values, max_dim }
    }
}

impl<I: Index> FilteredComplex<I> {
    /// The persistence diagram, given the pairs (birth cell, death cell): the points that DIPHA writes, in its order.
    ///
    /// Bars of length zero are left out, and so are essential classes of the complex's dimension: they may die in a
    /// dimension that is not there. Other essential classes die at the greatest value of the complex.
    ///
    /// # Panics
    /// A cell is out of range.
    pub fn diagram(&self, pairs: &[(I, I)]) -> Vec<DiagramPoint> {
        diagram(&self.matrix, self.max_dim, |cell| self.values[cell], pairs)
    }
}

/// The persistence diagram of any boundary matrix, as [`FilteredComplex::diagram`] has it: `max_dim` is the dimension of the complex, and `value`
/// ascends.
///
/// # Panics
/// A cell is out of range.
pub fn diagram<I: Index>(
    matrix: &BoundaryMatrix<I>,
    max_dim: Dimension,
    value: impl Fn(usize) -> f64,
    pairs: &[(I, I)],
) -> Vec<DiagramPoint> {
    let point = |birth: usize, death: f64, essential| DiagramPoint {
        dim: matrix.dim(birth).into(),
        birth: value(birth),
        death,
        essential,
    };
    let mut paired = vec![false; matrix.len()];
    let mut points = Vec::new();
    for &(birth, death) in pairs {
        let (birth, death) = (birth.to_usize(), death.to_usize());
        paired[birth] = true;
        paired[death] = true;
        if value(birth) != value(death) {
            points.push(point(birth, value(death), false));
        }
    }
    let greatest = matrix.len().checked_sub(1).map_or(0.0, &value);
    let essential = (0..paired.len()).filter(|&cell| !paired[cell] && matrix.dim(cell) < max_dim);
    points.extend(essential.map(|cell| point(cell, greatest, true)));
    points.sort_unstable_by(|a, b| {
        let births = a.birth.total_cmp(&b.birth);
        written_dim(a).cmp(&written_dim(b)).then(births).then_with(|| a.death.total_cmp(&b.death))
    });
    points
}

/// The dimension as DIPHA writes it.
fn written_dim(point: &DiagramPoint) -> i64 {
    let dim = i64::from(point.dim);
    if point.essential { !dim } else { dim }
}

#[cfg(test)]
mod tests;
