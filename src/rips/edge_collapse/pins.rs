//! Pinned edges: those that must keep their ranks so that bars born with the same edge come in Ripser's order.
//!
//! **Dimension 2.** Let e = {u, v} be an edge that alone has its rank in the whole graph. Classes of dimension 2 are
//! born with it only if its link, the graph of the common neighbours of u and v, has at least three components; their
//! number is less than that of the components. Ripser orders these bars by the triangles {u, v, x} at which they are
//! born. Modulo the boundaries of e's own tetrahedra, all x of a component A are equivalent, and the first of them in
//! the filtration, the greatest vertex f(A), represents A.
//!
//! That order is kept if each f(A) stays a common neighbour of u and v. So the edges {u, f(A)} and {v, f(A)} are
//! pinned. They enter before e, so they are processed after e, which pins them in time. An edge whose link is not
//! connected is not dominated when it enters, so it keeps its rank too.
//!
//! *Proof.* Let K⁻ ⊂ K be the complexes of the whole graph before e's rank and at it, L⁻ ⊂ L those of the collapsed
//! graph. L⁻ ⊂ K⁻ and L ⊂ K are homotopy equivalences. Other edges that were shifted to e's rank may enter L with e:
//! {u, y} for a y in A, say, that was dominated by a w until v became a common neighbour of u and y. But they are
//! already in K⁻; so every simplex that enters L and does not contain e lies in K⁻, and is 0 in the chains of (K, K⁻).
//!
//! A 2-cycle z of K has at each component A of the link a coefficient z_A, the sum of those of its triangles {u, v, x}
//! with x in A. The z_A of all A sum to 0, for e is in the boundary of no other triangle. They depend only on the class
//! of z, as a tetrahedron with e has two of its triangles with e, in one component. The classes whose z_A are all 0 are
//! those that come from K⁻. For a triangle σ of e's rank let F(σ) be the classes of H₂(K) of cycles whose triangles of
//! that rank come no later than σ, and G(σ) likewise for L, in H₂(L) = H₂(K).
//! 1. If z is in F(σ) or G(σ), then z_A = 0 for each A whose f(A) comes later than σ: f(A) is the first x of A, in L as
//!    in K.
//! 2. Conversely let z be a class with these z_A = 0. The boundary of Σ z_A {u, v, f(A)}, which lies in L, is a cycle
//!    of L⁻. It bounds in K⁻, since z minus this sum is homologous, modulo e's tetrahedra, to a chain of K⁻; so it
//!    bounds a chain in L⁻. That chain and the sum form a cycle with the z_A of z, whose triangles of e's rank that do
//!    not come from L⁻ are the {u, v, f(A)}; the rest of z comes from K⁻, and so from L⁻. So z is in G(σ), and in F(σ).
//!
//! So F(σ) = G(σ), and both grow at the same triangles {u, v, f(A)}. As H₂ of all later complexes is the same too, the
//! bar that is born at each of them has the same end. No other triangle of L of that rank gives birth to a bar of
//! positive length.
//!
//! **Any dimension.** If e, all edges of its link and all edges to its link keep their ranks, then the same simplices
//! enter with e in both graphs, in the same order, and the same classes among them are bounded later. That pins many
//! edges, so it is done only for those edges on which the order of bars is known to depend.

use super::graph::{Graph, Incident, bits};
use super::search::{Edge, Searcher};
use crate::memory::{self, Refused};

/// Minimum number of components of a link for which edges are pinned.
const COMPONENTS: usize = 3;

/// The edges from both ends of one edge to a vertex, pinned by that edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pin {
    /// The place of the pinning edge in the order of edges.
    pub(super) edge: usize,
    pub(super) vertex: u32,
}

/// Set of pinned edges: one bit per edge, by its place in the order. A pinned edge has not been moved, so its rank
/// gives its place.
pub(super) struct Pinned(Vec<u64>);

impl Pinned {
    /// Number of bytes for `edges` edges.
    pub(super) fn bytes(edges: usize) -> u64 {
        8 * edges.div_ceil(64) as u64
    }

