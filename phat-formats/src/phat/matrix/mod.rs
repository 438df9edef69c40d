//! Boundary matrices.
//!
//! A file lists the columns of a [`BoundaryMatrix`] in filtration order: the dimension of each cell and the cells of
//! its boundary, numbered from 0. PHAT does not check its input; here every violation is an error, except that rows
//! may be in any order: they are sorted, and [`Read`] reports it.
//!
//! Text:
//!
//! | line | content |
//! |---|---|
//! | the j-th column line | `dim row row …` of column j |
//!
//! Blank lines, and lines whose first character is `#`, are skipped. Words may be separated by any blanks, and lines
//! may end in CRLF.
//!
//! Binary:
//!
//! | bytes | type | content |
//! |---|---|---|
//! | 0–7 | `i64` | n, the number of columns |
//! | the next 8 | `i64` | the dimension of column 0 |
//! | the next 8 | `i64` | c, the number of its rows |
//! | the next 8c | `i64` | its rows |
//! | … | | columns 1, 2, …, n − 1 in the same way |
//!
//! ```
//! use phat_formats::phat::matrix;
//! let text = b"# an edge\n0\n0\n1 0 1\n";
//! let read = matrix::read_ascii::<u32>(text).unwrap();
//! assert_eq!(read.matrix.column(2), [0, 1]);
//! let mut file = Vec::new();
//! matrix::write_binary(&mut file, &read.matrix)?;
//! assert_eq!(file.len(), 8 * (1 + 2 + 2 + 4));
//! assert_eq!(matrix::read_binary::<u32>(&file).unwrap(), read);
//! # Ok::<(), std::io::Error>(())
//! ```

mod ascii;
mod binary;
mod column;
#[cfg(test)]
mod tests;
mod write;

pub use ascii::read_ascii;
pub use binary::{read_binary, read_binary_showing, size};
pub use write::{write_ascii, write_binary};

use crate::{BoundaryMatrix, FormatError, Place};

/// There are more columns or entries than the index type can number.
fn too_large(place: Place, most: usize, found: u64) -> FormatError {
    FormatError::new(place, format!("at most {most} columns and entries"), found)
}

/// A boundary matrix as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read<I> {
    /// The matrix.
    pub matrix: BoundaryMatrix<I>,
    /// The number of columns whose rows did not ascend in the file.
    pub unsorted: usize,
    /// The first of these columns, if any.
    pub first_unsorted: Option<Unsorted>,
}

/// A column whose rows do not ascend in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unsorted {
    /// Number of the column.
    pub column: usize,
    /// Place of its first row.
    pub place: Place,
}

/// The combined results of the threads that read parts of a file.
#[derive(Default)]
struct Findings {
    error: Option<FormatError>,
    unsorted: usize,
    first_unsorted: Option<Unsorted>,
}

impl Findings {
    /// Counts a column whose rows do not ascend, after those before it.
    fn unsorted(&mut self, unsorted: Unsorted) {
        self.unsorted += 1;
        self.first_unsorted.get_or_insert(unsorted);
    }

    /// Adds the findings in another part, and keeps what comes first in the file.
    fn add(&mut self, other: Findings) {
        self.unsorted += other.unsorted;
        let errors = [self.error.take(), other.error].into_iter().flatten();
        self.error = errors.min_by_key(|error| error.place);
        let columns = [self.first_unsorted, other.first_unsorted].into_iter().flatten();
        self.first_unsorted = columns.min_by_key(|unsorted| unsorted.column);
    }

    /// Returns the matrix, or the error if there is one.
    fn read<I>(self, matrix: impl FnOnce() -> BoundaryMatrix<I>) -> Result<Read<I>, FormatError> {
        let Findings { error, unsorted, first_unsorted } = self;
        match error {
            Some(error) => Err(error),
            None => Ok(Read { matrix: matrix(), unsorted, first_unsorted }),
        }
    }
}
