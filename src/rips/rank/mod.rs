//! Distances replaced by their ranks.
//!
//! The distinct distances up to the threshold are sorted once; from then on a distance is its place in that list.
//! Rank 0 is always the value 0, below which nothing is born. Ranks compare exactly as the distances do in their
//! precision; the output looks the values up again.

mod places;
mod points;
#[cfg(test)]
mod tests;

pub use points::matrix_of_points;
pub(super) use points::rows_at_once;

use rayon::prelude::*;

use self::places::{List, Lower, rank_places};
use self::points::within;
use super::RipsError;
use super::complex::{ABSENT, Sparse, stride};
use crate::memory::{self, Refused};
use crate::metric::{DistanceMatrix, Distances, Value};
use crate::simd::Rank;

/// The distances of a filtration as ranks.
#[derive(Debug)]
pub struct Ranking {
    /// The value of each rank, ascending from 0.
    pub values: Vec<f64>,
    /// The edges.
    pub edges: Edges,
}

/// Ranked edges in the shape they came in.
#[derive(Debug)]
pub enum Edges {
    /// Entries below the diagonal, row by row, `ABSENT` past the threshold.
    Lower(Vec<u32>),
    /// (i, j, rank) with i > j.
    List(Vec<(u32, u32, u32)>),
}

/// Ranks all distances up to `threshold`.
///
/// # Errors
/// [`RipsError::Refused`] and [`RipsError::TooManyDistances`].
pub fn rank<T: Value>(distances: &Distances<T>, threshold: T) -> Result<Ranking, RipsError> {
    match distances {
        Distances::Matrix(m) => rank_matrix(m, threshold),
        Distances::Points(p) => rank_list(&within(p, threshold)?),
        Distances::Sparse(s) => {
            let kept = || s.edges().iter().filter(|e| e.distance <= threshold);
            let mut edges = Vec::new();
            memory::reserve(&mut edges, kept().count())?;
            edges.extend(kept().map(|e| (e.i, e.j, e.distance)));
            rank_list(&edges)
        }
    }
}

fn rank_matrix<T: Value>(matrix: &DistanceMatrix<T>, threshold: T) -> Result<Ranking, RipsError> {
    let (values, lower) = rank_places(&Lower { distances: matrix.lower(), threshold })?;
    Ok(Ranking { values, edges: Edges::Lower(lower) })
}

fn rank_list<T: Value>(edges: &[(u32, u32, T)]) -> Result<Ranking, RipsError> {
    let (values, ranks) = rank_places(&List { edges })?;
    let mut ranked = Vec::new();
    memory::reserve(&mut ranked, edges.len())?;
    ranked.extend(edges.iter().zip(ranks).map(|(&(i, j, _), rank)| (i, j, rank)));
    Ok(Ranking { values, edges: Edges::List(ranked) })
}

impl Edges {
    /// A square matrix of ranks as [`super::complex::Dense`] wants it.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn square<R: Rank>(&self, n: usize) -> Result<Vec<R>, Refused> {
        let stride = stride(n);
        let mut square = memory::filled(<R as Rank>::MAX, n * stride)?;
        match self {
            Edges::Lower(lower) => square.par_chunks_mut(stride).enumerate().for_each(|(i, row)| {
                let start = i * i.saturating_sub(1) / 2;
                for (out, &rank) in row.iter_mut().zip(&lower[start..start + i]) {
                    *out = R::narrow(rank);
                }
                let mut at = start + i + i;
                for (j, out) in row.iter_mut().enumerate().take(n).skip(i + 1) {
                    *out = R::narrow(lower[at]);
                    at += j;
                }
            }),
            Edges::List(list) => {
                for &(i, j, rank) in list {
                    square[i as usize * stride + j as usize] = R::narrow(rank);
                    square[j as usize * stride + i as usize] = R::narrow(rank);
                }
            }
        }
        Ok(square)
    }

    /// The number of edges from each point to smaller points.
    pub fn lower_degrees(&self, n: usize) -> Vec<usize> {
        match self {
            Edges::Lower(lower) => (0..n)
                .map(|i| {
                    let start = i * i.saturating_sub(1) / 2;
                    lower[start..start + i].iter().filter(|&&rank| rank != ABSENT).count()
                })
                .collect(),
            Edges::List(list) => {
                let mut degrees = vec![0; n];
                list.iter().for_each(|&(i, _, _)| degrees[i as usize] += 1);
                degrees
            }
        }
    }

    /// Neighbour lists.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn graph(&self, n: usize) -> Result<Sparse, Refused> {
        match self {
            Edges::List(list) => Sparse::new(n, list),
            Edges::Lower(_) => Sparse::new(n, &self.list()?),
        }
    }

    /// The edges (i, j, rank), i > j.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(super) fn list(&self) -> Result<Vec<(u32, u32, u32)>, Refused> {
        let mut edges = Vec::new();
        match self {
            Edges::List(list) => {
                memory::reserve(&mut edges, list.len())?;
                edges.extend_from_slice(list);
            }
            Edges::Lower(lower) => {
                memory::reserve(&mut edges, lower.iter().filter(|&&rank| rank != ABSENT).count())?;
                let pairs = (0..).flat_map(|i| (0..i).map(move |j| (i, j)));
                let present = pairs.zip(lower).filter(|&(_, &rank)| rank != ABSENT);
                edges.extend(present.map(|((i, j), &rank)| (i, j, rank)));
            }
        }
        Ok(edges)
    }
}
