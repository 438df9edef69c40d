//! Tiny inputs of Vietoris–Rips filtrations: tables of distances, clouds of points, graphs with lengths.

use lacuna::metric::{DistanceMatrix, Distances, PointCloud, SparseDistances, Value};

use lacuna::generate::Random;

/// Distances, or points with distances. Numbers are doubles; for single precision they are rounded when a [`Distances`]
/// is made.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Space {
    /// Entries below the diagonal of n points, row by row.
    Table { n: usize, lower: Vec<f64> },
    /// Points in R^m, point by point.
    Cloud { m: usize, coordinates: Vec<f64> },
    /// Edges (i, j, length) on n points, in any order and direction.
    Graph { n: usize, edges: Vec<(u32, u32, f64)> },
}

/// Pairs j < i in the order of a condensed matrix.
pub(super) fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..n).flat_map(|i| (0..i).map(move |j| (i, j)))
}

impl Space {
    /// Draws a space of `n` points.
    pub(super) fn draw(n: usize, double: bool, random: &mut Random) -> Space {
        match random.below(10) {
            0..=4 => Space::table(n, double, random),
            5..=7 => Space::cloud(n, double, random),
            _ => Space::graph(n, random),
        }
    }

    /// Draws a table: few values, zeros, infinities, neighbouring numbers, shortest paths, a glued surface.
    fn table(n: usize, double: bool, random: &mut Random) -> Space {
        let count = n * n.saturating_sub(1) / 2;
        let most = random.within(1, 6);
        let step = if double { f64::EPSILON } else { f64::from(f32::EPSILON) };
        let scale = 2f64.powi(random.within(-60, 60) as i32);
        let kind = random.below(9);
        if kind == 8 && n >= 6 {
            return Space::glued(n, random);
        }
        let mut entry = || match kind {
            0 => random.within(1, most) as f64,
            1 => random.within(0, most) as f64,
            2 => random.uniform(),
            3 => 1.0 + step * random.within(0, 12) as f64,
            4 if random.once_in(3) => f64::INFINITY,
            4 => random.within(1, 3) as f64,
            5 => random.pick(if double { &CORNERS_F64 } else { &CORNERS_F32 }),
            6 => scale * random.within(0, 2 * most) as f64,
            // Differences below half a unit in the last place of single precision, so that ties occur only in single
            // precision.
            _ => random.within(1, most) as f64 + 1e-9 * random.within(0, 3) as f64,
        };
        Space::Table { n, lower: (0..count).map(|_| entry()).collect() }
    }

    /// The six-vertex projective plane, which has 2-torsion, as the shortest distances of its first subdivision or as a
    /// plain table, with more points at any distance.
    fn glued(n: usize, random: &mut Random) -> Space {
        let faces: Vec<u32> = (1..64).filter(|&face| is_of_plane(face)).collect();
        let order = random.order(faces.len());
        let few = n.min(faces.len());
        let chosen: Vec<u32> = order[..few].iter().map(|&k| faces[k]).collect();
        let nested = |a: u32, b: u32| a & b == a || a & b == b;
        let lower = pairs(n).map(|(i, j)| match (chosen.get(i), chosen.get(j)) {
            (Some(&a), Some(&b)) if nested(a, b) => 1.0,
            (Some(_), Some(_)) => 2.0,
            _ => random.within(1, 3) as f64,
        });
        Space::Table { n, lower: lower.collect() }
    }

    /// Draws a cloud: grids, repeated points, points on a line or a circle, very small and large scales.
    fn cloud(n: usize, double: bool, random: &mut Random) -> Space {
        let m = random.within(1, 4) as usize;
        let kind = random.below(6);
        let side = random.within(1, 4);
        let direction: Vec<f64> = (0..m).map(|_| random.within(-3, 3) as f64).collect();
        let offset = random.pick(&[0.0, 0.0, 1.0, 1e6, -3e3]);
        let mut points: Vec<Vec<f64>> = Vec::new();
        for k in 0..n {
            let point = match kind {
                0 => (0..m).map(|_| random.within(0, side) as f64).collect(),
                2 if k > 0 && random.once_in(2) => points[random.below(k)].clone(),
                1 | 2 => (0..m).map(|_| random.between(-1.0, 1.0)).collect(),
                3 => {
                    let along = random.within(-20, 20) as f64;
                    direction.iter().map(|x| x * along).collect()
                }
                4 => {
                    let turn = std::f64::consts::TAU * k as f64 / n as f64;
                    (0..m).map(|axis| if axis % 2 == 0 { turn.cos() } else { turn.sin() }).collect()
                }
                _ => (0..m).map(|_| offset + random.within(0, 3) as f64).collect(),
            };
            points.push(point);
        }
        // Squared distances neither overflow nor underflow here; for scales where they would, see the relation
        // `Scaled`.
        let most = if double { 400 } else { 50 };
        let scale = if random.once_in(3) { 2f64.powi(random.within(-most, most) as i32) } else { 1.0 };
        Space::Cloud { m, coordinates: points.into_iter().flatten().map(|x| x * scale).collect() }
    }

