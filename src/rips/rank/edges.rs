//! The edges of a filtration, each with a number: the key of its distance, or its rank.

use serde::{Deserialize, Serialize};

use crate::memory::{self, Refused};
use crate::parallel::pieces_mut;
use crate::rips::complex::{ABSENT, Sparse, stride};
use crate::simd::Rank;

/// Edges of a graph, each with a number: a key of its distance, or its rank.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Edges<N = u32> {
    /// The number of points.
    pub points: usize,
    /// The numbers, laid out as `layout` says. A rank is `ABSENT` past the threshold.
    pub numbers: Vec<N>,
    /// The pairs of points to which the numbers belong.
    pub layout: Layout,
}

/// The pairs of points to which numbers belong.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Layout {
    /// All pairs of points, row by row below the diagonal.
    Lower,
    /// All pairs in either order, laid out as the rows of a [`Dense`](crate::rips::complex::Dense) complex. The
    /// diagonal and the padding hold numbers greater than that of any distance.
    Square,
    /// These edges, the greater vertex first.
    Pairs(Vec<(u32, u32)>),
}

impl<N> Edges<N> {
    /// The numbers from point `i` to the points before it, if all pairs have one.
    pub(in crate::rips) fn lower_row(&self, i: usize) -> &[N] {
        let is_square = matches!(self.layout, Layout::Square);
        let begin = if is_square { i * stride(self.points) } else { start(i) };
        &self.numbers[begin..][..i]
    }
}

/// Number of pairs before those from point `i` to the points before it.
fn start(i: usize) -> usize {
    i * i.saturating_sub(1) / 2
}

impl Edges {
    /// Calls `found(i, j, rank)`, i > j, for each edge up to the threshold.
    pub(in crate::rips) fn each(&self, mut found: impl FnMut(u32, u32, u32)) {
        if let Layout::Pairs(pairs) = &self.layout {
            return pairs.iter().zip(&self.numbers).for_each(|(&(i, j), &rank)| found(i, j, rank));
        }
        for i in 0..self.points {
            let row = (0..).zip(self.lower_row(i)).filter(|&(_, &rank)| rank != ABSENT);
            // Points are numbers of 32 bits.
            row.for_each(|(j, &rank)| found(i as u32, j, rank));
        }
    }

    /// The number of smaller neighbours of each point.
    pub(in crate::rips) fn lower_degrees(&self) -> Vec<usize> {
        let mut degrees = vec![0; self.points];
        self.each(|i, _, _| degrees[i as usize] += 1);
        degrees
    }

    /// The graph as neighbour lists, with adjacency bitsets if `wants_bitsets` is set.
    ///
    /// # Errors
    /// There is not enough memory for the lists.
    pub(in crate::rips) fn graph(self, wants_bitsets: bool) -> Result<Sparse, Refused> {
        if let Layout::Pairs(pairs) = &self.layout {
            return Sparse::made(self.points, pairs, &self.numbers, wants_bitsets);
        }
        let edges = self.lower_degrees().into_iter().sum();
        let (mut pairs, mut ranks) = (memory::with_room(edges)?, memory::with_room(edges)?);
        self.each(|i, j, rank| {
            pairs.push((i, j));
            ranks.push(rank);
        });
        let points = self.points;
        drop(self);
        Sparse::made(points, &pairs, &ranks, wants_bitsets)
    }

    /// The square matrix of ranks in the layout of [`Dense`](crate::rips::complex::Dense).
    ///
    /// # Errors
    /// There is not enough memory for the matrix.
    pub fn square<R: Rank>(self) -> Result<Vec<R>, Refused> {
        let Edges { points: n, numbers: ranks, layout } = self;
        let stride = stride(n);
        match layout {
            Layout::Square => R::narrowed(ranks),
            Layout::Lower => {
                // Zeros do not matter: every element is written.
                let mut square: Vec<R> = memory::zeroed(n * stride)?;
                if n <= TILE {
                    fill(&ranks, n, 0, &mut square);
                } else {
                    pieces_mut(&mut square, TILE * stride, &|band, rows| fill(&ranks, n, band * TILE, rows));
                }
                Ok(square)
            }
            Layout::Pairs(pairs) => {
                let mut square = memory::filled(<R as Rank>::MAX, n * stride)?;
                for ((i, j), rank) in pairs.into_iter().zip(ranks) {
                    square[i as usize * stride + j as usize] = R::narrow(rank);
                    square[j as usize * stride + i as usize] = R::narrow(rank);
                }
                Ok(square)
            }
        }
    }
}

/// Number of rows in a band that a thread fills, and of columns in a tile of it.
const TILE: usize = 64;

/// Fills the rows from `first` on in the square matrix of `n` points, in tiles, so that both triangles are read and
/// written along cache lines.
fn fill<R: Rank>(lower: &[u32], n: usize, first: usize, rows: &mut [R]) {
    let stride = stride(n);
    let last = first + rows.len() / stride.max(1);
    for (i, row) in (first..last).zip(rows.chunks_mut(stride.max(1))) {
        let (left, right) = row.split_at_mut(i);
        left.iter_mut().zip(&lower[start(i)..]).for_each(|(out, &rank)| *out = R::narrow(rank));
        right[0] = <R as Rank>::MAX;
        right[n - i..].fill(<R as Rank>::MAX);
    }
    // The part right of the diagonal is read from later rows of `lower`.
    for from in (first..n).step_by(TILE) {
        for j in from.max(first + 1)..n.min(from + TILE) {
            let row = &lower[start(j)..start(j) + j];
            for i in first..last.min(j) {
                rows[(i - first) * stride + j] = R::narrow(row[i]);
            }
        }
    }
}
