//! The search for all pairs of points within a threshold, by a k-d tree (`tree`).
//!
//! Leaves whose boxes are further apart than the threshold are skipped; for any other two leaves every pair is
//! compared. All tests before the last one allow for rounding, and the last one is on the distance itself, computed as
//! everywhere else: the result is that of comparing all points, to the last bit of the distances. If boxes are never
//! far apart, as in high dimension, all pairs are compared, 32 at a time, and the tree adds a few per cent to that. So
//! such points need no other search.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::edges::{Edges, Layout};
use super::footprint;
use super::keyed::Keyed;
use super::rows::Blocks;
use super::tree::Tree;
use crate::memory::{self, Refused};
use crate::metric::value::{DistanceKey, LANES};
use crate::metric::{PointCloud, Value};
use crate::parallel::{SharedRange, into_inner, lock};
use crate::progress::{Progress, check};
use crate::rips::RipsError;
use crate::rips::rank::PairSearch;
use crate::simd::{Kernel, Level, Simd};

/// Edges by their vertices, the greater one first, with the keys of their distances.
#[derive(Default)]
struct Near<K> {
    pairs: Vec<(u32, u32)>,
    keys: Vec<K>,
}

/// Number of leaves whose neighbours a thread searches at a time.
const AT_ONCE: usize = 16;

/// The keys of the pairs of points with a distance of at most `threshold`, which is finite, in any order. `progress`
/// may end the search.
///
/// # Errors
/// There are more than `most` pairs, or there is not enough memory for them.
pub(super) fn near_pairs<T: Value>(
    cloud: &PointCloud<T>,
    threshold: T,
    most: u64,
    progress: &dyn Progress,
) -> Result<Keyed<T::Key>, RipsError> {
    let tree = Tree::of(cloud)?;
    let blocks = Blocks::of(cloud, &tree.order)?;
    let most_box = bound(cloud.dimension(), threshold.into());
    let most_sum = T::from_f64(most_box);
    let search = Within { cloud, tree: &tree, blocks: &blocks, threshold, most_sum, most_box };
    let leaves = SharedRange::new(tree.leaves(), AT_ONCE);
    let (found, refused) = (Mutex::new(Vec::new()), Mutex::new(None));
    let (edges, compared, full) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
    let level = Level::detect();
    leaves.share(&|| {
        let mut near = Near::default();
        while let Some(taken) = leaves.take() {
            check(progress);
            for leaf in taken {
                let before = near.keys.len();
                let pairs = level.run(Leaf { search: &search, leaf, near: &mut near });
                match pairs {
                    Ok(pairs) => compared.fetch_add(pairs, Ordering::Relaxed),
                    Err(error) => return *lock(&refused) = Some(error),
                };
                let own = (near.keys.len() - before) as u64;
                if edges.fetch_add(own, Ordering::Relaxed) + own > most {
                    full.store(true, Ordering::Relaxed);
                }
                if full.load(Ordering::Relaxed) {
                    // From here on pairs are only counted.
                    near = Near::default();
                }
            }
        }
        lock(&found).push(near);
    });
    if let Some(error) = into_inner(refused) {
        return Err(error.into());
    }
    if full.into_inner() {
        return Err(footprint::too_many_edges(cloud, edges.into_inner()));
    }
    let Near { pairs, keys } = joined(into_inner(found))?;
    let edges = Edges { points: cloud.len(), numbers: keys, layout: Layout::Pairs(pairs) };
    Ok(Keyed { edges, search: PairSearch::Tree { compared: compared.into_inner() } })
}

/// Concatenates the edges that the threads found.
fn joined<K: DistanceKey>(found: Vec<Near<K>>) -> Result<Near<K>, Refused> {
    let mut found = found.into_iter();
    let mut all = found.next().unwrap_or_default();
    let rest: Vec<Near<K>> = found.collect();
    let more = rest.iter().map(|near| near.keys.len()).sum();
    memory::reserve(&mut all.pairs, more)?;
    memory::reserve(&mut all.keys, more)?;
    for near in rest {
        all.pairs.extend_from_slice(&near.pairs);
        all.keys.extend_from_slice(&near.keys);
    }
    Ok(all)
}

