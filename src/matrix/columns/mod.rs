//! Working columns: the column that a thread adds others to.
//!
//! A column at rest is a slice of ascending rows ([`super::state::Columns`]). While it is being reduced it is a working column,
//! one of five, behind one trait:
//!
//! | representation | module | source |
//! |---|---|---|

use super::Index;

/// A column over Z/2 that others are added to. What one is made for `rows` rows may hold rows below that.
pub trait WorkingColumn<I: Index>: Send {
    /// The empty column over `rows` rows.
    fn new(rows: usize) -> Self;

    /// Adds a column: strictly ascending rows, each below the number of rows. Over Z/2, what both have goes.
    fn add(&mut self, column: &[I]);

    /// The greatest row, which stays. None of an empty column.
    fn pivot(&mut self) -> Option<I>;

    /// Takes the greatest row out.
    fn pop(&mut self) -> Option<I>;

    /// Empties the column into `rows`, which is emptied first, ascending.
    fn take(&mut self, rows: &mut Vec<I>);
}
