//! Pairs together with their filtration.

use phat_formats::dipha::DiagramPoint;

use crate::cells;
use crate::diagram::{Bar, Diagram};
use crate::matrix::cycles::{Cycle, Cycles};
use crate::matrix::{BoundaryMatrix, Dimension, Index, Pairs};

/// The pairs of a filtration with its dimensions, and its values if it has any.
#[derive(Debug, Clone, Copy)]
pub struct Solution<'a, I> {
    /// The filtration.
    pub matrix: &'a BoundaryMatrix<I>,
    /// The pairs of the filtration.
    pub pairs: &'a Pairs<I>,
    /// The value of each cell, ascending.
    pub values: Option<&'a [f64]>,
    /// The dimension of the complex, at least that of any cell.
    pub max_dim: Dimension,
    /// Whether cells above that dimension were left out, so that its essential classes are meaningless.
    pub cut: bool,
    /// Cycles that represent classes, for the formats that [hold](super::PairsFormat::holds_cycles) them.
    pub cycles: Option<&'a Cycles<I>>,
}

/// A class: its dimension, the cell that creates it, and the cell that kills it, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// The dimension of the class.
    pub dim: usize,
    /// The cell that creates the class.
    pub birth: usize,
    /// The cell that kills the class, or `None` for an essential class.
    pub death: Option<usize>,
}

/// A class of a filtration with values: its dimension, the value at which it is born, and the value at which it dies,
/// if any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValuedClass {
    /// The dimension of the class.
    pub dim: usize,
    /// The value of the cell that creates the class.
    pub birth: f64,
    /// The value of the cell that kills the class, or `None` for an essential class.
    pub death: Option<f64>,
}

impl<'a, I: Index> Solution<'a, I> {
    /// The pairs (birth cell, death cell), sorted by birth.
    pub fn cell_pairs(&self) -> impl ExactSizeIterator<Item = (u64, u64)> + 'a {
        let number = |cell: I| cell.to_usize() as u64;
        self.pairs.pairs.iter().map(move |&(birth, death)| (number(birth), number(death)))
    }

    /// The bars by dimension, then by (birth, death); `None` without values.
    pub fn diagram(&self) -> Option<Diagram> {
        let mut dimensions = vec![Vec::new(); usize::from(self.max_dim) + 1];
        for ValuedClass { dim, birth, death } in self.valued_classes()? {
            dimensions[dim].push(Bar { birth, death: death.unwrap_or(f64::INFINITY) });
        }
        Some(Diagram::new(dimensions))
    }

    /// The classes of the barcode with their values, by dimension, then by (birth, death), where essential classes
    /// die at infinity; `None` without values.
    ///
    /// An essential class never dies, so it is included even if it is born at infinity. A class that is killed at its
    /// birth value is left out.
    pub fn valued_classes(&self) -> Option<Vec<ValuedClass>> {
        let values = self.values?;
        let greatest = usize::from(self.max_dim);
        let kept = self.classes().filter(|class| class.death.is_some() || !self.cut || class.dim < greatest);
        let valued = kept.map(|Class { dim, birth, death }| ValuedClass {
            dim,
            birth: values[birth],
            death: death.map(|cell| values[cell]),
        });
        let mut classes: Vec<_> =
            valued.filter(|class| class.death.is_none_or(|death| class.birth < death)).collect();
        classes.sort_unstable_by(|a, b| {
            // An essential class comes before one that is killed at infinity.
            let deaths = || {
                let [first, second] = [a, b].map(|class| class.death.unwrap_or(f64::INFINITY));
                first.total_cmp(&second).then_with(|| a.death.is_some().cmp(&b.death.is_some()))
            };
            a.dim.cmp(&b.dim).then_with(|| a.birth.total_cmp(&b.birth)).then_with(deaths)
        });
        Some(classes)
    }

    /// The class of a cycle with its values; `None` without values.
    pub fn valued_class(&self, cycle: &Cycle<'_, I>) -> Option<ValuedClass> {
        let value = |cell: I| Some(self.values?[cell.to_usize()]);
        let (dim, birth) = (cycle.dim.into(), value(cycle.birth)?);
        Some(ValuedClass { dim, birth, death: cycle.death.and_then(value) })
    }

    /// The points of a DIPHA diagram in DIPHA's order; without values, cell numbers replace them.
    pub fn dipha_points(&self) -> Vec<DiagramPoint> {
        let value = |cell: usize| self.values.map_or(cell as f64, |values| values[cell]);
        cells::diagram(self.matrix, self.max_dim, value, &self.pairs.pairs)
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
