//! Coboundaries of simplices and apparent pairs of cofacets, as terms of columns.

use super::Submatrix;
use super::queue::Term;
use crate::rips::code::CofacetEntries;
use crate::rips::complex::{Band, Cofacet};
use crate::rips::field::Field;
use crate::rips::word::Word;

/// What is asked of the complex, with the room that it takes.
pub(super) struct Coboundaries<'a, W, F> {
    submatrix: &'a Submatrix<'a, W>,
    field: F,
    /// The vertices of the simplex whose coboundary is enumerated.
    pub(super) vertices: Vec<u32>,
    cofacets: Vec<Cofacet>,
    /// The vertices of a cofacet.
    cofacet: Vec<u32>,
    /// The vertices of the facet that an apparent pair pairs with it.
    facet: Vec<u32>,
}

impl<'a, W: Word, F: Field> Coboundaries<'a, W, F> {
    pub(super) fn new(submatrix: &'a Submatrix<'a, W>, field: F) -> Self {
        let (vertices, cofacets, cofacet, facet) = Default::default();
        Coboundaries { submatrix, field, vertices, cofacets, cofacet, facet }
    }

    /// The part within a band of ranks of a multiple of a simplex's coboundary.
    #[inline(always)]
    pub(super) fn of(&mut self, term: Term<W, F>, band: Band, push: impl FnMut(Term<W, F>)) {
        self.submatrix.code.vertices_of(term.0, &mut self.vertices);
        self.of_vertices(term, band, push);
    }

    /// The same of the facet that [`Coboundaries::apparent_facet`] found last.
    #[inline(always)]
    pub(super) fn of_facet(&mut self, term: Term<W, F>, band: Band, push: impl FnMut(Term<W, F>)) {
        self.vertices.clear();
        self.vertices.extend_from_slice(&self.facet);
        self.of_vertices(term, band, push);
    }

    #[inline(always)]
    fn of_vertices(&mut self, (entry, factor): Term<W, F>, band: Band, mut push: impl FnMut(Term<W, F>)) {
        let Coboundaries { submatrix, field, vertices, cofacets, .. } = self;
        let (code, cofacet_code) = (&submatrix.code, &submatrix.cofacet_code);
        submatrix.complex.cofacets(vertices, code.rank(entry), band, cofacets);
        let mut entries = CofacetEntries::new(code, cofacet_code, entry, vertices);
        for &Cofacet { vertex, rank } in cofacets.iter() {
            let (cofacet, below) = entries.entry(vertex, rank);
            push((cofacet, field.mul(factor, field.sign(below))));
        }
    }

    /// The σ of the zero apparent pair (σ, τ), and the coefficient of τ in its coboundary.
    pub(super) fn apparent_facet(&mut self, cofacet: W) -> Option<Term<W, F>> {
        let Submatrix { complex, code, cofacet_code, apparent, .. } = self.submatrix;
        cofacet_code.vertices_of(cofacet, &mut self.cofacet);
        let rank = cofacet_code.rank(cofacet);
        let omitted = apparent.facet(*complex, cofacet, &self.cofacet, rank, &mut self.facet)?;
        let below = self.cofacet.len() - 1 - omitted;
        Some((code.entry(rank, self.facet.iter().copied()), self.field.sign(below)))
    }

    /// The multiple of the σ of an apparent pair (σ, τ) whose coboundary cancels τ with coefficient `c`, if there is one.
    pub(super) fn cancelling(&mut self, (cofacet, c): Term<W, F>) -> Option<Term<W, F>> {
        let field = self.field;
        let (facet, coefficient) = self.apparent_facet(cofacet)?;
        Some((facet, field.neg(field.mul(c, field.inverse(coefficient)))))
    }
}
