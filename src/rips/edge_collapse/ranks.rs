//! The ranks of edges, looked up by their ends.
//!
//! A square matrix is fastest while it fits in the caches. For thousands of points with few edges it does not: then the
//! ranks of a point's edges are stored consecutively, by the other end, and the position of a rank is the number of
//! adjacency bits before its own.

use zerocopy::FromZeros;

use crate::memory::{self, Refused};
use crate::parallel::pieces_mut;
use crate::rips::complex::ABSENT;

/// Rows are used if a matrix would take at least this many times as many bytes.
const FEWER: u64 = 12;
/// Number of matrix entries that a thread fills at a time.
const FILLED: usize = 1 << 18;

/// A table of the ranks of edges: from 1 on, `ABSENT` where there is no edge, 0 on the diagonal.
#[derive(Clone)]
pub(super) struct Ranks {
    points: usize,
    /// The places of the edges if they are stored in rows, each rank in its row of a square matrix otherwise.
    rows: Option<Rows>,
    ranks: Vec<u32>,
}

/// The places of the edges that were in the graph at the start, and of the diagonal.
#[derive(Clone)]
struct Rows {
    /// Number of 64-bit words in a row of bits.
    words: usize,
    /// Adjacency bits of the edges and the diagonal, row by row.
    places: Vec<Places>,
    /// Place of the first rank of each row.
    starts: Vec<usize>,
}

/// A word of a row of bits, and the number of bits in the words before it.
#[derive(Clone, Copy, FromZeros)]
#[repr(C)]
struct Places {
    word: u64,
    before: u64,
}

/// Bytes of the ranks for this many points and edges.
pub(super) fn bytes(points: usize, edges: usize) -> u64 {
    let (rows, matrix) = bytes_of_each(points, edges);
    if are_rows(points, edges) { rows } else { matrix }
}

/// Whether rows are used for this many points and edges.
fn are_rows(points: usize, edges: usize) -> bool {
    let (rows, matrix) = bytes_of_each(points, edges);
    rows.saturating_mul(FEWER) <= matrix
}

/// Bytes of rows and of a matrix.
fn bytes_of_each(points: usize, edges: usize) -> (u64, u64) {
    let (points, edges) = (points as u64, edges as u64);
    let words = points.saturating_mul(points.div_ceil(64));
    let rows = words.saturating_mul(16).saturating_add(12 * points).saturating_add(edges.saturating_mul(8));
    (rows, points.saturating_mul(points).saturating_mul(4))
}

impl Ranks {
    /// A table of ranks of `edges` edges that are still to be set. `bits` are the adjacency bits of the edges and the
    /// diagonal, row by row, each row in whole words.
    pub(super) fn new(points: usize, edges: usize, bits: &[u64]) -> Result<Self, Refused> {
        if are_rows(points, edges) {
            let (rows, places) = Rows::new(points, bits)?;
            return Ok(Ranks { points, rows: Some(rows), ranks: memory::zeroed(places)? });
        }
        let mut ranks: Vec<u32> = memory::zeroed(points * points)?;
        pieces_mut(&mut ranks, FILLED, &|_, ranks| ranks.fill(ABSENT));
        (0..points).for_each(|x| ranks[x * points + x] = 0);
        Ok(Ranks { points, rows: None, ranks })
    }

    /// The place of an edge's rank, if there is one.
    #[inline]
    fn place(&self, x: usize, y: usize) -> Option<usize> {
        match &self.rows {
            None => Some(x * self.points + y),
            Some(rows) => rows.place(x, y),
        }
    }

    /// The rank of an edge.
    #[inline]
    pub(super) fn get(&self, x: usize, y: usize) -> u32 {
        self.place(x, y).map_or(ABSENT, |place| self.ranks[place])
    }

    /// Sets the rank of an edge in one direction, from `x` to `y`.
    pub(super) fn set(&mut self, x: usize, y: usize, rank: u32) {
        if let Some(place) = self.place(x, y) {
            self.ranks[place] = rank;
        }
    }
}

impl Rows {
    /// The places for these bits, and their number.
    fn new(points: usize, bits: &[u64]) -> Result<(Self, usize), Refused> {
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
        Ok((Rows { words, places, starts }, end))
    }

    #[inline]
    fn place(&self, x: usize, y: usize) -> Option<usize> {
        let Places { word, before } = self.places[x * self.words + y / 64];
        let bit = 1 << (y % 64);
        (word & bit != 0).then(|| self.starts[x] + before as usize + (word & (bit - 1)).count_ones() as usize)
    }
}
