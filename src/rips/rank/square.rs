//! Square matrices of ranks, filled in tiles so that both triangles are read and written along cache lines.

use std::sync::Mutex;

use super::Edges;
use crate::memory::{self, Refused};
use crate::parallel::{SharedRange, lock};
use crate::rips::complex::stride;
use crate::simd::Rank;

/// Number of rows in a band that a thread fills, and of columns in a tile of it.
const TILE: usize = 64;

impl Edges {
    /// The square matrix of ranks of `n` points in the layout of [`Dense`](crate::rips::complex::Dense).
    ///
    /// # Errors
    /// There is not enough memory for the matrix.
    pub fn square<R: Rank>(self, n: usize) -> Result<Vec<R>, Refused> {
        let stride = stride(n);
        match self {
            Edges::Square(square) => R::narrowed(square),
            Edges::Lower(lower) if n <= TILE => {
                let mut square = memory::filled(<R as Rank>::MAX, n * stride)?;
                let mut rest = lower.as_slice();
                for i in 1..n {
                    let (ranks, after) = rest.split_at(i);
                    let (above, row) = square.split_at_mut(i * stride);
                    for ((row_above, out), &rank) in above.chunks_exact_mut(stride).zip(row).zip(ranks) {
                        (row_above[i], *out) = (R::narrow(rank), R::narrow(rank));
                    }
                    rest = after;
                }
                Ok(square)
            }
            Edges::Lower(lower) => {
                // Zeros do not matter: every element is written below.
                let mut square: Vec<R> = memory::zeroed(n * stride)?;
                let bands = Mutex::new(square.chunks_mut(TILE * stride.max(1)).enumerate());
                SharedRange::new(n.div_ceil(TILE), 1).share(&|| {
                    loop {
                        let band = lock(&bands).next();
                        let Some((number, band)) = band else { return };
                        fill(&lower, n, number * TILE, band);
                    }
                });
                Ok(square)
            }
            Edges::List(list) => {
                let mut square = memory::filled(<R as Rank>::MAX, n * stride)?;
                for (i, j, rank) in list {
                    square[i as usize * stride + j as usize] = R::narrow(rank);
                    square[j as usize * stride + i as usize] = R::narrow(rank);
                }
                Ok(square)
            }
        }
    }
}

/// Fills the rows from `first` on in the square matrix of `n` points.
fn fill<R: Rank>(lower: &[u32], n: usize, first: usize, rows: &mut [R]) {
    let stride = stride(n);
    let start = |i: usize| i * i.saturating_sub(1) / 2;
    let last = first + rows.len() / stride;
    for (i, row) in (first..last).zip(rows.chunks_mut(stride)) {
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
