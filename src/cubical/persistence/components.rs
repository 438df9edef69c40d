//! Dimension 0: components and the critical edges that join them.
//!
//! From either end of a critical edge the gradient leads downwards, from a voxel along its matched edge to the edge's
//! other voxel, to a minimum: two minima per edge. In filtration order, an edge that joins two trees is paired with the
//! younger of the trees' oldest minima. The rim, if any, is older than all minima: a component that meets it dies.

use rayon::prelude::*;

use super::cell::Cell;
use super::forest::{Joined, Ways, join};
use super::gradient::Gradient;
use super::grid::Grid;

/// Pairs minima, numbered from 1, with critical edges; both are in filtration order.
pub(super) fn components(grid: &Grid, gradient: &Gradient, minima: &[u32], edges: &[Cell]) -> Joined {
    let steps = grid.steps();
    let ways = Ways::new(grid.ranks().len(), |place| {
        gradient.star(place).edge_of_voxel().map_or(0, |edge| steps[edge])
    });
    minima.par_iter().enumerate().for_each(|(i, &rank)| ways.end(grid.place(rank), i + 1));
    ways.shorten();
    let ends = |edge: &Cell| {
        let other = grid.neighbour(edge.place(), edge.direction());
        [ways.end_of(edge.place()), ways.end_of(other)]
    };
    let ends: Vec<[u32; 2]> = edges.par_iter().map(ends).collect();
    drop(ways);
    join(minima.len(), &ends)
}
