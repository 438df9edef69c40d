//! Dimension 0: components and the critical edges that join them.
//!
//! From either end of a critical edge the gradient leads down, from voxel to matched edge to its other voxel, to a minimum: two
//! minima an edge. Taken in the order of the filtration, an edge between two trees pairs with the younger of their oldest minima.
//! The rim, if there is one, is the oldest of all: a component that meets it dies.

use rayon::prelude::*;

use super::cell::Cell;
use super::forest::{Joined, Ways, join};
use super::gradient::Gradient;
use super::grid::Grid;

/// Pairs minima, numbered from 1, with critical edges; both are given in order.
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
