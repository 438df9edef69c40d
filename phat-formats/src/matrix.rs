//! Boundary matrices in memory.

use crate::Index;
use crate::anti_transpose::anti_transpose;
use crate::matrix_error::{ColumnError, NotAComplex};
use crate::parallel::{PIECE, pieces, pieces_mut, try_each};

/// The dimension of a cell.
pub type Dimension = u8;

/// The boundary matrix of a filtered cell complex over Z/2, in compressed sparse columns.
///
/// Column j is the boundary of the j-th cell of the filtration: the ascending row numbers of its ones. Every
/// constructor maintains these invariants: rows ascend strictly within a column, a row is less than its column, and a
/// row in a column of dimension d has dimension d − 1. ∂∂ = 0 is not implied, see [`BoundaryMatrix::check`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundaryMatrix<I> {
    dims: Vec<Dimension>,
    /// Start of each column in `rows`, and then the number of entries.
    offsets: Vec<I>,
    rows: Vec<I>,
}

/// The size of a matrix according to the header and the length of a file. Whether the file is valid is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixSize {
    /// Number of columns.
    pub columns: usize,
    /// Number of entries, if the file is valid.
    pub entries: usize,
}

impl MatrixSize {
    /// Whether the index type can number the columns and the entries.
    pub fn fits<I: Index>(self) -> bool {
        self.columns.max(self.entries) <= I::MOST
    }
}

impl<I: Index> BoundaryMatrix<I> {
    /// Creates a matrix without columns.
    pub fn new() -> Self {
        BoundaryMatrix { dims: Vec::new(), offsets: vec![I::default()], rows: Vec::new() }
    }

    /// Appends a column with its dimension and its rows, ascending.
    ///
    /// # Errors
    /// [`ColumnError`]: the column would violate an invariant; the matrix is unchanged.
    pub fn push(&mut self, dim: Dimension, rows: &[usize]) -> Result<(), ColumnError> {
        let column = self.len();
        self.check_rows(column, dim, rows.iter().copied())?;
        if column + 1 > I::MOST || self.rows.len() + rows.len() > I::MOST {
            return Err(ColumnError::too_large(column, I::MOST));
        }
        self.dims.push(dim);
        self.rows.extend(rows.iter().map(|&row| I::from_usize(row)));
        self.offsets.push(I::from_usize(self.rows.len()));
        Ok(())
    }

    fn check_rows(
        &self,
        column: usize,
        dim: Dimension,
        mut rows: impl Iterator<Item = usize>,
    ) -> Result<(), ColumnError> {
        let mut before = None;
        rows.try_for_each(|row| self.check_row(column, dim, row, before.replace(row)))
    }

    fn check_row(
        &self,
        column: usize,
        dim: Dimension,
        row: usize,
        before: Option<usize>,
    ) -> Result<(), ColumnError> {
        if row >= column {
            return Err(ColumnError::new(column, format!("rows below {column}"), row));
        }
        if let Some(before) = before.filter(|&before| before >= row) {
            return Err(ColumnError::new(column, format!("a row above {before}"), row));
        }
        match self.dims[row] {
            found if found.checked_add(1) != Some(dim) => {
                let expected = format!("boundary cells one dimension below {dim}");
                Err(ColumnError::new(column, expected, format!("row {row} of dimension {found}")))
            }
            _ => Ok(()),
        }
    }

