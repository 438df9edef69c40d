//! The ranks of edges, looked up by their ends.
//!
//! A square matrix is fastest while it fits in the caches. For thousands of points with few edges it does not: then the
//! ranks of a point's edges are stored consecutively, by the other end, and the position of a rank is the number of
//! adjacency bits before its own.

use rayon::prelude::*;
use zerocopy::FromZeros;

use crate::memory::{self, Refused};
use crate::rips::complex::ABSENT;

/// Rows are used if a matrix would take at least this many times as many bytes.
const FEWER: u64 = 12;
/// Number of matrix entries that a thread fills at a time.
const FILLED: usize = 1 << 18;

/// A table of the ranks of edges: from 1 on, `ABSENT` where there is no edge, 0 on the diagonal.
pub(super) trait Ranks: Clone + Send + Sync {
    /// A table of ranks that are still to be set. `bits` are the adjacency bits of the edges and the diagonal, row by
    /// row, each row in whole words.
    fn new(points: usize, bits: &[u64]) -> Result<Self, Refused>;

    /// The rank of an edge.
    fn get(&self, x: usize, y: usize) -> u32;

    /// Sets the rank of an edge in one direction, from `x` to `y`.
    fn set(&mut self, x: usize, y: usize, rank: u32);
}

/// Bytes of the ranks for this many points and edges, in the layout that [`are_rows`] chooses.
pub(super) fn bytes(points: usize, edges: usize) -> u64 {
    if are_rows(points, edges) { Rows::bytes(points, edges) } else { Matrix::bytes(points) }
}

/// Whether rows are used for this many points and edges.
pub(super) fn are_rows(points: usize, edges: usize) -> bool {
    Rows::bytes(points, edges).saturating_mul(FEWER) <= Matrix::bytes(points)
}

/// A square matrix of ranks.
#[derive(Clone)]
pub(super) struct Matrix {
    points: usize,
    ranks: Vec<u32>,
}

impl Matrix {
    fn bytes(points: usize) -> u64 {
        (points as u64).saturating_mul(points as u64).saturating_mul(4)
    }
}

impl Ranks for Matrix {
    fn new(points: usize, _: &[u64]) -> Result<Self, Refused> {
        let mut ranks: Vec<u32> = memory::zeroed(points * points)?;
        ranks.par_chunks_mut(FILLED).for_each(|ranks| ranks.fill(ABSENT));
        (0..points).for_each(|x| ranks[x * points + x] = 0);
        Ok(Matrix { points, ranks })
    }

    #[inline]
    fn get(&self, x: usize, y: usize) -> u32 {
        self.ranks[x * self.points + y]
    }

    fn set(&mut self, x: usize, y: usize, rank: u32) {
        self.ranks[x * self.points + y] = rank;
    }
}

/// Rows that store only the ranks of edges that were in the graph at the start, and of the diagonal.
#[derive(Clone)]
pub(super) struct Rows {
    /// Number of 64-bit words in a row of bits.
    words: usize,
    /// Adjacency bits of the edges and the diagonal, row by row.
    places: Vec<Places>,
    /// Start of each row in `ranks`.
    starts: Vec<usize>,
    ranks: Vec<u32>,
}

/// A word of a row of bits, and the number of bits in the words before it.
#[derive(Clone, Copy, FromZeros)]
#[repr(C)]
struct Places {
    word: u64,
    before: u64,
}

impl Rows {
    fn bytes(points: usize, edges: usize) -> u64 {
        let (points, edges) = (points as u64, edges as u64);
        let words = points.saturating_mul(points.div_ceil(64));
        words.saturating_mul(16).saturating_add(12 * points).saturating_add(edges.saturating_mul(8))
    }

    /// The index of an edge's rank in `ranks`, if there is such an edge.
    #[inline]
    fn place(&self, x: usize, y: usize) -> Option<usize> {
        let Places { word, before } = self.places[x * self.words + y / 64];
        let bit = 1 << (y % 64);
        (word & bit != 0).then(|| self.starts[x] + before as usize + (word & (bit - 1)).count_ones() as usize)
    }
}

impl Ranks for Rows {
    fn new(points: usize, bits: &[u64]) -> Result<Self, Refused> {
        let words = points.div_ceil(64);
        let mut places: Vec<Places> = memory::zeroed(points * words)?;
        let mut starts = memory::zeroed(points)?;
        let mut end = 0;
        for (x, start) in starts.iter_mut().enumerate() {
            *start = end;
            for (place, &word) in places[x * words..][..words].iter_mut().zip(&bits[x * words..]) {
                *place = Places { word, before: (end - *start) as u64 };
                end += word.count_ones() as usize;
            }
        }
        Ok(Rows { words, places, starts, ranks: memory::zeroed(end)? })
    }

    #[inline]
    fn get(&self, x: usize, y: usize) -> u32 {
        self.place(x, y).map_or(ABSENT, |place| self.ranks[place])
    }

    fn set(&mut self, x: usize, y: usize, rank: u32) {
        if let Some(place) = self.place(x, y) {
            self.ranks[place] = rank;
        }
    }
}
