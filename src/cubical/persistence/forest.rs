//! Flow forests along the gradient, and the trees that critical cells join them into.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::cell::Cell;

/// For each place, the next place along the gradient, or the number of the critical cell where the path ends.
pub(super) struct Ways {
    next: Vec<AtomicU32>,
}

/// Flag of a word that is the number of a critical cell.
const END: u32 = 1 << 31;

impl Ways {
    /// From each place the path goes on by `step` places; a step of 0 ends it at number 0.
    pub(super) fn new(places: usize, step: impl Fn(usize) -> isize + Sync) -> Self {
        let next = |place: usize| {
            let step = step(place);
            AtomicU32::new(if step == 0 { END } else { place.wrapping_add_signed(step) as u32 })
        };
        Ways { next: (0..places).into_par_iter().with_min_len(1 << 12).map(next).collect() }
    }

    /// Ends the paths through this place here, with this number.
    #[inline(always)]
    pub(super) fn end(&self, place: usize, number: usize) {
        self.next[place].store(number as u32 | END, Relaxed);
    }

    /// Compresses all paths, so that every place leads directly to its end.
    pub(super) fn shorten(&self) {
        (0..self.next.len()).into_par_iter().with_min_len(1 << 12).for_each(|place| {
            self.end_of(place);
        });
    }

    /// The end of the path from a place. All places on the path lead directly to it afterwards.
    #[inline]
    pub(super) fn end_of(&self, place: usize) -> u32 {
        let mut next = self.next[place].load(Relaxed);
        if next & END == 0 {
            let mut end = next;
            while end & END == 0 {
                end = self.next[end as usize].load(Relaxed);
            }
            let mut at = place;
            while next & END == 0 {
                self.next[at].store(end, Relaxed);
                at = next as usize;
                next = self.next[at].load(Relaxed);
            }
            next = end;
        }
        next & !END
    }
}

/// Result of joining trees.
pub(super) struct Joined {
    /// For each edge, the node whose component it kills, or 0.
    victims: Vec<u32>,
    /// For each killed node, the oldest node of the tree that it was joined to; 0 for the others.
    elders: Vec<u32>,
}

/// Number that stands for no edge.
const NONE: u32 = u32::MAX;

/// Adds edges between nodes in the given order. Each edge that joins two trees kills the younger of their oldest nodes,
/// which has the greater number (Kruskal's algorithm with the elder rule). Node 0 is older than all others.
pub(super) fn join(nodes: usize, ends: &[[u32; 2]]) -> Joined {
    let mut parents: Vec<u32> = (0..=nodes as u32).collect();
    let mut victims = Vec::with_capacity(ends.len());
    let mut elders = vec![0; nodes + 1];
    for ends in ends.chunks(BATCH) {
        // Independent loads, so that their latencies overlap.
        let touched = ends.iter().fold(0, |sum, &[a, b]| sum ^ parents[a as usize] ^ parents[b as usize]);
        std::hint::black_box(touched);
        for &[a, b] in ends {
            let (a, b) = (root(&mut parents, a), root(&mut parents, b));
            let (older, younger) = (a.min(b), a.max(b));
            parents[younger as usize] = older;
            victims.push(if a == b { 0 } else { younger });
            if a != b {
                elders[younger as usize] = older;
            }
        }
    }
    Joined { victims, elders }
}

/// Number of edges whose ends are loaded together.
const BATCH: usize = 16;

/// The root of a node's tree, with path halving.
#[inline]
fn root(parents: &mut [u32], mut node: u32) -> u32 {
    loop {
        let parent = parents[node as usize];
        let grandparent = parents[parent as usize];
        if parent == grandparent {
            return parent;
        }
        parents[node as usize] = grandparent;
        node = grandparent;
    }
}

impl Joined {
    /// Splits the edges into those that killed a node and the others, each in order.
    pub(super) fn split(&self, edges: &[Cell]) -> (Vec<Cell>, Vec<Cell>) {
        let (mut killers, mut others) = (Vec::new(), Vec::new());
        for (&edge, &victim) in edges.iter().zip(&self.victims) {
            if victim > 0 { &mut killers } else { &mut others }.push(edge);
        }
        (killers, others)
    }

    /// The node that each edge killed, in the order of the edges.
    pub(super) fn by_edge<'a>(&'a self, edges: &'a [Cell]) -> impl Iterator<Item = (u32, Cell)> + 'a {
        let pairs = self.victims.iter().zip(edges);
        pairs.filter(|(victim, _)| **victim > 0).map(|(&victim, &edge)| (victim, edge))
    }

    /// The edge that killed each node, in the order of the nodes.
    pub(super) fn by_node(&self, nodes: usize, edges: &[Cell]) -> Vec<(u32, Cell)> {
        let killers = self.killers(nodes);
        let killed = (1..).zip(&killers[1..]).filter(|(_, killer)| **killer != NONE);
        killed.map(|(node, &killer)| (node, edges[killer as usize])).collect()
    }

    /// The number of the edge that killed each node, or [`NONE`]; the entry of node 0 is meaningless.
    pub(super) fn killers(&self, nodes: usize) -> Vec<u32> {
        let mut killers = vec![NONE; nodes + 1];
        for (edge, &victim) in self.victims.iter().enumerate() {
            killers[victim as usize] = edge as u32;
        }
        killers
    }

    /// The oldest node of the tree that a killed node was joined to.
    pub(super) fn elder(&self, node: usize) -> usize {
        self.elders[node] as usize
    }
}
