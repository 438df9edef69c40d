//! Errors of boundary matrices.

/// A column that cannot be part of a boundary matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: expected {expected}, found {found}")]
#[non_exhaustive]
pub struct ColumnError {
    /// Number of the column.
    pub column: usize,
    /// The expected content, in words.
    pub expected: String,
    /// The content found, in words.
    pub found: String,
}

impl ColumnError {
    #[cold]
    pub(crate) fn new(column: usize, expected: String, found: impl ToString) -> Self {
        ColumnError { column, expected, found: found.to_string() }
    }

    /// The error for more columns or entries than the index type can number.
    pub(crate) fn too_large(column: usize, most: usize) -> Self {
        ColumnError::new(column, format!("at most {most} columns and entries"), "more")
    }
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
