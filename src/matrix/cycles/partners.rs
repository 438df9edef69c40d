//! Who is paired with whom.

use phat_formats::{BoundaryMatrix, Index};

use super::CyclesError;
use crate::matrix::pairs::Pairs;
use crate::memory;

/// What a cell does when it enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It creates a class that this cell destroys.
    Birth(usize),
    /// It destroys the class that this cell has created.
    Death(usize),
    /// It creates a class that lasts.
    Essential,
}

/// The partner of each cell; a cell without one is its own.
#[derive(Debug)]
pub(super) struct Partners<I>(Vec<I>);

impl<I: Index> Partners<I> {
    /// The partners of all cells of a matrix.
    ///
    /// # Errors
    /// The pairs are not those of a matrix of so many cells and dimensions; there is no memory for the table.
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

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The partner of a cell; the cell itself, if it has none.
    #[inline]
    pub(super) fn partner(&self, cell: usize) -> usize {
        self.0[cell].to_usize()
    }

    /// What a cell does.
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
