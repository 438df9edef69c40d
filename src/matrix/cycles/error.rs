//! Why there are no cycles.

use crate::memory::Refused;
use crate::progress::Interrupted;

/// What can go wrong from the pairs of a matrix to the cycles of its classes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CyclesError {
    /// A cell that is selected is not there.
    #[error("class of cell {cell}: expected a cell below {cells}, the number of cells")]
    NoSuchCell {
        /// The cell.
        cell: usize,
        /// The number of cells of the matrix.
        cells: usize,
    },
    /// A cell that is selected ends a class and begins none.
    #[error(
        "class of cell {cell}: expected a cell that creates a class, found the one that destroys the class of cell {birth}"
    )]
    NotABirth {
        /// The cell.
        cell: usize,
        /// The cell that creates the class that the cell destroys.
        birth: usize,
    },
    /// The pairs contradict each other, or the matrix.
    #[error(
        "column {column}: expected the persistence pairs of this matrix, in which boundaries have no boundary, found others"
    )]
    NotThePairs {
        /// The column by which that was noticed.
        column: usize,
    },
    /// There is not enough memory.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The run was ended early, as its [`Progress`](crate::progress::Progress) wanted.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
