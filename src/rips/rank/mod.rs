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
pub(super) use order::EntryWidth;
pub use order::Values;
pub use rows::matrix_of_points;
pub(super) use rows::rows_at_once;
pub(super) use spanning_tree::{pays as spanning_tree_pays, spanning_tree};

use std::borrow::Cow;

use rayon::prelude::*;

use self::order::ranks_of_keys;
use super::complex::{ABSENT, Sparse, stride};
use super::{Progress, RipsError};
use crate::memory::{self, Refused};
use crate::metric::value::DistanceKey;
use crate::metric::{Distances, Value};

/// The distances of a filtration as ranks.
#[derive(Debug)]
pub struct Ranking {
    /// The value of each rank.
    pub values: Values,
    /// The edges with their ranks.
    pub edges: Edges,
}

/// Ranked edges in one of three layouts.
#[derive(Debug, Clone)]
pub enum Edges {
    /// The ranks of all pairs below the diagonal, row by row, `ABSENT` past the threshold.
    Lower(Vec<u32>),
    /// The ranks of all pairs in either order, laid out as the rows of a [`Dense`](super::complex::Dense) complex.
    Square(Vec<u32>),
    /// The edges up to the threshold.
    List(EdgeList),
}

/// Edges (i, j, rank) with i > j.
pub type EdgeList = Vec<(u32, u32, u32)>;

/// Ranks all distances up to `threshold`.
///
/// # Errors
/// [`RipsError::Refused`], [`RipsError::Memory`] and [`RipsError::TooManyDistances`].
pub fn rank<T: Value>(distances: &Distances<T>, threshold: T) -> Result<Ranking, RipsError> {
    let keyed = Keyed::of(distances, Some(threshold), false, &())?;
    rank_keyed(keyed, Keyed::limit(threshold), None, &())
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
) -> Result<Ranking, RipsError> {
    let Keyed { keys, layout, .. } = keyed;
    let (values, ranks) = ranks_of_keys(keys, limit, width, progress)?;
    progress.advance(0);
    let edges = match layout {
        Layout::Square => Edges::Square(ranks),
        Layout::Lower => Edges::Lower(ranks),
        Layout::Pairs(pairs) => {
            let mut edges = Vec::new();
            memory::reserve(&mut edges, pairs.len())?;
            let ranked = pairs.par_iter().zip(&ranks).map(|(&(i, j), &rank)| (i, j, rank));
            ranked.collect_into_vec(&mut edges);
            Edges::List(edges)
        }
    };
    Ok(Ranking { values, edges })
}

impl Edges {
    /// The ranks from point `i` to the points before it, if the ranks of all pairs are stored.
    fn row(&self, n: usize, i: usize) -> &[u32] {
        match self {
            Edges::Lower(lower) => &lower[i * i.saturating_sub(1) / 2..][..i],
            Edges::Square(square) => &square[i * stride(n)..][..i],
            Edges::List(_) => &[],
        }
    }

    /// The number of smaller neighbours of each of `n` points.
    pub(super) fn lower_degrees(&self, n: usize) -> Vec<usize> {
        if let Edges::List(list) = self {
            let mut degrees = vec![0; n];
            list.iter().for_each(|&(i, _, _)| degrees[i as usize] += 1);
            return degrees;
        }
        (0..n).map(|i| self.row(n, i).iter().filter(|&&rank| rank != ABSENT).count()).collect()
    }

    /// The graph on `n` points as neighbour lists, with adjacency bitsets if `wants_bitsets` is set.
    ///
    /// # Errors
    /// There is not enough memory for the lists.
    pub(super) fn graph(self, n: usize, wants_bitsets: bool) -> Result<Sparse, Refused> {
        let list = match self {
            Edges::List(list) => list,
            all => all.list(n)?.into_owned(),
        };
        Sparse::made(n, &list, wants_bitsets)
    }

    /// The edges on `n` points as a list of (i, j, rank), i > j.
    ///
    /// # Errors
    /// There is not enough memory for the list.
    pub(super) fn list(&self, n: usize) -> Result<Cow<'_, EdgeList>, Refused> {
        if let Edges::List(list) = self {
            return Ok(Cow::Borrowed(list));
        }
        // Points are numbers of 32 bits.
        let row = |i: usize| (0u32..).zip(self.row(n, i)).filter(|&(_, &rank)| rank != ABSENT);
        let mut edges = Vec::new();
        memory::reserve(&mut edges, self.lower_degrees(n).into_iter().sum())?;
        edges.extend((0..n).flat_map(|i| row(i).map(move |(j, &rank)| (i as u32, j, rank))));
        Ok(Cow::Owned(edges))
    }
}
