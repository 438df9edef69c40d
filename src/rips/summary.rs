//! Summary of the input, as Ripser prints it before the bars.

use std::ops::Range;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::RipsError;
use super::binomial::binomial;
use super::rank::{Edges, Keyed, Layout, SPARSE_BELOW, rows_at_once};
use crate::diagram::infinite;
use crate::metric::value::DistanceKey;
use crate::metric::{Distances, Precision, SparseDistances, Value};
use crate::parallel::{SharedRange, into_inner, joined, lock};
use crate::simd::{Kernel, Level, Simd};

/// Number of keys that a thread counts at a time.
const CHUNK: usize = 1 << 16;

/// A summary of the distances, and the threshold that is applied to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of points.
    pub points: usize,
    /// The precision in which distances are computed and compared.
    pub precision: Precision,
    /// The dimension of the ambient space, for a point cloud.
    pub ambient_dimension: Option<usize>,
    /// Whether the input was a list of edges.
    pub edge_list: bool,
    /// The least distance and the greatest finite one. `None` without a finite distance, and for point clouds with a
    /// finite threshold, for which Ripser does not print it either.
    pub value_range: Option<(f64, f64)>,
    /// The number of finite distances up to the threshold.
    pub edges: usize,
    /// The threshold used, in the precision of the distances.
    #[serde(deserialize_with = "infinite::deserialize")]
    pub threshold: f64,
    /// Whether `threshold` is the enclosing radius.
    pub enclosing_radius: bool,
}

impl Summary {
    /// Computes the summary of `distances` in parallel on the current rayon pool.
    ///
    /// A given threshold is rounded to the precision of the distances, as in Ripser: 0.6 then includes a distance read
    /// as 0.6. Without one the threshold is the enclosing radius, or infinity for a list of edges.
    ///
    /// # Errors
    /// [`RipsError::Memory`] and [`RipsError::Refused`]: the distances of points do not fit in memory.
    pub fn of<T: Value>(distances: &Distances<T>, threshold: Option<f64>) -> Result<Summary, RipsError> {
        let given = threshold.map(T::from_f64);
        let keyed = Keyed::of(distances, given, false, &())?;
        Ok(Summary::of_keyed(distances, &keyed, given))
    }

    /// The summary of distances with the given keys.
    pub(super) fn of_keyed<T: Value>(
        distances: &Distances<T>,
        keyed: &Keyed<T::Key>,
        given: Option<T>,
    ) -> Summary {
        let Edges { points: n, numbers: keys, layout } = &keyed.edges;
        let rows = (!matches!(layout, Layout::Pairs(_))).then(|| Rows::of(&keyed.edges));
        // A square has each key twice.
        let times = if matches!(layout, Layout::Square) { 2 } else { 1 };
        let radius =
            || rows.as_ref().map_or(T::INFINITY, |rows| T::from_f64(rows.enclosing_radius().distance()));
        let threshold = given.unwrap_or_else(|| match distances {
            // A single point must be born by the threshold. With more points, the distances of the apex are at least
            // its birth.
            Distances::Matrix(matrix) if matrix.births().is_some_and(|births| births.len() == 1) => {
                matrix.births().map_or(T::INFINITY, |births| births[0])
            }
            _ => radius(),
        });
        let value_range = match distances {
            Distances::Matrix(_) => rows.as_ref().and_then(Rows::range),
            Distances::Points(_) if given.is_some_and(|t| t < T::INFINITY) => None,
            Distances::Points(_) => rows.as_ref().and_then(Rows::range),
            Distances::Sparse(sparse) => range_of_edges(sparse),
        };
        let ambient_dimension = match distances {
            Distances::Points(points) => Some(points.dimension()),
            _ => None,
        };
        let edge_list = matches!(distances, Distances::Sparse(_));
        Summary {
            points: *n,
            precision: T::PRECISION,
            ambient_dimension,
            edge_list,
            value_range,
            edges: kept(keys, Keyed::limit(threshold)) / times,
            threshold: threshold.into(),
            enclosing_radius: given.is_none() && !edge_list,
        }
    }

