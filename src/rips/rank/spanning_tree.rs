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
//! ([`kept`]).
//!
//! Points are divided into pieces, one for each thread. Of equally near points the first one joins, so the tree does
//! not depend on the number of threads. Any minimum spanning tree has the same lengths: the edges up to a threshold
//! join the same components in each.

mod kept;

use std::ops::Range;

use rayon::prelude::*;

use self::kept::KeptTree;
use super::keyed::{Keyed, Layout};
use super::rows::{Blocks, distances_to_block, rows_at_once};
use crate::memory::{self, Refused};
use crate::metric::value::{DistanceKey, LANES, Sealed};
use crate::metric::{PointCloud, Value};
use crate::parallel::joined;
use crate::progress::{Cost, Expected};
use crate::rips::filtration_construction::binomial;
use crate::rips::plan::PairSearch;
use crate::rips::{Progress, RipsError, Summary, footprint};
use crate::simd::{Kernel, Level, Simd};

/// Fewest points for which waking up another thread pays.
const PIECE: usize = 1 << 13;

/// Number of rows counted between two possible saves, in multiples of the number that a thread takes at a time.
const PARTS: usize = 256;

/// Greatest number of coordinates for which the tree takes less time than ranking all distances, in single precision.
/// Ranking computes each distance once, the tree up to three times. In double precision, where ranking takes longest,
/// the limit is four times as high (`benches/RESULTS.md`).
const MOST_COORDINATES: usize = 32;

/// Whether the tree takes less time than ranking all distances of these points, or these do not fit in memory.
pub(in crate::rips) fn pays<T: Value>(cloud: &PointCloud<T>) -> bool {
    let most = if T::NARROW { MOST_COORDINATES } else { 4 * MOST_COORDINATES };
    cloud.dimension() <= most || !footprint::affords_all_pairs::<T::Key>(cloud.len())
}

/// The edges of a minimum spanning tree up to the threshold, and a summary of all distances.
pub(in crate::rips) struct SpanningTree<K> {
    /// The edges of the tree.
    pub(in crate::rips) keyed: Keyed<K>,
    /// The summary of all distances.
    pub(in crate::rips) summary: Summary,
}

impl<K: DistanceKey> SpanningTree<K> {
    /// The tree of a point cloud, up to the given threshold or else the enclosing radius. The checkpoint of `progress`
    /// must be for these points and this threshold only.
    ///
    /// # Errors
    /// [`RipsError::Refused`], [`RipsError::Checkpoint`], and [`RipsError::TooFarApart`] if there is no finite
    /// threshold.
    pub(in crate::rips) fn of<T: Value + Sealed<Key = K>>(
        cloud: &PointCloud<T>,
        given: Option<T>,
        progress: &dyn Progress,
    ) -> Result<Self, RipsError> {
        let pieces = rayon::current_num_threads().min(cloud.len() / PIECE).max(1);
        SpanningTree::in_pieces(cloud, given, pieces, progress)
    }

    /// Like [`SpanningTree::of`], with the points divided into at most `pieces` pieces.
    fn in_pieces<T: Value + Sealed<Key = K>>(
        cloud: &PointCloud<T>,
        given: Option<T>,
        pieces: usize,
        progress: &dyn Progress,
    ) -> Result<Self, RipsError> {
        let points = cloud.len();
        let pairs = binomial(points, 2);
        let all = (points as u64).saturating_mul(points as u64).saturating_add(pairs);
        progress.expect(&[Expected { stage: "distances", dim: None, cost: Cost::Known(1.0) }]);
        progress.begin("distances", None, all);
        // Points are numbers of 32 bits.
        let blocks = Blocks::of(cloud, &(0..points as u32).collect::<Vec<_>>())?;
        let rows = Rows { cloud, blocks };
        let kept = KeptTree { checkpoint: progress.checkpoint(), points };
        let mut tree = match kept.restored(pieces)? {
            Some(tree) => tree,
            None => Growing::new(points, pieces)?,
        };
        rows.grow(&mut tree, &kept, progress);
        let threshold = given.unwrap_or_else(|| T::from_f64(tree.radius.distance()));
        let is_bounded = given.is_some_and(|threshold| threshold < T::INFINITY);
        if threshold == T::INFINITY
            && tree.greatest == K::INFINITY
            && let Some((i, j)) = rows.first_infinite()
        {
            return Err(RipsError::TooFarApart { i, j });
        }
        let limit = Keyed::limit(threshold);
        let (edges, greatest) = if tree.greatest <= limit {
            progress.advance(pairs);
            (pairs as usize, tree.greatest)
        } else {
            rows.count(&mut tree, limit, &kept, progress);
            (tree.counted.edges, tree.counted.greatest)
        };
        let Growing { pairs: mut ends, mut keys, .. } = tree;
        let least = keys.iter().copied().min().filter(|&least| least < K::INFINITY);
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
        Ok(SpanningTree { keyed: Keyed { points, keys, layout: Layout::Pairs(ends), search }, summary })
    }
}

