//! The top dimension: cavities (of the plane: holes), walls between them, and the cells that fill them.
//!
//! Dual to [`super::components`]. A facet of top cells lies in two of them. From each the gradient leads up, from cell to matched
//! facet to the other cell at it, to a critical cell, or out of the image. Facets are taken in the opposite order; one between two
//! trees pairs with the one of their last cells that comes earlier, and the outside is later than all. A grid with a rim has no outside.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::cell::Cell;
use super::components::Forest;
use super::gradient::Gradient;
use super::gradient::table::{CUBES, EdgeMate, edges_of_face, omitted_axis};
use super::grid::Grid;

/// What becomes of critical facets.
pub struct Cavities {
    /// Of each pair the places of the voxel that owns the facet, and of that which owns the critical cell.
    pub pairs: Vec<(u32, u32)>,
    /// The facets that no cell is paired with, in order.
    pub open: Vec<Cell>,
}

/// Pairs critical facets, which are given in order, with critical top cells.
pub fn cavities(grid: &Grid, gradient: &Gradient, facets: Vec<Cell>) -> Cavities {
    let forest = Forest { parents: ascents(grid, gradient) };
    let cells = |facet: &Cell| {
        let (corner, across) = position(grid, *facet);
        [forest.root(corner) as u32, forest.root(corner - across) as u32]
    };
    let ends: Vec<[u32; 2]> = facets.par_iter().map(cells).collect();
    let mut found = Cavities { pairs: Vec::new(), open: Vec::new() };
    for (facet, [a, b]) in facets.into_iter().zip(ends).rev() {
        let (a, b) = (forest.root(a as usize), forest.root(b as usize));
        if a == b {
            found.open.push(facet);
            continue;
        }
        let (older, younger) = if grid.rank(a) > grid.rank(b) { (a, b) } else { (b, a) };
        forest.parents[younger].store(older as u32, Relaxed);
        found.pairs.push((facet.place() as u32, younger as u32));
    }
    found.open.reverse();
    found
}

/// The least corner of a facet, which is that of one of the two cells it lies in; and the step to the other's, backwards.
fn position(grid: &Grid, facet: Cell) -> (usize, usize) {
    let strides = grid.strides();
    let back = |edge: usize| if edge % 2 == 0 { strides[edge / 2] } else { 0 };
    let place = facet.place();
    if grid.axes() == 2 {
        let edge = facet.direction();
        (place - back(edge), strides[1 - edge / 2])
    } else {
        let (a, b) = edges_of_face(facet.direction());
        (place - back(a) - back(b), strides[omitted_axis(facet.direction())])
    }
}

/// For each top cell, at the place of its least corner, the next one up; critical ones have themselves, and so has place 0, which
/// no top cell of a grid without rim has and stands for the outside.
///
/// A critical top cell has its owner as its least corner: the table sees to that.
fn ascents(grid: &Grid, gradient: &Gradient) -> Vec<AtomicU32> {
    let strides = grid.strides();
    let mut parents = Vec::new();
    (0..grid.ranks().len()).into_par_iter().map(|_| AtomicU32::new(0)).collect_into_vec(&mut parents);
    // From the cell at a corner, whose sign on an axis is given, across the facet that omits the axis.
    let put = |corner: usize, axis: usize, sign: usize| {
        let next = if sign == 1 { corner - strides[axis] } else { corner + strides[axis] };
        parents[corner].store(next as u32, Relaxed);
    };
    let of_voxel = |place: usize| {
        let star = gradient.star(place);
        if gradient.is_maximum(place) {
            parents[place].store(place as u32, Relaxed);
        }
        if grid.axes() == 2 {
            for edge in 0..4 {
                if let EdgeMate::Face(face) = star.edge_mate(edge) {
                    let (a, b) = edges_of_face(face);
                    let back = |edge: usize| if edge % 2 == 0 { strides[edge / 2] } else { 0 };
                    let omitted = if a == edge { b } else { a };
                    put(place - back(a) - back(b), omitted / 2, omitted % 2);
                }
            }
        } else {
            for cube in 0..CUBES {
                if let Some(axis) = star.axis_of_cube(cube) {
                    let back: usize =
                        (0..3).filter(|axis| cube >> axis & 1 == 0).map(|axis| strides[axis]).sum();
                    put(place - back, axis, cube >> axis & 1);
                }
            }
        }
    };
    let [planes, rows, columns] = grid.extents();
    (0..planes * rows).into_par_iter().with_min_len(16).for_each(|line| {
        let start = grid.row(line / rows, line % rows);
        (start..start + columns).for_each(of_voxel);
    });
    parents
}
