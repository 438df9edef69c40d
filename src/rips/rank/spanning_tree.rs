//! The minimum spanning tree of a point cloud, which determines dimension 0. The distances are computed row by row and
//! not stored.
//!
//! Prim's algorithm (1957) grows the tree from the first point. Each point outside stores its distance to the tree and
//! the point of the tree at that distance; the nearest one joins. The distances from that point to all points are then
//! computed. They update the stored distances, and the greatest of them is the eccentricity of the point; the least
//! eccentricity is the enclosing radius. That makes n² distances. A second pass over half as many counts those up to
//! the threshold, unless all are. Memory is linear in the number of points.
//!
//! If the run has a checkpoint, the growing tree is saved there between the rows of two points, and so are the counts
//! ([`checkpoint`]).
//!
//! Points are divided into pieces, one for each thread that pays. Of equally near points the first one joins, so the
//! tree does not depend on the number of threads. Any minimum spanning tree has the same lengths: the edges up to a
//! threshold join the same components in each.

mod checkpoint;

use std::ops::Range;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::edges::{Edges, Layout};
use super::footprint;
use super::keyed::{Keyed, if_few_are_near};
use super::rows::{Blocks, distances_to_block, rows_at_once};
use crate::memory::{self, Refused};
use crate::metric::value::{DistanceKey, LANES};
use crate::metric::{PointCloud, Value};
use crate::parallel::{each_of, into_inner, joined, lock};
use crate::progress::{Cost, Expected};
use crate::rips::binomial::binomial;
use crate::rips::rank::PairSearch;
use crate::rips::{Progress, RipsError, Summary};
use crate::simd::{Kernel, Level, Simd};

/// Fewest points for which waking up another thread pays.
const PIECE: usize = 1 << 13;

/// Number of rows counted between two possible saves, in multiples of the number that a thread takes at a time.
const PARTS: usize = 256;

/// Greatest number of coordinates for which the tree takes less time than ranking all distances, in single precision.
/// Ranking computes each distance once, the tree up to three times. In double precision, where ranking takes longest,
/// the limit is four times as high (`benches/RESULTS.md`).
const MOST_COORDINATES: usize = 32;

/// Whether the tree replaces a ranking of all pairs of points: those within the threshold are not listed instead, and
/// the tree takes less time than the ranking, or the ranking does not fit in memory.
pub(in crate::rips) fn pays<T: Value>(cloud: &PointCloud<T>, given: Option<T>) -> bool {
    let most = if T::NARROW { MOST_COORDINATES } else { 4 * MOST_COORDINATES };
    if_few_are_near(cloud, given).is_none()
        && (cloud.dimension() <= most || !footprint::affords_all_pairs::<T::Key>(cloud.len()))
}

/// The edges of a minimum spanning tree of a point cloud up to the given threshold, or else the enclosing radius, and
/// the summary of all distances. The checkpoint of `progress` must be for these points and this threshold only.
///
/// # Errors
/// [`RipsError::Refused`], [`RipsError::Checkpoint`], and [`RipsError::TooFarApart`] if there is no finite threshold.
pub(in crate::rips) fn spanning_tree<T: Value>(
    cloud: &PointCloud<T>,
    given: Option<T>,
    progress: &dyn Progress,
) -> Result<(Keyed<T::Key>, Summary), RipsError> {
    let pieces = rayon::current_num_threads().min(cloud.len() / PIECE).max(1);
    in_pieces(cloud, given, pieces, progress)
}

