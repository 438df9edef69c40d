//! The distances to rank, as keys: those of all pairs of points, or of the pairs that may be edges.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::edges::{Edges, Layout};
use super::footprint;
use super::near::near_pairs;
use super::rows::{lower_of_points, square_of_points};
use super::small_input::SMALL;
use crate::memory;
use crate::metric::value::{DistanceKey, Sealed};
use crate::metric::{Distances, PointCloud, Value};
use crate::parallel::pieces_mut;
use crate::rips::binomial::binomial;
use crate::rips::{Progress, RipsError};

/// The method by which the ranked distances were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PairSearch {
    /// The input gives the distances.
    #[default]
    Given,
    /// All pairs of points were used, because there is no finite threshold.
    All,
    /// All pairs of points were compared, because most are near in a sample of pairs.
    Dense,
    /// Pairs within the threshold were found with a k-d tree.
    Tree {
        /// Pairs of points that were compared.
        compared: u64,
    },
    /// All pairs of points were compared, but only a spanning tree is ranked, because only dimension 0 is wanted.
    #[serde(rename = "spanning-tree")]
    SpanningTree,
}

/// A dense matrix when at least one pair in this many is an edge.
pub(in crate::rips) const SPARSE_BELOW: usize = 8;

/// The distances of an input as keys.
#[derive(Debug)]
pub(in crate::rips) struct Keyed<K> {
    /// The keys of the pairs of points.
    pub(in crate::rips) edges: Edges<K>,
    /// The method by which the pairs were found.
    pub(in crate::rips) search: PairSearch,
}

/// Properties of the distances, as seen in a sample of the pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::rips) struct Sampled {
    /// How many edges are equally long.
    pub(in crate::rips) lengths: Lengths,
    /// Whether fewer of the vertices above an edge than of all are near both its ends, as where points with
    /// neighbouring numbers are near each other.
    pub(in crate::rips) are_in_order: bool,
}

/// Classes of distances by the number of edges of equal length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(in crate::rips) enum Lengths {
    /// Hardly any edge has the length of another one.
    #[default]
    Distinct,
    /// Two edges or more have each length.
    Equal,
    /// Nearly all edges have one of a few hundred lengths.
    Few,
}

/// Number of distances whose keys a thread computes at a time.
const PIECE: usize = 1 << 14;
/// Number of pairs in the sample of lengths.
const LOOKED_AT: u64 = 1 << 11;
/// Distances have few lengths if the sample has one length for this many edges, or fewer.
const FEW: usize = 8;
/// Minimum number of edges of the sample with the length of another one for which edges count as equally long.
const LEAST_EQUAL: usize = 8;
/// Number of triples in the sample of order.
const TRIPLES: u64 = 1 << 14;
/// Minimum number of pairs of points for each such triple: smaller inputs are not sampled for order.
const PAIRS_A_TRIPLE: u64 = 4;
/// The greatest ratio between the shares of vertices near both ends that counts as order. Filtration construction of
/// sorted grids, curves, surfaces and random walks, with ratios of 0.5 to 0.78, took 3.5 to 10 times as long as that of
/// the same points in random order; that of other inputs, with ratios from 0.81 on, at most 1.7 times as long.
const RARER: f64 = 0.8;

/// Greatest number of coordinates for which each distance is computed twice instead of being copied across the diagonal
/// of a square.
const MOST_TWICE: usize = 8;

/// Number of pairs of points in the sample that estimates the fraction of near pairs.
const SAMPLE: u64 = 1 << 12;

impl<K: DistanceKey> Keyed<K> {
    /// The keys of the distances. For points with few near pairs only the pairs up to the threshold are kept. The keys
    /// of all pairs of points are stored in a square if that is permitted and makes ranking cheaper.
    ///
    /// # Errors
    /// [`RipsError::Memory`] and [`RipsError::Refused`].
    pub(in crate::rips) fn of<T: Value + Sealed<Key = K>>(
        distances: &Distances<T>,
        threshold: Option<T>,
        may_be_square: bool,
        progress: &dyn Progress,
    ) -> Result<Self, RipsError> {
        let points = distances.len();
        let keyed = |numbers, layout, search| Keyed { edges: Edges { points, numbers, layout }, search };
        match distances {
            Distances::Matrix(matrix) => {
                let mut keys: Vec<K> = memory::zeroed(matrix.lower().len())?;
                pieces_mut(&mut keys, PIECE, &|number, keys| {
                    let distances = &matrix.lower()[number * PIECE..];
                    keys.iter_mut().zip(distances).for_each(|(key, distance)| *key = distance.key());
                });
                Ok(keyed(keys, Layout::Lower, PairSearch::Given))
            }
            Distances::Sparse(sparse) => {
                let kept = || sparse.edges().iter().filter(|e| threshold.is_none_or(|t| e.distance <= t));
                let count = kept().count();
                let (mut keys, mut pairs) = (memory::with_room(count)?, memory::with_room(count)?);
                keys.extend(kept().map(|e| e.distance.key()));
                pairs.extend(kept().map(|e| (e.i, e.j)));
                Ok(keyed(keys, Layout::Pairs(pairs), PairSearch::Given))
            }
            Distances::Points(cloud) => match if_few_are_near(cloud, threshold) {
                Some(threshold) => {
                    progress.begin("distances", None, 1);
                    near_pairs(cloud, threshold, footprint::most_edges::<K>(), progress)
                }
                None => {
                    let is_bounded = threshold.is_some_and(|t| t < T::INFINITY);
                    footprint::check_all_pairs(cloud, is_bounded)?;
                    progress.begin("distances", None, binomial(points, 2));
                    let search = if is_bounded { PairSearch::Dense } else { PairSearch::All };
                    // Ranking few keys takes less time if each occurs only once.
                    if may_be_square
                        && binomial(points, 2) > SMALL as u64
                        && footprint::affords_square::<K>(points)
                        && cloud.dimension() <= MOST_TWICE
                    {
                        return Ok(keyed(square_of_points(cloud, progress)?, Layout::Square, search));
                    }
                    Ok(keyed(lower_of_points(cloud, progress, T::key)?, Layout::Lower, search))
                }
            },
        }
    }

