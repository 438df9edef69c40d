//! The top dimension: cavities (in the plane: holes), critical facets that separate them, and critical top cells that
//! fill them.
//!
//! Dual to [`super::components`]. A facet lies in two top cells. From each, the gradient leads upwards, from a cell to
//! its matched facet and on to the other cell of that facet, to a critical cell or out of the image. Facets are taken
//! in reverse filtration order. One that joins two trees is paired with the earlier of the trees' last cells; the
//! outside counts as later than all cells. A grid with a rim has no outside.

use super::cell::Cell;
use super::forest::{FlowForest, Merging};
use super::gradient::Gradient;
use super::gradient::table::Star;
use super::grid::Grid;
use super::grid_cell::GridCell;

/// Pairs critical top cells with critical facets; both in filtration order.
///
/// Cells are identified by the places of their least corners; the table makes that corner the owner of a critical cell.
pub(super) fn cavities(
    grid: &Grid,
    gradient: &Gradient,
    mut maxima: Vec<Cell>,
    mut facets: Vec<Cell>,
) -> Merging {
    maxima.reverse();
    facets.reverse();
    let ends = |facet: Cell| {
        let facet = GridCell::of(grid, facet, grid.layout.axes - 1);
        [facet.corner(), facet.corner() - grid.layout.strides[facet.across(grid.layout.axes)]]
    };
    // A place whose cell does not exist or lies outside leads to number 0.
    let places = grid.ranks().len();
    let forest = match grid.layout.axes {
        2 => FlowForest::new(places, steps::<4>(grid, gradient, Star::axis_of_face)),
        _ => FlowForest::new(places, steps::<8>(grid, gradient, Star::axis_of_cube)),
    };
    Merging::new(forest, maxima, facets, ends)
}

/// Returns the step from a top cell, identified by its least corner, across its matched facet to the next cell; 0 if
/// there is no such cell or facet. `mate` takes a star and the number of a cell in it, and returns the axis that the
/// matched facet omits.
///
/// Every corner is examined without a branch on which one owns the cell, as that branch would be unpredictable.
fn steps<'a, const CORNERS: usize>(
    grid: &'a Grid,
    gradient: &'a Gradient,
    mate: impl Fn(Star, usize) -> Option<usize> + Sync + 'a,
) -> impl Fn(usize) -> isize + Sync + 'a {
    let strides = grid.layout.strides;
    // Bit k of a corner's number is set if the corner is the further one along axis k.
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
        // Seen from its owner, the cell lies in the opposite direction.
        let cell = CORNERS - 1 - owner;
        let star = gradient.star(place + shifts[owner]);
        mate(star, cell).map_or(0, |axis| steps[2 * axis + 1 - (cell >> axis & 1)])
    }
}
