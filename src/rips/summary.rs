//! The figures of the input that Ripser prints before the bars.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::Threshold;
use super::rank::rows_at_once;
use crate::diagram::infinite;
use crate::metric::{DistanceMatrix, Distances, PointCloud, Precision, SparseDistances, Value};
use crate::parallel::{SharedRange, into_inner, lock};

/// The figures of distances, and the threshold they are cut at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of points.
    pub points: usize,
    /// The precision the distances are computed and compared in.
    pub precision: Precision,
    /// The dimension of the ambient space, for a point cloud.
    pub ambient_dimension: Option<usize>,
    /// Whether the input was a list of edges.
    pub edge_list: bool,
    /// The smallest distance and the greatest finite one; `None` without any finite distance, and for point
    /// clouds with a finite threshold, where Ripser does not print it either.
    pub value_range: Option<(f64, f64)>,
    /// Number of finite distances up to the threshold.
    pub edges: usize,
    /// The threshold used, in the precision of the distances.
    #[serde(deserialize_with = "infinite::deserialize")]
    pub threshold: f64,
    /// Whether `threshold` is the enclosing radius.
    pub enclosing_radius: bool,
}

impl Summary {
    /// The figures of `distances`, in parallel on the current rayon pool.
    ///
    /// A threshold that is given is rounded to the precision of the distances, as Ripser does: 0.6 then takes
    /// in a distance read as 0.6. Without one it is the enclosing radius, or infinity for a list of edges.
    pub fn of<T: Value>(distances: &Distances<T>, threshold: Threshold) -> Summary {
        let given = match threshold {
            Threshold::Value(t) => Some(T::from_f64(t)),
            Threshold::EnclosingRadius => None,
        };
        let n = distances.len();
        match distances {
            Distances::Matrix(m) => {
                let summary = Summary { value_range: value_range(n, m), ..Summary::of_rows(n, m, given) };
                match m.births() {
                    // The apex of the cone has to be there; where there are other points, the distance to them is at least its birth.
                    Some(&[birth]) if given.is_none() => Summary { threshold: birth.into(), ..summary },
                    _ => summary,
                }
            }
            Distances::Points(p) => {
                let summary = Summary::of_rows(n, p, given);
                let asked = summary.enclosing_radius || summary.threshold.is_infinite();
                let value_range = if asked { value_range(n, p) } else { None };
                Summary { ambient_dimension: Some(p.dimension()), value_range, ..summary }
            }
            Distances::Sparse(s) => Summary::of_edges(s, given.unwrap_or(T::INFINITY)),
        }
    }

    /// The figures of distances that are all given, without their range.
    fn of_rows<T: Value>(n: usize, rows: &dyn Rows<T>, given: Option<T>) -> Summary {
        let threshold = given.unwrap_or_else(|| enclosing_radius(n, rows));
        let kept = |d: &&T| **d <= threshold && **d < T::INFINITY;
        let edges = fold_rows(n, rows, || 0, |edges, _, row| *edges += row.iter().filter(kept).count());
        Summary {
            points: n,
            precision: T::PRECISION,
            ambient_dimension: None,
            edge_list: false,
            value_range: None,
            edges: edges.into_iter().sum(),
            threshold: threshold.into(),
            enclosing_radius: given.is_none(),
        }
    }

    /// The figures of a list of edges.
    fn of_edges<T: Value>(sparse: &SparseDistances<T>, threshold: T) -> Summary {
        let lengths = || sparse.edges().iter().map(|e| e.distance);
        Summary {
            points: sparse.len(),
            precision: T::PRECISION,
            ambient_dimension: None,
            edge_list: true,
            value_range: lengths().fold(None, widen).map(exact),
            edges: lengths().filter(|&d| d <= threshold).count(),
            threshold: threshold.into(),
            enclosing_radius: false,
        }
    }
}

