//! The spaces as distances: curves, surfaces, graphs and a triangulation.
//!
//! Sines and cosines come from the portable `libm` crate and not from the platform, and every number is rounded to
//! [`DIGITS`] decimals, so that the same digits are written on every machine.

use std::f64::consts::{SQRT_2, TAU};

use lacuna::generate::{Random, euclidean, farthest_points, klein_distance, on_circle, on_sphere, on_torus};
use lacuna::metric::{DistanceMatrix, Distances, MetricError, PointCloud, SparseDistances};

/// Number of decimals of every number written.
pub(super) const DIGITS: usize = 6;

type Space = Result<Distances<f64>, MetricError>;

/// Points on the unit circle at uniform angles, with radii between 0.9 and 1.1.
pub(super) fn circle(n: usize, seed: u64) -> Space {
    let mut random = Random::new(seed);
    let point = |_| on_circle(TAU * random.uniform(), random.between(0.9, 1.1));
    points((0..n).map(point).collect())
}

/// Points on two unit circles that touch at the origin, by farthest-point sampling.
pub(super) fn figure_eight(n: usize, seed: u64) -> Space {
    let mut random = Random::new(seed);
    let point = |k: usize| {
        let [x, y] = on_circle(TAU * random.uniform(), 1.0);
        [if k.is_multiple_of(2) { x - 1.0 } else { x + 1.0 }, y]
    };
    let candidates: Vec<_> = (0..20 * n).map(point).collect();
    points(farthest_points(&candidates, n, euclidean))
}

/// Points on the unit sphere in R³ by farthest-point sampling.
pub(super) fn sphere(n: usize, seed: u64) -> Space {
    let mut random = Random::new(seed);
    let point = |_| {
        let z = random.between(-1.0, 1.0);
        on_sphere(z, TAU * random.uniform())
    };
    let candidates: Vec<_> = (0..20 * n).map(point).collect();
    points(farthest_points(&candidates, n, euclidean))
}

/// Points on the torus in R³ with core radius 2 and tube radius `tube`, by farthest-point sampling.
pub(super) fn torus(n: usize, tube: f64, seed: u64) -> Space {
    let mut random = Random::new(seed);
    let point = |_| {
        let around_tube = TAU * random.uniform();
        on_torus(around_tube, TAU * random.uniform(), 2.0, tube)
    };
    let candidates: Vec<_> = (0..20 * n).map(point).collect();
    points(farthest_points(&candidates, n, euclidean))
}

/// Points on the flat Klein bottle with its geodesic distance, by farthest-point sampling: the unit square with (0,
/// y) ~ (1, 1 − y) and (x, 0) ~ (x, 1).
pub(super) fn klein_bottle(n: usize, seed: u64) -> Space {
    let mut random = Random::new(seed);
    let candidates: Vec<_> = (0..20 * n).map(|_| [random.uniform(), random.uniform()]).collect();
    let chosen = farthest_points(&candidates, n, klein_distance);
    matrix(n, |i, j| klein_distance(&chosen[i], &chosen[j]))
}

/// Uniform points in the unit cube.
pub(super) fn cube(n: usize, seed: u64) -> Space {
    let mut random = Random::new(seed);
    points((0..n).map(|_| [random.uniform(), random.uniform(), random.uniform()]).collect())
}

/// A side × side grid with the city-block distance: few distinct values, many ties.
pub(super) fn grid(side: usize) -> Space {
    let blocks = |i: usize, j: usize| (i / side).abs_diff(j / side) + (i % side).abs_diff(j % side);
    matrix(side * side, |i, j| blocks(i, j) as f64)
}

/// Two cycles, of `first` and `second` vertices, joined by one edge; edge lengths uniform in [1, 2).
pub(super) fn two_cycles(first: u32, second: u32, seed: u64) -> Space {
    let mut random = Random::new(seed);
    let cycle = |start: u32, n: u32| (0..n).map(move |k| (start + k, start + (k + 1) % n));
    let edges = cycle(0, first).chain(cycle(first, second)).chain([(0, first)]);
    let weighted = edges.map(|(i, j)| (i, j, rounded(random.between(1.0, 2.0))));
    Ok(SparseDistances::new((first + second) as usize, weighted)?.into())
}

