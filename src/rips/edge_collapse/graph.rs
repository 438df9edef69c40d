//! The graph while its edges are taken one after another.

use super::ranks::{self, Ranks};
use super::search::edge_at;
use crate::memory::{self, Refused};
use crate::rips::complex::ABSENT;

/// A graph whose edges have ranks from 1 on and are taken from the last to the first.
#[derive(Clone)]
pub(super) struct Graph {
    /// Number of 64-bit words in a row of bits.
    pub(super) words: usize,
    ranks: Ranks,
    /// Adjacency bits of the edges not taken yet, and the diagonal.
    untaken: Vec<u64>,
    /// Adjacency bits of all edges in the graph, and the diagonal.
    present: Vec<u64>,
}

/// Bytes of a graph with this many points and edges.
pub(super) fn bytes(points: usize, edges: usize) -> u64 {
    let bits = 2 * 8 * points as u64 * points.div_ceil(64) as u64;
    ranks::bytes(points, edges).saturating_add(bits)
}

impl Graph {
    /// The graph of these edges, which get the ranks 1, 2, 3, … in their order.
    pub(super) fn new(points: usize, edges: &[(u32, u32)]) -> Result<Self, Refused> {
        let words = points.div_ceil(64);
        let mut untaken = memory::zeroed(points * words)?;
        let vertices = (0..points as u32).map(|x| (x, x));
        for (x, y) in vertices.chain(edges.iter().copied()) {
            for (x, y) in [(x as usize, y as usize), (y as usize, x as usize)] {
                untaken[x * words + y / 64] |= 1 << (y % 64);
            }
        }
        let mut present = memory::with_room(points * words)?;
        present.extend_from_slice(&untaken);
        let mut graph = Graph { words, ranks: Ranks::new(points, edges.len(), &untaken)?, untaken, present };
        for (rank, &(x, y)) in (1..).zip(edges) {
            graph.set_rank([x as usize, y as usize], rank);
        }
        Ok(graph)
    }

    /// The number of points.
    pub(super) fn points(&self) -> usize {
        self.untaken.len() / self.words
    }

    /// The rank of an edge: `ABSENT` if it is not in the graph, 0 on the diagonal.
    #[inline]
    pub(super) fn rank(&self, x: usize, y: usize) -> u32 {
        self.ranks.get(x, y)
    }

    /// The adjacency bits of a point by edges not taken yet, its own bit included.
    #[inline]
    pub(super) fn untaken(&self, x: usize) -> &[u64] {
        &self.untaken[x * self.words..][..self.words]
    }

    /// The adjacency bits of a point by all edges, its own bit included.
    #[inline]
    pub(super) fn present(&self, x: usize) -> &[u64] {
        &self.present[x * self.words..][..self.words]
    }

    /// Whether `x` is adjacent or equal to each of `u` and `v`, by edges not taken yet.
    #[inline]
    pub(super) fn joins_untaken(&self, x: usize, [u, v]: [usize; 2]) -> bool {
        self.untaken(u)[x / 64] & self.untaken(v)[x / 64] & (1 << (x % 64)) != 0
    }

    /// Marks an edge as taken.
    pub(super) fn take(&mut self, [u, v]: [usize; 2]) {
        for (x, y) in [(u, v), (v, u)] {
            self.untaken[x * self.words + y / 64] &= !(1 << (y % 64));
        }
    }

    /// Moves a taken edge to a greater rank; `ABSENT` removes it from the graph.
    pub(super) fn shift(&mut self, [u, v]: [usize; 2], rank: u32) {
        self.set_rank([u, v], rank);
        if rank == ABSENT {
            for (x, y) in [(u, v), (v, u)] {
                self.present[x * self.words + y / 64] &= !(1 << (y % 64));
            }
        }
    }

    fn set_rank(&mut self, [u, v]: [usize; 2], rank: u32) {
        self.ranks.set(u, v, rank);
        self.ranks.set(v, u, rank);
    }
}

/// The columns of the set bits of `word`, which is word number `place` of a row.
#[inline]
pub(super) fn bits(place: usize, word: u64) -> impl Iterator<Item = usize> {
    let mut word = word;
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| 64 * place + word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

/// Lists of edges and their ranks by end point.
#[derive(Default)]
pub(super) struct Incident {
    at: Vec<Vec<(u32, u32)>>,
}

impl Incident {
    /// Empty lists for `points` points.
    pub(super) fn none(points: usize) -> Self {
        Incident { at: vec![Vec::new(); points] }
    }

    /// Adds an edge with its rank.
    pub(super) fn add(&mut self, [u, v]: [usize; 2], rank: u32) {
        self.at[u].push((v as u32, rank));
        self.at[v].push((u as u32, rank));
    }

    /// Adds edges that are consecutive in the order of edges, the first at place `start`.
    pub(super) fn add_all(&mut self, start: usize, edges: &[(u32, u32)]) {
        for (place, &edge) in (start..).zip(edges) {
            let edge = edge_at(place, edge);
            self.add(edge.ends, edge.rank);
        }
    }

    /// The other end and the rank of each edge at a point.
    #[inline]
    pub(super) fn at(&self, x: usize) -> &[(u32, u32)] {
        &self.at[x]
    }

    /// Removes all edges from the lists of these two points.
    pub(super) fn clear(&mut self, points: [usize; 2]) {
        points.into_iter().for_each(|x| self.at[x].clear());
    }
}