/// Distances that are all given, row by row.
trait Rows<T>: Sync {
    /// The distances from point `i` to the points before it; `scratch` is for rows that are computed.
    fn row<'a>(&'a self, i: usize, scratch: &'a mut Vec<T>) -> &'a [T];
}

impl<T: Value> Rows<T> for DistanceMatrix<T> {
    fn row<'a>(&'a self, i: usize, _: &'a mut Vec<T>) -> &'a [T] {
        &self.lower()[i * i.saturating_sub(1) / 2..][..i]
    }
}

impl<T: Value> Rows<T> for PointCloud<T> {
    fn row<'a>(&'a self, i: usize, scratch: &'a mut Vec<T>) -> &'a [T] {
        scratch.clear();
        scratch.extend(self.distances_before(i));
        scratch
    }
}

/// Adds up the n rows on the threads of the current pool; gives the sum of each thread.
fn fold_rows<T: Value, A: Send>(
    n: usize,
    rows: &dyn Rows<T>,
    zero: impl Fn() -> A + Sync,
    add: impl Fn(&mut A, usize, &[T]) + Sync,
) -> Vec<A> {
    let (points, sums) = (SharedRange::new(n, rows_at_once(n)), Mutex::new(Vec::new()));
    points.share(&|| {
        let (mut sum, mut scratch) = (zero(), Vec::new());
        while let Some(taken) = points.take() {
            taken.for_each(|i| add(&mut sum, i, rows.row(i, &mut scratch)));
        }
        lock(&sums).push(sum);
    });
    into_inner(sums)
}

/// The smallest and the greatest finite distance.
fn value_range<T: Value>(n: usize, rows: &dyn Rows<T>) -> Option<(f64, f64)> {
    let finite = |range: &mut Option<(T, T)>, _, row: &[T]| {
        *range = row.iter().copied().filter(|&d| d < T::INFINITY).fold(*range, widen);
    };
    let join = |a: Option<(T, T)>, b: Option<(T, T)>| match (a, b) {
        (Some(_), Some((least, greatest))) => widen(widen(a, least), greatest),
        _ => a.or(b),
    };
    fold_rows(n, rows, || None, finite).into_iter().fold(None, join).map(exact)
}

fn exact<T: Value>((least, greatest): (T, T)) -> (f64, f64) {
    (least.into(), greatest.into())
}

/// The range with `d` in it.
fn widen<T: Value>(range: Option<(T, T)>, d: T) -> Option<(T, T)> {
    match range {
        Some((least, greatest)) => Some((lesser(least, d), greater(greatest, d))),
        None => Some((d, d)),
    }
}

/// The smallest r such that some point x is within r of all others.
///
/// From r on the complex is a cone with apex x, so no class is born or dies: where σ is a simplex at a scale s ≥ r, so is σ with x, since its further
/// edges are not longer than r. This holds too where points are born late: the distance from x to another point is at least the births of both, so
/// at r all are born, x among them. Only a point without others may be born after r, which is then 0.
fn enclosing_radius<T: Value>(n: usize, rows: &dyn Rows<T>) -> T {
    let none = || vec![T::from_f64(0.0); n];
    let add = |eccentricities: &mut Vec<T>, i: usize, row: &[T]| {
        let (before, from) = eccentricities.split_at_mut(i);
        for (&d, eccentricity) in row.iter().zip(before) {
            *eccentricity = greater(*eccentricity, d);
            from[0] = greater(from[0], d);
        }
    };
    let join = |mut a: Vec<T>, b: Vec<T>| {
        a.iter_mut().zip(b).for_each(|(x, y)| *x = greater(*x, y));
        a
    };
    let eccentricities = fold_rows(n, rows, none, add).into_iter().fold(none(), join);
    eccentricities.into_iter().fold(T::INFINITY, lesser)
}

fn lesser<T: Value>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