/// Like [`spanning_tree`], with the points divided into at most `pieces` pieces.
fn in_pieces<T: Value>(
    cloud: &PointCloud<T>,
    given: Option<T>,
    pieces: usize,
    progress: &dyn Progress,
) -> Result<(Keyed<T::Key>, Summary), RipsError> {
    let points = cloud.len();
    let pairs = binomial(points, 2);
    let all = (points as u64).saturating_mul(points as u64).saturating_add(pairs);
    progress.expect(&[Expected::of("distances", Cost::Known(1.0))]);
    progress.begin("distances", None, all);
    // Points are numbers of 32 bits.
    let blocks = Blocks::of(cloud, &(0..points as u32).collect::<Vec<_>>())?;
    let rows = Rows { cloud, blocks };
    let mut tree = match checkpoint::load(progress.checkpoint(), points)? {
        Some(tree) => tree,
        None => Growing::new(points)?,
    };
    rows.grow(&mut tree, pieces, progress);
    let threshold = given.unwrap_or_else(|| T::from_f64(tree.radius.distance()));
    let is_bounded = given.is_some_and(|threshold| threshold < T::INFINITY);
    if threshold == T::INFINITY
        && tree.greatest == T::Key::INFINITY
        && let Some((i, j)) = rows.first_infinite()
    {
        return Err(RipsError::TooFarApart { i, j });
    }
    let limit = Keyed::limit(threshold);
    let (edges, greatest) = if tree.greatest <= limit {
        progress.advance(pairs);
        (pairs as usize, tree.greatest)
    } else {
        rows.count(&mut tree, limit, progress);
        tree.counted
    };
    let Growing { pairs: mut ends, mut keys, .. } = tree;
    let least = keys.iter().copied().min().filter(|&least| least < T::Key::INFINITY);
    let value_range = least.filter(|_| !is_bounded).map(|least| (least.distance(), greatest.distance()));
    let mut is_kept = keys.iter().map(|&key| key <= limit);
    ends.retain(|_| is_kept.next() == Some(true));
    keys.retain(|&key| key <= limit);
    let summary = Summary {
        points,
        precision: T::PRECISION,
        ambient_dimension: Some(cloud.dimension()),
        edge_list: false,
        value_range,
        edges,
        threshold: threshold.into(),
        enclosing_radius: given.is_none(),
    };
    let search = PairSearch::SpanningTree;
    let edges = Edges { points, numbers: keys, layout: Layout::Pairs(ends) };
    Ok((Keyed { edges, search }, summary))
}

/// A growing tree, with the results of the rows so far.
#[derive(Serialize, Deserialize)]
struct Growing<K> {
    /// The distance of each point to the tree; [`DistanceKey::NONE`] for points in the tree, and after the last point
    /// up to a whole block.
    nearest: Vec<K>,
    /// The point of the tree at that distance, stored as the bits of a key so that lanes have one width.
    to: Vec<K>,
    /// The ends of the tree's edges, the greater point first, in the order of their insertion.
    pairs: Vec<(u32, u32)>,
    /// The length of each edge.
    keys: Vec<K>,
    /// The point that joined last, whose row comes next.
    joined: usize,
    /// The least eccentricity so far.
    radius: K,
    /// The greatest distance so far.
    greatest: K,
    /// Number of rows that the second pass has processed.
    rows: usize,
    /// Number of distances up to the limit in these rows, and the greatest finite distance.
    counted: (usize, K),
}

impl<K: DistanceKey> Growing<K> {
    /// The tree that consists of the first of `points` points.
    fn new(points: usize) -> Result<Self, Refused> {
        let length = points.next_multiple_of(LANES);
        let mut nearest = memory::filled(K::INFINITY, length)?;
        nearest[points..].fill(K::NONE);
        Ok(Growing {
            nearest,
            to: memory::zeroed(length)?,
            pairs: memory::with_room(points - 1)?,
            keys: memory::with_room(points - 1)?,
            joined: 0,
            radius: K::INFINITY,
            greatest: K::default(),
            rows: 0,
            counted: (0, K::default()),
        })
    }
}

/// The result of a point's row on a piece of the points.
#[derive(Clone, Copy)]
struct RowResult<K> {
    /// The greatest distance from the point.
    farthest: K,
    /// The distance and the id of the point outside that is nearest to the tree.
    next: (K, usize),
}

