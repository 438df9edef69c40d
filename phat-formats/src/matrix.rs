//! Boundary matrices in memory.

use crate::Index;

/// The dimension of a cell.
pub type Dimension = u8;

/// The boundary matrix of a filtered cell complex over Z/2, in compressed sparse columns.
///
/// Column j is the boundary of the j-th cell of the filtration: the ascending row numbers of its ones. Invariants, held
/// by every way to make one: rows ascend strictly within a column, a row is less than its column, and a one of a column of dimension d is a
/// row of dimension d − 1. That boundaries have no boundary is not implied: see [`BoundaryMatrix::check`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundaryMatrix<I> {
    dims: Vec<Dimension>,
    /// Where each column starts, and the number of entries.
    offsets: Vec<I>,
    rows: Vec<I>,
}

/// A column that cannot be part of a boundary matrix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
pub struct NotAComplex {
    /// The column.
    pub column: usize,
    /// A one of the boundary of its boundary.
    pub row: usize,
}

impl<I: Index> BoundaryMatrix<I> {
    /// The matrix without columns.
    pub fn new() -> Self {
        BoundaryMatrix { dims: Vec::new(), offsets: vec![I::default()], rows: Vec::new() }
    }

    /// Appends a column: its dimension and its rows, ascending.
    ///
    /// # Errors
    /// [`ColumnError`]: the column would break an invariant; the matrix is as it was.
    pub fn push(&mut self, dim: Dimension, rows: &[usize]) -> Result<(), ColumnError> {
        let column = self.len();
        let mut before = None;
        for &row in rows {
            self.check_row(column, dim, row, before)?;
            before = Some(row);
        }
        if column + 1 > I::MOST || self.rows.len() + rows.len() > I::MOST {
            return Err(ColumnError::TooLarge { column, most: I::MOST });
        }
        self.dims.push(dim);
        self.rows.extend(rows.iter().map(|&row| I::from_usize(row)));
        self.offsets.push(I::from_usize(self.rows.len()));
        Ok(())
    }

    fn check_row(
        &self,
        column: usize,
        dim: Dimension,
        row: usize,
        before: Option<usize>,
    ) -> Result<(), ColumnError> {
        if row >= column {
            return Err(ColumnError::Forward { column, row });
        }
        if let Some(before) = before.filter(|&before| before >= row) {
            return Err(ColumnError::Order { column, before, row });
        }
        match self.dims[row] {
            found if found.checked_add(1) != Some(dim) => {
                Err(ColumnError::Dimension { column, dim, row, found })
            }
            _ => Ok(()),
        }
    }

    /// From parts that hold the invariants, as a reader has checked.
    pub(crate) fn from_checked(dims: Vec<Dimension>, offsets: Vec<I>, rows: Vec<I>) -> Self {
        debug_assert_eq!(offsets.len(), dims.len() + 1);
        debug_assert_eq!(offsets.last().map(|end| end.to_usize()), Some(rows.len()));
        BoundaryMatrix { dims, offsets, rows }
    }

    /// The number of columns, which is the number of rows.
    pub fn len(&self) -> usize {
        self.dims.len()
    }

    /// Whether there are no columns.
    pub fn is_empty(&self) -> bool {
        self.dims.is_empty()
    }

    /// The number of ones.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// The dimension of a column's cell.
    #[inline]
    pub fn dim(&self, column: usize) -> Dimension {
        self.dims[column]
    }

    /// The dimensions of all columns.
    pub fn dims(&self) -> &[Dimension] {
        &self.dims
    }

    /// The greatest dimension; none without columns.
    pub fn max_dim(&self) -> Option<Dimension> {
        self.dims.iter().copied().max()
    }

    /// The rows of a column's ones, ascending.
    #[inline]
    pub fn column(&self, column: usize) -> &[I] {
        &self.rows[self.offsets[column].to_usize()..self.offsets[column + 1].to_usize()]
    }

    /// The rows of consecutive columns, one after the other.
    #[inline]
    pub fn rows_of(&self, columns: std::ops::Range<usize>) -> &[I] {
        &self.rows[self.offsets[columns.start].to_usize()..self.offsets[columns.end].to_usize()]
    }

    /// The greatest row of a column: its *low*. None of an empty column.
    #[inline]
    pub fn low(&self, column: usize) -> Option<I> {
        self.column(column).last().copied()
    }

    /// Where each column starts among the entries, and at the end their number.
    pub fn offsets(&self) -> &[I] {
        &self.offsets
    }

    /// The rows of all columns, one column after the other.
    pub fn rows(&self) -> &[I] {
        &self.rows
    }

    /// Checks that boundaries have no boundary: ∂∂ = 0.
    ///
    /// # Errors
    /// [`NotAComplex`] for the first column where it is not so.
    pub fn check(&self) -> Result<(), NotAComplex> {
        let mut sum: Vec<I> = Vec::new();
        for column in 0..self.len() {
            sum.clear();
            for &row in self.column(column) {
                sum.extend_from_slice(self.column(row.to_usize()));
            }
            sum.sort_unstable();
            // What occurs an odd number of times is left.
            let left = sum.chunk_by(|a, b| a == b).find(|equal| equal.len() % 2 == 1);
            if let Some(row) = left {
                return Err(NotAComplex { column, row: row[0].to_usize() });
            }
        }
        Ok(())
    }

    /// The anti-transpose: column j of it is row n − 1 − j, read backwards, and a cell of dimension d becomes one of
    /// dimension D − d, D the greatest. Its persistence pairs are those of this matrix, mirrored: (i, j) becomes
    /// (n − 1 − j, n − 1 − i) (de Silva, Morozov, Vejdemo-Johansson 2011).
    pub fn anti_transpose(&self) -> Self {
        let n = self.len();
        let max_dim = self.max_dim().unwrap_or(0);
        let mirror = |i: usize| n - 1 - i;
        let dims = self.dims.iter().rev().map(|&dim| max_dim - dim).collect();
        let mut starts = vec![0usize; n + 1];
        for row in &self.rows {
            starts[mirror(row.to_usize()) + 1] += 1;
        }
        for i in 0..n {
            starts[i + 1] += starts[i];
        }
        let offsets = starts.iter().map(|&start| I::from_usize(start)).collect();
        let mut rows = vec![I::default(); self.rows.len()];
        // Right columns first: their mirrors are the small rows, which ascend.
        for column in (0..n).rev() {
            for row in self.column(column) {
                let next = &mut starts[mirror(row.to_usize())];
                rows[*next] = I::from_usize(mirror(column));
                *next += 1;
            }
        }
        BoundaryMatrix { dims, offsets, rows }
    }
}

impl<I: Index> Default for BoundaryMatrix<I> {
    fn default() -> Self {
        Self::new()
    }
}