fn greater<T: Value>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{DistanceMatrix, PointCloud};
    use crate::rips::plain;

    const INF: f32 = f32::INFINITY;

    fn matrix(lower: &[f32]) -> Distances<f32> {
        DistanceMatrix::from_lower(lower.to_vec()).unwrap().into()
    }

    #[test]
    fn a_matrix_at_its_enclosing_radius() {
        let summary = Summary::of(&matrix(&[3.0, 4.0, 5.0, INF, 2.0, 7.0]), Threshold::EnclosingRadius);
        assert_eq!(summary.value_range, Some((2.0, 7.0)));
        assert_eq!((summary.threshold, summary.enclosing_radius), (5.0, true));
        assert_eq!(summary.edges, 4);
    }

    #[test]
    fn infinite_distances_are_no_edges_at_any_threshold() {
        let summary = Summary::of(&matrix(&[3.0, INF, 5.0, INF, 2.0, 7.0]), Threshold::Value(f64::INFINITY));
        assert_eq!((summary.edges, summary.enclosing_radius), (4, false));
        let summary = Summary::of(&matrix(&[INF]), Threshold::EnclosingRadius);
        assert_eq!((summary.edges, summary.value_range, summary.threshold), (0, None, f64::INFINITY));
    }

    #[test]
    fn the_threshold_is_rounded_to_the_precision_of_the_distances() {
        let summary = Summary::of(&matrix(&[0.6]), Threshold::Value(0.6));
        assert_eq!((summary.edges, summary.threshold), (1, f64::from(0.6f32)));
        let double = DistanceMatrix::from_lower(vec![f64::from(0.6f32)]).unwrap().into();
        assert_eq!(Summary::of(&double, Threshold::Value(0.6)).edges, 0);
    }

    #[test]
    fn one_point_has_no_distance_and_radius_zero() {
        let summary = Summary::of(&matrix(&[]), Threshold::EnclosingRadius);
        assert_eq!((summary.points, summary.value_range, summary.edges), (1, None, 0));
        assert_eq!(summary.threshold, 0.0);
    }

    #[test]
    fn points_say_their_range_only_when_it_is_printed() {
        let cloud: Distances<f32> = PointCloud::new(2, vec![0.0, 0.0, 3.0, 4.0, 6.0, 8.0]).unwrap().into();
        let whole = Summary::of(&cloud, Threshold::EnclosingRadius);
        assert_eq!(whole.ambient_dimension, Some(2));
        assert_eq!((whole.value_range, whole.threshold, whole.edges), (Some((5.0, 10.0)), 5.0, 2));
        let infinite = Summary::of(&cloud, Threshold::Value(f64::INFINITY));
        assert_eq!((infinite.value_range, infinite.edges), (Some((5.0, 10.0)), 3));
        let cut = Summary::of(&cloud, Threshold::Value(7.0));
        assert_eq!((cut.value_range, cut.edges, cut.enclosing_radius), (None, 2, false));
    }

    #[test]
    fn edge_lists_are_taken_whole_unless_cut() {
        let edges = SparseDistances::new(5, [(0, 1, 1.5f32), (3, 1, 0.5), (4, 0, 4.0)]).unwrap().into();
        let whole = Summary::of(&edges, Threshold::EnclosingRadius);
        assert!(whole.edge_list && !whole.enclosing_radius);
        assert_eq!((whole.edges, whole.value_range), (3, Some((0.5, 4.0))));
        assert_eq!(whole.threshold, f64::INFINITY);
        assert_eq!(Summary::of(&edges, Threshold::Value(1.5)).edges, 2);
    }

    #[test]
    fn the_enclosing_radius_is_the_plain_version_s() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as f32
        };
        for n in 1..40 {
            let m: Distances<f32> = DistanceMatrix::from_fn(n, |_, _| next()).unwrap().into();
            let summary = Summary::of(&m, Threshold::EnclosingRadius);
            assert_eq!(summary.threshold, plain::enclosing_radius(&m), "{n} points");
        }
    }
}
