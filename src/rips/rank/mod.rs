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
mod edges;
pub(super) mod footprint;
mod keyed;
mod near;
mod order;
mod rows;
mod small_input;
mod spanning_tree;
#[cfg(test)]
mod tests;
mod tree;

pub use edges::{Edges, Layout};
pub use keyed::PairSearch;
pub(super) use keyed::{Keyed, Lengths, SPARSE_BELOW, Sampled};
pub(super) use order::EntryWidth;
pub use order::Values;
pub use rows::matrix_of_points;
pub(super) use rows::rows_at_once;
pub(super) use spanning_tree::{pays as spanning_tree_pays, spanning_tree};

use serde::{Deserialize, Serialize};

use self::order::ranks_of_keys;
use super::{Progress, RipsError};
use crate::metric::value::DistanceKey;
use crate::metric::{Distances, Value};

/// The distances of a filtration as ranks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ranking {
    /// The value of each rank.
    pub values: Values,
    /// The edges with their ranks.
    pub edges: Edges,
}

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
    let Edges { points, numbers: keys, layout } = keyed.edges;
    let (values, numbers) = ranks_of_keys(keys, limit, width, progress)?;
    progress.advance(0);
    Ok(Ranking { values, edges: Edges { points, numbers, layout } })
}