/// The number above which a squared distance exceeds the square of the threshold `t` whatever the rounding.
fn bound(dimension: usize, t: f64) -> f64 {
    // A computed sum of m squares has an error of at most m + 4 roundings, each of a relative size below 2^-23.
    let slack = (dimension as f64 + 8.0) / f64::from(1 << 20);
    t * t * (1.0 + slack) + f64::MIN_POSITIVE
}

/// The data of a search.
struct Within<'a, T> {
    cloud: &'a PointCloud<T>,
    tree: &'a Tree<T>,
    /// The coordinates of the points, one block for each leaf.
    blocks: &'a Blocks<T>,
    threshold: T,
    /// Upper bounds on the computed squared distance of two points, and on the squared distance of two boxes.
    most_sum: T,
    most_box: f64,
}

/// The search for the near pairs of a leaf's points with each other and with points of earlier leaves. It returns the
/// number of comparisons.
struct Leaf<'a, T: Value> {
    search: &'a Within<'a, T>,
    leaf: usize,
    near: &'a mut Near<T::Key>,
}

impl<T: Value> Kernel<u32> for Leaf<'_, T> {
    type Output = Result<u64, Refused>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Result<u64, Refused> {
        let Leaf { search, leaf, near } = self;
        let Within { tree, blocks, most_sum, most_box, .. } = search;
        let points = tree.leaf(leaf);
        let mut others = Vec::new();
        tree.near_leaves(leaf, *most_box, |other| others.push(other));
        let mut compared = 0;
        for other in others {
            let candidates = tree.leaf(other);
            let block = blocks.block(other);
            for (k, &point) in points.iter().enumerate() {
                let sums = T::sums_of_squares(search.cloud.point(point as usize), block);
                let mut hits = 0_u32;
                for (lane, &sum) in sums.iter().enumerate() {
                    // The NaN points that fill the last block compare as false. A sum that lost digits counts as a hit.
                    let is_hit = sum <= *most_sum || T::is_harmed(sum);
                    hits |= u32::from(is_hit) << lane;
                }
                // Within a leaf only the points before `k` count, so that each pair is met once and no point meets
                // itself.
                let valid = if other == leaf { k } else { candidates.len() };
                compared += valid as u64;
                hits &= ((1_u64 << valid) - 1) as u32;
                while hits != 0 {
                    let lane = hits.trailing_zeros() as usize;
                    hits &= hits - 1;
                    search.decide(point, candidates[lane], sums[lane % LANES], near)?;
                }
            }
        }
        Ok(compared)
    }
}

