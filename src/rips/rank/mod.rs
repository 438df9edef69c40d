//! Ranks in place of distances.
//!
//! The rank of a distance is its place among the distinct distances up to the threshold, or among all numbers of its
//! precision from the least distance on (`order`). Rank 0 is always the value 0, below which nothing is born. Ranks
//! compare exactly as distances do in their precision; the output looks the values up again.
//!
//! Distances of points are computed as keys, integers in the same order (`keyed`), and stored once. Without a finite
//! threshold, or if many pairs of points are within it, all pairs are stored (`rows`), otherwise only the near pairs
//! (`near`), which a k-d tree (`tree`) finds. If only dimension 0 is computed, the distances of all pairs are computed
//! row by row and only the edges of a spanning tree are stored (`spanning_tree`).

mod buckets;
mod few;
mod keyed;
mod near;
mod order;
mod rows;
mod spanning_tree;
mod square;
#[cfg(test)]
mod tests;
mod tree;

pub(super) use keyed::{Keyed, Layout, pairs_of, takes_all_pairs};
pub(super) use order::Values;
pub use rows::matrix_of_points;
pub(super) use rows::rows_at_once;
pub(super) use spanning_tree::{SpanningTree, pays as spanning_tree_pays};

use rayon::prelude::*;

use self::order::{EntryWidth, ranks_of_keys};
use super::complex::{ABSENT, Sparse, stride};
use super::{Progress, RipsError};
use crate::memory::{self, Refused};
use crate::metric::value::DistanceKey;
use crate::metric::{Distances, Value};
use crate::simd::Rank;

/// The distances of a filtration as ranks.
#[derive(Debug)]
pub struct Ranking {
    /// The value of each rank, ascending from 0.
    pub values: Vec<f64>,
    /// The edges with their ranks.
    pub edges: Edges,
}

/// Ranked edges in one of two layouts.
#[derive(Debug)]
pub enum Edges {
    /// The ranks of all pairs below the diagonal, row by row, `ABSENT` past the threshold.
    Lower(Vec<u32>),
    /// Edges (i, j, rank) with i > j.
    List(Vec<(u32, u32, u32)>),
}

/// Ranks all distances up to `threshold`.
///
/// # Errors
/// [`RipsError::Refused`], [`RipsError::Memory`] and [`RipsError::TooManyDistances`].
pub fn rank<T: Value>(distances: &Distances<T>, threshold: T) -> Result<Ranking, RipsError> {
    let keyed = Keyed::of(distances, Some(threshold), false, &())?;
    rank_keyed(keyed, Keyed::limit(threshold), None, &())?.listed(distances.len())
}

/// Ranked distances in the form that the pipeline uses.
#[derive(Debug)]
pub(super) struct Ranked {
    /// The value of each rank.
    pub(super) values: Values,
    /// The edges with their ranks.
    pub(super) edges: RankedEdges,
}

/// Ranked edges, for which points may have a square matrix.
#[derive(Debug)]
pub(super) enum RankedEdges {
    /// A square matrix, laid out as [`Dense`](super::complex::Dense) requires.
    Square(Vec<u32>),
    /// One of the other layouts.
    Other(Edges),
}

impl Ranked {
    /// The values as a list, and the edges of this many points in one of the layouts of [`Edges`].
    ///
    /// # Errors
    /// There is not enough memory for the lists.
    pub(super) fn listed(self, points: usize) -> Result<Ranking, RipsError> {
        let edges = match self.edges {
            RankedEdges::Square(square) => Edges::List(square::list(&square, points)?),
            RankedEdges::Other(edges) => edges,
        };
        Ok(Ranking { values: self.values.listed()?, edges })
    }
}

impl RankedEdges {
    /// A square matrix of ranks for `n` points.
    ///
    /// # Errors
    /// There is not enough memory for the matrix.
    pub(super) fn square<R: Rank>(self, n: usize) -> Result<Vec<R>, Refused> {
        match self {
            RankedEdges::Square(square) => R::narrowed(square),
            RankedEdges::Other(edges) => edges.square(n),
        }
    }

    /// Neighbour lists, with adjacency bitsets if `wants_bitsets` is set.
    ///
    /// # Errors
    /// There is not enough memory for the lists.
    pub(super) fn graph(self, n: usize, wants_bitsets: bool) -> Result<Sparse, Refused> {
        match self {
            RankedEdges::Square(square) => {
                let list = square::list(&square, n)?;
                drop(square);
                Sparse::made(n, &list, wants_bitsets)
            }
            RankedEdges::Other(Edges::List(list)) => Sparse::made(n, &list, wants_bitsets),
            RankedEdges::Other(lower) => Sparse::made(n, &lower.list()?, wants_bitsets),
        }
    }

    /// The number of smaller neighbours of each point.
    pub(super) fn lower_degrees(&self, n: usize) -> Vec<usize> {
        match self {
            RankedEdges::Square(square) => {
                let row = |i: usize| &square[i * stride(n)..][..i];
                (0..n).map(|i| row(i).iter().filter(|&&rank| rank != ABSENT).count()).collect()
            }
            RankedEdges::Other(edges) => edges.lower_degrees(n),
        }
    }
}

/// Ranks all keys up to `limit`. If `width` is given, keys may serve as ranks, which then are not places among the
/// distinct distances. The call reports no work to `progress`, which may end it.
///
/// # Errors
/// [`RipsError::Refused`] and [`RipsError::TooManyDistances`].
pub(super) fn rank_keyed<K: DistanceKey>(
    keyed: Keyed<K>,
    limit: K,
    width: Option<EntryWidth<'_>>,
    progress: &dyn Progress,
) -> Result<Ranked, RipsError> {
    let Keyed { keys, layout, .. } = keyed;
    let (values, ranks) = ranks_of_keys(keys, limit, width, progress)?;
    progress.advance(0);
    let edges = match layout {
        Layout::Square => RankedEdges::Square(ranks),
        Layout::Lower => RankedEdges::Other(Edges::Lower(ranks)),
        Layout::Pairs(pairs) => {
            let mut edges = Vec::new();
            memory::reserve(&mut edges, pairs.len())?;
            let ranked = pairs.par_iter().zip(&ranks).map(|(&(i, j), &rank)| (i, j, rank));
            ranked.collect_into_vec(&mut edges);
            RankedEdges::Other(Edges::List(edges))
        }
    };
    Ok(Ranked { values, edges })
}

impl Edges {
    /// The number of smaller neighbours of each point.
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

    /// The graph as neighbour lists.
    ///
    /// # Errors
    /// There is not enough memory for the lists.
    pub fn graph(&self, n: usize) -> Result<Sparse, Refused> {
        match self {
            Edges::List(list) => Sparse::new(n, list),
            Edges::Lower(_) => Sparse::new(n, &self.list()?),
        }
    }

    /// The edges as a list of (i, j, rank), i > j.
    ///
    /// # Errors
    /// There is not enough memory for the list.
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
