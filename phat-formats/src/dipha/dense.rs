//! Dense distance matrices.

use super::FileType;
use crate::FormatError;
use crate::block::Block;
use crate::fields::{Fields, Word};
use std::io::{self, Write};

/// A DIPHA distance matrix, file type 7, over the bytes of its file.
///
/// | bytes | type | content |
/// |---|---|---|
/// | 0–7 | `i64` | 8067171840 |
/// | 8–15 | `i64` | 7 |
/// | 16–23 | `i64` | n, the number of points |
/// | 24–(24 + 8n² − 1) | `f64` | the n² distances, row by row |
///
/// The reader does not check that the matrix is symmetric with a zero diagonal.
///
/// ```
/// use phat_formats::dipha::{DistanceMatrix, write_distance_matrix};
/// let mut file = Vec::new();
/// write_distance_matrix(&mut file, 3, |i, j| (i as f64 - j as f64).abs())?;
/// let matrix = DistanceMatrix::from_bytes(&file).unwrap();
/// assert_eq!((matrix.len(), matrix.get(0, 2)), (3, 2.0));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistanceMatrix<'a> {
    n: usize,
    offset: usize,
    entries: &'a [Word],
}

impl<'a> DistanceMatrix<'a> {
    /// Parses the matrix in a whole file.
    ///
    /// # Errors
    /// A wrong magic number or file type; a negative or overflowing count; a file that is truncated or continues
    /// after the matrix.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let mut fields = Fields::of_type(bytes, FileType::DistanceMatrix)?;
        let counted = fields.offset();
        let n = fields.count("a number of points")?;
        let offset = fields.offset();
        let size = n.checked_mul(n).filter(|size| size.checked_mul(8).is_some());
        let overflow = || FormatError::at(counted, "a number of points whose matrix can be addressed", n);
        let entries = fields.words(size.ok_or_else(overflow)?, "distances")?;
        fields.end()?;
        Ok(DistanceMatrix { n, offset, entries })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The entry in row `i` and column `j`, 0-based.
    ///
    /// # Panics
    /// The row or the column is out of range.
    #[inline]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        assert!(j < self.n, "column {j} of {}", self.n);
        f64::from_le_bytes(self.entries[i * self.n + j])
    }

    /// Byte offset of entry `(i, j)` in the file.
    pub fn offset_of(&self, i: usize, j: usize) -> usize {
        self.offset + 8 * (i * self.n + j)
    }
}

/// Writes a distance matrix, file type 7, of `n` points; `distance(i, j)` is called for every row i and column j.
///
/// # Errors
/// `out` cannot be written.
pub fn write_distance_matrix(
    mut out: impl Write,
    n: usize,
    mut distance: impl FnMut(usize, usize) -> f64,
) -> io::Result<()> {
    let mut block = Block::dipha(&mut out, FileType::DistanceMatrix)?;
    block.integer(n as u64)?;
    for i in 0..n {
        (0..n).try_for_each(|j| block.word(distance(i, j).to_le_bytes()))?;
    }
    block.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Place;
    use crate::dipha::MAGIC;
    use crate::error::{END, binary, check_cuts};

    #[test]
    fn what_is_written_reads_back() {
        for n in 0..5 {
            let mut file = Vec::new();
            write_distance_matrix(&mut file, n, |i, j| (10 * i + j) as f64).unwrap();
            let matrix = DistanceMatrix::from_bytes(&file).unwrap();
            assert_eq!(matrix.len(), n);
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(matrix.get(i, j), (10 * i + j) as f64);
                    let at = matrix.offset_of(i, j);
                    assert_eq!(file[at..at + 8], ((10 * i + j) as f64).to_le_bytes());
                }
            }
        }
    }

    #[test]
    fn every_cut_and_every_tail_is_an_error() {
        let mut file = Vec::new();
        write_distance_matrix(&mut file, 3, |_, _| 1.0).unwrap();
        check_cuts(&file, &|bytes| DistanceMatrix::from_bytes(bytes).map(drop));
    }

    #[test]
    fn counts_that_cannot_be_are_errors() {
        for n in [-1, i64::MIN, i64::MAX, 1 << 31, 1 << 40] {
            let error = DistanceMatrix::from_bytes(&binary(&[MAGIC, 7, n])).unwrap_err();
            assert!(error.place == Place::Byte(16) || error.found == END, "{n}: {error}");
        }
    }

    #[test]
    fn other_files_are_told_apart() {
        let mut other = binary(&[MAGIC, 7, 0]);
        other[8] = 1;
        let error = DistanceMatrix::from_bytes(&other).unwrap_err();
        assert_eq!(
            error.to_string(),
            "byte 8: expected DIPHA file type 7 (distance matrix), found 1 (image data)"
        );
        other[8] = 5;
        let error = DistanceMatrix::from_bytes(&other).unwrap_err();
        assert_eq!(error.to_string(), "byte 8: expected a DIPHA file type (0, 1, 2, 7 or 8), found 5");
        other[0] = 1;
        let error = DistanceMatrix::from_bytes(&other).unwrap_err();
        assert_eq!(error.expected, "DIPHA's magic number 8067171840");
    }
}