    /// Looks at some pairs and triples of points. Edges have keys up to `limit`.
    pub(in crate::rips) fn sampled(&self, limit: K) -> Sampled {
        let Edges { points, ref numbers, ref layout } = self.edges;
        let random = |k: u64| xxh3_64(&k.to_le_bytes());
        let at = |k: u64| numbers.get((random(k) % numbers.len().max(1) as u64) as usize).copied();
        let mut edges: Vec<K> = (0..LOOKED_AT).filter_map(at).filter(|&key| key <= limit).collect();
        edges.sort_unstable();
        let looked_at = edges.len();
        edges.dedup();
        // Of s edges, s² / 2m have the length of another one if there are m lengths and m is much greater than s.
        let equal = looked_at - edges.len();
        let are_equal = equal >= LEAST_EQUAL && equal.saturating_mul(numbers.len()) >= looked_at * looked_at;
        let lengths = match edges.len() {
            distinct if FEW * distinct <= looked_at => Lengths::Few,
            _ if are_equal => Lengths::Equal,
            _ => Lengths::Distinct,
        };
        let is_matrix = !matches!(layout, Layout::Pairs(_));
        if !is_matrix || binomial(points, 2) < PAIRS_A_TRIPLE * TRIPLES {
            return Sampled { lengths, are_in_order: false };
        }
        let key = |u: usize, v: usize| self.edges.lower_row(u.max(v))[u.min(v)];
        // For the vertices w above an edge and for all: how many there are, and how many are nearer to both ends than
        // these are to each other.
        let [mut above, mut all] = [(0, 0); 2];
        for k in 0..TRIPLES {
            let number = random(k);
            let [i, j, w] =
                [number, number >> 21, number >> 42].map(|number| (number % points as u64) as usize);
            if i == j || w == i || w == j || key(i, j) > limit {
                continue;
            }
            let near = u64::from(key(w, i).max(key(w, j)) <= key(i, j));
            all = (all.0 + 1, all.1 + near);
            if w > i.max(j) {
                above = (above.0 + 1, above.1 + near);
            }
        }
        let share = |(count, near): (u64, u64)| near as f64 / count as f64;
        Sampled { lengths, are_in_order: share(above) < RARER * share(all) }
    }

    /// The greatest key of an edge, up to a threshold: infinite distances are not edges.
    pub(in crate::rips) fn limit<T: Value + Sealed<Key = K>>(threshold: T) -> K {
        let greatest = K::of_bits(K::INFINITY.into() - 1);
        threshold.key().min(greatest)
    }
}

/// The threshold, if it is finite and the pairs of points within it are to be listed: because they are few, or because
/// all pairs do not fit in memory but they do.
pub(super) fn if_few_are_near<T: Value>(cloud: &PointCloud<T>, threshold: Option<T>) -> Option<T> {
    let threshold = threshold.filter(|t| *t < T::INFINITY)?;
    let (near, looked_at) = near_in_sample(cloud, threshold);
    let are_few = near * (SPARSE_BELOW as u64) < looked_at;
    // Near pairs are listed too if they fit in memory while all pairs do not.
    let takes_less = || {
        let pairs = binomial(cloud.len(), 2);
        !footprint::affords_all_pairs::<T::Key>(cloud.len())
            && (pairs / looked_at.max(1)).saturating_mul(near) <= footprint::most_edges::<T::Key>()
    };
    (are_few || takes_less()).then_some(threshold)
}

/// The number of pairs within a finite threshold in a sample of pairs, and the size of the sample.
fn near_in_sample<T: Value>(cloud: &PointCloud<T>, threshold: T) -> (u64, u64) {
    let n = cloud.len() as u64;
    let pairs = binomial(cloud.len(), 2);
    let is_near = |i: u64, j: u64| cloud.distance(i as usize, j as usize) <= threshold;
    if pairs <= SAMPLE {
        let near = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| is_near(i, j));
        (near.count() as u64, pairs)
    } else {
        let near = pairs_of(cloud.len(), SAMPLE).filter(|&(i, j)| is_near(i as u64, j as u64));
        (near.count() as u64, SAMPLE)
    }
}

/// A sample of pairs of different points, the same in every run. There must be at least two points.
pub(in crate::rips) fn pairs_of(points: usize, pairs: u64) -> impl Iterator<Item = (usize, usize)> {
    let n = points as u64;
    // Pseudo-random 32-bit numbers (SplitMix64).
    let number = |k: u64| {
        let mixed = (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32
    };
    (0..pairs).map(move |k| {
        let (i, j) = ((number(2 * k) * n) >> 32, (number(2 * k + 1) * (n - 1)) >> 32);
        (i as usize, if j < i { j } else { j + 1 } as usize)
    })
}
