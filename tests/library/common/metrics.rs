//! Inputs as plain tables of distances, and families of random inputs.
//!
//! A [`Metric`] keeps `f64` values; every family but [`Family::Double`] draws values that `f32` holds exactly,
//! so that both precisions must give the same bars.

use lacuna::metric::{DistanceMatrix, PointCloud, SparseDistances, Value};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// A symmetric table of distances (not always a metric in the strict sense): the entries below the diagonal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metric {
    pub(crate) n: usize,
    pub(crate) lower: Vec<f64>,
    /// Whether single precision would merge distances.
    pub(crate) double: bool,
    /// The points from which the distances come, if any.
    pub(crate) cloud: Option<PointCloud<f32>>,
    /// The birth of each point, in single precision if the distances are; `None` if all are born at 0.
    pub(crate) births: Option<Vec<f64>>,
}

/// A family of random inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Family {
    /// Integers from 1 to k.
    Ties(u32),
    /// Integers from 0 to k: points at distance zero, without the triangle inequality.
    Zeros(u32),
    /// Uniform floats, usually all different.
    Generic,
    /// Floats; each distance is infinite with the given probability.
    Disconnected(f64),
    /// Integers from 1 to 3; each distance is infinite with the given probability.
    Graph(f64),
    /// Shortest paths in a random connected graph of unit edges.
    Paths,
    /// Points in R^m.
    Cloud(usize),
    /// Points of a small integer grid in R^m: ties and coincident points.
    Grid(usize),
    /// Few points in R^2, repeated.
    Duplicates,
    /// Extreme numbers: both zeros, subnormal, neighbouring, greatest and infinite values.
    Extremes,
    /// Values that differ in double precision only.
    Double,
}

impl Metric {
    pub(crate) fn from_fn(n: usize, mut d: impl FnMut(usize, usize) -> f64) -> Metric {
        let lower = pairs(n).map(|(i, j)| d(i, j)).collect();
        Metric { n, lower, double: false, cloud: None, births: None }
    }

    /// Draws `n` points of a family; equal seeds give equal points on every machine.
    pub(crate) fn random(family: Family, n: usize, rng: &mut Pcg64) -> Metric {
        let single = |x: f64| f64::from(x as f32);
        match family {
            Family::Ties(k) => Metric::from_fn(n, |_, _| rng.random_range(1..=k).into()),
            Family::Zeros(k) => Metric::from_fn(n, |_, _| rng.random_range(0..=k).into()),
            Family::Generic => Metric::from_fn(n, |_, _| single(rng.random_range(0.5..1.5))),
            Family::Disconnected(p) => {
                Metric::from_fn(
                    n,
                    |_, _| if rng.random_bool(p) { f64::INFINITY } else { single(rng.random()) },
                )
            }
            Family::Graph(p) => Metric::from_fn(n, |_, _| {
                if rng.random_bool(p) { f64::INFINITY } else { rng.random_range(1..=3).into() }
            }),
            Family::Paths => shortest_paths(n, rng),
            Family::Cloud(m) => cloud(m, (0..n * m).map(|_| rng.random_range(-1.0f32..1.0)).collect()),
            Family::Grid(m) => cloud(m, (0..n * m).map(|_| rng.random_range(0..3) as f32).collect()),
            Family::Duplicates => duplicates(n, rng),
            Family::Extremes => Metric::from_fn(n, |_, _| CORNERS[rng.random_range(0..CORNERS.len())]),
            Family::Double => {
                let step = f64::EPSILON * 4.0;
                let metric = Metric::from_fn(n, |_, _| 1.0 + step * f64::from(rng.random_range(0..40)));
                Metric { double: true, ..metric }
            }
        }
    }

    pub(crate) fn get(&self, i: usize, j: usize) -> f64 {
        let (hi, lo) = (i.max(j), i.min(j));
        if hi == lo { self.birth(hi) } else { self.lower[hi * (hi - 1) / 2 + lo] }
    }

    pub(crate) fn birth(&self, point: usize) -> f64 {
        self.births.as_ref().map_or(0.0, |births| births[point])
    }

    /// Adds random births to the points: 0, distances, values between them, or never. For a random half of the pairs
    /// the distance is raised to the births, and for the others the births are lowered to the distance.
    pub(crate) fn born_at_random(&self, rng: &mut Pcg64) -> Metric {
        let mut metric = self.clone();
        metric.cloud = None;
        let mut births: Vec<f64> = (0..self.n)
            .map(|_| match (rng.random_range(0..8), self.lower.len()) {
                (0 | 1, _) | (_, 0) => 0.0,
                (2, _) => f64::INFINITY,
                (3, places) => self.lower[rng.random_range(0..places)] / 2.0,
                (_, places) => self.lower[rng.random_range(0..places)],
            })
            .map(|birth| if self.double { birth } else { f64::from(birth as f32) })
            .collect();
        for ((i, j), distance) in pairs(self.n).zip(&mut metric.lower) {
            if rng.random_bool(0.5) {
                *distance = distance.max(births[i]).max(births[j]);
            } else {
                births[i] = births[i].min(*distance);
                births[j] = births[j].min(*distance);
            }
        }
        Metric { births: Some(births), ..metric }
    }

