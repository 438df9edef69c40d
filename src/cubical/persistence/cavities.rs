//! The top dimension: cavities (in the plane: holes), critical facets that separate them, and critical top cells that
//! fill them.
//!
//! Dual to [`super::components`]. A facet lies in two top cells. From each, the gradient leads upwards, from a cell to
//! its matched facet and on to the other cell of that facet, to a critical cell or out of the image. Facets are taken
//! in reverse filtration order. One that joins two trees is paired with the earlier of the trees' last cells; the
//! outside counts as later than all cells. A grid with a rim has no outside.
//!
//! In a plane the facets are edges. An edge that joins components is paired with one of them, so it separates no holes
//! and is left out.

use super::cell::Cell;
use super::forest::{Merge, Merging};
use super::gradient::Gradient;
use super::gradient::table::Star;
use super::grid::Grid;
use super::grid_cell::GridCell;
use super::layout::dot;
use super::look::{Any, Look, Plain};
use crate::memory::Refused;
use crate::progress::Progress;

/// Follows the paths from critical facets to critical top cells, both in the order of places. What is returned pairs
/// them, given the facets that may separate cavities, in reverse filtration order.
///
/// Cells are identified by the places of their least corners; the table makes that corner the owner of a critical cell.
///
/// # Errors
/// [`Refused`]: memory does not suffice.
pub(super) fn cavities<'a>(
    grid: &'a Grid,
    gradient: &'a Gradient,
    maxima: Vec<Cell>,
    facets: &[Cell],
    progress: &dyn Progress,
) -> Result<Merge<'a>, Refused> {
    match grid.layout.axes {
        2 => pairs::<4>(grid, gradient, Star::axis_of_face, maxima, facets, progress),
        _ => pairs::<8>(grid, gradient, Star::axis_of_cube, maxima, facets, progress),
    }
}

/// Like [`cavities`], of top cells with so many corners. `mate` takes a star and the number of a cell in it, and
/// returns the axis that the matched facet omits.
fn pairs<'a, const CORNERS: usize>(
    grid: &'a Grid,
    gradient: &'a Gradient,
    mate: impl Fn(Star, usize) -> Option<usize> + Sync + Send + 'a,
    maxima: Vec<Cell>,
    facets: &[Cell],
    progress: &dyn Progress,
) -> Result<Merge<'a>, Refused> {
    let strides = grid.layout.strides;
    // Bit k of a corner's number is set if the corner is the further one along axis k.
    let shifts: [usize; CORNERS] =
        std::array::from_fn(|corner| dot([0, 1, 2].map(|axis| corner >> axis & 1), strides));
    let inside = grid.places() - shifts[CORNERS - 1];
    let (plain, any) = (Plain::of(grid, gradient), Any { grid, gradient });
    // From a top cell, identified by its least corner, across its matched facet to the next cell; 0 if there is no such
    // cell or facet.
    let step = move |place| match &plain {
        _ if place >= inside => 0,
        Some(plain) => step(plain, &mate, place, &shifts),
        None => step(&any, &mate, place, &shifts),
    };
    let ends = move |facet: Cell| {
        let facet = GridCell::of(grid, facet, grid.layout.axes - 1);
        [facet.corner(), grid.neighbour(facet.corner(), 2 * facet.across(grid.layout.axes))]
    };
    Merging::prepare(grid, step, maxima, facets, true, ends, progress)
}

/// The step from a cell, given by its least corner; `shifts` lead from there to all corners.
#[inline(always)]
fn step<const CORNERS: usize>(
    look: &impl Look,
    mate: &impl Fn(Star, usize) -> Option<usize>,
    place: usize,
    shifts: &[usize; CORNERS],
) -> isize {
    let (owner, at) = look.last_of(place, shifts);
    // Seen from its owner, the cell lies in the opposite direction.
    let cell = CORNERS - 1 - owner;
    mate(look.star(at), cell).map_or(0, |axis| look.step(place, 2 * axis + 1 - (cell >> axis & 1)))
}