    /// Draws a graph: stars, cliques, cycles, hubs, isolated points.
    fn graph(n: usize, random: &mut Random) -> Space {
        let kind = random.below(6);
        let hub = random.below(n);
        let most = random.within(1, 5);
        let denominator = random.within(2, 6) as usize;
        let mut edges = Vec::new();
        for (i, j) in pairs(n) {
            let is_edge = match kind {
                0 => i == hub || j == hub,
                1 => i == hub || j == hub || random.once_in(denominator),
                2 => i / 4 == j / 4,
                3 => i - j == 1 || i - j == n - 1,
                4 => random.once_in(denominator),
                _ => !random.once_in(denominator),
            };
            if is_edge {
                let least = i64::from(!random.once_in(4));
                let length = random.within(least, most) as f64;
                let (a, b) = if random.once_in(2) { (i, j) } else { (j, i) };
                edges.push((a as u32, b as u32, length));
            }
        }
        let order = random.order(edges.len());
        Space::Graph { n, edges: order.into_iter().map(|k| edges[k]).collect() }
    }

    /// Draws hubs with so many neighbours that searching their lists pays, and few other edges.
    pub(super) fn hubs(random: &mut Random) -> Space {
        let n = 60 + random.below(200);
        let hubs: Vec<usize> = (0..1 + random.below(3)).map(|_| random.pick(&[0, n - 1, n / 2])).collect();
        let mut edges = Vec::new();
        for (i, j) in pairs(n) {
            let is_hub = hubs.contains(&i) || hubs.contains(&j);
            if if is_hub { !random.once_in(9) } else { random.once_in(2 * n) } {
                edges.push((i as u32, j as u32, random.within(1, 4) as f64));
            }
        }
        Space::Graph { n, edges }
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        match self {
            Space::Table { n, .. } | Space::Graph { n, .. } => *n,
            Space::Cloud { m, coordinates } => coordinates.len() / m,
        }
    }

    /// The distances in a given precision.
    pub(super) fn distances<T: Value>(&self) -> Distances<T> {
        let valid = "a space that is drawn is one";
        let round = |x: &f64| T::from_f64(*x);
        match self {
            Space::Table { lower, .. } => {
                DistanceMatrix::from_lower(lower.iter().map(round).collect()).expect(valid).into()
            }
            Space::Cloud { m, coordinates } => {
                PointCloud::new(*m, coordinates.iter().map(round).collect()).expect(valid).into()
            }
            Space::Graph { n, edges } => {
                let edges = edges.iter().map(|&(i, j, length)| (i, j, T::from_f64(length)));
                SparseDistances::new(*n, edges).expect(valid).into()
            }
        }
    }

    /// Permutes points: point k of the result is point `order[k]` of this space. Points may be omitted and repeated;
    /// copies of a point have distance 0.
    pub(super) fn of_points(&self, order: &[usize]) -> Space {
        match self {
            Space::Table { lower, .. } => {
                let entry = |(i, j): (usize, usize)| {
                    let (high, low) = (order[i].max(order[j]), order[i].min(order[j]));
                    if high == low { 0.0 } else { lower[high * (high - 1) / 2 + low] }
                };
                Space::Table { n: order.len(), lower: pairs(order.len()).map(entry).collect() }
            }
            Space::Cloud { m, coordinates } => {
                let coordinates = order.iter().flat_map(|&k| &coordinates[k * m..(k + 1) * m]);
                Space::Cloud { m: *m, coordinates: coordinates.copied().collect() }
            }
            Space::Graph { n, edges } => {
                let mut places = vec![Vec::new(); *n];
                (0..).zip(order).for_each(|(place, &point)| places[point].push(place));
                let between = |&(i, j, length): &(u32, u32, f64)| {
                    let (first, second) = (&places[i as usize], &places[j as usize]);
                    first.iter().flat_map(move |&a| second.iter().map(move |&b| (a, b, length)))
                };
                let mut all: Vec<(u32, u32, f64)> = edges.iter().flat_map(between).collect();
                for same in &places {
                    all.extend(pairs(same.len()).map(|(a, b)| (same[a], same[b], 0.0)));
                }
                Space::Graph { n: order.len(), edges: all }
            }
        }
    }

