//! Dimension 0: components and the critical edges that join them.
//!
//! From either end of a critical edge the gradient leads down, from voxel to matched edge to its other voxel, to a minimum: two
//! minima an edge. Taken in the order of the filtration, an edge between two trees pairs with the younger of their oldest minima
//! (Kruskal; the elder rule). The rim, if there is one, is the oldest of all: a component that meets it dies.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::cell::Cell;
use super::gradient::Gradient;
use super::grid::Grid;

/// Which critical edges kill a component.
pub struct Components {
    /// Of each pair the places of the minimum and of the voxel that owns the edge.
    pub pairs: Vec<(u32, u32)>,
    /// The critical edges that close a loop, in order.
    pub loops: Vec<Cell>,
    /// Those that kill.
    pub killers: Vec<Cell>,
}

/// Pairs minima with the critical edges, which are given in order.
pub fn components(grid: &Grid, gradient: &Gradient, edges: Vec<Cell>) -> Components {
    let forest = Forest { parents: descents(grid, gradient) };
    let rim = |place: usize| if grid.ranks()[place] == 0 { 0 } else { place };
    let ends: Vec<[u32; 2]> = edges
        .par_iter()
        .map(|edge| {
            let place = edge.place();
            let other = rim(grid.neighbour(place, edge.direction()));
            [forest.root(place) as u32, forest.root(other) as u32]
        })
        .collect();
    let mut found = Components { pairs: Vec::new(), loops: Vec::new(), killers: Vec::new() };
    for (edge, [a, b]) in edges.into_iter().zip(ends) {
        let (a, b) = (forest.root(a as usize), forest.root(b as usize));
        if a == b {
            found.loops.push(edge);
            continue;
        }
        let (older, younger) = if grid.rank(a) < grid.rank(b) { (a, b) } else { (b, a) };
        forest.parents[younger].store(older as u32, Relaxed);
        found.pairs.push((younger as u32, edge.place() as u32));
        found.killers.push(edge);
    }
    found
}

/// For each voxel the other end of the edge it is matched with; minima have themselves, and so has place 0, which stands for the rim.
fn descents(grid: &Grid, gradient: &Gradient) -> Vec<AtomicU32> {
    let descent = |place: usize| {
        let edge = gradient.star(place).edge_of_voxel()?;
        let other = grid.neighbour(place, edge);
        Some(if grid.rank(other) == 0 { 0 } else { other })
    };
    let of = |place: usize| AtomicU32::new(descent(place).unwrap_or(place) as u32);
    (0..grid.ranks().len()).into_par_iter().with_min_len(1 << 12).map(of).collect()
}

/// Trees by parents; a root is its own. Threads may look for roots, and shorten paths, side by side.
pub struct Forest {
    /// The parents.
    pub parents: Vec<AtomicU32>,
}

impl Forest {
    /// The root of a node's tree; paths are halved on the way.
    #[inline]
    pub fn root(&self, mut node: usize) -> usize {
        loop {
            let parent = self.parents[node].load(Relaxed) as usize;
            if parent == node {
                return node;
            }
            let grandparent = self.parents[parent].load(Relaxed) as usize;
            if grandparent == parent {
                return parent;
            }
            self.parents[node].store(grandparent as u32, Relaxed);
            node = grandparent;
        }
    }
}
