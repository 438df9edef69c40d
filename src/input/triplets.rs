//! Sparse matrices as lists of entries, as the formats for sparse matrices hold them.

use super::Place;

/// A sparse matrix: its shape and its entries, in the order of the file. Entries with value zero are kept, and a position may
/// occur more than once (SciPy adds such entries up); who uses the matrix decides what both mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Triplets {
    /// The number of rows.
    pub(crate) rows: usize,
    /// The number of columns.
    pub(crate) columns: usize,
    /// The entries.
    pub(crate) entries: Vec<Triplet>,
    /// Whether the entries are those of one triangle of a symmetric matrix: entry (i, j) stands for (j, i) as well.
    pub(crate) symmetric: bool,
    /// The line of each entry, counted from 1; empty when the matrix comes from a binary file.
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
    /// Where an entry is in its file, as far as that can be said.
    pub(crate) fn place(&self, entry: usize) -> Place {
        self.lines.get(entry).map_or(Place::Whole, |&line| Place::Line(line))
    }
}
