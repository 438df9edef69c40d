//! Errors of boundary matrices.

use crate::Dimension;

/// A column that cannot be part of a boundary matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// A row is not before the column.
    #[error("column {column}: expected rows below {column}, found {row}")]
    Forward {
        /// Number of the column.
        column: usize,
        /// The row found.
        row: usize,
    },
    /// Rows do not ascend.
    #[error("column {column}: expected a row above {before}, found {row}")]
    Order {
        /// Number of the column.
        column: usize,
        /// The previous row.
        before: usize,
        /// The row found.
        row: usize,
    },
    /// A row is not one dimension below the column.
    #[error(
        "column {column}: expected boundary cells one dimension below {dim}, found row {row} of dimension {found}"
    )]
    Dimension {
        /// Number of the column.
        column: usize,
        /// Dimension of the column.
        dim: Dimension,
        /// The row found.
        row: usize,
        /// Dimension of the row.
        found: Dimension,
    },
    /// There are more columns or entries than the index type can number.
    #[error("column {column}: expected at most {most} columns and entries")]
    TooLarge {
        /// Number of the column.
        column: usize,
        /// The greatest number.
        most: usize,
    },
}

/// The boundary of some boundary is not zero: ∂∂ ≠ 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "column {column}: expected a boundary without boundary, found row {row} left over in the boundary of its boundary"
)]
#[non_exhaustive]
pub struct NotAComplex {
    /// Number of the column.
    pub column: usize,
    /// A row of ∂∂ of the column.
    pub row: usize,
}
