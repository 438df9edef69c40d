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
//! [`Column`] is a working column of any representation. A call handles a whole column at a time, so choosing the
//! representation at run time costs nothing measurable, and each algorithm is compiled once.

pub(crate) mod bit_tree;
pub(crate) mod full;
pub(crate) mod heap;
pub(crate) mod sparse;
#[cfg(test)]
mod tests;
pub(crate) mod vector;

use phat_formats::Index;

use super::plan::Representation;

pub(crate) use bit_tree::BitTree;
pub(crate) use full::Full;
pub(crate) use heap::Heap;
pub(crate) use sparse::Sparse;
pub(crate) use vector::Vector;

#[cfg(doc)]
use super::reduction_matrix::ReductionMatrix;

/// A column over Z/2 to which others are added. A column created for n rows holds rows below n.
pub(crate) trait WorkingColumn<I: Index>: Send {
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
#[derive(Debug, Clone)]
pub(crate) enum Column<I> {
    BitTree(BitTree),
    Heap(Heap<I>),
    Full(Full<I>),
    Sparse(Sparse<I>),
    Vector(Vector<I>),
}

impl<I: Index> Column<I> {
    /// Creates an empty column for `rows` rows.
    pub(crate) fn new(representation: Representation, rows: usize) -> Self {
        match representation {
            Representation::BitTree => Column::BitTree(BitTree::new(rows)),
            Representation::Heap => Column::Heap(Heap::default()),
            Representation::Full => Column::Full(Full::new(rows)),
            Representation::Sparse => Column::Sparse(Sparse::default()),
            Representation::Vector => Column::Vector(Vector::default()),
        }
    }
}

/// Evaluates an expression on the column of whatever representation.
macro_rules! on_column {
    ($any:expr, $column:ident => $body:expr) => {
        match $any {
            Column::BitTree($column) => $body,
            Column::Heap($column) => $body,
            Column::Full($column) => $body,
            Column::Sparse($column) => $body,
            Column::Vector($column) => $body,
        }
    };
}

impl<I: Index> WorkingColumn<I> for Column<I> {
    #[inline]
    fn add(&mut self, rows: &[I]) {
        on_column!(self, column => column.add(rows));
    }

    #[inline]
    fn pivot(&mut self) -> Option<I> {
        on_column!(self, column => column.pivot())
    }

    #[inline]
    fn pop(&mut self) -> Option<I> {
        on_column!(self, column => column.pop())
    }

    fn take(&mut self, rows: &mut Vec<I>) {
        on_column!(self, column => column.take(rows));
    }

    #[inline]
    fn add_and_pivot(&mut self, rows: &[I]) -> Option<I> {
        on_column!(self, column => column.add_and_pivot(rows))
    }
}
