//! The top dimension: cavities (of the plane: holes), walls between them, and the cells that fill them.
//!
//! Dual to [`super::components`]. A facet of top cells lies in two of them. From each the gradient leads up, from cell to matched
//! facet to the other cell at it, to a critical cell, or out of the image. Facets are taken in the opposite order; one between two
//! trees pairs with the one of their last cells that comes earlier, and the outside is later than all. A grid with a rim has no outside.

use rayon::prelude::*;

use super::cell::Cell;
use super::forest::{Joined, Ways, join};
use super::gradient::Gradient;
use super::gradient::table::{CUBES, edges_of_face, omitted_axis};
use super::grid::Grid;

/// Pairs critical top cells, by their owners and numbered from 1, with critical facets; both are given last first.
///
/// Cells go by the places of their least corners. A critical one has its owner there: the table sees to that.
pub fn cavities(grid: &Grid, gradient: &Gradient, maxima: &[u32], facets: &[Cell]) -> Joined {
    // A place that is not set has no cell, or one outside: number 0.
    let ways = Ways::new(grid.ranks().len());
    let strides = grid.strides();
    // From the cell at a corner, on a given side of the facet that omits an axis, to the other side.
    let cross = |corner: usize, axis: usize, side: usize| {
        ways.lead(corner, if side == 1 { corner - strides[axis] } else { corner + strides[axis] });
    };
    if grid.axes() == 2 {
        grid.for_each_voxel(|place| {
            let star = gradient.star(place);
            for edge in (0..4).filter(|&edge| star.goes_to_face(edge)) {
                let (a, b) = edges_of_face(star.face_of(edge));
                let across = if a == edge { b } else { a };
                cross(corner(grid, place, [a, b]), across / 2, across % 2);
            }
        });
    } else {
        grid.for_each_voxel(|place| {
            let star = gradient.star(place);
            for cube in 0..CUBES {
                if let Some(axis) = star.axis_of_cube(cube) {
                    let edges = [cube & 1, 2 | cube >> 1 & 1, 4 | cube >> 2];
                    cross(corner(grid, place, edges), axis, cube >> axis & 1);
                }
            }
        });
    }
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
