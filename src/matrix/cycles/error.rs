//! Errors of the computation of cycles.

use crate::memory::Refused;
use crate::progress::Interrupted;

/// An error between the pairs of a matrix and the cycles of its classes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CyclesError {
    /// A selected cell does not exist.
    #[error("class of cell {cell}: expected a cell below {cells}, the number of cells")]
    NoSuchCell {
        /// The selected cell.
        cell: usize,
        /// Number of cells of the matrix.
        cells: usize,
    },
    /// A selected cell destroys a class and creates none.
    #[error(
        "class of cell {cell}: expected a cell that creates a class, found the one that destroys the class of cell {birth}"
    )]
    NotABirth {
        /// The selected cell.
        cell: usize,
        /// The cell that creates the class that the cell destroys.
        birth: usize,
    },
    /// The pairs contradict each other, or the matrix.
    #[error(
        "column {column}: expected the persistence pairs of this matrix, in which boundaries have no boundary, found others"
    )]
    NotThePairs {
        /// The column at which the contradiction was found.
        column: usize,
    },
    /// There is not enough memory.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// [`Progress`](crate::progress::Progress) ended the run early.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
}
