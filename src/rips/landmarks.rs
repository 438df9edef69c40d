//! Landmarks: a sample of the points by the greedy permutation (Gonzalez 1985, "Clustering to minimize the maximum
//! intercluster distance").
//!
//! The first landmark is point 0. Each further one is a point farthest from the landmarks before it; of several, the
//! one of least id, as in ripser.py. The *covering radius* r is the greatest distance of a point to its nearest
//! landmark, at most twice that of any other sample of this size. In a metric space the bottleneck distance between the
//! barcodes of the landmarks and of all points is at most 2r: moving every point to its nearest landmark changes no
//! distance by more than 2r.
//!
//! For a point cloud, only the distances to landmarks are computed. They are stored in pieces, which threads take. The
//! next landmark is the first among the farthest points of all pieces, in the order of the pieces, so it does not
//! depend on the number of threads.

use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::{Progress, RipsError};
use crate::diagram::infinite;
use crate::metric::{DistanceMatrix, Distances, PointCloud, Value};
use crate::parallel;

/// The landmarks that represented the input in a computation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Landmarks {
    /// The ids of the landmarks in the input, 0-based, in the order of their choice.
    pub points: Vec<usize>,
    /// The number of points in the input.
    pub of: usize,
    /// The greatest distance of a point to its nearest landmark.
    #[serde(deserialize_with = "infinite::deserialize")]
    pub covering_radius: f64,
}

/// Number of points whose distances a thread computes at a time.
const PIECE: usize = 1 << 13;

/// Chooses `count` landmarks, and returns the distances among them, in the order of their choice.
///
/// # Errors
/// [`RipsError::Invalid`].
pub(super) fn choose<T: Value>(
    distances: &Distances<T>,
    count: usize,
    progress: &dyn Progress,
) -> Result<(Distances<T>, Landmarks), RipsError> {
    let points = distances.len();
    if !(1..=points).contains(&count) {
        let expected = format!("from 1 to {points}, the number of points");
        return Err(RipsError::invalid("landmarks", expected, count));
    }
    progress.begin("landmarks", None, count as u64);
    match distances {
        Distances::Points(cloud) => {
            let chosen = greedy(points, count, &|i, j| cloud.distance(i, j), progress);
            let coordinates = chosen.points.iter().flat_map(|&point| cloud.point(point)).copied().collect();
            let sample = PointCloud::new(cloud.dimension(), coordinates).expect("points of a cloud");
            Ok((sample.into(), chosen))
        }
        Distances::Matrix(matrix) => {
            let chosen = greedy(points, count, &|i, j| matrix.get(i, j), progress);
            Ok((rows_of(matrix, &chosen.points).into(), chosen))
        }
        Distances::Sparse(_) => Err(RipsError::invalid(
            "landmarks",
            "points or a distance matrix to choose them of",
            "a list of edges, which lacks distances",
        )),
    }
}

/// The distances among some points of a matrix, and the births of these points.
fn rows_of<T: Value>(matrix: &DistanceMatrix<T>, points: &[usize]) -> DistanceMatrix<T> {
    let sample = DistanceMatrix::from_fn(points.len(), |i, j| matrix.get(points[i], points[j]));
    let sample = match matrix.births() {
        None => sample,
        Some(births) => {
            let births = points.iter().map(|&point| births[point]).collect();
            sample.and_then(|sample| sample.with_births(births))
        }
    };
    sample.expect("distances and births of a matrix")
}