    /// Applies `f` to all numbers.
    pub(super) fn map(&self, f: impl Fn(f64) -> f64) -> Space {
        let all = |numbers: &[f64]| numbers.iter().map(|&x| f(x)).collect();
        match self {
            Space::Table { n, lower } => Space::Table { n: *n, lower: all(lower) },
            Space::Cloud { m, coordinates } => Space::Cloud { m: *m, coordinates: all(coordinates) },
            Space::Graph { n, edges } => {
                Space::Graph { n: *n, edges: edges.iter().map(|&(i, j, x)| (i, j, f(x))).collect() }
            }
        }
    }

    /// Numbers of the space.
    pub(super) fn numbers(&self) -> Vec<f64> {
        match self {
            Space::Table { lower: numbers, .. } | Space::Cloud { coordinates: numbers, .. } => {
                numbers.clone()
            }
            Space::Graph { edges, .. } => edges.iter().map(|edge| edge.2).collect(),
        }
    }

    /// Spaces with a point less, an edge less, or a simpler number.
    pub(super) fn smaller(&self) -> Vec<Space> {
        let n = self.len();
        let mut smaller = Vec::new();
        if n > 1 {
            let without = |point: usize| (0..n).filter(|&k| k != point).collect::<Vec<_>>();
            smaller.extend((0..n).rev().map(|point| self.of_points(&without(point))));
        }
        if let Space::Graph { n, edges } = self {
            let without = |at: usize| [&edges[..at], &edges[at + 1..]].concat();
            smaller.extend((0..edges.len()).map(|at| Space::Graph { n: *n, edges: without(at) }));
        }
        smaller
    }
}

/// Extreme numbers of single precision.
const CORNERS_F32: [f64; 9] = [
    0.0,
    -0.0,
    1.401298464324817e-45,
    f32::MIN_POSITIVE as f64,
    1.0,
    1.0 + f32::EPSILON as f64,
    16777216.0,
    f32::MAX as f64,
    f64::INFINITY,
];

/// Extreme numbers of double precision.
const CORNERS_F64: [f64; 9] = [
    0.0,
    -0.0,
    5e-324,
    f64::MIN_POSITIVE,
    1.0,
    1.0 + f64::EPSILON,
    9007199254740992.0,
    f64::MAX,
    f64::INFINITY,
];

/// Whether a set of the six vertices, as bits, is a face of the projective plane.
fn is_of_plane(face: u32) -> bool {
    const TRIANGLES: [u32; 10] = [
        0b00_0111, 0b00_1101, 0b01_1001, 0b11_0001, 0b10_0011, 0b01_0110, 0b10_1100, 0b01_1010, 0b11_0100,
        0b10_1010,
    ];
    TRIANGLES.iter().any(|triangle| face & triangle == face)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_as_awkward_as_they_claim() {
        let mut random = Random::new(3);
        let mut seen = [0; 8];
        for round in 0..2000 {
            let n = 1 + random.below(9);
            let double = round % 2 == 0;
            let space = Space::draw(n, double, &mut random);
            assert_eq!(space.len(), n);
            let points = if double { space.distances::<f64>().len() } else { space.distances::<f32>().len() };
            assert_eq!(points, n);
            let numbers = space.numbers();
            let has = |f: &dyn Fn(f64) -> bool| usize::from(numbers.iter().any(|&x| f(x)));
            let found = [
                has(&|x| x == 0.0),
                has(&f64::is_infinite),
                has(&|x| x != 0.0 && x.abs() < 1e-12),
                has(&|x| x.is_finite() && x.abs() > 1e12),
                has(&|x| x > 1.0 && x < 1.0 + 1e-8),
                has(&|x| x.is_subnormal()),
                usize::from(matches!(space, Space::Cloud { .. })),
                usize::from(matches!(space, Space::Graph { .. })),
            ];
            seen.iter_mut().zip(found).for_each(|(sum, one)| *sum += one);
        }
        assert!(seen.into_iter().all(|count| count > 20), "{seen:?}");
    }

    #[test]
    fn points_repeated_are_at_distance_zero() {
        let mut random = Random::new(4);
        for _ in 0..200 {
            let space = Space::draw(4, true, &mut random);
            let twice = space.of_points(&[2, 0, 2]);
            let Distances::Matrix(matrix) = twice.distances::<f64>() else { continue };
            assert_eq!(matrix.get(0, 2), 0.0);
            assert_eq!(matrix.get(0, 1), matrix.get(1, 2));
        }
    }

    #[test]
    fn the_projective_plane_has_its_faces() {
        assert_eq!((1..64).filter(|&face| is_of_plane(face)).count(), 31);
    }
}
