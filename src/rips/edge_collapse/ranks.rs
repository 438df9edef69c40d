//! The ranks of edges, by their ends.
//!
//! A square matrix is the quickest to look at while it lies in the caches. Of thousands of points with few edges it would not: so the ranks of a
//! point's edges lie one after another then, by the other end, and how many come before one is the number of bits before its own.

use rayon::prelude::*;
use zerocopy::FromZeros;

use crate::memory::{self, Refused};
use crate::rips::complex::ABSENT;

/// Rows are taken if they have so much fewer bytes than a matrix.
const FEWER: u64 = 12;
/// Entries of a matrix that a thread fills at a time.
const FILLED: usize = 1 << 18;

/// Ranks of edges, which are 1 and up: `ABSENT` where there is no edge, 0 on the diagonal.
pub(super) trait Ranks: Clone + Send + Sync {
    /// Ranks of edges that are not set yet. `bits` are those of the edges and of the diagonal, row by row, each row of whole words.
    fn new(points: usize, bits: &[u64]) -> Result<Self, Refused>;

    /// The rank of an edge.
    fn get(&self, x: usize, y: usize) -> u32;

    /// Sets the rank of one of the edges, in one direction.
    fn set(&mut self, x: usize, y: usize, rank: u32);
}

/// The bytes of the ranks of so many edges between so many points, in rows if these are taken, else in a matrix.
pub(super) fn bytes(points: usize, edges: usize) -> u64 {
    if are_rows(points, edges) { Rows::bytes(points, edges) } else { Matrix::bytes(points) }
}

/// Whether rows are taken for so many edges between so many points.
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

/// The ranks that are not `ABSENT` from the start.
#[derive(Clone)]
pub(super) struct Rows {
    /// Words of 64 bits of a row of bits.
    words: usize,
    /// Bits of the edges and of the diagonal, row by row.
    places: Vec<Places>,
    /// Where the ranks of each row begin.
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

    /// Where the rank of an edge lies, if there is one.
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