/// The first `count` points of the greedy permutation of `points` points.
fn greedy<T: Value>(
    points: usize,
    count: usize,
    distance: &(dyn Fn(usize, usize) -> T + Sync),
    progress: &dyn Progress,
) -> Landmarks {
    // The distance of each point to the nearest landmark; −1 marks a landmark.
    let landmark = T::from_f64(-1.0);
    let mut nearest = vec![T::INFINITY; points];
    let mut chosen = vec![0];
    loop {
        let last = chosen[chosen.len() - 1];
        // Of equally far points the first.
        let farther =
            |a: (T, usize), b: (T, usize)| if b.0 > a.0 || (b.0 == a.0 && b.1 < a.1) { b } else { a };
        let update = |(piece, nearest): (usize, &mut [T])| {
            let mut farthest = (landmark, piece * PIECE);
            for (point, nearest) in (piece * PIECE..).zip(nearest) {
                let d = if point == last { landmark } else { distance(point, last) };
                if d < *nearest {
                    *nearest = d;
                }
                farthest = farther(farthest, (*nearest, point));
            }
            farthest
        };
        let (radius, farthest) = if points <= PIECE {
            update((0, &mut nearest))
        } else {
            let farthest = Mutex::new((landmark, 0));
            parallel::pieces_mut(&mut nearest, PIECE, &|piece, nearest| {
                let found = update((piece, nearest));
                let mut farthest = parallel::lock(&farthest);
                *farthest = farther(*farthest, found);
            });
            parallel::into_inner(farthest)
        };
        progress.advance(1);
        if chosen.len() == count {
            return Landmarks { points: chosen, of: points, covering_radius: radius.into().max(0.0) };
        }
        chosen.push(farthest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::SparseDistances;
    use crate::rips::random::fraction;

    /// The greedy permutation by its definition: in each step the distances of all points to all landmarks are computed
    /// again.
    fn by_definition(points: usize, count: usize, distance: impl Fn(usize, usize) -> f64) -> Landmarks {
        let mut chosen = vec![0];
        let nearest = |chosen: &[usize], i: usize| {
            chosen.iter().map(|&landmark| distance(i, landmark)).fold(f64::INFINITY, f64::min)
        };
        while chosen.len() < count {
            let mut best: Option<(f64, usize)> = None;
            for i in (0..points).filter(|i| !chosen.contains(i)) {
                let d = nearest(&chosen, i);
                if best.is_none_or(|(greatest, _)| d > greatest) {
                    best = Some((d, i));
                }
            }
            chosen.push(best.unwrap().1);
        }
        let covering_radius =
            (0..points).filter(|i| !chosen.contains(i)).map(|i| nearest(&chosen, i)).fold(0.0, f64::max);
        Landmarks { points: chosen, of: points, covering_radius }
    }

    #[test]
    fn farthest_points_with_ties() {
        let mut state = 3;
        for n in [1, 2, 3, 9, 40] {
            for kinds in [1.0, 3.0, 1e6] {
                let coordinates = (0..2 * n).map(|_| (kinds * fraction(&mut state)).floor()).collect();
                let cloud = PointCloud::new(2, coordinates).unwrap();
                let matrix = DistanceMatrix::from_fn(n, |i, j| cloud.distance(i, j)).unwrap();
                for count in [1, 2, n / 2, n].into_iter().filter(|k| (1..=n).contains(k)) {
                    let expected = by_definition(n, count, |i, j| cloud.distance(i, j));
                    let (sample, chosen) = choose(&cloud.clone().into(), count, &()).unwrap();
                    let (rows, same) = choose(&matrix.clone().into(), count, &()).unwrap();
                    assert_eq!((&chosen, &same), (&expected, &expected), "{n} points, {count} landmarks");
                    let (Distances::Points(sample), Distances::Matrix(rows)) = (sample, rows) else {
                        panic!("another shape")
                    };
                    for (i, &point) in chosen.points.iter().enumerate() {
                        assert_eq!(sample.point(i), cloud.point(point));
                        assert!((0..i).all(|j| rows.get(i, j) == matrix.get(point, chosen.points[j])));
                    }
                }
            }
        }
    }

    #[test]
    fn the_choice_does_not_depend_on_threads() {
        let mut state = 5;
        let coordinates = (0..3 * PIECE + 7).map(|_| (100.0 * fraction(&mut state)).floor() as f32).collect();
        let cloud: Distances<f32> = PointCloud::new(1, coordinates).unwrap().into();
        let chosen = [1, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| choose(&cloud, 120, &()).unwrap().1)
        });
        assert_eq!(chosen[0], chosen[1]);
        // The hundred different places come first, then the remaining points in ascending order.
        assert_eq!(chosen[0].covering_radius, 0.0);
        assert!(chosen[0].points[100..].is_sorted());
    }

    #[test]
    fn births_go_with_their_points() {
        let matrix = DistanceMatrix::from_lower(vec![5.0f32, 9.0, 7.0]).unwrap();
        let matrix = matrix.with_births(vec![1.0, 2.0, 3.0]).unwrap();
        let (sample, chosen) = choose(&matrix.into(), 2, &()).unwrap();
        assert_eq!((sample.births(), &chosen.points[..]), (Some(&[1.0, 3.0][..]), &[0, 2][..]));
        assert_eq!(chosen.covering_radius, 5.0);
    }

    #[test]
    fn what_has_no_landmarks() {
        let edges = Distances::from(SparseDistances::new(3, [(0, 1, 1.0f32)]).unwrap());
        let refused = choose(&edges, 2, &()).unwrap_err().to_string();
        assert!(refused.starts_with("landmarks: expected points or a distance matrix"), "{refused}");
        let one: Distances<f32> = PointCloud::new(1, vec![0.0]).unwrap().into();
        for asked in [0, 2] {
            let expected = "from 1 to 1, the number of points";
            assert_eq!(choose(&one, asked, &()), Err(RipsError::invalid("landmarks", expected, asked)));
        }
    }
}