    /// Whether the fraction of pairs that are edges is large enough for a square matrix of ranks.
    pub(super) fn is_dense(&self) -> bool {
        self.edges as u64 >= binomial(self.points, 2) / SPARSE_BELOW as u64
    }
}

/// The number of keys up to a limit.
fn kept<K: DistanceKey>(keys: &[K], limit: K) -> usize {
    let count = |range: Range<usize>| keys[range].iter().filter(|key| **key <= limit).count();
    joined(keys.len(), CHUNK, 0, &count, &|sum, found| *sum += found)
}

/// The least and the greatest distance of an edge list.
fn range_of_edges<T: Value>(sparse: &SparseDistances<T>) -> Option<(f64, f64)> {
    let lengths = || sparse.edges().iter().map(|e| e.distance.key());
    lengths().min().zip(lengths().max()).map(|(least, greatest)| (least.distance(), greatest.distance()))
}

/// Results over the rows of the distance matrix.
struct Rows<K> {
    /// The greatest distance from each point.
    eccentricities: Vec<K>,
    /// The least distance, and the greatest finite one; the latter is 0 if there is none.
    least: K,
    greatest: K,
}

impl<K: DistanceKey> Rows<K> {
    fn of(edges: &Edges<K>) -> Self {
        let n = edges.points;
        let none =
            || Rows { eccentricities: vec![K::default(); n], least: K::INFINITY, greatest: K::default() };
        let (points, found) = (SharedRange::new(n, rows_at_once(n)), Mutex::new(none()));
        points.share(&|| {
            let mut rows = none();
            while let Some(taken) = points.take() {
                Level::detect().run(Add { rows: &mut rows, edges, taken });
            }
            lock(&found).join(rows);
        });
        into_inner(found)
    }

    fn join(&mut self, other: Rows<K>) {
        self.eccentricities.iter_mut().zip(other.eccentricities).for_each(|(own, key)| *own = key.max(*own));
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
    }

    /// The least and the greatest finite distance, if there is one.
    fn range(&self) -> Option<(f64, f64)> {
        (self.least < K::INFINITY).then(|| (self.least.distance(), self.greatest.distance()))
    }

    /// The least r such that some point x is within r of all others.
    ///
    /// From r on the complex is a cone with apex x, so no class is born or dies: if σ is a simplex at a scale s ≥ r, so
    /// is σ ∪ {x}, since its additional edges are not longer than r. This also holds if points are born late: the
    /// distance from x to another point is at least the births of both, so all points are born by r. The only exception
    /// is a single point, for which r is 0.
    fn enclosing_radius(&self) -> K {
        self.eccentricities.iter().copied().min().unwrap_or(K::INFINITY)
    }
}

/// Adds some rows of the distance matrix to the results.
struct Add<'a, K> {
    rows: &'a mut Rows<K>,
    edges: &'a Edges<K>,
    taken: Range<usize>,
}

