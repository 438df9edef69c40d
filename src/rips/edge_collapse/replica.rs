//! A thread's own copy of a small graph, to which it applies the changes that the first thread makes to the graph.
//!
//! The place at which the batch begins determines which edges are taken; moves are kept in a list that only grows. So a
//! thread reads only the moves it has not applied yet from another core's cache, not every row that they changed.

use std::ops::Range;

use super::graph::{self, Graph, Incident};

/// Most bytes of a graph that threads copy: a core's private cache holds it.
const SMALL: u64 = 1 << 20;

/// An edge that was moved, and its new rank.
#[derive(Clone, Copy)]
pub(super) struct Move {
    pub(super) ends: [u32; 2],
    pub(super) rank: u32,
}

/// One thread's copy of the graph.
pub(super) struct Replica {
    graph: Graph,
    /// The edges of the batch, by end point.
    batch: Incident,
    /// The places of the batch's edges in the order of edges: later edges are taken.
    places: Range<usize>,
    /// Number of moves already applied.
    moves: usize,
}

/// Whether a graph with this many points and edges is small enough to be copied.
pub(super) fn is_small(points: usize, edges: usize) -> bool {
    graph::bytes(points, edges) <= SMALL
}

impl Replica {
    /// A copy of `graph`, to which `moves` moves are applied and in which the edges from place `end` on are taken.
    pub(super) fn new(graph: Graph, moves: usize, end: usize) -> Self {
        let batch = Incident::none(graph.points());
        Replica { graph, batch, places: end..end, moves }
    }

    /// Applies all changes up to the batch at `places`, `moves` being all moves so far, and returns the graph and the
    /// edges of the batch.
    pub(super) fn catch_up(
        &mut self,
        edges: &[(u32, u32)],
        places: Range<usize>,
        moves: &[Move],
    ) -> (&Graph, &Incident) {
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
