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
use super::super::grid_cell::GridCell;
use crate::cubical::construction::Construction;

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
        is_open: impl Fn(GridCell) -> bool,
    ) {
        self.reach(start);
        let mut next = 0;
        while let Some(&place) = self.reached.get(next) {
            next += 1;
            for number in 0..sides {
                let (other, facet) = side(place, number);
                if !self.has(other) && is_open(facet) {
                    self.reach(other);
                }
            }
        }
    }
}

/// The shell of a class of the last dimension, from the place of its death and the facet of its birth, which is in the
/// shell. The flooded cells are those of the grid, identified by their least corners, or voxels in the dual complex.
pub(super) fn shell(
    grid: &Grid,
    gradient: &Gradient,
    death: usize,
    birth: Cell,
    visited: &mut Visited,
) -> Vec<GridCell> {
    let (axes, is_primal) = (grid.layout.axes, grid.construction == Construction::V);
    let side = |place: usize, edge: usize| {
        let other = grid.neighbour(place, edge);
        let facet = if is_primal {
            GridCell::new(place.max(other), ((1 << axes) - 1) & !(1 << (edge / 2)))
        } else {
            GridCell::new(place.min(other), 1 << (edge / 2))
        };
        (other, facet)
    };
    // Whether a facet comes after the birth in the image.
    let is_open = |facet: GridCell| {
        let (place, direction) = facet.owner(grid);
        let entry = grid.entry(place);
        if entry != birth.entry() {
            return (entry > birth.entry()) == is_primal;
        }
        let star = gradient.star(grid, place);
        let is_edge = facet.along().count_ones() == 1;
        let (is_below, is_above) = if is_edge {
            (star.edge_of_voxel() == Some(direction), star.goes_to_face(direction))
        } else {
            let mate = star.face_mate(direction);
            (mate == FaceMate::Edge, matches!(mate, FaceMate::Cube(_)))
        };
        if is_primal {
            is_above || !is_below && direction > birth.direction()
        } else {
            is_below || !is_above && direction < birth.direction()
        }
    };
    visited.flood(death, 2 * axes, side, is_open);
    visited.shell(2 * axes, side)
}
