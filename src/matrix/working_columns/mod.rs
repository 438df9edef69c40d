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
//! A call handles a whole column at a time, so choosing the representation at run time costs nothing measurable, and
//! each algorithm is compiled once.

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
    fn pop(&mut self) -> Option<I> {
        let row = self.pivot()?;
        self.add(&[row]);
        Some(row)
    }

    /// Replaces `rows` by the rows of the column, ascending, and empties the column.
    fn take(&mut self, rows: &mut Vec<I>);
}

/// Creates an empty column for `rows` rows.
pub(crate) fn column<I: Index>(representation: Representation, rows: usize) -> Box<dyn WorkingColumn<I>> {
    match representation {
        Representation::BitTree => Box::new(BitTree::new(rows)),
        Representation::Heap => Box::new(Heap::default()),
        Representation::Full => Box::new(Full::new(rows)),
        Representation::Sparse => Box::new(Sparse::default()),
        Representation::Vector => Box::new(Vector::default()),
    }
}
