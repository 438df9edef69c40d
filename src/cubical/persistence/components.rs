//! Dimension 0: components and the critical edges that join them.
//!
//! From either end of a critical edge the gradient leads downwards, from a voxel along its matched edge to the edge's
//! other voxel, to a minimum: two minima per edge. In filtration order, an edge that joins two trees is paired with the
//! younger of the trees' oldest minima. The rim, if any, is older than all minima: a component that meets it dies.

use super::cell::Cell;
use super::forest::{self, Merging};
use super::gradient::Gradient;
use super::grid::Grid;
use super::look::{Any, Look, Plain};
use crate::memory::Refused;
use crate::progress::Progress;

/// Pairs minima with critical edges; both are in the order of places.
///
/// # Errors
/// [`Refused`]: memory does not suffice.
pub(super) fn components(
    grid: &Grid,
    gradient: &Gradient,
    minima: Vec<Cell>,
    mut edges: Vec<Cell>,
    progress: &dyn Progress,
) -> Result<Merging, Refused> {
    let (plain, any) = (Plain::of(grid, gradient), Any { grid, gradient });
    let step = move |place: usize| match &plain {
        Some(plain) => step(plain, place),
        None => step(&any, place),
    };
    let ends = move |edge: Cell| {
        let place = grid.place(edge);
        [place, grid.neighbour(place, edge.direction())]
    };
    let merge = Merging::prepare(grid, step, minima, &edges, false, ends, progress)?;
    forest::sort(&mut edges, false);
    Ok(merge(edges))
}

/// The step from a voxel along its matched edge; 0 if it is critical.
#[inline(always)]
fn step(look: &impl Look, place: usize) -> isize {
    look.star(place).edge_of_voxel().map_or(0, |edge| look.step(place, edge))
}
