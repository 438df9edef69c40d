//! Apparent pairs, decided from the distances alone.
//!
//! A pair (σ, τ) is *zero apparent* when both have the same rank, τ is the oldest cofacet of σ and σ the youngest facet
//! of τ (Bauer 2021, Definition 3.2; Zhang, Xiao, Wang 2020, Definition 2). Every zero apparent pair is a persistence
//! pair. Among cofacets of equal rank the oldest adds the greatest vertex; among facets of equal rank the youngest
//! omits the greatest vertex.

use super::Complex;

/// The position in `simplex` of the vertex whose omission gives the youngest facet of equal rank.
pub fn zero_pivot_facet(complex: &impl Complex, simplex: &[u32], rank: u32) -> Option<usize> {
    (0..simplex.len()).find(|&omitted| facet_has_rank(complex, simplex, omitted, rank))
}

/// The position in τ of the vertex to omit to get the σ of a zero apparent pair (σ, τ), if τ is in one.
/// `facet` is left with the vertices of the youngest facet of equal rank.
pub fn zero_apparent_facet(
    complex: &impl Complex,
    simplex: &[u32],
    rank: u32,
    facet: &mut Vec<u32>,
) -> Option<usize> {
    let omitted = zero_pivot_facet(complex, simplex, rank)?;
    facet.clear();
    facet.extend(simplex.iter().enumerate().filter(|&(k, _)| k != omitted).map(|(_, &v)| v));
    let older = complex.greatest_cofacet(facet, rank, simplex[omitted] + 1);
    older.is_none().then_some(omitted)
}

/// The vertex that σ gains in the τ of a zero apparent pair (σ, τ), if σ is in one.
pub fn zero_apparent_cofacet(complex: &impl Complex, simplex: &[u32], rank: u32) -> Option<u32> {
    let w = complex.greatest_cofacet(simplex, rank, 0)?;
    // A facet of the cofacet that omits a vertex greater than w is younger than σ if it has the same rank.
    let greater = simplex.iter().take_while(|&&v| v > w).count();
    let younger = |omitted: usize| {
        let kept = |k: &usize| *k != omitted;
        (0..simplex.len()).filter(kept).any(|k| {
            complex.edge(simplex[k], w) == rank
                || (0..k).filter(kept).any(|l| complex.edge(simplex[l], simplex[k]) == rank)
        })
    };
    (!(0..greater).any(younger)).then_some(w)
}

/// Whether the facet without the vertex at `omitted` has rank `rank` as the simplex does.
fn facet_has_rank(complex: &impl Complex, simplex: &[u32], omitted: usize, rank: u32) -> bool {
    let kept = |k: &usize| *k != omitted;
    rank == 0
        || (0..simplex.len())
            .filter(kept)
            .any(|k| (0..k).filter(kept).any(|l| complex.edge(simplex[l], simplex[k]) == rank))
}
