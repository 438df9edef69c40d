//! The rows of one column: checked, stored, and sorted if necessary.

use super::{PhatError, Place};
use crate::{Dimension, Index};
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
    ) -> Result<bool, PhatError> {
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
    ) -> Result<(), PhatError> {
        let Column { number: column, dim } = self;
        let mut seen = HashSet::new();
        for (k, found) in rows.enumerate() {
            let place = place(k);
            let row = usize::try_from(found).ok().filter(|&row| row < column);
            let row = row.ok_or(PhatError::Row { place, column, found })?;
            if !self.is_above(dim_of(row)) {
                return Err(PhatError::RowDimension { place, column, dim, row, found: dim_of(row) });
            }
            let number = I::from_usize(row);
            let repeated = if out.len() <= FEW { out[..k].contains(&number) } else { !seen.insert(number) };
            if repeated {
                return Err(PhatError::Repeated { place, column, row });
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