impl<K: DistanceKey> RowResult<K> {
    fn and(self, other: Self) -> Self {
        RowResult { farthest: self.farthest.max(other.farthest), next: self.next.min(other.next) }
    }
}

/// The rows of the distance matrix, computed on demand.
struct Rows<'a, T> {
    cloud: &'a PointCloud<T>,
    blocks: Blocks<T>,
}

impl<T: Value> Rows<'_, T> {
    /// Grows the tree until all points have joined and all rows have been processed, on at most `pieces` threads.
    fn grow(&self, tree: &mut Growing<T::Key>, pieces: usize, progress: &dyn Progress) {
        let (n, level, saved) = (self.cloud.len(), Level::detect(), progress.checkpoint());
        let length = n.div_ceil(LANES).div_ceil(pieces) * LANES;
        let nothing = RowResult { farthest: T::Key::default(), next: (T::Key::NONE, n) };
        progress.advance((tree.pairs.len() * n) as u64);
        let mut grow = || loop {
            let Growing { nearest, to, joined: i, .. } = &mut *tree;
            nearest[*i] = T::Key::NONE;
            let look = |(piece, (nearest, to))| {
                level.run(Row { rows: self, i: *i, first: piece * length, nearest, to })
            };
            let RowResult { farthest, next: (key, point) } = if length < n {
                let found = Mutex::new(nothing);
                each_of(nearest.chunks_mut(length).zip(to.chunks_mut(length)).enumerate(), &|piece| {
                    let of_piece = look(piece);
                    let mut found = lock(&found);
                    *found = found.and(of_piece);
                });
                into_inner(found)
            } else {
                look((0, (nearest, to)))
            };
            let to = (point < n).then(|| tree.to[point].into() as u32);
            tree.radius = tree.radius.min(farthest);
            tree.greatest = tree.greatest.max(farthest);
            if let Some(to) = to {
                tree.pairs.push((to.max(point as u32), to.min(point as u32)));
                tree.keys.push(key);
                tree.joined = point;
            }
            checkpoint::saving(saved, n, tree, || progress.advance(n as u64));
            if to.is_none() {
                return;
            }
        };
        // On a thread of the pool, so that a row does not have to enter the pool from outside.
        if length < n { rayon::scope(|_| grow()) } else { grow() }
    }

    /// Counts the distances up to a limit, and finds the greatest finite one.
    fn count(&self, tree: &mut Growing<T::Key>, limit: T::Key, progress: &dyn Progress) {
        let n = self.cloud.len();
        let at_once = rows_at_once(n);
        let part = at_once * PARTS;
        progress.advance(binomial(tree.rows, 2));
        while tree.rows < n {
            let first = tree.rows;
            let rows = part.min(n - first);
            let of_row = |i: usize| {
                let found = Level::detect().run(LowerRow { rows: self, i, limit });
                progress.advance(i as u64);
                found
            };
            let nothing = (0, T::Key::default());
            let in_part = |range: Range<usize>| range.map(|row| of_row(first + row)).fold(nothing, both);
            let add = |all: &mut _, found| *all = both(*all, found);
            let count = || joined(rows, at_once, nothing, &in_part, &add);
            let found = checkpoint::saving(progress.checkpoint(), n, tree, count);
            tree.rows += rows;
            tree.counted = both(tree.counted, found);
        }
    }

    /// The first two points whose distance is infinite, if there are any.
    fn first_infinite(&self) -> Option<(usize, usize)> {
        let n = self.cloud.len();
        (1..n).find_map(|i| (0..i).find(|&j| self.cloud.distance(i, j) == T::INFINITY).map(|j| (i, j)))
    }
}

/// Combines the results of two parts of the rows: the count and the greatest distance.
fn both<K: DistanceKey>(one: (usize, K), other: (usize, K)) -> (usize, K) {
    (one.0 + other.0, one.1.max(other.1))
}

