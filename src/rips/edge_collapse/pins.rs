//! Which edges must stay where they are, so that bars that are born with one edge come in Ripser's order.
//!
//! **Dimension 2.** With an edge e = {u, v}, which enters the whole graph alone, classes of dimension 2 are born if its link, the graph of the common
//! neighbours of u and v, has three components or more; at most one less than there are components. Ripser's order of these bars is that of the
//! triangles {u, v, x} at which they are born. Modulo what e's own tetrahedra bound, all x of a component A are alike, and the first of them in
//! the filtration, the greatest vertex f(A), stands for it.
//!
//! That order is kept if each f(A) stays a common neighbour of u and v. So the edges {u, f(A)} and {v, f(A)} are pinned. They enter before e,
//! so e, which is taken before them, pins them in time. An edge whose link is not connected is not dominated when it enters, and stays too.
//!
//! *Proof.* Let K⁻ ⊂ K be the complexes of the whole graph before e's rank and at it, L⁻ ⊂ L those of the collapsed graph. L⁻ ⊂ K⁻ and L ⊂ K are
//! homotopy equivalences. With e other edges may enter L, which were shifted onto its rank: {u, y} for a y in A, say, that was dominated
//! by a w until v became a common neighbour of u and y. But in K⁻ they are already; so of what enters L, all that does not contain e lies in
//! K⁻, and is 0 in the chains of (K, K⁻).
//!
//! A 2-cycle z of K has at each component A of the link a coefficient z_A, the sum of those of its triangles {u, v, x} with x in A. The z_A of
//! all A sum to 0, for e is in the boundary of no other triangle. They depend on the class of z alone, as a tetrahedron with e has two of its
//! triangles with e, in one component. Classes whose z_A are all 0 are those that come from K⁻.
//! For a triangle σ of e's rank let F(σ) be the classes of H₂(K) of cycles whose triangles of that rank come no later than σ, and G(σ) the same of L, in H₂(L) = H₂(K).
//! 1. If z is in F(σ) or G(σ), then z_A = 0 for each A whose f(A) comes later than σ: f(A) is the first x of A there is, in L as in K.
//! 2. Conversely let z be a class with these z_A = 0. The boundary of Σ z_A {u, v, f(A)}, which lies in L, is a cycle of L⁻. It bounds in K⁻, since
//!    z less this sum is homologous, modulo e's tetrahedra, to a chain of K⁻; so it bounds in L⁻. What it bounds there and the sum make a cycle with the z_A of z,
//!    whose triangles of e's rank that do not come from L⁻ are the {u, v, f(A)}; the rest of z comes from K⁻, and so from L⁻. So z is in G(σ), and in F(σ).
//!
//! So F(σ) = G(σ), and both grow at the same triangles {u, v, f(A)}. As H₂ of all later complexes is the same too, the bar that is born at each of
//! them has the same end. Other triangles of L of that rank give birth to nothing that lasts.
//!
//! **Any dimension.** If e and all edges of its link and to its link stay, then what enters with e is the same in both graphs, in the same
//! order; and so is what of it is bounded later. That takes many edges, so it is done for those edges alone of which it is known that the order
//! of bars hangs on them.

use super::graph::{Graph, Incident, bits};
use super::ranks::Ranks;
use super::search::{Edge, Searcher};
use crate::memory::{self, Refused};

/// Fewer components are no matter.
const COMPONENTS: usize = 3;

/// An edge pins those from its ends to a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pin {
    /// The place of the edge in the order of edges.
    pub(super) edge: usize,
    pub(super) vertex: u32,
}

/// Edges that are pinned: a bit an edge, by its place in the order. What is pinned has not been moved, so its rank tells its place.
pub(super) struct Pinned(Vec<u64>);

impl Pinned {
    /// The bytes for so many edges.
    pub(super) fn bytes(edges: usize) -> u64 {
        8 * edges.div_ceil(64) as u64
    }

    /// None of so many edges.
    ///
    /// # Errors
    /// There is no memory for a bit an edge.
    pub(super) fn none(edges: usize) -> Result<Self, Refused> {
        Ok(Pinned(memory::zeroed(edges.div_ceil(64))?))
    }

    /// Pins what an edge pins.
    pub(super) fn pin<R: Ranks>(&mut self, graph: &Graph<R>, edge: Edge, pin: Pin) {
        edge.ends.into_iter().for_each(|end| self.add(graph, [end, pin.vertex as usize]));
    }

    /// Pins an edge, its link, and what joins both. No edge has been taken yet.
    pub(super) fn pin_link<R: Ranks>(&mut self, graph: &Graph<R>, edge: Edge) {
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

    /// Pins the edge between two vertices, which has not been moved.
    fn add<R: Ranks>(&mut self, graph: &Graph<R>, [x, y]: [usize; 2]) {
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
    /// Finds the components of the link of an edge, and pins the greatest vertex of each if they are three or more. `common` holds the bits of
    /// the common neighbours, those by later edges of the batch among them, and the ends.
    pub(super) fn pin<R: Ranks>(&mut self, graph: &Graph<R>, batch: &Incident, edge: Edge) {
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

/// Takes a vertex out of a set of bits.
fn clear(set: &mut [(u32, u64)], x: usize) {
    let word = set.iter_mut().find(|(place, _)| *place as usize == x / 64);
    word.into_iter().for_each(|(_, word)| *word &= !(1 << (x % 64)));
}

/// Takes the greatest vertex out of a set of bits, whose places ascend.
fn take_greatest(set: &mut [(u32, u64)]) -> Option<usize> {
    let (place, word) = set.iter_mut().rfind(|(_, word)| *word != 0)?;
    let bit = word.ilog2() as usize;
    *word &= !(1 << bit);
    Some(64 * *place as usize + bit)
}
