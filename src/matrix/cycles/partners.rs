//! The partner of each cell in the persistence pairs.

use phat_formats::{BoundaryMatrix, Index};

use super::CyclesError;
use crate::matrix::pairs::Pairs;
use crate::memory;

/// The role of a cell when it enters the filtration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Creates a class that the given cell destroys.
    Birth(usize),
    /// Destroys the class that the given cell created.
    Death(usize),
    /// Creates a class that is never destroyed.
    Essential,
}

/// The partner of each cell; an unpaired cell is its own partner.
#[derive(Debug)]
pub(super) struct Partners<I>(Vec<I>);

impl<I: Index> Partners<I> {
    /// Collects the partners of all cells of a matrix.
    ///
    /// # Errors
    /// The pairs do not fit the cells and dimensions of the matrix; or there is no memory for the table.
    pub(super) fn new(matrix: &BoundaryMatrix<I>, pairs: &Pairs<I>) -> Result<Self, CyclesError> {
        let cells = matrix.len();
        let mut partners = Vec::new();
        memory::reserve(&mut partners, cells)?;
        partners.extend((0..cells).map(I::from_usize));
        for &(birth, death) in &pairs.pairs {
            let (i, j) = (birth.to_usize(), death.to_usize());
            let is_pair = i < j
                && j < cells
                && matrix.dim(i).checked_add(1) == Some(matrix.dim(j))
                && partners[i] == birth
                && partners[j] == death;
            if !is_pair {
                return Err(CyclesError::NotThePairs { column: j });
            }
            (partners[i], partners[j]) = (death, birth);
        }
        Ok(Partners(partners))
    }

    /// Number of cells.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The partner of a cell, or the cell itself if it is unpaired.
    #[inline]
    pub(super) fn partner(&self, cell: usize) -> usize {
        self.0[cell].to_usize()
    }

    /// The role of a cell.
    #[inline]
    pub(super) fn role(&self, cell: usize) -> Role {
        let partner = self.partner(cell);
        match partner.cmp(&cell) {
            std::cmp::Ordering::Less => Role::Death(partner),
            std::cmp::Ordering::Equal => Role::Essential,
            std::cmp::Ordering::Greater => Role::Birth(partner),
        }
    }
}