    /// Builds a matrix from the dimensions of all columns; the start of each column in `rows`, followed by the number
    /// of entries; and the concatenated rows of all columns. All threads check the invariants.
    ///
    /// # Errors
    /// [`ColumnError`] for the first column that violates an invariant.
    ///
    /// # Panics
    /// The number of offsets is not the number of dimensions plus one, or the offsets do not ascend from 0 to the
    /// number of rows.
    pub fn from_parts(dims: Vec<Dimension>, offsets: Vec<I>, rows: Vec<I>) -> Result<Self, ColumnError> {
        assert_eq!(offsets.len(), dims.len() + 1, "offsets and dimensions");
        assert_eq!(
            (offsets[0].to_usize(), offsets[dims.len()].to_usize()),
            (0, rows.len()),
            "offsets and rows"
        );
        assert!(offsets.is_sorted(), "ascending offsets");
        if let Some(column) = dims.len().max(rows.len()).checked_sub(I::MOST + 1) {
            return Err(ColumnError::too_large(column, I::MOST));
        }
        let matrix = BoundaryMatrix { dims, offsets, rows };
        try_each(pieces(matrix.len()), &|mut columns| {
            columns.try_for_each(|column| {
                let rows = matrix.column(column).iter().map(|row| row.to_usize());
                matrix.check_rows(column, matrix.dim(column), rows)
            })
        })?;
        Ok(matrix)
    }

    /// Builds a matrix from parts whose invariants the caller has checked.
    pub(crate) fn from_checked(dims: Vec<Dimension>, offsets: Vec<I>, rows: Vec<I>) -> Self {
        debug_assert_eq!(offsets.len(), dims.len() + 1);
        debug_assert_eq!(offsets.last().map(|end| end.to_usize()), Some(rows.len()));
        BoundaryMatrix { dims, offsets, rows }
    }

    /// Number of columns, which is the number of rows.
    pub fn len(&self) -> usize {
        self.dims.len()
    }

    /// Whether the matrix has no columns.
    pub fn is_empty(&self) -> bool {
        self.dims.is_empty()
    }