impl<T: Value> Within<'_, T> {
    /// Keeps a pair if its distance is at most the threshold.
    #[inline]
    fn decide(&self, a: u32, b: u32, sum: T, near: &mut Near<T::Key>) -> Result<(), Refused> {
        let (i, j) = (a.max(b), a.min(b));
        let distance =
            if T::is_harmed(sum) { self.cloud.distance(i as usize, j as usize) } else { sum.root() };
        if distance <= self.threshold && distance < T::INFINITY {
            memory::push(&mut near.pairs, (i, j))?;
            memory::push(&mut near.keys, distance.key())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rips::random::fraction;

    /// Clouds of difficult kinds: spread out, on a lattice with many ties, all points equal, in clusters, far apart,
    /// with coordinates whose squares underflow or overflow.
    fn clouds() -> Vec<PointCloud<f32>> {
        let mut state = 1u64;
        let mut next = move || fraction(&mut state) as f32;
        let mut clouds = Vec::new();
        for (n, dimension) in
            [(1, 1), (2, 3), (31, 2), (32, 2), (33, 2), (65, 1), (200, 2), (120, 4), (100, 24)]
        {
            let mut cloud = |coordinate: &mut dyn FnMut(f32, usize) -> f32| {
                let coordinates = (0..n * dimension).map(|k| coordinate(next(), k)).collect();
                clouds.push(PointCloud::new(dimension, coordinates).unwrap());
            };
            cloud(&mut |x, _| x);
            cloud(&mut |x, _| (x * 8.0).floor());
            cloud(&mut |_, _| 0.25);
            cloud(&mut |x, k| (k / dimension % 3) as f32 * 100.0 + x * x);
            cloud(&mut |x, k| if k / dimension % 50 == 7 { 1e6 * x } else { x });
            cloud(&mut |x, _| x * 1e-22);
            cloud(&mut |x, _| (x - 0.5) * 3e38);
        }
        clouds
    }

    /// Edges with their keys.
    type Found<K> = Vec<((u32, u32), K)>;

    /// The edges with their keys, ascending, and the number of pairs compared.
    fn found<K: DistanceKey>(keyed: Keyed<K>) -> (Found<K>, u64) {
        let Layout::Pairs(pairs) = keyed.edges.layout else { panic!("near pairs are listed") };
        let PairSearch::Tree { compared } = keyed.search else { panic!("a tree finds them") };
        let mut all: Vec<_> = pairs.into_iter().zip(keyed.edges.numbers).collect();
        all.sort_unstable();
        (all, compared)
    }

    fn agrees<T: Value>(cloud: &PointCloud<T>, level: Level) {
        let n = cloud.len();
        let pairs = || (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let mut distances: Vec<f64> = pairs().map(|(i, j)| cloud.distance(i, j).into()).collect();
        distances.sort_unstable_by(f64::total_cmp);
        let at = |part: usize| distances.get(distances.len() * part / 100).copied().unwrap_or(1.0);
        for threshold in [0.0, at(1), at(20), at(99)] {
            let threshold = T::from_f64(if threshold.is_finite() { threshold } else { 3e38 });
            let near = |(i, j): (usize, usize)| (cloud.distance(i, j) <= threshold).then_some((i, j));
            let expected: Vec<((u32, u32), T::Key)> = pairs()
                .filter_map(near)
                .filter(|&(i, j)| cloud.distance(i, j) < T::INFINITY)
                .map(|(i, j)| ((i as u32, j as u32), cloud.distance(i, j).key()))
                .collect();
            level.bind_thread();
            let (all, compared) = found(near_pairs(cloud, threshold, u64::MAX, &()).unwrap());
            assert_eq!(all, expected, "{n} points, threshold {threshold:?}");
            assert!(expected.len() as u64 <= compared && compared <= pairs().count() as u64);
            if let Some(most) = (expected.len() as u64).checked_sub(1) {
                let refused = near_pairs(cloud, threshold, most, &()).unwrap_err();
                let all = expected.len() as u64;
                assert!(
                    matches!(refused, RipsError::Memory { distances, .. } if distances == all),
                    "{refused}"
                );
            }
        }
    }

    #[test]
    fn near_pairs_are_those_of_all_pairs_to_the_last_bit() {
        for level in Level::available() {
            for cloud in clouds() {
                agrees(&cloud, level);
                let double =
                    (0..cloud.len()).flat_map(|i| cloud.point(i)).map(|&x| f64::from(x) / 3.0).collect();
                agrees(&PointCloud::new(cloud.dimension(), double).unwrap(), level);
            }
        }
    }

    #[test]
    fn few_pairs_are_compared_where_points_are_spread_out() {
        let n = 10_000;
        let grid = (0..n).flat_map(|k| [(k % 100) as f32, (k / 100) as f32]).collect();
        let cloud = PointCloud::new(2, grid).unwrap();
        let (all, compared) = found(near_pairs(&cloud, 1.0f32, u64::MAX, &()).unwrap());
        assert_eq!(all.len(), 2 * 100 * 99);
        assert!(compared < 200 * n, "{compared} pairs compared");
    }
}
