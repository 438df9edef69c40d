//! The rows of one column.

use crate::entries::store;
use crate::{Dimension, FormatError, Index, Place};

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
        let Column { number: column, dim } = self;
        let check = |k: usize, found: i64| {
            if (0..column as i64).contains(&found) && i16::from(dim_of(found as usize)) + 1 == i16::from(dim)
            {
                return Ok(I::from_usize(found as usize));
            }
            Err(self.wrong(found, &dim_of, place(k)))
        };
        let twice = |k: usize| {
            let row = rows.clone().nth(k).unwrap_or_default();
            let expected = format!("a row that column {column} does not have yet");
            FormatError::new(place(k), expected, format!("row {row} again"))
        };
        store(rows.clone(), check, twice, out)
    }

    /// The error for a row that is not in the boundary of this column.
    #[cold]
    fn wrong(self, found: i64, dim_of: &dyn Fn(usize) -> Dimension, place: Place) -> FormatError {
        let Column { number: column, dim } = self;
        if !(0..column as i64).contains(&found) {
            let expected = format!("a row of column {column} that is from 0 on and below {column}");
            return FormatError::new(place, expected, found);
        }
        let expected = format!("a boundary cell one dimension below {dim}, that of column {column}");
        FormatError::new(place, expected, format!("row {found} of dimension {}", dim_of(found as usize)))
    }
}