/// The update of a piece of the points, which starts with a block, by the row of point `i`, which has joined the tree.
struct Row<'a, T: Value> {
    rows: &'a Rows<'a, T>,
    i: usize,
    /// The first point of the piece.
    first: usize,
    /// See [`Growing`].
    nearest: &'a mut [T::Key],
    to: &'a mut [T::Key],
}

impl<T: Value> Kernel<u32> for Row<'_, T> {
    type Output = RowResult<T::Key>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> RowResult<T::Key> {
        let Row { rows: Rows { cloud, blocks }, i, first: first_point, nearest, to } = self;
        let (n, own) = (cloud.len(), T::Key::of_bits(i as u64));
        let mut farthest = [T::Key::default(); LANES];
        let (mut least, mut place) = ([T::Key::NONE; LANES], [T::Key::default(); LANES]);
        let nearest = nearest.as_chunks_mut::<LANES>().0;
        let to = to.as_chunks_mut::<LANES>().0;
        for (number, (nearest, to)) in nearest.iter_mut().zip(to).enumerate() {
            let first = first_point + number * LANES;
            let mut keys = distances_to_block(cloud, blocks, i, first / LANES).map(T::key);
            if first + LANES > n {
                keys[n - first..].fill(T::Key::default());
            }
            let number = T::Key::of_bits(number as u64);
            let mut is_nearer = [false; LANES];
            for lane in 0..LANES {
                farthest[lane] = farthest[lane].max(keys[lane]);
                is_nearer[lane] = (keys[lane] < nearest[lane]) & (nearest[lane] != T::Key::NONE);
            }
            // Seldom true once the tree has grown; unchanged elements are not written.
            if is_nearer.iter().fold(false, |any, &one| any | one) {
                for lane in 0..LANES {
                    nearest[lane] = if is_nearer[lane] { keys[lane] } else { nearest[lane] };
                    to[lane] = if is_nearer[lane] { own } else { to[lane] };
                }
            }
            for lane in 0..LANES {
                let is_least = nearest[lane] < least[lane];
                least[lane] = if is_least { nearest[lane] } else { least[lane] };
                place[lane] = if is_least { number } else { place[lane] };
            }
        }
        let mut found = RowResult { farthest: T::Key::default(), next: (T::Key::NONE, n) };
        for lane in 0..LANES {
            let number: u64 = place[lane].into();
            let point =
                if least[lane] == T::Key::NONE { n } else { first_point + number as usize * LANES + lane };
            found = found.and(RowResult { farthest: farthest[lane], next: (least[lane], point) });
        }
        found
    }
}

/// The count of distances from point `i` to the points before it.
struct LowerRow<'a, T: Value> {
    rows: &'a Rows<'a, T>,
    i: usize,
    limit: T::Key,
}

