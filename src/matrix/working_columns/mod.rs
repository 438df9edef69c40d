//! Working columns: the column that a thread adds others to.
//!
//! A stored column is a slice of ascending rows ([`ReductionMatrix::column`]). While it is reduced it is a working
//! column in one of five representations behind one trait. A thread uses one working column for all its columns;
//! emptying it takes time proportional to its content and not to the number of rows of the matrix.
//!
//! With n rows, m of them in the column, and k in the added column:
//!
//! | representation | module | memory | add | pivot | source |
//! |---|---|---|---|---|---|
//! | bit tree | [`bit_tree`] | n bits | k | log₆₄ n | Bauer, Kerber, Reininghaus, Wagner 2017 (PHAT) |
//! | heap | [`heap`] | added rows | k | log m for each row that cancels | PHAT |
//! | full | [`full`] | 2n bits | k, and log m for each new row | log m for each row that cancels | PHAT |
//! | sparse | [`sparse`] | m | k log m | 1 | PHAT |
//! | vector | [`vector`] | m | k, and the rows after the first of k | 1 | Edelsbrunner, Letscher, Zomorodian 2002 |
//!
//! An algorithm is generic over its working column. [`BoxedColumn`] is a working column, too: an algorithm is
//! compiled once for all boxed representations, and a virtual call handles a whole column at a time.

pub(crate) mod bit_tree;
pub(crate) mod full;
pub(crate) mod heap;
pub(crate) mod sparse;
#[cfg(test)]
mod tests;
pub(crate) mod vector;

use phat_formats::Index;

pub use bit_tree::BitTree;
pub(crate) use full::Full;
pub(crate) use heap::Heap;
pub(crate) use sparse::Sparse;
pub use vector::Vector;

#[cfg(doc)]
use super::reduction_matrix::ReductionMatrix;

/// A column over Z/2 to which others are added. A column created for n rows holds rows below n.
pub trait WorkingColumn<I: Index>: Send {
    /// Adds a column, given as strictly ascending rows. Rows that both columns have cancel.
    fn add(&mut self, column: &[I]);

    /// Returns the greatest row without removing it; `None` for an empty column.
    fn pivot(&mut self) -> Option<I>;

    /// Removes and returns the greatest row.
    fn pop(&mut self) -> Option<I>;

    /// Replaces `rows` by the rows of the column, ascending, and empties the column.
    fn take(&mut self, rows: &mut Vec<I>);

    /// Adds a column, and returns the greatest row of the sum.
    #[inline]
    fn add_and_pivot(&mut self, column: &[I]) -> Option<I> {
        self.add(column);
        self.pivot()
    }
}

/// A working column whose representation is chosen at run time.
pub(crate) type BoxedColumn<I> = Box<dyn WorkingColumn<I>>;

impl<I: Index> WorkingColumn<I> for BoxedColumn<I> {
    fn add(&mut self, column: &[I]) {
        (**self).add(column);
    }

    fn pivot(&mut self) -> Option<I> {
        (**self).pivot()
    }

    fn pop(&mut self) -> Option<I> {
        (**self).pop()
    }

    fn take(&mut self, rows: &mut Vec<I>) {
        (**self).take(rows);
    }

    fn add_and_pivot(&mut self, column: &[I]) -> Option<I> {
        (**self).add_and_pivot(column)
    }
}
