//! A thread's own copy of a small graph, in which it repeats what the first thread does to the graph.
//!
//! Which edges were taken follows from where the batch begins; moves are told in a list that only grows. So a thread fetches from another core
//! the moves that it has not seen yet, and not each row that they have changed.

use std::ops::Range;

use super::graph::{self, Graph, Incident};
use super::ranks::Ranks;

/// The most bytes of a graph that threads copy: a core's own cache holds it.
const SMALL: u64 = 1 << 20;

/// An edge that was moved, and its new rank.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) ends: [u32; 2],
    pub(super) rank: u32,
}

/// The copy of a thread.
pub(super) struct Replica<R> {
    graph: Graph<R>,
    /// The edges of the batch.
    batch: Incident,
    /// The places of these in the order of edges: later ones are taken.
    places: Range<usize>,
    /// How many of all moves it has repeated.
    moves: usize,
}

/// Whether a graph of so many points and edges is small enough to be copied.
pub(super) fn is_small(points: usize, edges: usize) -> bool {
    graph::bytes(points, edges) <= SMALL
}

impl<R: Ranks> Replica<R> {
    /// The copy of a graph after so many moves, in which the edges from this place on are taken.
    pub(super) fn new(graph: Graph<R>, moves: usize, end: usize) -> Self {
        let batch = Incident::none(graph.points());
        Replica { graph, batch, places: end..end, moves }
    }

    /// Repeats what was done until the batch of these places, after all these moves, and gives the graph and the edges of the batch.
    pub(super) fn catch_up(
        &mut self,
        edges: &[(u32, u32)],
        places: Range<usize>,
        moves: &[Move],
    ) -> (&Graph<R>, &Incident) {
        if self.places != places {
            for &(i, j) in &edges[places.end..self.places.end] {
                let ends = [i as usize, j as usize];
                self.batch.clear(ends);
                self.graph.take(ends);
            }
            for &Move { ends, rank } in &moves[self.moves..] {
                self.graph.shift(ends.map(|x| x as usize), rank);
            }
            self.batch.add_all(places.start, &edges[places.clone()]);
            self.places = places;
            self.moves = moves.len();
        }
        (&self.graph, &self.batch)
    }
}