/// The ten triangles of the six-vertex projective plane: the cone over a five-cycle, and the Möbius band that closes
/// it.
const PROJECTIVE_PLANE: [[usize; 3]; 10] = [
    [0, 1, 2],
    [0, 2, 3],
    [0, 3, 4],
    [0, 4, 5],
    [0, 5, 1],
    [1, 2, 4],
    [2, 3, 5],
    [3, 4, 1],
    [4, 5, 2],
    [5, 1, 3],
];

/// The projective plane: the barycentric subdivision of its six-vertex triangulation, with one point per simplex. The
/// distance is 1 if one simplex is a face of the other, and otherwise 2.
///
/// A barycentric subdivision is a flag complex, so the Rips complex at 1 is the projective plane; at 2 it is a full
/// simplex.
pub(super) fn projective_plane() -> Space {
    let faces: Vec<u32> = PROJECTIVE_PLANE.iter().map(|t| t.iter().map(|v| 1 << v).sum()).collect();
    let is_simplex = |s: &u32| *s != 0 && faces.iter().any(|f| f & s == *s);
    let simplices: Vec<u32> = (0..1 << 6).filter(is_simplex).collect();
    let nested = |a: u32, b: u32| a & b == a || a & b == b;
    matrix(simplices.len(), |i, j| if nested(simplices[i], simplices[j]) { 1.0 } else { 2.0 })
}

/// The six vertices ±e₁, ±e₂, ±e₃ of the octahedron.
pub(super) fn octahedron() -> Space {
    let vertex = |k: usize| {
        let mut x = [0.0; 3];
        x[k / 2] = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
        x
    };
    points((0..6).map(vertex).collect())
}

/// All distances of the octahedron's vertices.
pub(super) fn octahedron_distances() -> Space {
    matrix(6, octahedron_distance)
}

/// The octahedron's edges: opposite vertices are never connected.
pub(super) fn octahedron_edges() -> Space {
    let pairs = (0..6).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edges = pairs.filter(|(i, j)| i / 2 != j / 2);
    let weighted = edges.map(|(i, j)| (i as u32, j as u32, rounded(octahedron_distance(i, j))));
    Ok(SparseDistances::new(6, weighted)?.into())
}

fn octahedron_distance(i: usize, j: usize) -> f64 {
    if i / 2 == j / 2 { 2.0 } else { SQRT_2 }
}

fn points<const M: usize>(points: Vec<[f64; M]>) -> Space {
    Ok(PointCloud::new(M, points.into_iter().flatten().map(rounded).collect())?.into())
}

fn matrix(n: usize, distance: impl Fn(usize, usize) -> f64) -> Space {
    Ok(DistanceMatrix::from_fn(n, |i, j| rounded(distance(i, j)))?.into())
}

/// Rounds to [`DIGITS`] decimals; never −0.
fn rounded(x: f64) -> f64 {
    let scale = 10f64.powi(DIGITS as i32);
    (x * scale).round() / scale + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projective_plane_is_a_closed_surface_of_euler_characteristic_one() {
        for edge in (0..6).flat_map(|i| (0..i).map(move |j| [i, j])) {
            let holding = PROJECTIVE_PLANE.iter().filter(|t| edge.iter().all(|v| t.contains(v)));
            assert_eq!(holding.count(), 2, "triangles at the edge {edge:?}");
        }
        assert_eq!(6 - 15 + PROJECTIVE_PLANE.len() as i32, 1);
    }

    #[test]
    fn the_klein_bottle_s_distance_respects_its_gluing() {
        for (x, y) in [(0.1, 0.2), (0.7, 0.9), (0.5, 0.5)] {
            assert!(klein_distance(&[0.0, y], &[1.0, 1.0 - y]) < 1e-12);
            assert!(klein_distance(&[x, 0.0], &[x, 1.0]) < 1e-12);
        }
        assert!((klein_distance(&[0.05, 0.3], &[0.95, 0.7]) - 0.1).abs() < 1e-12);
    }
}
