//! The cochain of each column, independent of the schedule of the reduction.
//!
//! Reducing column j yields simplices whose coboundaries add up to a column with the pivot τ_j: a cochain v, whose
//! oldest simplex is σ_j. It depends on the order of additions. All possible v differ by cochains of columns to the
//! left of j whose pivots come after τ_j or do not exist. So v is made unique by eliminating every simplex σ_i of such
//! a column i:
//!
//! ```text
//! for each simplex σ_i of v but σ_j, from the oldest to the youngest:
//!     if the pivot τ_i is later than τ_j, or there is none:
//!         subtract from v the multiple of the cochain of column i in which σ_i cancels
//! ```
//!
//! The result is unique: if there were two, the oldest simplex σ_i of their difference would have a pivot τ_i before
//! τ_j. The coboundary of the difference is zero before τ_j; but no cochain with σ_i as its oldest simplex has a
//! coboundary that begins after τ_i.

use super::coboundary::apparent_cofacet;
use super::queue::{Queue, Term};
use super::{Claim, Multiple, Shared, Submatrix};
use crate::parallel::lock;
use crate::rips::field::Field;
use crate::rips::word::Word;

impl<W: Word, F: Field> Shared<'_, W, F> {
    /// The cochain of column j in filtration order, scaled so that σ_j has coefficient 1. `pivots` are those of all
    /// columns.
    pub(super) fn cochain(&self, j: usize, pivots: &[Option<W>]) -> Vec<Multiple<W>> {
        let (field, columns) = (self.field, self.submatrix.columns);
        let (mut left, mut cochain) = (Queue::new(field), Vec::<Term<W, F>>::new());
        self.terms(j, pivots[j]).into_iter().for_each(|term| left.push(term));
        while let Some((simplex, c)) = left.pop() {
            let column = columns.binary_search_by(|column| simplex.cmp(column)).ok();
            if column == Some(j) || !self.dies_later(simplex, column, pivots, pivots[j]) {
                cochain.push((simplex, c));
                continue;
            }
            // The first term is σ_i itself. If σ_i has no column, it is in an apparent pair and alone is its cochain.
            let terms = column.map_or_else(Vec::new, |i| self.terms(i, pivots[i]));
            let Some(&(_, own)) = terms.first() else { continue };
            let factor = field.neg(field.mul(c, field.inverse(own)));
            terms[1..].iter().for_each(|&(simplex, c)| left.push((simplex, field.mul(c, factor))));
        }
        let Some(&(_, own)) = cochain.first() else { return Vec::new() };
        let factor = field.inverse(own);
        cochain.into_iter().map(|(simplex, c)| (simplex, field.number(field.mul(c, factor)))).collect()
    }

    /// The cochain of column j as its reduction left it, in filtration order.
    pub(super) fn sum(&self, j: usize, pivot: Option<W>) -> Vec<Multiple<W>> {
        self.terms(j, pivot).into_iter().map(|(simplex, c)| (simplex, self.field.number(c))).collect()
    }

    /// Whether a simplex is paired with one that comes after `death`, or with none. The simplex has a column or is in
    /// an apparent pair.
    fn dies_later(&self, simplex: W, column: Option<usize>, pivots: &[Option<W>], death: Option<W>) -> bool {
        let Submatrix { complex, code, cofacet_code, .. } = self.submatrix;
        let own = match column {
            Some(i) => pivots[i],
            None => apparent_cofacet(*complex, *code, *cofacet_code, simplex).map(|(cofacet, _)| cofacet),
        };
        match (own, death) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(death)) => own > death,
        }
    }

    /// The simplices whose coboundaries were added up to column j, in filtration order.
    fn terms(&self, j: usize, pivot: Option<W>) -> Vec<Term<W, F>> {
        let claim = pivot.and_then(|pivot| self.store.get(pivot)).map(|found| Claim::decode(found.value));
        match claim {
            Some(Claim::Version(version)) => self.versions[version].terms.clone(),
            Some(Claim::Plain(column)) => vec![(self.submatrix.columns[column], self.field.one())],
            None => {
                let essential = self.essential.as_ref().map(lock);
                essential.and_then(|essential| essential.get(&j).cloned()).unwrap_or_default()
            }
        }
    }
}
