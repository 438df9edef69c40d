//! What a reduction works on: columns as they stand, and which column has which low. Shared between threads.

use phat_formats::BoundaryMatrix;

use super::Row;
use super::row::Atomic;

/// The columns of a matrix, some of them changed since. A column at rest is a slice of ascending rows.
///
/// Any thread may read any column at any time. A column is changed by one thread at a time; who reads it meanwhile
/// sees it as it was or as it will be, whole. What a column held before stays in memory until the end.
pub struct Columns<'m, I: Row> {
    matrix: &'m BoundaryMatrix<I>,
    /// For each column: [`ORIGINAL`], [`CLEARED`], or [`CHANGED`] plus its place in `changed`.
    contents: Vec<I::Atomic>,
    changed: boxcar::Vec<Box<[I]>>,
}

const ORIGINAL: usize = 0;
const CLEARED: usize = 1;
const CHANGED: usize = 2;

impl<'m, I: Row> Columns<'m, I> {
    /// The columns of `matrix`, none changed.
    pub fn new(matrix: &'m BoundaryMatrix<I>) -> Self {
        Columns { matrix, contents: I::zeros(matrix.len()), changed: boxcar::Vec::new() }
    }

    /// The matrix they were.
    pub fn matrix(&self) -> &'m BoundaryMatrix<I> {
        self.matrix
    }

    /// The number of columns.
    pub fn len(&self) -> usize {
        self.matrix.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.matrix.is_empty()
    }

    /// The rows of a column, ascending.
    #[inline]
    pub fn get(&self, column: usize) -> &[I] {
        match self.contents[column].load().to_usize() {
            ORIGINAL => self.matrix.column(column),
            CLEARED => &[],
            place => &self.changed[place - CHANGED],
        }
    }

    /// The greatest row of a column.
    #[inline]
    pub fn low(&self, column: usize) -> Option<usize> {
        self.get(column).last().map(|row| row.to_usize())
    }

    /// Replaces a column.
    ///
    /// # Panics
    /// After more changes than the index type numbers: with `u32` two thousand million, which no memory known holds.
    pub fn set(&self, column: usize, rows: &[I]) {
        let content = if rows.is_empty() { CLEARED } else { CHANGED + self.changed.push(rows.into()) };
        assert!(
            content <= I::MOST,
            "expected at most {} changes of columns, found one more",
            I::MOST - CHANGED
        );
        self.contents[column].store(I::from_usize(content));
    }

    /// Makes a column zero.
    #[inline]
    pub fn clear(&self, column: usize) {
        self.contents[column].store(I::from_usize(CLEARED));
    }
}

/// For each row, the column whose low it is, once that is known.
pub struct Lookup<I: Row> {
    /// The column plus one; zero for none.
    table: Vec<I::Atomic>,
}

impl<I: Row> Lookup<I> {
    /// No low known, of `rows` rows.
    pub fn new(rows: usize) -> Self {
        Lookup { table: I::zeros(rows) }
    }

    /// The column whose low is `row`.
    #[inline]
    pub fn get(&self, row: usize) -> Option<usize> {
        self.table[row].load().to_usize().checked_sub(1)
    }

    /// Notes that the low of `column` is `row`.
    #[inline]
    pub fn set(&self, row: usize, column: usize) {
        self.table[row].store(I::from_usize(column + 1));
    }

    /// Replaces the column of `row`, if it is still `current`.
    ///
    /// # Errors
    /// The column that is there instead.
    #[inline]
    pub fn replace(&self, row: usize, current: Option<usize>, column: usize) -> Result<(), Option<usize>> {
        let current = I::from_usize(current.map_or(0, |column| column + 1));
        match self.table[row].exchange(current, I::from_usize(column + 1)) {
            Ok(_) => Ok(()),
            Err(found) => Err(found.to_usize().checked_sub(1)),
        }
    }

    /// All pairs (row, column), by row.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.table
            .iter()
            .enumerate()
            .filter_map(|(row, column)| Some((row, column.load().to_usize().checked_sub(1)?)))
    }
}
