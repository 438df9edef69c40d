//! Sparse matrices as lists of entries.

use super::Place;

/// A sparse matrix: its shape and its entries in file order. Entries with value zero are kept, and a position may occur
/// more than once (SciPy adds such entries up); the user of the matrix decides what both mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Triplets {
    /// The number of rows.
    pub(crate) rows: usize,
    /// The number of columns.
    pub(crate) columns: usize,
    /// The entries.
    pub(crate) entries: Vec<Triplet>,
    /// Whether only one triangle of a symmetric matrix is given: entry (i, j) stands for (j, i) as well.
    pub(crate) symmetric: bool,
    /// Line of each entry, counted from 1; empty if the matrix comes from a binary file.
    pub(crate) lines: Vec<usize>,
}

/// An entry of a sparse matrix. Rows and columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Triplet {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) value: f64,
}

impl Triplets {
    /// Place of an entry in its file, if known.
    pub(crate) fn place(&self, entry: usize) -> Place {
        self.lines.get(entry).map_or(Place::Whole, |&line| Place::Line(line))
    }
}
