//! Which edges must stay where they are, so that bars that are born with one edge come in Ripser's order.
//!
//! **Dimension 2.** With an edge e = {u, v}, which enters alone, classes of dimension 2 are born if its link, the graph of the common neighbours of u and v, has
//! three components or more; at most one less than there are components. Ripser's order of these bars is that of the triangles {u, v, x} at
//! which they are born. Modulo what e's own tetrahedra bound, all x of a component A are alike, and the first of them in
//! the filtration, the greatest vertex f(A), stands for it: so which bar is born at which triangle depends on the components, which are the
//! same ones in the collapsed graph, on what is born of them, which is the same too, and on the order of the f(A) among themselves.
//!
//! That order is kept if each f(A) stays a common neighbour of u and v. So the edges {u, f(A)} and {v, f(A)} are pinned. They enter before e,
//! so e, which is taken before them, pins them in time. An edge whose link is not connected is not dominated when it enters, and stays too.
//!
//! **Any dimension.** If e and all edges of its link and to its link stay, then what enters with e is the same in both graphs, in the same
//! order; and so is what of it is bounded later. That takes many edges, so it is done for those edges alone of which it is known that the order
//! of bars hangs on them.

use std::collections::HashSet;

use super::graph::{Graph, Incident, bits};
use super::ranks::Ranks;
use super::search::{Edge, Searcher};

/// Fewer components are no matter.
const COMPONENTS: usize = 3;

/// An edge pins those from its ends to a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pin {
    /// The place of the edge in the order of edges.
    pub(super) edge: usize,
    pub(super) vertex: u32,
}

/// Edges that are pinned, each by its ends.
#[derive(Default)]
pub(super) struct Pinned(HashSet<[usize; 2]>);

impl Pinned {
    /// Pins what an edge pins.
    pub(super) fn pin(&mut self, edge: Edge, pin: Pin) {
        let x = pin.vertex as usize;
        self.0.extend(edge.ends.map(|end| ascending([end, x])));
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
            self.0.extend(joined.map(|&y| ascending([x, y])));
        }
    }

    /// Whether an edge is pinned.
    pub(super) fn holds(&self, edge: Edge) -> bool {
        !self.0.is_empty() && self.0.contains(&ascending(edge.ends))
    }
}

fn ascending([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
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
