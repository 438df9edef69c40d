//! Critical edges, numbered by place.

use super::super::cell::Cell;
use super::super::gradient::Gradient;
use super::super::gradient::table::EDGES;

/// The numbers of the first critical edges of places: those of every 32nd, and how many there are from it to each place.
pub(super) struct Rows {
    of_block: Vec<u32>,
    in_block: Vec<u8>,
    count: usize,
}

/// Places of a block, each of which owns five critical edges at most.
const BLOCK: usize = 32;

impl Rows {
    pub(super) fn new(gradient: &Gradient, places: usize) -> Self {
        let (mut of_block, mut in_block) =
            (Vec::with_capacity(places / BLOCK + 1), Vec::with_capacity(places));
        let mut count = 0;
        for start in (0..places).step_by(BLOCK) {
            let mut here = 0;
            for place in start..places.min(start + BLOCK) {
                in_block.push(here);
                here += critical_edges(gradient, place).count_ones() as u8;
            }
            of_block.push(count);
            count += u32::from(here);
        }
        Rows { of_block, in_block, count: count as usize }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The number of a critical edge.
    #[inline(always)]
    pub(super) fn of(&self, gradient: &Gradient, edge: Cell) -> usize {
        let place = edge.place();
        let before = critical_edges(gradient, place) & ((1 << edge.direction()) - 1);
        (self.of_block[place / BLOCK] + u32::from(self.in_block[place]) + before.count_ones()) as usize
    }
}

#[inline(always)]
fn critical_edges(gradient: &Gradient, place: usize) -> u32 {
    gradient.critical(place) & ((1 << EDGES) - 1)
}
