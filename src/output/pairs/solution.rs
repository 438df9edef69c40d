//! Pairs together with what they are pairs of.

use phat_formats::dipha::DiagramPoint;

use crate::diagram::{Bar, Diagram};
use crate::filtration;
use crate::matrix::{BoundaryMatrix, Dimension, Index, Pairs};

/// The pairs of a filtration, its dimensions, and its values if it has them.
#[derive(Debug, Clone, Copy)]
pub struct Solution<'a, I> {
    /// The filtration.
    pub matrix: &'a BoundaryMatrix<I>,
    /// Its pairs.
    pub pairs: &'a Pairs<I>,
    /// The value of each cell, ascending.
    pub values: Option<&'a [f64]>,
    /// The dimension of the complex, not below any cell's.
    pub max_dim: Dimension,
    /// Whether it was cut off above that, so that essential classes of this dimension mean nothing.
    pub cut: bool,
}

/// A class: its dimension, the cell that gives birth to it and the one that kills it, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Its dimension.
    pub dim: usize,
    /// The cell that gives birth to it.
    pub birth: usize,
    /// The cell that kills it; none of an essential class.
    pub death: Option<usize>,
}

impl<'a, I: Index> Solution<'a, I> {
    /// The pairs (birth cell, death cell), by birth.
    pub fn cell_pairs(&self) -> impl ExactSizeIterator<Item = (u64, u64)> + 'a {
        let number = |cell: I| cell.to_usize() as u64;
        self.pairs.pairs.iter().map(move |&(birth, death)| (number(birth), number(death)))
    }

    /// The bars, where there are values: by dimension, then by (birth, death).
    pub fn diagram(&self) -> Option<Diagram> {
        let values = self.values?;
        let greatest = usize::from(self.max_dim);
        let mut dimensions = vec![Vec::new(); greatest + 1];
        for class in self.classes().filter(|class| class.death.is_some() || !self.cut || class.dim < greatest)
        {
            let birth = values[class.birth];
            let death = class.death.map_or(f64::INFINITY, |cell| values[cell]);
            if birth < death {
                dimensions[class.dim].push(Bar { birth, death });
            }
        }
        for bars in &mut dimensions {
            bars.sort_unstable_by(|a, b| {
                a.birth.total_cmp(&b.birth).then_with(|| a.death.total_cmp(&b.death))
            });
        }
        Some(Diagram::new(dimensions))
    }

    /// The points of a DIPHA diagram, in DIPHA's order; without values, cells stand for them.
    pub fn dipha_points(&self) -> Vec<DiagramPoint> {
        let value = |cell: usize| self.values.map_or(cell as f64, |values| values[cell]);
        filtration::diagram(self.matrix, self.max_dim, value, &self.pairs.pairs)
    }

    /// All classes: pairs by birth, then essential classes by birth.
    pub fn classes(&self) -> impl Iterator<Item = Class> + '_ {
        let dim = |cell: usize| self.matrix.dim(cell).into();
        let pairs = self.pairs.pairs.iter().map(move |&(birth, death)| Class {
            dim: dim(birth.to_usize()),
            birth: birth.to_usize(),
            death: Some(death.to_usize()),
        });
        let essential = self.pairs.essential().into_iter().map(I::to_usize);
        pairs.chain(essential.map(move |birth| Class { dim: dim(birth), birth, death: None }))
    }
}
