//! The rows of one column: checked, stored, and sorted if necessary.

use crate::{Dimension, FormatError, Index, Place};
use hashbrown::HashSet;

/// Number of rows up to which a linear search looks for repetitions.
const FEW: usize = 32;

/// A column whose rows are to be read.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) number: usize,
    pub(super) dim: Dimension,
}

impl Column {
    /// Checks the rows and stores them, ascending. Returns whether they ascended.
    ///
    /// `dim_of` gives the dimension of an earlier column, `place` the place of the k-th row in the file.
    #[inline]
    pub(super) fn read<I: Index>(
        self,
        rows: impl Iterator<Item = i64> + Clone,
        dim_of: impl Fn(usize) -> Dimension,
        place: impl Fn(usize) -> Place,
        out: &mut [I],
    ) -> Result<bool, FormatError> {
        if self.read_ascending(rows.clone(), &dim_of, out) {
            return Ok(true);
        }
        self.read_any(rows, dim_of, place, out).map(|()| false)
    }

    /// Stores rows if they are valid and ascend, as in nearly all columns. Returns whether they are.
    #[inline]
    fn read_ascending<I: Index>(
        self,
        rows: impl Iterator<Item = i64>,
        dim_of: impl Fn(usize) -> Dimension,
        out: &mut [I],
    ) -> bool {
        // Rows that ascend from −1 are neither negative nor repeated.
        let mut before = -1;
        for (out, row) in out.iter_mut().zip(rows) {
            if row <= before || row >= self.number as i64 || !self.is_above(dim_of(row as usize)) {
                return false;
            }
            *out = I::from_usize(row as usize);
            before = row;
        }
        true
    }

    /// Stores rows that do not ascend, or returns the first error.
    #[cold]
    fn read_any<I: Index>(
        self,
        rows: impl Iterator<Item = i64>,
        dim_of: impl Fn(usize) -> Dimension,
        place: impl Fn(usize) -> Place,
        out: &mut [I],
    ) -> Result<(), FormatError> {
        let Column { number: column, dim } = self;
        let mut seen = HashSet::new();
        for (k, found) in rows.enumerate() {
            let place = place(k);
            let row = usize::try_from(found).ok().filter(|&row| row < column);
            let row = row.ok_or_else(|| {
                let expected = format!("a row of column {column} that is from 0 on and below {column}");
                FormatError::new(place, expected, found)
            })?;
            if !self.is_above(dim_of(row)) {
                let expected = format!("a boundary cell one dimension below {dim}, that of column {column}");
                let found = format!("row {row} of dimension {}", dim_of(row));
                return Err(FormatError::new(place, expected, found));
            }
            let number = I::from_usize(row);
            let repeated = if out.len() <= FEW { out[..k].contains(&number) } else { !seen.insert(number) };
            if repeated {
                let expected = format!("a row that column {column} does not have yet");
                return Err(FormatError::new(place, expected, format!("row {row} again")));
            }
            out[k] = number;
        }
        out.sort_unstable();
        Ok(())
    }

    #[inline]
    fn is_above(self, dim: Dimension) -> bool {
        i16::from(dim) + 1 == i16::from(self.dim)
    }
}