/// A growing tree, with the results of the rows so far.
struct Growing<K> {
    /// The number of points of each piece except the last.
    length: usize,
    pieces: Vec<Piece<K>>,
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
    counted: Counted<K>,
}

/// A range of points that starts with a block, and the state of those outside the tree.
struct Piece<K> {
    first: usize,
    /// The distance to the tree; [`DistanceKey::NONE`] for points in the tree and after the last point.
    nearest: Vec<K>,
    /// The point of the tree at that distance, stored as the bits of a key so that lanes have one width.
    to: Vec<K>,
}

/// State of the second pass.
#[derive(Clone, Copy, Default)]
struct Counted<K> {
    /// Number of rows processed.
    rows: usize,
    /// Number of distances up to the limit.
    edges: usize,
    /// The greatest finite distance so far.
    greatest: K,
}

impl<K: DistanceKey> Growing<K> {
    /// The tree that consists of the first of `points` points, which are divided into at most `pieces` pieces.
    fn new(points: usize, pieces: usize) -> Result<Self, Refused> {
        let length = points.div_ceil(LANES).div_ceil(pieces) * LANES;
        let piece = |first: usize| -> Result<_, Refused> {
            let length = length.min(points.next_multiple_of(LANES) - first);
            let mut nearest = memory::filled(K::INFINITY, length)?;
            nearest[length.min(points - first)..].fill(K::NONE);
            Ok(Piece { first, nearest, to: memory::zeroed(length)? })
        };
        let pieces = (0..points).step_by(length).map(piece).collect::<Result<Vec<_>, _>>()?;
        let (mut pairs, mut keys) = (Vec::new(), Vec::new());
        memory::reserve(&mut pairs, points - 1)?;
        memory::reserve(&mut keys, points - 1)?;
        let (joined, radius, greatest) = (0, K::INFINITY, K::default());
        Ok(Growing { length, pieces, pairs, keys, joined, radius, greatest, counted: Counted::default() })
    }
}

/// The result of a point's row on one piece.
#[derive(Clone, Copy)]
struct Told<K> {
    /// The greatest distance from the point.
    farthest: K,
    /// The distance and the id of the point outside that is nearest to the tree.
    next: (K, usize),
}

impl<K: DistanceKey> Told<K> {
    fn and(self, other: Self) -> Self {
        Told { farthest: self.farthest.max(other.farthest), next: self.next.min(other.next) }
    }
}

/// The rows of the distance matrix, computed on demand.
struct Rows<'a, T> {
    cloud: &'a PointCloud<T>,
    blocks: Blocks<T>,
}

