//! The top dimension: cavities (of the plane: holes), walls between them, and the cells that fill them.
//!
//! Dual to [`super::components`]. A facet of top cells lies in two of them. From each the gradient leads up, from cell to matched
//! facet to the other cell at it, to a critical cell, or out of the image. Facets are taken in the opposite order; one between two
//! trees pairs with the one of their last cells that comes earlier, and the outside is later than all. A grid with a rim has no outside.

use rayon::prelude::*;

use super::cell::Cell;
use super::forest::{Joined, Ways, join};
use super::gradient::Gradient;
use super::gradient::table::{Star, edges_of_face, omitted_axis};
use super::grid::Grid;

/// Pairs critical top cells, by their owners and numbered from 1, with critical facets; both are given last first.
///
/// Cells go by the places of their least corners. A critical one has its owner there: the table sees to that.
pub(super) fn cavities(grid: &Grid, gradient: &Gradient, maxima: &[u32], facets: &[Cell]) -> Joined {
    // A place without a cell, or with one outside, leads nowhere: to number 0.
    let places = grid.ranks().len();
    let ways = match grid.axes() {
        2 => Ways::new(places, steps::<4>(grid, gradient, |star, cell| star.axis_of_face(cell))),
        _ => Ways::new(places, steps::<8>(grid, gradient, |star, cell| star.axis_of_cube(cell))),
    };
    maxima.par_iter().enumerate().for_each(|(i, &rank)| ways.end(grid.place(rank), i + 1));
    ways.shorten();
    let ends = |facet: &Cell| {
        let (corner, across) = sides(grid, *facet);
        [ways.end_of(corner), ways.end_of(corner - across)]
    };
    let ends: Vec<[u32; 2]> = facets.par_iter().map(ends).collect();
    drop(ways);
    join(maxima.len(), &ends)
}

/// The step from a cell, by its least corner, to the one on the other side of the facet it is matched with, which omits the axis that `mate`
/// says, given a star and the number in it of one of its cells. Without such a facet, or where no cell is, there is no step.
///
/// Every corner is looked at, and no branch depends on which of them owns the cell, as it could not be predicted.
fn steps<'a, const CORNERS: usize>(
    grid: &'a Grid,
    gradient: &'a Gradient,
    mate: impl Fn(Star, usize) -> Option<usize> + Sync + 'a,
) -> impl Fn(usize) -> isize + Sync + 'a {
    let strides = grid.strides();
    // Bit k of a corner's number says whether it lies further along axis k.
    let shifts: [usize; CORNERS] =
        std::array::from_fn(|corner| (0..3).map(|axis| (corner >> axis & 1) * strides[axis]).sum());
    let ranks = grid.ranks();
    let inside = ranks.len() - shifts[CORNERS - 1];
    let steps = grid.steps();
    move |place| {
        if place >= inside {
            return 0;
        }
        let (mut last, mut owner) = (ranks[place], 0);
        for corner in 1..CORNERS {
            let rank = ranks[place + shifts[corner]];
            owner = if rank > last { corner } else { owner };
            last = last.max(rank);
        }
        // Seen from its owner, the cell lies the other way.
        let cell = CORNERS - 1 - owner;
        let star = gradient.star(place + shifts[owner]);
        mate(star, cell).map_or(0, |axis| steps[2 * axis + 1 - (cell >> axis & 1)])
    }
}

/// The least corner of a cell that has these edges at a place.
#[inline(always)]
fn corner<const N: usize>(grid: &Grid, place: usize, edges: [usize; N]) -> usize {
    let back = |&edge: &usize| if edge % 2 == 0 { grid.strides()[edge / 2] } else { 0 };
    place - edges.iter().map(back).sum::<usize>()
}

/// The least corner of a facet, which is that of one of the two cells it lies in; and the step back to the other's.
fn sides(grid: &Grid, facet: Cell) -> (usize, usize) {
    let (place, direction) = (facet.place(), facet.direction());
    if grid.axes() == 2 {
        (corner(grid, place, [direction]), grid.strides()[1 - direction / 2])
    } else {
        let (a, b) = edges_of_face(direction);
        (corner(grid, place, [a, b]), grid.strides()[omitted_axis(direction)])
    }
}
