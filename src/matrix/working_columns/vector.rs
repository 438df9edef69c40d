//! A sorted vector.

use phat_formats::Index;

use super::WorkingColumn;

/// The rows, ascending. An addition merges only from the first added row on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vector<I> {
    rows: Vec<I>,
    /// Target of the merge; swapped with `rows` if all rows are merged.
    merged: Vec<I>,
}

/// Appends the rows that are in exactly one of two ascending slices, ascending.
fn symmetric_difference<I: Index>(mut a: &[I], mut b: &[I], out: &mut Vec<I>) {
    while let ([first, rest_a @ ..], [second, rest_b @ ..]) = (a, b) {
        if first < second {
            out.push(*first);
            a = rest_a;
        } else if second < first {
            out.push(*second);
            b = rest_b;
        } else {
            (a, b) = (rest_a, rest_b);
        }
    }
    out.extend_from_slice(a);
    out.extend_from_slice(b);
}

impl<I: Index> WorkingColumn<I> for Vector<I> {
    fn add(&mut self, column: &[I]) {
        let Some(first) = column.first() else { return };
        let stay = self.rows.partition_point(|row| row < first);
        self.merged.clear();
        symmetric_difference(&self.rows[stay..], column, &mut self.merged);
        if stay == 0 {
            std::mem::swap(&mut self.rows, &mut self.merged);
        } else {
            self.rows.truncate(stay);
            self.rows.extend_from_slice(&self.merged);
        }
    }

    #[inline]
    fn pivot(&mut self) -> Option<I> {
        self.rows.last().copied()
    }

    fn take(&mut self, rows: &mut Vec<I>) {
        rows.clear();
        std::mem::swap(&mut self.rows, rows);
    }
}
