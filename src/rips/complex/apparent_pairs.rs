//! Apparent pairs: the definition, the lemma that decides them from the distances, and its rule for ties.
//!
//! **Order.** Simplices are ordered by diameter ↑, then dimension ↑, then combinatorial index ↓. An *older* simplex
//! comes earlier in this order, a *younger* one later. The rank of a simplex stands for its diameter. Of two simplices
//! of one dimension and rank, the one whose descending list of vertices is lexicographically greater has the greater
//! index, and is older.
//!
//! **Definition** (Zhang, Xiao, Wang 2020, Definition 1). A d-simplex σ and a cofacet τ of σ are an *apparent pair* if
//! τ is the oldest cofacet of σ and σ is the youngest facet of τ. Every apparent pair is a persistence pair, which no
//! reduction needs to find.
//!
//! **Lemma** (Zhang, Xiao, Wang 2020, Proposition 2 and Lemma 3; zero apparent pairs in Bauer 2021). In a Vietoris–Rips
//! filtration (σ, τ) is apparent if and only if
//!
//! 1. τ has the rank of σ, and the greatest index of all cofacets of σ of that rank; and
//! 2. σ has the least index of all facets of τ of that rank.
//!
//! So both have one diameter (the pair is a *zero* apparent pair, and its bar is empty), and two rules decide ties:
//!
//! - of the cofacets of σ that have its rank, the oldest is the one that adds the **greatest** vertex;
//! - of the facets of τ that have its rank, the youngest is the one that omits the **greatest** vertex.
//!
//! **Consequences.** A search for apparent pairs uses one of these three. A vertex w is *within reach* of σ when σ ∪
//! {w} has the rank of σ.
//!
//! - **Above all vertices.** If any w > max σ is within reach, σ is in an apparent pair. For the greatest w within
//!   reach is then greater than max σ too; the facet that omits it is σ, which has the rank of the cofacet, and no
//!   facet omits a greater vertex. To know that σ is in an apparent pair, these w may be tried in any order.
//! - **Below the greatest vertex.** If the greatest w within reach is not above max σ, then (σ, σ ∪ {w}) is apparent
//!   unless a facet of σ ∪ {w} that omits a vertex greater than w has the rank of σ, and so is younger than σ.
//! - **Seen from τ.** Of the vertices of τ let v be the greatest whose omission leaves the rank as it is. Then τ is in
//!   an apparent pair if and only if no w > v outside of τ is within reach of τ ∖ {v}; the other simplex of the pair is
//!   τ ∖ {v}.
//!
//! The test reads only distances (Corollary 4 of that paper), so it is made for all simplices in parallel: on a block
//! of simplices at once in [`filtration_construction`](super::super::filtration_construction), for one simplex here.

use super::Complex;

/// The position in τ = `simplex` of the vertex whose omission gives the youngest facet of the rank of τ, if a facet has
/// that rank.
pub fn youngest_facet<C: Complex + ?Sized>(complex: &C, simplex: &[u32], rank: u32) -> Option<usize> {
    // Vertices descend, so the first that may be omitted is the greatest.
    (0..simplex.len()).find(|&omitted| facet_has_rank(complex, simplex, omitted, rank))
}

/// The position in τ = `simplex` of the vertex to omit to get the σ of an apparent pair (σ, τ), if τ is in one. On
/// return `facet` holds the vertices of the youngest facet of equal rank, if there is one.
pub fn facet_of<C: Complex + ?Sized>(
    complex: &C,
    simplex: &[u32],
    rank: u32,
    facet: &mut Vec<u32>,
) -> Option<usize> {
    let omitted = youngest_facet(complex, simplex, rank)?;
    omit(simplex, omitted, facet);
    let older = complex.greatest_cofacet(facet, rank, simplex[omitted] + 1);
    older.is_none().then_some(omitted)
}

/// The vertex that σ = `simplex` gains in the τ of an apparent pair (σ, τ), if σ is in one.
pub fn cofacet_of<C: Complex + ?Sized>(complex: &C, simplex: &[u32], rank: u32) -> Option<u32> {
    let w = complex.greatest_cofacet(simplex, rank, 0)?;
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

/// Writes to `facet` the vertices of a simplex without the one at position `omitted`.
pub fn omit(simplex: &[u32], omitted: usize, facet: &mut Vec<u32>) {
    facet.clear();
    facet.extend(simplex.iter().enumerate().filter(|&(k, _)| k != omitted).map(|(_, &v)| v));
}

/// Inserts a vertex into a simplex, whose vertices descend, and returns its position.
pub fn join(simplex: &mut Vec<u32>, vertex: u32) -> usize {
    let place = simplex.partition_point(|&other| other > vertex);
    simplex.insert(place, vertex);
    place
}

/// Whether the facet without the vertex at position `omitted` has rank `rank`, the rank of the simplex.
fn facet_has_rank<C: Complex + ?Sized>(complex: &C, simplex: &[u32], omitted: usize, rank: u32) -> bool {
    let kept = |k: &usize| *k != omitted;
    rank == 0
        || (0..simplex.len())
            .filter(kept)
            .any(|k| (0..k).filter(kept).any(|l| complex.edge(simplex[l], simplex[k]) == rank))
}
