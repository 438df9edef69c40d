//! Why columns are no boundary matrix, or a boundary matrix is not that of a complex.

use crate::Dimension;

/// A column that cannot be part of a boundary matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// A row that is not before the column.
    #[error("column {column}: expected rows below {column}, found {row}")]
    Forward {
        /// The column.
        column: usize,
        /// The row.
        row: usize,
    },
    /// Rows that do not ascend.
    #[error("column {column}: expected a row above {before}, found {row}")]
    Order {
        /// The column.
        column: usize,
        /// The row before.
        before: usize,
        /// The row.
        row: usize,
    },
    /// A row of another dimension than the column's less 1.
    #[error(
        "column {column}: expected boundary cells one dimension below {dim}, found row {row} of dimension {found}"
    )]
    Dimension {
        /// The column.
        column: usize,
        /// Its dimension.
        dim: Dimension,
        /// The row.
        row: usize,
        /// Its dimension.
        found: Dimension,
    },
    /// More columns or entries than the index type numbers.
    #[error("column {column}: expected at most {most} columns and entries")]
    TooLarge {
        /// The column.
        column: usize,
        /// The greatest number.
        most: usize,
    },
}

/// A boundary of a boundary that is not zero.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "column {column}: expected a boundary without boundary, found row {row} left over in the boundary of its boundary"
)]
#[non_exhaustive]
pub struct NotAComplex {
    /// The column.
    pub column: usize,
    /// A one of the boundary of its boundary.
    pub row: usize,
}
