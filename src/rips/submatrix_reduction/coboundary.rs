//! Coboundaries of simplices, and apparent pairs of their cofacets, as terms of columns.

use super::Submatrix;
use super::queue::Term;
use crate::rips::code::{Code, CofacetEntries};
use crate::rips::complex::apparent_pairs::{cofacet_of, join};
use crate::rips::complex::{Band, Cofacet, Complex};
use crate::rips::field::Field;
use crate::rips::word::Word;

/// A part of a coboundary.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// The ranks of the simplices in the part.
    pub(super) band: Band,
    /// The vertices, descending, of the last simplex of the part. If it is not empty, the band has one rank.
    pub(super) last: &'a [u32],
}

impl Part<'_> {
    /// The part that consists of all simplices of a band.
    pub(super) fn all(band: Band) -> Self {
        Part { band, last: &[] }
    }
}

/// The least vertex w for which simplex ∪ {w} does not come after the simplex `last`, both being of the same rank.
/// Vertices descend.
///
/// Of two simplices of one rank, the one whose list of vertices is lexicographically greater comes first. A cofacet
/// grows with the vertex that it adds.
pub(super) fn floor(simplex: &[u32], last: &[u32]) -> u32 {
    for (place, &vertex) in simplex.iter().enumerate() {
        let bound = last[place];
        if vertex > bound {
            return 0;
        }
        if vertex < bound {
            // A vertex equal to `bound` would take this position; the remaining vertices then decide.
            let is_reached = simplex[place..] >= last[place + 1..];
            return if is_reached { bound } else { bound + 1 };
        }
    }
    last[simplex.len()]
}

/// The cofacet τ in an apparent pair (σ, τ) with the given simplex σ, if there is one, and the number of vertices of σ
/// below the one that τ adds: the sign of σ in the boundary of τ is (−1) to that power.
pub(in crate::rips) fn apparent_cofacet<W: Word>(
    complex: &dyn Complex,
    code: Code<W>,
    cofacet_code: Code<W>,
    simplex: W,
) -> Option<(W, usize)> {
    let (rank, mut vertices) = (code.rank(simplex), Vec::new());
    code.vertices_of(simplex, &mut vertices);
    let added = cofacet_of(complex, &vertices, rank)?;
    let place = join(&mut vertices, added);
    let below = vertices.len() - 1 - place;
    Some((cofacet_code.entry(rank, vertices), below))
}

/// Enumeration of coboundaries, with scratch space.
pub(super) struct Coboundaries<'a, W, F> {
    submatrix: &'a Submatrix<'a, W>,
    field: F,
    /// The vertices of the simplex whose coboundary is enumerated.
    pub(super) vertices: Vec<u32>,
    cofacets: Vec<Cofacet>,
    /// The vertices of a cofacet.
    cofacet: Vec<u32>,
    /// The vertices of the facet in an apparent pair with this cofacet.
    facet: Vec<u32>,
}

impl<'a, W: Word, F: Field> Coboundaries<'a, W, F> {
    pub(super) fn new(submatrix: &'a Submatrix<'a, W>, field: F) -> Self {
        let (vertices, cofacets, cofacet, facet) = Default::default();
        Coboundaries { submatrix, field, vertices, cofacets, cofacet, facet }
    }

    /// Enumerates a part of the coboundary of a term, multiplied by its coefficient.
    #[inline(always)]
    pub(super) fn of(&mut self, term: Term<W, F>, part: Part<'_>, mut push: impl FnMut(Term<W, F>)) {
        let (entry, factor) = term;
        let Coboundaries { submatrix, field, vertices, cofacets, .. } = self;
        let (code, cofacet_code) = (&submatrix.code, &submatrix.cofacet_code);
        code.vertices_of(entry, vertices);
        let rank = code.rank(entry);
        let floor = if part.last.is_empty() { 0 } else { floor(vertices, part.last) };
        submatrix.complex.cofacets(vertices, rank, part.band, floor, cofacets);
        let mut entries = CofacetEntries::new(code, cofacet_code, entry, vertices);
        for &Cofacet { vertex, rank } in cofacets.iter() {
            let (cofacet, below) = entries.entry(vertex, rank);
            push((cofacet, field.mul(factor, field.sign(below))));
        }
    }

    /// The multiple of σ in an apparent pair (σ, τ) whose coboundary cancels τ with coefficient `c`, if τ is in one.
    pub(super) fn cancelling(&mut self, (cofacet, c): Term<W, F>) -> Option<Term<W, F>> {
        let Coboundaries {
            submatrix: Submatrix { complex, code, cofacet_code, apparent, .. }, field, ..
        } = *self;
        cofacet_code.vertices_of(cofacet, &mut self.cofacet);
        let rank = cofacet_code.rank(cofacet);
        let omitted = apparent.facet(*complex, cofacet, &self.cofacet, rank, &mut self.facet)?;
        let facet = code.entry(rank, self.facet.iter().copied());
        // The coefficient of τ in the coboundary of σ.
        let coefficient = field.sign(self.cofacet.len() - 1 - omitted);
        Some((facet, field.neg(field.mul(c, field.inverse(coefficient)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_the_floor_on_cofacets_do_not_come_after_the_last_simplex() {
        let descending = |count: usize| {
            (0..7u32.pow(count as u32)).filter_map(move |number| {
                let digits: Vec<u32> = (0..count as u32).rev().map(|k| number / 7u32.pow(k) % 7).collect();
                digits.is_sorted_by(|a, b| a > b).then_some(digits)
            })
        };
        for vertices in 1..4 {
            for last in descending(vertices + 1) {
                for simplex in descending(vertices) {
                    let floor = floor(&simplex, &last);
                    for w in (0..7).filter(|w| !simplex.contains(w)) {
                        let mut cofacet = simplex.clone();
                        cofacet.push(w);
                        cofacet.sort_unstable_by(|a, b| b.cmp(a));
                        assert_eq!(w >= floor, cofacet >= last, "{simplex:?} {w} {last:?}");
                    }
                }
            }
        }
    }
}
