//! Persistence pairs: the result of a reduction.

use phat_formats::Index;

use super::figures::Figures;

/// The persistence pairs of a filtration of n cells, sorted by birth.
///
/// In the pair (i, j), i < j, cell i creates a class that cell j destroys. A cell in no pair creates an *essential*
/// class, which is never destroyed. If ∂∂ = 0, each cell is in at most one pair; [`super::reduction`] says what the
/// algorithms return otherwise.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pairs<I> {
    /// The pairs (birth, death), sorted by birth.
    pub pairs: Vec<(I, I)>,
    /// The number of cells.
    pub cells: usize,
    /// Statistics of the reduction.
    pub figures: Figures,
}

impl<I: Index> Pairs<I> {
    /// The cells that are in no pair, ascending.
    pub fn essential(&self) -> Vec<I> {
        let mut paired = vec![false; self.cells];
        for (birth, death) in &self.pairs {
            paired[birth.to_usize()] = true;
            paired[death.to_usize()] = true;
        }
        (0..self.cells).filter(|&cell| !paired[cell]).map(I::from_usize).collect()
    }
}