impl<K: DistanceKey> Kernel<u32> for Add<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) {
        let Add { rows, edges, taken } = self;
        let (mut least, mut greatest) = (rows.least, rows.greatest);
        for i in taken {
            let (before, from) = rows.eccentricities.split_at_mut(i);
            let mut own = from[0];
            // Infinite distances are not edges: they count for eccentricities only.
            for (&key, eccentricity) in edges.lower_row(i).iter().zip(before) {
                *eccentricity = key.max(*eccentricity);
                own = own.max(key);
                least = least.min(key);
                greatest = greatest.max(if key < K::INFINITY { key } else { K::default() });
            }
            from[0] = own;
        }
        (rows.least, rows.greatest) = (least, greatest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{DistanceMatrix, PointCloud};
    use crate::rips::plain;
    use crate::rips::random::random;

    const INF: f32 = f32::INFINITY;

    fn summary_of<T: Value>(distances: &Distances<T>, threshold: Option<f64>) -> Summary {
        Summary::of(distances, threshold).unwrap()
    }

    fn matrix(lower: &[f32]) -> Distances<f32> {
        DistanceMatrix::from_lower(lower.to_vec()).unwrap().into()
    }

    #[test]
    fn a_matrix_at_its_enclosing_radius() {
        let summary = summary_of(&matrix(&[3.0, 4.0, 5.0, INF, 2.0, 7.0]), None);
        assert_eq!(summary.value_range, Some((2.0, 7.0)));
        assert_eq!((summary.threshold, summary.enclosing_radius), (5.0, true));
        assert_eq!(summary.edges, 4);
    }

    #[test]
    fn infinite_distances_are_no_edges_at_any_threshold() {
        let summary = summary_of(&matrix(&[3.0, INF, 5.0, INF, 2.0, 7.0]), Some(f64::INFINITY));
        assert_eq!((summary.edges, summary.enclosing_radius), (4, false));
        let summary = summary_of(&matrix(&[INF]), None);
        assert_eq!((summary.edges, summary.value_range, summary.threshold), (0, None, f64::INFINITY));
    }

    #[test]
    fn the_threshold_is_rounded_to_the_precision_of_the_distances() {
        let summary = summary_of(&matrix(&[0.6]), Some(0.6));
        assert_eq!((summary.edges, summary.threshold), (1, f64::from(0.6f32)));
        let double = DistanceMatrix::from_lower(vec![f64::from(0.6f32)]).unwrap().into();
        assert_eq!(summary_of(&double, Some(0.6)).edges, 0);
    }

    #[test]
    fn one_point_has_no_distance_and_radius_zero() {
        let summary = summary_of(&matrix(&[]), None);
        assert_eq!((summary.points, summary.value_range, summary.edges), (1, None, 0));
        assert_eq!(summary.threshold, 0.0);
    }

    #[test]
    fn points_say_their_range_only_when_it_is_printed() {
        let cloud: Distances<f32> = PointCloud::new(2, vec![0.0, 0.0, 3.0, 4.0, 6.0, 8.0]).unwrap().into();
        let whole = summary_of(&cloud, None);
        assert_eq!(whole.ambient_dimension, Some(2));
        assert_eq!((whole.value_range, whole.threshold, whole.edges), (Some((5.0, 10.0)), 5.0, 2));
        let infinite = summary_of(&cloud, Some(f64::INFINITY));
        assert_eq!((infinite.value_range, infinite.edges), (Some((5.0, 10.0)), 3));
        let cut = summary_of(&cloud, Some(7.0));
        assert_eq!((cut.value_range, cut.edges, cut.enclosing_radius), (None, 2, false));
    }

    #[test]
    fn edge_lists_are_taken_whole_unless_cut() {
        let edges = SparseDistances::new(5, [(0, 1, 1.5f32), (3, 1, 0.5), (4, 0, 4.0)]).unwrap().into();
        let whole = summary_of(&edges, None);
        assert!(whole.edge_list && !whole.enclosing_radius);
        assert_eq!((whole.edges, whole.value_range), (3, Some((0.5, 4.0))));
        assert_eq!(whole.threshold, f64::INFINITY);
        assert_eq!(summary_of(&edges, Some(1.5)).edges, 2);
    }

    #[test]
    fn the_enclosing_radius_is_the_plain_version_s() {
        let mut state = 1;
        for n in 1..40 {
            let m: Distances<f32> =
                DistanceMatrix::from_fn(n, |_, _| (random(&mut state) % 256) as f32).unwrap().into();
            let summary = summary_of(&m, None);
            assert_eq!(summary.threshold, plain::enclosing_radius(&m), "{n} points");
        }
    }
}