impl<T: Value> Kernel<u32> for LowerRow<'_, T> {
    type Output = (usize, T::Key);

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> (usize, T::Key) {
        let LowerRow { rows: Rows { cloud, blocks }, i, limit } = self;
        let (mut counts, mut greatest) = ([0_u32; LANES], [T::Key::default(); LANES]);
        for number in 0..i.div_ceil(LANES) {
            let mut keys = distances_to_block(cloud, blocks, i, number).map(T::key);
            if number == i / LANES {
                keys[i % LANES..].fill(T::Key::INFINITY);
            }
            for lane in 0..LANES {
                counts[lane] += u32::from(keys[lane] <= limit);
                let finite = if keys[lane] < T::Key::INFINITY { keys[lane] } else { T::Key::default() };
                greatest[lane] = greatest[lane].max(finite);
            }
        }
        let counted = counts.iter().map(|&count| count as usize).sum();
        (counted, greatest.into_iter().fold(T::Key::default(), Ord::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Distances;
    use crate::rips::Rips;
    use crate::rips::random::random;
    use crate::rips::rank::matrix_of_points;

    /// Coordinates on a grid with `steps` steps, so that many distances are equal.
    fn cloud<T: Value>(points: usize, dimension: usize, steps: u64, scale: f64) -> PointCloud<T> {
        let mut state = points as u64 * 31 + steps;
        let mut next = || T::from_f64((random(&mut state) % steps) as f64 * scale);
        PointCloud::new(dimension, (0..points * dimension).map(|_| next()).collect()).unwrap()
    }

    /// Compares bars and summary with those of the distance matrix, for several numbers of pieces.
    fn check<T: Value>(cloud: &PointCloud<T>, threshold: Option<f64>) {
        let matrix = matrix_of_points(cloud, &()).unwrap();
        let solve = |distances: Distances<T>| {
            let rips = Rips::new(distances).max_dim(0);
            threshold.map_or(rips.clone(), |t| rips.threshold(t)).solve(&())
        };
        let found = solve(cloud.clone().into()).unwrap();
        let expected = solve(matrix.into()).unwrap();
        assert_eq!(found.diagram, expected.diagram);
        let (found, expected) = (found.summary, expected.summary);
        assert_eq!((found.edges, found.threshold), (expected.edges, expected.threshold));
        if threshold.is_none_or(f64::is_infinite) {
            assert_eq!(found.value_range, expected.value_range);
        }
        let given = threshold.map(T::from_f64);
        let tree = |pieces| in_pieces(cloud, given, pieces, &()).unwrap();
        let (one, summary) = tree(1);
        assert_eq!(summary.edges, expected.edges);
        for pieces in [2, 3, 7] {
            let (tree, summary_of_pieces) = tree(pieces);
            assert_eq!(summary_of_pieces, summary);
            assert_eq!(tree.edges.numbers, one.edges.numbers);
            assert!(matches!(
                (&tree.edges.layout, &one.edges.layout),
                (Layout::Pairs(a), Layout::Pairs(b)) if a == b
            ));
        }
    }

    #[test]
    fn the_bars_of_a_spanning_tree_are_those_of_all_distances() {
        for points in [1, 2, 3, 31, 32, 33, 64, 97, 300] {
            for (dimension, steps) in [(1, 3), (2, 5), (3, 1 << 20), (9, 4)] {
                let (single, double) = (
                    cloud::<f32>(points, dimension, steps, 1.0),
                    cloud::<f64>(points, dimension, steps, 1e-3),
                );
                for threshold in [None, Some(f64::INFINITY), Some(steps as f64 * 0.9), Some(0.0)] {
                    check(&single, threshold);
                    check(&double, threshold.map(|t| t * 1e-3));
                }
            }
        }
    }

    /// Points with many coordinates are ranked by all distances instead.
    #[test]
    fn distances_of_many_coordinates_are_computed_once() {
        let search = |points: Distances<f32>| Rips::new(points).max_dim(0).solve(&()).unwrap().plan.search;
        assert_eq!(search(cloud::<f32>(20, 32, 5, 1.0).into()), PairSearch::SpanningTree);
        assert_eq!(search(cloud::<f32>(20, 33, 5, 1.0).into()), PairSearch::All);
        let pays = |dimension| pays(&cloud::<f64>(20, dimension, 5, 1.0), None);
        assert!(pays(128) && !pays(129));
    }

    /// Cases: squares that underflow, and sums that overflow.
    #[test]
    fn distances_at_the_ends_of_the_range_have_their_spanning_tree() {
        for scale in [1e-30, 1e-20, 1e17] {
            check(&cloud::<f32>(70, 3, 50, scale), None);
            check(&cloud::<f32>(70, 3, 50, scale), Some(30.0 * scale));
        }
        let far = PointCloud::new(1, vec![0.0f32, 3e38, -3e38, 1.0, 2.0]).unwrap();
        // Up to the enclosing radius, which is finite, an infinite distance makes no difference.
        check(&far, None);
        check(&far, Some(2.0));
        let refused = Rips::new(far).max_dim(0).threshold(f64::INFINITY).run();
        assert_eq!(refused, Err(RipsError::TooFarApart { i: 2, j: 1 }));
    }
}