impl<T: Value> Rows<'_, T> {
    /// Grows the tree until all points have joined and all rows have been processed.
    fn grow(&self, tree: &mut Growing<T::Key>, kept: &KeptTree<'_>, progress: &dyn Progress) {
        let (n, level) = (self.cloud.len(), Level::detect());
        let nothing = Told { farthest: T::Key::default(), next: (T::Key::NONE, n) };
        let is_shared = tree.pieces.len() > 1;
        progress.advance((tree.pairs.len() * n) as u64);
        let mut grow = || loop {
            let Growing { length, pieces, joined, .. } = &mut *tree;
            let (i, length) = (*joined, *length);
            pieces[i / length].nearest[i % length] = T::Key::NONE;
            let look = |piece: &mut Piece<T::Key>| level.run(Row { rows: self, i, piece });
            let told = match &mut pieces[..] {
                [all] => look(all),
                pieces => pieces.par_iter_mut().map(look).reduce(|| nothing, Told::and),
            };
            let (key, point) = told.next;
            let to = (point < n).then(|| pieces[point / length].to[point % length].into() as u32);
            tree.radius = tree.radius.min(told.farthest);
            tree.greatest = tree.greatest.max(told.farthest);
            if let Some(to) = to {
                tree.pairs.push((to.max(point as u32), to.min(point as u32)));
                tree.keys.push(key);
                tree.joined = point;
            }
            kept.saving(tree, || progress.advance(n as u64));
            if to.is_none() {
                return;
            }
        };
        // On a thread of the pool, so that a row does not have to enter the pool from outside.
        if is_shared { rayon::scope(|_| grow()) } else { grow() }
    }

    /// Counts the distances up to a limit, and finds the greatest finite one.
    fn count(&self, tree: &mut Growing<T::Key>, limit: T::Key, kept: &KeptTree<'_>, progress: &dyn Progress) {
        let n = self.cloud.len();
        let at_once = rows_at_once(n);
        let in_rows = |rows: Range<usize>| {
            let of_row = |i: usize| {
                let found = Level::detect().run(LowerRow { rows: self, i, limit });
                progress.advance(i as u64);
                found
            };
            rows.map(of_row).fold((0, T::Key::default()), both)
        };
        let part = at_once * PARTS;
        progress.advance(binomial(tree.counted.rows, 2));
        while tree.counted.rows < n {
            let first = tree.counted.rows;
            let rows = part.min(n - first);
            let count = || {
                let in_part = |range: Range<usize>| in_rows(first + range.start..first + range.end);
                joined(rows, at_once, (0, T::Key::default()), &in_part, &|all, found| {
                    *all = both(*all, found)
                })
            };
            let (edges, greatest) = kept.saving(tree, count);
            let counted = &mut tree.counted;
            counted.rows += rows;
            (counted.edges, counted.greatest) = both((counted.edges, counted.greatest), (edges, greatest));
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

/// The update of a piece by the row of point `i`, which has joined the tree.
struct Row<'a, T: Value> {
    rows: &'a Rows<'a, T>,
    i: usize,
    piece: &'a mut Piece<T::Key>,
}

impl<T: Value> Kernel<u32> for Row<'_, T> {
    type Output = Told<T::Key>;

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) -> Told<T::Key> {
        let Row { rows: Rows { cloud, blocks }, i, piece } = self;
        let (n, own) = (cloud.len(), T::Key::of_bits(i as u64));
        let mut farthest = [T::Key::default(); LANES];
        let (mut least, mut place) = ([T::Key::NONE; LANES], [T::Key::default(); LANES]);
        let nearest = piece.nearest.as_chunks_mut::<LANES>().0;
        let to = piece.to.as_chunks_mut::<LANES>().0;
        for (number, (nearest, to)) in nearest.iter_mut().zip(to).enumerate() {
            let first = piece.first + number * LANES;
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
        let mut told = Told { farthest: T::Key::default(), next: (T::Key::NONE, n) };
        for lane in 0..LANES {
            let number: u64 = place[lane].into();
            let point =
                if least[lane] == T::Key::NONE { n } else { piece.first + number as usize * LANES + lane };
            told = told.and(Told { farthest: farthest[lane], next: (least[lane], point) });
        }
        told
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
    use crate::rips::rank::matrix_of_points;
    use crate::rips::{Rips, Threshold};

    /// Coordinates on a grid with `steps` steps, so that many distances are equal.
    fn cloud<T: Value>(points: usize, dimension: usize, steps: u64, scale: f64) -> PointCloud<T> {
        let mut state = points as u64 * 31 + steps;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            T::from_f64((state >> 33) as f64 % steps as f64 * scale)
        };
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
        let given = threshold.and_then(|t| Threshold::Value(t).rounded::<T>());
        let tree = |pieces| SpanningTree::in_pieces(cloud, given, pieces, &()).unwrap();
        let one = tree(1);
        assert_eq!(one.summary.edges, expected.edges);
        for pieces in [2, 3, 7] {
            let tree = tree(pieces);
            assert_eq!(tree.summary, one.summary);
            assert_eq!(tree.keyed.keys, one.keyed.keys);
            assert!(matches!(
                (&tree.keyed.layout, &one.keyed.layout),
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
        assert!(pays(&cloud::<f64>(20, 128, 5, 1.0)) && !pays(&cloud::<f64>(20, 129, 5, 1.0)));
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
