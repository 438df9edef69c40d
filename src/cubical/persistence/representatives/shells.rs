//! Shells: representatives of classes of the last dimension, as boundaries of the cells that fill them.
//!
//! A flood fill starts at the cell with which a class dies and spreads to cells that come after the birth, across
//! facets that come after it. The shell consists of the facets between reached and unreached cells. Within the star of
//! the birth itself the gradient determines which facets come after: those matched with a cell of the last dimension,
//! and critical ones in later directions.

use super::super::cell::Cell;
use super::super::gradient::Gradient;
use super::super::gradient::table::FaceMate;
use super::super::grid::Grid;
use super::super::loops::owner_of_face;
use super::GridCell;

/// The set of places that a flood fill has reached, as a bitset and a list.
pub(super) struct Visited {
    words: Vec<u64>,
    reached: Vec<usize>,
}

impl Visited {
    /// The empty set, for this number of places.
    pub(super) fn new(places: usize) -> Self {
        Visited { words: vec![0; places.div_ceil(64)], reached: Vec::new() }
    }

    fn has(&self, place: usize) -> bool {
        self.words[place / 64] >> (place % 64) & 1 == 1
    }

    /// Adds a place unless it was reached before.
    fn reach(&mut self, place: usize) {
        if !self.has(place) {
            self.words[place / 64] |= 1 << (place % 64);
            self.reached.push(place);
        }
    }

    /// Empties the set and returns the facets between reached places and others. Each place has `sides` sides; `side`
    /// returns the place beyond a side, and the facet between.
    fn shell(&mut self, sides: usize, side: impl Fn(usize, usize) -> (usize, GridCell)) -> Vec<GridCell> {
        let mut shell = Vec::new();
        for &place in &self.reached {
            let facets = (0..sides).map(|number| side(place, number));
            shell.extend(facets.filter(|&(other, _)| !self.has(other)).map(|(_, facet)| facet));
        }
        for place in self.reached.drain(..) {
            self.words[place / 64] = 0;
        }
        shell
    }

    /// Adds all places connected to `start` across sides for which `is_open`.
    fn flood(
        &mut self,
        start: usize,
        sides: usize,
        side: impl Fn(usize, usize) -> (usize, GridCell),
        is_open: impl Fn(usize, usize, GridCell) -> bool,
    ) {
        self.reach(start);
        let mut next = 0;
        while let Some(&place) = self.reached.get(next) {
            next += 1;
            for number in 0..sides {
                let (other, facet) = side(place, number);
                if !self.has(other) && is_open(place, number, facet) {
                    self.reach(other);
                }
            }
        }
    }
}

/// The shell of a class of the last dimension in the complex of the grid. Cells of the grid, identified by their least
/// corners, are flooded from `death`; the facet `birth` is in the shell.
pub(super) fn of_cells(
    grid: &Grid,
    gradient: &Gradient,
    death: usize,
    birth: Cell,
    visited: &mut Visited,
) -> Vec<GridCell> {
    let (axes, strides) = (grid.axes(), grid.strides());
    let all = (1 << axes) - 1;
    let side = |cell: usize, number: usize| {
        let (axis, is_far) = (number / 2, number % 2 == 1);
        let other = if is_far { cell + strides[axis] } else { cell - strides[axis] };
        let facet = if is_far { other } else { cell };
        (other, GridCell::new(facet, all & !(1 << axis)))
    };
    let is_open = |_: usize, number: usize, facet: GridCell| {
        let corner = facet.corner();
        let (place, direction) = if axes == 2 {
            // In the plane the facet is the edge along the other axis.
            let axis = 1 - number / 2;
            let far = corner + strides[axis];
            if grid.rank(corner) > grid.rank(far) { (corner, 2 * axis + 1) } else { (far, 2 * axis) }
        } else {
            owner_of_face(grid, corner, 2 - number / 2)
        };
        if place != birth.place() {
            return grid.rank(place) > birth.rank();
        }
        let star = gradient.star(place);
        let is_matched_below = if axes == 2 {
            star.edge_of_voxel() == Some(direction)
        } else {
            star.face_mate(direction) == FaceMate::Edge
        };
        let is_matched_above = if axes == 2 {
            star.goes_to_face(direction)
        } else {
            matches!(star.face_mate(direction), FaceMate::Cube(_))
        };
        is_matched_above || !is_matched_below && direction > birth.direction()
    };
    visited.flood(death, 2 * axes, side, is_open);
    visited.shell(2 * axes, side)
}

/// The shell of a class of the last dimension in the complex whose dual is the grid. Voxels are flooded from `death`;
/// the grid edge `birth` is in the shell.
pub(super) fn of_voxels(
    grid: &Grid,
    gradient: &Gradient,
    death: usize,
    birth: Cell,
    visited: &mut Visited,
) -> Vec<GridCell> {
    let sides = 2 * grid.axes();
    let side = |place: usize, edge: usize| {
        let other = grid.neighbour(place, edge);
        (other, GridCell::new(place.min(other), 1 << (edge / 2)))
    };
    let is_open = |place: usize, edge: usize, _: GridCell| {
        let other = grid.neighbour(place, edge);
        let (owner, direction) =
            if grid.rank(place) > grid.rank(other) { (place, edge) } else { (other, edge ^ 1) };
        if owner != birth.place() {
            return grid.rank(owner) < birth.rank();
        }
        let star = gradient.star(owner);
        star.edge_of_voxel() == Some(direction)
            || !star.goes_to_face(direction) && direction < birth.direction()
    };
    visited.flood(death, sides, side, is_open);
    visited.shell(sides, side)
}
