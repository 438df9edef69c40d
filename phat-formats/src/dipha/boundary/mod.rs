//! Weighted boundary matrices.

mod header;
mod list;
mod order;
mod parts;
#[cfg(test)]
mod tests;
mod write;

pub use write::write_boundary_matrix;

use crate::fields::Blocks;
use crate::{BoundaryMatrix, Dimension, FormatError, Index, MatrixSize, Source};
use header::Header;
use order::Order;
use parts::{Cells, File};

/// A filtered cell complex: its boundary matrix in the order of the filtration, and the cells' values.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedBoundaryMatrix<I> {
    /// The matrix. Cells are sorted by value, then dimension, then place in the file.
    pub matrix: BoundaryMatrix<I>,
    /// The values of the cells in the same order.
    pub values: Vec<f64>,
    /// The dimension of the complex according to the file, at least that of any cell. DIPHA's diagrams omit essential
    /// classes of this dimension.
    pub max_dim: Dimension,
}

/// The relation that a weighted boundary matrix lists for each cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// The cells in its boundary; code 0 in files.
    Boundary,
    /// The cells whose boundary contains it; code 1 in files.
    Coboundary,
}

impl Flavour {
    fn code(self) -> i64 {
        match self {
            Flavour::Boundary => 0,
            Flavour::Coboundary => 1,
        }
    }
}

/// Reads the numbers of cells and entries of a file, from which the caller chooses the index type.
///
/// # Errors
/// The header is wrong, or it contradicts the length of the file.
pub fn boundary_matrix_size(source: &(impl Source + ?Sized)) -> Result<MatrixSize, FormatError> {
    Ok(Header::read(source)?.size())
}

/// Reads the filtered complex of a weighted boundary matrix, file type 0, of either flavour.
///
/// | bytes | type | content |
/// |---|---|---|
/// | 0–7 | `i64` | 8067171840 |
/// | 8–15 | `i64` | 0 |
/// | 16–23 | `i64` | 0: boundaries, 1: coboundaries |
/// | 24–31 | `i64` | n, the number of cells |
/// | 32–39 | `i64` | the dimension of the complex |
/// | the next 8n | `i64` | the cells' dimensions |
/// | the next 8n | `f64` | the cells' values |
/// | the next 8n | `i64` | for each cell the index of its first entry, from 0 on, not descending |
/// | the next 8 | `i64` | m, the number of entries |
/// | the next 8m | `i64` | the entries: cells, from 0 on, of the boundary or coboundary |
///
/// Cells and the entries of a cell may be in any order. As in DIPHA, the filtration is by value, then dimension, then
/// place in the file; it decides the numbers of the matrix's columns. Coboundaries are turned into boundaries.
///
/// ```
/// use phat_formats::dipha::{Flavour, WeightedBoundaryMatrix, read_boundary_matrix, write_boundary_matrix};
/// # use phat_formats::BoundaryMatrix;
/// let mut matrix = BoundaryMatrix::<u32>::new();
/// matrix.push(0, &[]).unwrap();
/// matrix.push(0, &[]).unwrap();
/// matrix.push(1, &[0, 1]).unwrap();
/// let edge = WeightedBoundaryMatrix { matrix, values: vec![0.0, 0.5, 2.0], max_dim: 1 };
/// for flavour in [Flavour::Boundary, Flavour::Coboundary] {
///     let mut file = Vec::new();
///     write_boundary_matrix(&mut file, &edge, flavour)?;
///     assert_eq!(read_boundary_matrix(&file).unwrap(), edge);
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The header is wrong or contradicts the length of the file; otherwise the first of the following in the file: a
/// dimension below 0 or above the complex's; a value that is not a number; an offset below the previous one or past
/// the entries; an entry that is not a cell, is repeated, has the wrong dimension, or a value on the wrong side of
/// its cell's. Also: more cells or entries than `I` can number, or an error of the system.
pub fn read_boundary_matrix<I: Index>(
    source: &(impl Source + ?Sized),
) -> Result<WeightedBoundaryMatrix<I>, FormatError> {
    let header = Header::read(source)?;
    if !header.size().fits::<I>() {
        let (offset, found) =
            if header.cells > I::MOST { (24, header.cells) } else { (header.offset(3) - 8, header.entries) };
        return Err(FormatError::at(offset, format!("at most {} cells and entries", I::MOST), found));
    }
    let file = File { blocks: Blocks::of(&source), header };
    let cells = Cells { dims: file.dims()?, values: file.values()?, offsets: file.offsets()? };
    let order = Order::<I>::of(&cells, file.header.flavour);
    let entries = file.entries(&cells, &order)?;
    Ok(order.arrange(&cells, entries, file.header.max_dim))
}