    /// The empty set, with room for `edges` edges.
    ///
    /// # Errors
    /// There is no memory for one bit per edge.
    pub(super) fn none(edges: usize) -> Result<Self, Refused> {
        Ok(Pinned(memory::zeroed(edges.div_ceil(64))?))
    }

    /// Pins the edges from the ends of `edge` to the vertex of `pin`.
    pub(super) fn pin(&mut self, graph: &Graph, edge: Edge, pin: Pin) {
        edge.ends.into_iter().for_each(|end| self.add(graph, [end, pin.vertex as usize]));
    }

    /// Pins an edge, its link, and the edges that join both. No edge may have been processed yet.
    pub(super) fn pin_link(&mut self, graph: &Graph, edge: Edge) {
        let [u, v] = edge.ends;
        let words = graph.untaken(u).iter().zip(graph.untaken(v)).enumerate();
        let common = words.flat_map(|(place, (a, b))| bits(place, a & b));
        let is_there = |x: &usize| graph.rank(u, *x).max(graph.rank(v, *x)) <= edge.rank;
        let star: Vec<usize> = common.filter(is_there).collect();
        for (k, &x) in star.iter().enumerate() {
            let joined = star[..k].iter().filter(|&&y| graph.rank(x, y) <= edge.rank);
            joined.for_each(|&y| self.add(graph, [x, y]));
        }
    }

    /// Pins the edge between two vertices, which must not have been moved.
    fn add(&mut self, graph: &Graph, [x, y]: [usize; 2]) {
        let place = Edge { ends: [x, y], rank: graph.rank(x, y) }.place();
        self.0[place / 64] |= 1 << (place % 64);
    }

    /// Whether an edge is pinned.
    pub(super) fn holds(&self, edge: Edge) -> bool {
        let place = edge.place();
        self.0[place / 64] >> (place % 64) & 1 == 1
    }
}

impl Searcher {
    /// Finds the components of the link of an edge, and pins the greatest vertex of each if there are at least three.
    /// `common` holds the bits of the common neighbours, including those by later edges of the batch, and of the ends.
    pub(super) fn pin(&mut self, graph: &Graph, batch: &Incident, edge: Edge) {
        let Searcher { common, pins, work, .. } = self;
        let outside = |x: usize| {
            let later = batch.at(x).iter().filter(|&&(_, rank)| rank > edge.rank);
            later.map(|&(y, _)| y as usize)
        };
        for x in edge.ends.into_iter().flat_map(outside).chain(edge.ends) {
            clear(common, x);
        }
        let before = pins.len();
        while let Some(greatest) = take_greatest(common) {
            pins.push(Pin { edge: edge.place(), vertex: greatest as u32 });
            let mut reached = vec![greatest];
            while let Some(x) = reached.pop() {
                let row = graph.untaken(x);
                *work += common.len() as u64;
                let later: Vec<usize> = outside(x).collect();
                for (place, word) in common.iter_mut() {
                    let joined = *word & row[*place as usize];
                    for y in bits(*place as usize, joined).filter(|y| !later.contains(y)) {
                        *word &= !(1 << (y % 64));
                        reached.push(y);
                    }
                }
            }
        }
        if pins.len() - before < COMPONENTS {
            pins.truncate(before);
        }
    }
}

/// Removes a vertex from a bitset.
fn clear(set: &mut [(u32, u64)], x: usize) {
    let word = set.iter_mut().find(|(place, _)| *place as usize == x / 64);
    word.into_iter().for_each(|(_, word)| *word &= !(1 << (x % 64)));
}

/// Removes the greatest vertex from a bitset whose words are in ascending order.
fn take_greatest(set: &mut [(u32, u64)]) -> Option<usize> {
    let (place, word) = set.iter_mut().rfind(|(_, word)| *word != 0)?;
    let bit = word.ilog2() as usize;
    *word &= !(1 << bit);
    Some(64 * *place as usize + bit)
}
