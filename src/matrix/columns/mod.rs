//! Working columns: the column that a thread adds others to.
//!
//! A column at rest is a slice of ascending rows ([`super::state::Columns`]). While it is being reduced it is a
//! working column, one of five, behind one trait. A thread makes one and keeps it; all are empty again, at the cost of
//! what was in them and not of the rows there are, once they are taken.
//!
//! With n rows, m of them in the column, and k in the one that is added:
//!
//! | representation | module | memory | add | pivot | source |
//! |---|---|---|---|---|---|
//! | bit tree | [`bit_tree`] | n bits | k | log₆₄ n | Bauer, Kerber, Reininghaus, Wagner 2017 (PHAT) |
//! | heap | [`heap`] | what was added | k | log m for each row that cancels | the same |
//! | full | [`full`] | 2n bits | k, and log m for each new row | log m for each row that cancels | the same |
//! | sparse | [`sparse`] | m | k log m | 1 | the same |
//! | vector | [`vector`] | m | k, and the rows past the first of k | 1 | Edelsbrunner, Letscher, Zomorodian 2002 |

pub mod bit_tree;
pub mod full;
pub mod heap;
pub mod sparse;
#[cfg(test)]
mod tests;
pub mod vector;

pub use bit_tree::BitTree;
pub use full::Full;
pub use heap::Heap;
pub use sparse::Sparse;
pub use vector::Vector;

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
