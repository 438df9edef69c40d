//! The distances that are ranked, as keys: all of a matrix, or those of the pairs that may be edges.

use rayon::prelude::*;

use super::near::{Near, Search, near_pairs};
use super::rows::lower_of_points;
use crate::memory;
use crate::metric::value::{DistanceKey, Sealed};
use crate::metric::{Distances, PointCloud, Value};
use crate::rips::filtration_construction::binomial;
use crate::rips::plan::PairSearch;
use crate::rips::plan::choose::SPARSE_BELOW;
use crate::rips::{Progress, RipsError, footprint};

/// Distances as keys.
#[derive(Debug)]
pub(in crate::rips) struct Keyed<K> {
    /// The number of points.
    pub(in crate::rips) points: usize,
    /// The keys: of all pairs of points, row by row below the diagonal, or of `pairs`.
    pub(in crate::rips) keys: Vec<K>,
    /// The edges up to the threshold, the greater vertex first, if not all pairs have a key.
    pub(in crate::rips) pairs: Option<Vec<(u32, u32)>>,
    /// How the distances came about.
    pub(in crate::rips) search: PairSearch,
}

/// Pairs of points that are looked at to see what part of all pairs are near.
const SAMPLE: u64 = 1 << 12;

impl<K: DistanceKey> Keyed<K> {
    /// The keys of the distances, of near points those up to the threshold if there is one.
    ///
    /// # Errors
    /// [`RipsError::Memory`] and [`RipsError::Refused`].
    pub(in crate::rips) fn of<T: Value + Sealed<Key = K>>(
        distances: &Distances<T>,
        threshold: Option<T>,
        progress: &dyn Progress,
    ) -> Result<Self, RipsError> {
        let points = distances.len();
        match distances {
            Distances::Matrix(matrix) => {
                let mut keys = Vec::new();
                memory::reserve(&mut keys, matrix.lower().len())?;
                matrix.lower().par_iter().map(|&d| d.key()).collect_into_vec(&mut keys);
                Ok(Keyed { points, keys, pairs: None, search: PairSearch::Given })
            }
            Distances::Sparse(sparse) => {
                let kept = || sparse.edges().iter().filter(|e| threshold.is_none_or(|t| e.distance <= t));
                let (mut keys, mut pairs) = (Vec::new(), Vec::new());
                memory::reserve(&mut keys, kept().count())?;
                memory::reserve(&mut pairs, keys.capacity())?;
                keys.extend(kept().map(|e| e.distance.key()));
                pairs.extend(kept().map(|e| (e.i, e.j)));
                Ok(Keyed { points, keys, pairs: Some(pairs), search: PairSearch::Given })
            }
            Distances::Points(cloud) => match threshold.filter(|t| *t < T::INFINITY) {
                Some(threshold) if !are_mostly_near(cloud, threshold) => near(cloud, threshold, progress),
                threshold => {
                    let is_bounded = threshold.is_some();
                    footprint::check_all_pairs::<K>(points, is_bounded)?;
                    progress.begin("distances", None, binomial(points, 2));
                    let keys = lower_of_points(cloud, progress, T::key)?;
                    let search = if is_bounded { PairSearch::Dense } else { PairSearch::All };
                    Ok(Keyed { points, keys, pairs: None, search })
                }
            },
        }
    }

    /// The greatest key of an edge, up to a threshold: infinite distances are no edges.
    pub(in crate::rips) fn limit<T: Value + Sealed<Key = K>>(threshold: T) -> K {
        let greatest = K::of_bits(K::INFINITY.into() - 1);
        threshold.key().min(greatest)
    }
}

/// The pairs of points within a finite threshold.
fn near<T: Value>(
    cloud: &PointCloud<T>,
    threshold: T,
    progress: &dyn Progress,
) -> Result<Keyed<T::Key>, RipsError> {
    progress.begin("distances", None, 1);
    let points = cloud.len();
    match near_pairs(cloud, threshold, footprint::most_edges::<T::Key>())? {
        Search::Found(Near { pairs, keys }, compared) => {
            Ok(Keyed { points, keys, pairs: Some(pairs), search: PairSearch::Tree { compared } })
        }
        Search::TooMany(edges) => Err(footprint::too_many_edges::<T::Key>(points, edges)),
    }
}

/// Whether a sample says that a complex on all points within a finite threshold will be dense.
fn are_mostly_near<T: Value>(cloud: &PointCloud<T>, threshold: T) -> bool {
    let n = cloud.len() as u64;
    let pairs = binomial(cloud.len(), 2);
    let is_near = |i: u64, j: u64| cloud.distance(i as usize, j as usize) <= threshold;
    let (near, looked_at) = if pairs <= SAMPLE {
        let near = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| is_near(i, j));
        (near.count() as u64, pairs)
    } else {
        // Two numbers of a sequence without structure (SplitMix64), which is the same in every run.
        let number = |k: u64| {
            let mixed = (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32
        };
        let near = (0..SAMPLE).filter(|k| {
            let (i, j) = ((number(2 * k) * n) >> 32, (number(2 * k + 1) * (n - 1)) >> 32);
            is_near(i, if j < i { j } else { j + 1 })
        });
        (near.count() as u64, SAMPLE)
    };
    near * SPARSE_BELOW as u64 >= looked_at
}
