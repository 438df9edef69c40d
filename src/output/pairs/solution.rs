//! Pairs together with their filtration.

use phat_formats::dipha::DiagramPoint;

use crate::cubical::Value;
use crate::matrix::cycles::Cycles;
use crate::matrix::{BoundaryMatrix, Dimension, Index, Pairs};
use crate::output::table::{BarTable, Row};

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

impl<'a, I: Index> Solution<'a, I> {
    /// The pairs (birth cell, death cell), sorted by birth.
    pub fn cell_pairs(&self) -> impl ExactSizeIterator<Item = (u64, u64)> + 'a {
        let number = |cell: I| cell.to_usize() as u64;
        self.pairs.pairs.iter().map(move |&(birth, death)| (number(birth), number(death)))
    }

    /// With values, the barcode by dimension, then by (birth, death), where essential classes die at infinity. Without
    /// values, all classes by their cells: pairs by birth, then essential classes by birth.
    ///
    /// An essential class never dies, so it is included even if it is born at infinity. A class that is killed at its
    /// birth value is left out.
    pub fn table(&self) -> BarTable<'a> {
        let (solution, pairs, essential) = (*self, &self.pairs.pairs, self.pairs.essential());
        let of_pair = move |&(birth, death): &(I, I)| solution.row(birth, Some(death));
        let of_essential = move |&birth: &I| solution.row(birth, None);
        if self.values.is_none() {
            return BarTable::new(vec![(0, pairs.len()), (0, essential.len())], move |section, range| {
                match section {
                    0 => pairs[range].iter().map(of_pair).collect(),
                    _ => essential[range].iter().map(of_essential).collect(),
                }
            });
        }
        let finite = pairs.iter().map(of_pair).filter(|row| row.birth < row.death);
        let is_known = |row: &Row| !self.cut || row.dim < self.max_dim.into();
        let mut rows: Vec<Row> = finite.chain(essential.iter().map(of_essential).filter(is_known)).collect();
        rows.sort_unstable_by(|a, b| {
            let values = |a: Value, b: Value| a.double().total_cmp(&b.double());
            // An essential class comes before one that is killed at infinity.
            let deaths = || values(a.death, b.death).then(b.is_essential.cmp(&a.is_essential));
            a.dim.cmp(&b.dim).then_with(|| values(a.birth, b.birth)).then_with(deaths)
        });
        BarTable::of_rows(rows, 0..=self.max_dim.into())
    }

    /// The class of the cells that create and destroy it, by their values or, without values, their numbers.
    pub(crate) fn row(&self, birth: I, death: Option<I>) -> Row {
        let value = |cell: I| match self.values {
            Some(values) => Value::Double(values[cell.to_usize()]),
            None => Value::Unsigned(cell.to_usize() as u64),
        };
        Row {
            dim: self.matrix.dim(birth.to_usize()).into(),
            birth: value(birth),
            death: death.map_or(Value::Double(f64::INFINITY), value),
            is_essential: death.is_none(),
        }
    }

    /// The points of a DIPHA diagram in DIPHA's order; without values, cell numbers replace them.
    ///
    /// Bars of length zero are left out, and so are essential classes of the complex's dimension, since cells of a
    /// higher dimension that would kill them may be missing. Other essential classes die at the greatest value of the
    /// complex.
    pub fn dipha_points(&self) -> Vec<DiagramPoint> {
        let cells = self.matrix.len();
        let greatest = cells.checked_sub(1).map_or(0.0, |last| match self.values {
            Some(values) => values[last],
            None => last as f64,
        });
        let finite = self.pairs.pairs.iter().map(|&(birth, death)| self.row(birth, Some(death)));
        let finite = finite.filter(|row| row.birth < row.death);
        let essential = self.pairs.essential().into_iter().map(|birth| self.row(birth, None));
        let essential = essential.filter(|row| row.dim < self.max_dim.into());
        let mut points: Vec<_> = finite.chain(essential).map(|row| row.point(greatest)).collect();
        points.sort_unstable_by(DiagramPoint::order);
        points
    }
}
