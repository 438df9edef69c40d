//! Sparse distance matrices.

use super::FileType;
use crate::FormatError;
use crate::block::Block;
use crate::fields::{Fields, Word};
use std::io::{self, Write};

/// A DIPHA sparse distance matrix, file type 8, over the bytes of its file.
///
/// | bytes | type | content |
/// |---|---|---|
/// | 0–7 | `i64` | 8067171840 |
/// | 8–15 | `i64` | 8 |
/// | 16–23 | `i64` | n, the number of points |
/// | 24–(24 + 8n − 1) | `i64` | the number of neighbours of each point, m in all |
/// | the next 8m | `i64` | the neighbours of point 0, of point 1, … |
/// | the next 8m | `f64` | the distances to them, in the same order |
///
/// The reader does not check that the distances are symmetric and without repetition.
///
/// ```
/// use phat_formats::dipha::{SparseDistanceMatrix, write_sparse_distance_matrix};
/// let mut file = Vec::new();
/// write_sparse_distance_matrix(&mut file, &[vec![(1, 0.5)], vec![(0, 0.5)]])?;
/// let matrix = SparseDistanceMatrix::from_bytes(&file).unwrap();
/// assert_eq!(matrix.entries().map(|e| (e.row, e.column, e.distance)).next(), Some((0, 1, 0.5)));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SparseDistanceMatrix<'a> {
    counts: &'a [Word],
    columns: &'a [Word],
    distances: &'a [Word],
    /// Byte offset of the distances in the file.
    offset: usize,
}

/// An entry of a [`SparseDistanceMatrix`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SparseEntry {
    /// The point, 0-based.
    pub row: usize,
    /// The neighbour of the point, 0-based.
    pub column: usize,
    /// Distance between the two.
    pub distance: f64,
    /// Byte offset of the distance in the file.
    pub offset: usize,
}

impl<'a> SparseDistanceMatrix<'a> {
    /// Parses the matrix in a whole file.
    ///
    /// # Errors
    /// A wrong magic number or file type; a negative or overflowing count; a neighbour that is out of range; a file
    /// that is truncated or continues after the matrix.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let mut fields = Fields::of_type(bytes, FileType::SparseDistanceMatrix)?;
        let n = fields.count("a number of points")?;
        let counts_at = fields.offset();
        let counts = fields.words(n, "numbers of neighbours")?;
        let m = total(counts, counts_at)?;
        let columns_at = fields.offset();
        let columns = fields.words(m, "neighbours")?;
        check_columns(columns, columns_at, n)?;
        let offset = fields.offset();
        let distances = fields.words(m, "distances")?;
        fields.end()?;
        Ok(SparseDistanceMatrix { counts, columns, distances, offset })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The entries, row by row.
    pub fn entries(&self) -> impl Iterator<Item = SparseEntry> + 'a {
        let Self { counts, columns, distances, offset } = *self;
        let count = |word: &Word| i64::from_le_bytes(*word) as usize;
        let rows = counts.iter().enumerate().flat_map(move |(row, c)| std::iter::repeat_n(row, count(c)));
        rows.zip(columns).zip(distances).enumerate().map(move |(k, ((row, column), distance))| SparseEntry {
            row,
            column: i64::from_le_bytes(*column) as usize,
            distance: f64::from_le_bytes(*distance),
            offset: offset + 8 * k,
        })
    }
}

/// Sums up the numbers of neighbours.
fn total(counts: &[Word], offset: usize) -> Result<usize, FormatError> {
    let mut total = 0usize;
    for (k, word) in counts.iter().enumerate() {
        let found = i64::from_le_bytes(*word);
        let sum = usize::try_from(found).ok().and_then(|count| total.checked_add(count));
        total = sum.ok_or_else(|| FormatError::at(offset + 8 * k, "a number of neighbours", found))?;
    }
    Ok(total)
}

fn check_columns(columns: &[Word], offset: usize, points: usize) -> Result<(), FormatError> {
    let good = |word: &Word| usize::try_from(i64::from_le_bytes(*word)).is_ok_and(|column| column < points);
    match columns.iter().position(|word| !good(word)) {
        None => Ok(()),
        Some(k) => {
            let found = i64::from_le_bytes(columns[k]);
            Err(FormatError::at(offset + 8 * k, format!("a point index below {points}"), found))
        }
    }
}

/// Writes a sparse distance matrix, file type 8. `rows` holds the neighbours of each point with their distances.
///
/// # Errors
/// `out` cannot be written.
pub fn write_sparse_distance_matrix(mut out: impl Write, rows: &[Vec<(usize, f64)>]) -> io::Result<()> {
    let mut block = Block::dipha(&mut out, FileType::SparseDistanceMatrix)?;
    block.integer(rows.len() as u64)?;
    rows.iter().try_for_each(|row| block.integer(row.len() as u64))?;
    rows.iter().flatten().try_for_each(|&(neighbour, _)| block.integer(neighbour as u64))?;
    rows.iter().flatten().try_for_each(|(_, distance)| block.word(distance.to_le_bytes()))?;
    block.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::dipha::MAGIC;
    use crate::error::{binary, check_cuts};

    fn rows() -> Vec<Vec<(usize, f64)>> {
        vec![vec![(2, 0.5), (3, 1.5)], vec![], vec![(0, 0.5)], vec![(0, 1.5)]]
    }

    fn file() -> Vec<u8> {
        let mut file = Vec::new();
        write_sparse_distance_matrix(&mut file, &rows()).unwrap();
        file
    }

    #[test]
    fn what_is_written_reads_back() {
        let file = file();
        let matrix = SparseDistanceMatrix::from_bytes(&file).unwrap();
        let mut read = vec![Vec::new(); matrix.len()];
        for entry in matrix.entries() {
            read[entry.row].push((entry.column, entry.distance));
            assert_eq!(file[entry.offset..entry.offset + 8], entry.distance.to_le_bytes());
        }
        assert_eq!(read, rows());
    }

    #[test]
    fn every_cut_and_every_tail_is_an_error() {
        let file = file();
        check_cuts(&file, &|bytes| SparseDistanceMatrix::from_bytes(bytes).map(drop));
    }

    #[test]
    fn counts_and_indices_that_cannot_be_are_errors() {
        let of = |words: &[i64]| binary(&[&[MAGIC, 8], words].concat());
        let place = |words: &[i64]| SparseDistanceMatrix::from_bytes(&of(words)).unwrap_err().place;
        assert_eq!(place(&[-1]), Place::Byte(16));
        assert_eq!(place(&[i64::MAX]), Place::Byte(24));
        assert_eq!(place(&[2, 1, -1]), Place::Byte(32));
        assert_eq!(place(&[3, i64::MAX, i64::MAX, i64::MAX]), Place::Byte(40));
        assert_eq!(place(&[2, 1, 0, 2, 0]), Place::Byte(40));
        assert_eq!(place(&[2, 1, 0, -1, 0]), Place::Byte(40));
    }
}
