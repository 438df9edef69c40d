//! Flow forests along the gradient, and the trees that critical cells join them into.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::cell::Cell;
use crate::cubical::construction::Construction;
use crate::parallel;

/// For each place, the next place along the gradient, or the number of the critical cell where the path ends.
pub(super) struct FlowForest {
    next: Vec<AtomicU32>,
}

/// Flag of a word that is the number of a critical cell.
const END: u32 = 1 << 31;

/// Number of places, or of critical cells, that a thread takes at a time.
const PART: usize = 1 << 12;

impl FlowForest {
    /// From each of so many places the path goes on by `step` places; a step of 0 ends it at number 0.
    pub(super) fn new(places: usize, step: impl Fn(usize) -> isize + Sync) -> Self {
        let next = parallel::table(places, |place| match step(place) {
            0 => END,
            step => place.wrapping_add_signed(step) as u32,
        });
        FlowForest { next: next.into_iter().map(AtomicU32::new).collect() }
    }

    /// Ends the paths through these cells there, with the numbers of the cells, which begin at 1. Compresses all paths,
    /// so that every place leads directly to its end.
    fn end_at(&self, nodes: &[Cell]) {
        parallel::ranges(nodes.len(), PART, &|range| {
            for (number, node) in (range.start as u32 + 1..).zip(&nodes[range]) {
                self.next[node.place()].store(number | END, Relaxed);
            }
        });
        parallel::ranges(self.next.len(), PART, &|range| {
            for place in range {
                self.end_of(place);
            }
        });
    }

    /// The end of the path from a place. All places on the path lead directly to it afterwards.
    #[inline]
    fn end_of(&self, place: usize) -> u32 {
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

/// Critical cells at which gradient paths end, and the critical cells that join the trees of these paths.
pub(super) struct Merging {
    /// The cells where paths end, in the order in which they are born. Nodes are numbered from 1.
    pub(super) nodes: Vec<Cell>,
    /// The cells that join trees or close cycles, in the order in which they are added.
    pub(super) saddles: Vec<Cell>,
    /// For each saddle, the node whose tree it merges into an older one, or 0.
    merged: Vec<u32>,
    /// For each merged node, the oldest node of the tree that it was merged into; 0 for the others.
    survivors: Vec<u32>,
}

/// Number that stands for no saddle.
const NONE: u32 = u32::MAX;

/// Births and deaths in the grid, as ranks, sorted by the image's birth in ascending or descending order.
pub(super) type Pairs = Vec<(u32, u32)>;

impl Merging {
    /// Merges the trees of gradient paths. Paths that end at no node end at node 0, which is older than all others.
    /// `ends` returns the two places that a saddle joins.
    pub(super) fn new(
        forest: FlowForest,
        nodes: Vec<Cell>,
        saddles: Vec<Cell>,
        ends: impl Fn(Cell) -> [usize; 2] + Sync,
    ) -> Self {
        forest.end_at(&nodes);
        let ends = parallel::table(saddles.len(), |k| ends(saddles[k]).map(|place| forest.end_of(place)));
        drop(forest);
        let (merged, survivors) = merge(nodes.len(), &ends);
        Merging { nodes, saddles, merged, survivors }
    }

    /// The pairs of nodes with the saddles that merge them: births and deaths, or, in the top dimension, deaths and
    /// births.
    pub(super) fn pairs(&self, is_top: bool, construction: Construction) -> Pairs {
        let pair = |node: usize, saddle: Cell| {
            let (node, saddle) = (self.nodes[node - 1].rank(), saddle.rank());
            if is_top { (saddle, node) } else { (node, saddle) }
        };
        // Nodes are the births of the image below, and above in the dual complex.
        if is_top == construction.is_reversed() {
            let killers = self.killers();
            let merged = (1..killers.len()).filter(|&node| killers[node] != NONE);
            merged.map(|node| pair(node, self.saddles[killers[node] as usize])).collect()
        } else {
            let merging = self.merged.iter().zip(&self.saddles).filter(|(merged, _)| **merged > 0);
            merging.map(|(&merged, &saddle)| pair(merged as usize, saddle)).collect()
        }
    }

    /// Splits the saddles into those that merge trees and the others, each in order.
    pub(super) fn split(&self) -> (Vec<Cell>, Vec<Cell>) {
        let (mut merging, mut others) = (Vec::new(), Vec::new());
        for (&saddle, &merged) in self.saddles.iter().zip(&self.merged) {
            if merged > 0 { &mut merging } else { &mut others }.push(saddle);
        }
        (merging, others)
    }

    /// The number of the saddle that merged each node, or [`NONE`]; the entry of node 0 is meaningless.
    pub(super) fn killers(&self) -> Vec<u32> {
        let mut killers = vec![NONE; self.nodes.len() + 1];
        for (saddle, &merged) in self.merged.iter().enumerate() {
            killers[merged as usize] = saddle as u32;
        }
        killers
    }

    /// The number of the node whose paths end at the place of this rank.
    pub(super) fn node(&self, rank: u32) -> usize {
        let descend = self.nodes.first() > self.nodes.last();
        let is_before = |node: &Cell| if descend { node.rank() > rank } else { node.rank() < rank };
        let at = self.nodes.partition_point(is_before);
        debug_assert_eq!(self.nodes.get(at).map(|node| node.rank()), Some(rank));
        at + 1
    }

    /// The oldest node of the tree that a merged node was merged into.
    pub(super) fn survivor(&self, node: usize) -> Cell {
        self.nodes[self.survivors[node] as usize - 1]
    }
}

/// Adds edges between nodes in the given order. Each edge that joins two trees merges the one whose oldest node is
/// younger, which has the greater number (Kruskal's algorithm with the elder rule). Node 0 is older than all others.
fn merge(nodes: usize, ends: &[[u32; 2]]) -> (Vec<u32>, Vec<u32>) {
    let mut parents: Vec<u32> = (0..=nodes as u32).collect();
    let mut merged = Vec::with_capacity(ends.len());
    let mut survivors = vec![0; nodes + 1];
    for ends in ends.chunks(BATCH) {
        // Independent loads, so that their latencies overlap.
        let touched = ends.iter().fold(0, |sum, &[a, b]| sum ^ parents[a as usize] ^ parents[b as usize]);
        std::hint::black_box(touched);
        for &[a, b] in ends {
            let (a, b) = (root(&mut parents, a), root(&mut parents, b));
            let (older, younger) = (a.min(b), a.max(b));
            parents[younger as usize] = older;
            merged.push(if a == b { 0 } else { younger });
            if a != b {
                survivors[younger as usize] = older;
            }
        }
    }
    (merged, survivors)
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