    /// The births; those after `latest` become infinite.
    fn births_until<T: Value>(&self, latest: f64) -> Vec<T> {
        let births = (0..self.n).map(|point| self.birth(point));
        births.map(|birth| if birth <= latest { T::from_f64(birth) } else { T::INFINITY }).collect()
    }

    pub(crate) fn matrix<T: Value>(&self) -> DistanceMatrix<T> {
        let lower = self.lower.iter().map(|&d| T::from_f64(d)).collect();
        let births = self.births_until(f64::INFINITY);
        let matrix = DistanceMatrix::from_lower(lower).and_then(|matrix| matrix.with_births(births));
        matrix.expect("a family draws distances")
    }

    /// The edges up to `longest` and the points born by then; the order of the two ends varies.
    pub(crate) fn edges<T: Value>(&self, longest: f64) -> SparseDistances<T> {
        let triplets = pairs(self.n).zip(&self.lower).filter(|&(_, &d)| d <= longest).map(|((i, j), &d)| {
            let (a, b) = if (i + j) % 2 == 0 { (i, j) } else { (j, i) };
            (a as u32, b as u32, T::from_f64(d))
        });
        let births = self.births_until(longest);
        let graph = SparseDistances::new(self.n, triplets).and_then(|graph| graph.with_births(births));
        graph.expect("a family draws distances")
    }

    /// The edges up to `longest` with point numbers spread over 0..`n` in order, the last three at the end.
    pub(crate) fn scattered<T: Value>(&self, n: usize, longest: f64) -> SparseDistances<T> {
        let id = |i: u32| {
            let i = i as usize;
            (if i + 3 < self.n { i * (n / self.n) } else { n - (self.n - i) }) as u32
        };
        let edges = self.edges::<T>(longest);
        let triplets = edges.edges().iter().map(|e| (id(e.i), id(e.j), e.distance));
        let mut births = vec![T::from_f64(0.0); n];
        let own = self.births_until(longest);
        own.into_iter().enumerate().for_each(|(i, birth)| births[id(i as u32) as usize] = birth);
        SparseDistances::new(n, triplets).and_then(|graph| graph.with_births(births)).expect("ids below n")
    }

    /// The metric whose point `k` is point `order[k]` of `self`.
    pub(crate) fn relabelled(&self, order: &[usize]) -> Metric {
        let metric = Metric::from_fn(self.n, |i, j| self.get(order[i], order[j]));
        let births = self.births.as_ref().map(|births| order.iter().map(|&point| births[point]).collect());
        Metric { double: self.double, births, ..metric }
    }

    pub(crate) fn map(&self, f: impl Fn(f64) -> f64) -> Metric {
        let births = self.births.as_ref().map(|births| births.iter().map(|&birth| f(birth)).collect());
        Metric { lower: self.lower.iter().map(|&d| f(d)).collect(), cloud: None, births, ..*self }
    }

    /// The least r such that some point is born by r and has distance at most r to all others.
    pub(crate) fn enclosing_radius(&self) -> f64 {
        let eccentricity = |i| (0..self.n).map(|j| self.get(i, j)).fold(0.0, f64::max);
        (0..self.n).map(eccentricity).fold(f64::INFINITY, f64::min)
    }
}

/// Pairs of points j < i in the order of a condensed matrix.
pub(crate) fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..n).flat_map(|i| (0..i).map(move |j| (i, j)))
}

/// The generator of a seed.
pub(crate) fn generator(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

/// A random permutation of 0..n.
pub(crate) fn shuffled(n: usize, rng: &mut Pcg64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(rng);
    order
}

const CORNERS: [f64; 10] = [
    0.0,
    -0.0,
    1.401298464324817e-45, // the least positive f32
    f32::MIN_POSITIVE as f64,
    1.0,
    1.0 + f32::EPSILON as f64,
    1.0 - f32::EPSILON as f64 / 2.0,
    16777216.0,
    f32::MAX as f64,
    f64::INFINITY,
];

fn cloud(m: usize, coordinates: Vec<f32>) -> Metric {
    let cloud = PointCloud::new(m, coordinates).expect("finite coordinates of whole points");
    let metric = Metric::from_fn(cloud.len(), |i, j| cloud.distance(i, j).into());
    Metric { cloud: Some(cloud), ..metric }
}

fn duplicates(n: usize, rng: &mut Pcg64) -> Metric {
    let distinct: Vec<[f32; 2]> = (0..n / 2 + 1).map(|_| [rng.random(), rng.random()]).collect();
    cloud(2, (0..n).flat_map(|_| distinct[rng.random_range(0..distinct.len())]).collect())
}

/// Shortest paths in a random tree with about n additional edges, by Floyd–Warshall.
fn shortest_paths(n: usize, rng: &mut Pcg64) -> Metric {
    let mut table = vec![vec![f64::INFINITY; n]; n];
    let tree: Vec<(usize, usize)> = (1..n).map(|i| (i, rng.random_range(0..i))).collect();
    let chords: Vec<(usize, usize)> =
        (0..n).map(|_| (rng.random_range(0..n), rng.random_range(0..n))).collect();
    for (i, j) in tree.into_iter().chain(chords) {
        (table[i][j], table[j][i]) = (1.0, 1.0);
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                table[i][j] = table[i][j].min(table[i][k] + table[k][j]);
            }
        }
    }
    Metric::from_fn(n, |i, j| table[i][j])
}