    /// Number of ones.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// The numbers of columns and of ones.
    pub fn size(&self) -> MatrixSize {
        MatrixSize { columns: self.len(), entries: self.entries() }
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

    /// The greatest dimension; `None` without columns.
    pub fn max_dim(&self) -> Option<Dimension> {
        self.dims.iter().copied().max()
    }

    /// The rows of a column's ones, ascending.
    #[inline]
    pub fn column(&self, column: usize) -> &[I] {
        &self.rows[self.offsets[column].to_usize()..self.offsets[column + 1].to_usize()]
    }

    /// The concatenated rows of consecutive columns.
    #[inline]
    pub fn rows_of(&self, columns: std::ops::Range<usize>) -> &[I] {
        &self.rows[self.offsets[columns.start].to_usize()..self.offsets[columns.end].to_usize()]
    }

    /// The *low* of a column: its greatest row; `None` for an empty column.
    #[inline]
    pub fn low(&self, column: usize) -> Option<I> {
        self.column(column).last().copied()
    }

    /// Start of each column in [`rows`](Self::rows), and then the number of entries.
    pub fn offsets(&self) -> &[I] {
        &self.offsets
    }

    /// The concatenated rows of all columns.
    pub fn rows(&self) -> &[I] {
        &self.rows
    }

    /// Returns the dimensions, offsets and rows, as [`BoundaryMatrix::from_parts`] takes them.
    pub fn into_parts(self) -> (Vec<Dimension>, Vec<I>, Vec<I>) {
        (self.dims, self.offsets, self.rows)
    }

    /// Checks that ∂∂ = 0.
    ///
    /// A hash gives each cell a word of 32 bits, and a chain has the exclusive or of its cells' words. This is
    /// linear, so the word of a column's ∂∂ is the exclusive or of the words of its rows' boundaries: two parallel
    /// passes over the entries, and four bytes per cell. The zero chain has the word zero; another chain has it with
    /// probability 2^-32. So a refused matrix is certainly wrong, and each wrong column is missed with that
    /// probability only. The hash is the same in every run.
    ///
    /// # Errors
    /// [`NotAComplex`] for the first column with ∂∂ ≠ 0, except with the probability above.
    pub fn check(&self) -> Result<(), NotAComplex> {
        // Cells of dimension 0 have an empty boundary, so ∂∂ = 0 for cells of dimension 1; and boundaries of cells of
        // the greatest dimension occur in no boundary.
        let Some(max_dim) = self.max_dim().filter(|&dim| dim >= 2) else { return Ok(()) };
        let mut words = vec![0u32; self.len()];
        pieces_mut(&mut words, PIECE, &|piece, words| {
            let columns = piece * PIECE..piece * PIECE + words.len();
            for (word, (dim, rows)) in words.iter_mut().zip(self.columns_with_dims(columns)) {
                if (1..max_dim).contains(&dim) {
                    *word = rows.iter().fold(0, |sum, row| sum ^ hash(row.to_usize()));
                }
            }
        });
        try_each(pieces(self.len()), &|mut columns| {
            // The words of rows are scattered in memory. A piece is checked as a whole, so that these loads overlap.
            let above = self.columns_with_dims(columns.clone()).filter(|&(dim, _)| dim >= 2);
            let sums = above.map(|(_, rows)| rows.iter().fold(0, |sum, row| sum ^ words[row.to_usize()]));
            match sums.fold(0, |wrong, sum| wrong | sum) {
                0 => Ok(()),
                _ => columns.find_map(|column| self.boundary_of_boundary(column)).map_or(Ok(()), Err),
            }
        })
    }

    /// Iterates over the dimensions and the rows of consecutive columns.
    #[inline]
    fn columns_with_dims(&self, columns: std::ops::Range<usize>) -> impl Iterator<Item = (Dimension, &[I])> {
        let dims = &self.dims[columns.clone()];
        let offsets = &self.offsets[columns.start..=columns.end];
        let rows = offsets.windows(2).map(|range| &self.rows[range[0].to_usize()..range[1].to_usize()]);
        dims.iter().copied().zip(rows)
    }

    /// Returns an error with a row of ∂∂ of a column, if it is not zero.
    fn boundary_of_boundary(&self, column: usize) -> Option<NotAComplex> {
        let boundaries = self.column(column).iter().flat_map(|row| self.column(row.to_usize()));
        let mut sum: Vec<I> = boundaries.copied().collect();
        sum.sort_unstable();
        // Rows that occur an odd number of times remain.
        let left = sum.chunk_by(|a, b| a == b).find(|equal| equal.len() % 2 == 1);
        left.map(|row| NotAComplex { column, row: row[0].to_usize() })
    }

    /// Computes the anti-transpose: its column j is row n − 1 − j, read backwards, and a cell of dimension d becomes
    /// one of dimension D − d, where D is the greatest. Its persistence pairs are those of this matrix, mirrored: (i,
    /// j) becomes (n − 1 − j, n − 1 − i) (de Silva, Morozov, Vejdemo-Johansson 2011).
    pub fn anti_transpose(&self) -> Self {
        let max_dim = self.max_dim().unwrap_or(0);
        let dims = self.dims.iter().rev().map(|&dim| max_dim - dim).collect();
        let (offsets, rows) = anti_transpose(self);
        BoundaryMatrix { dims, offsets, rows }
    }
}

/// Hashes a cell to a word: the upper half after the first two of the three rounds of SplitMix64 (Steele, Lea, Flood
/// 2014), which depends on every bit of the cell's number.
#[inline]
fn hash(cell: usize) -> u32 {
    let word = (cell as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((word ^ (word >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32
}

impl<I: Index> Default for BoundaryMatrix<I> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A solid tetrahedron: four vertices, six edges, four triangles, one cell.
    fn tetrahedron() -> BoundaryMatrix<u32> {
        let mut matrix = BoundaryMatrix::new();
        for _ in 0..4 {
            matrix.push(0, &[]).unwrap();
        }
        for rows in [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]] {
            matrix.push(1, &rows).unwrap();
        }
        for rows in [[4, 5, 6], [4, 7, 8], [5, 7, 9], [6, 8, 9]] {
            matrix.push(2, &rows).unwrap();
        }
        matrix.push(3, &[10, 11, 12, 13]).unwrap();
        matrix
    }

    #[test]
    fn columns_that_cannot_be_are_refused() {
        let mut matrix = tetrahedron();
        let before = matrix.clone();
        for (dim, rows, message) in [
            (0, &[15][..], "column 15: expected rows below 15, found 15"),
            (1, &[1, 1], "column 15: expected a row above 1, found 1"),
            (1, &[2, 1], "column 15: expected a row above 2, found 1"),
            (
                2,
                &[4, 10],
                "column 15: expected boundary cells one dimension below 2, found row 10 of dimension 2",
            ),
            (0, &[4], "column 15: expected boundary cells one dimension below 0, found row 4 of dimension 1"),
        ] {
            assert_eq!(matrix.push(dim, rows).unwrap_err().to_string(), message);
        }
        assert_eq!(matrix, before);
    }

    #[test]
    fn boundaries_have_no_boundary() {
        assert_eq!(BoundaryMatrix::<u32>::new().check(), Ok(()));
        let mut matrix = tetrahedron();
        assert_eq!(matrix.check(), Ok(()));
        // The columns are two faces that share no edge, followed by enough columns for several threads.
        matrix.push(2, &[4, 9]).unwrap();
        for _ in 0..5000 {
            matrix.push(2, &[4, 5]).unwrap();
        }
        assert_eq!(
            matrix.check().unwrap_err().to_string(),
            "column 15: expected a boundary without boundary, found row 0 left over in the boundary of its boundary"
        );
    }

    /// Every matrix of up to seven cells of these dimensions, compared with the definition of ∂∂ = 0.
    #[test]
    fn the_check_is_that_of_the_definition() {
        let dims = [0, 0, 1, 1, 1, 2, 3];
        let mut wrong = 0;
        for bits in 0..1u32 << 10 {
            let mut matrix = BoundaryMatrix::<u32>::new();
            let mut next = bits;
            for (column, &dim) in dims.iter().enumerate() {
                let below = (0..column).filter(|&row| dims[row] + 1 == dim);
                let mut rows = Vec::new();
                for row in below {
                    if next & 1 == 1 {
                        rows.push(row);
                    }
                    next >>= 1;
                }
                matrix.push(dim, &rows).unwrap();
            }
            let expected = (0..matrix.len()).find_map(|column| matrix.boundary_of_boundary(column));
            wrong += usize::from(expected.is_some());
            assert_eq!(matrix.check().err(), expected, "{bits:b}");
        }
        assert!(wrong > 500 && wrong < 1000, "{wrong}");
    }

    #[test]
    fn the_anti_transpose_of_the_anti_transpose() {
        let matrix = tetrahedron();
        let mirrored = matrix.anti_transpose();
        assert_eq!(mirrored.check(), Ok(()));
        assert_eq!(mirrored.dims()[..2], [0, 1]);
        assert_eq!(mirrored.column(1), [0]);
        assert_eq!(mirrored.anti_transpose(), matrix);
    }

    #[test]
    fn parts_are_checked_as_columns_are() {
        let whole = tetrahedron();
        let (dims, offsets, rows) = (&whole.dims, &whole.offsets, &whole.rows);
        let of = |rows: Vec<u32>| BoundaryMatrix::from_parts(dims.clone(), offsets.clone(), rows);
        assert_eq!(of(rows.clone()), Ok(whole.clone()));
        assert_eq!(BoundaryMatrix::<u32>::from_parts(vec![], vec![0], vec![]), Ok(BoundaryMatrix::new()));
        // The rows begin with column 4, and column 10 is the first triangle.
        let first = offsets[10] as usize;
        for (at, row, error) in [
            (1, 4, "column 4: expected rows below 4, found 4"),
            (1, 0, "column 4: expected a row above 0, found 0"),
            (
                first,
                0,
                "column 10: expected boundary cells one dimension below 2, found row 0 of dimension 0",
            ),
        ] {
            let mut rows = rows.clone();
            rows[at] = row;
            assert_eq!(of(rows).unwrap_err().to_string(), error);
        }
    }
}
