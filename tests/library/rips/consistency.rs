//! Inputs too large for the oracle. Independent configurations must agree, and bars must have properties known by
//! other means: minimum spanning forests, Euler characteristics, the cone beyond the enclosing radius, truncation,
//! disjoint unions, the homotopy types of cycles.

use std::time::Instant;

use crate::common::metrics::{Family, Metric, generator};
use crate::common::variants::{Ask, Form, Variant, assert_same, multiset, oracle};
use lacuna::metric::{DistanceMatrix, PointCloud, Precision, SparseDistances, Value};
use lacuna::rips::{Rips, SecondLayer, Shape};
use lacuna::{Bar, Diagram};
use rand::RngExt;

#[test]
fn configurations_agree() {
    let cases = [
        (Family::Generic, 60, 2),
        (Family::Generic, 96, 1),
        (Family::Ties(3), 64, 2),
        (Family::Ties(40), 130, 1),
        (Family::Paths, 80, 2),
        (Family::Graph(0.6), 100, 3),
        (Family::Grid(3), 100, 2),
        (Family::Duplicates, 90, 2),
        (Family::Cloud(3), 127, 2),
        (Family::Cloud(4), 50, 3),
        (Family::Double, 65, 2),
    ];
    for (seed, (family, n, dim)) in cases.into_iter().enumerate() {
        let metric = Metric::random(family, n, &mut generator(seed as u64));
        let half = Some(f64::from((0.6 * metric.enclosing_radius().min(4.0)) as f32));
        for ask in [
            Ask::enclosed(dim),
            Ask { modulus: 3, ..Ask::whole(1) },
            Ask { dim, threshold: half, modulus: 2 },
        ] {
            let expected = Variant::PLAINEST.run(&metric, ask).diagram;
            for variant in Variant::all().into_iter().skip(1 + seed % 7).step_by(7) {
                let found = variant.run(&metric, ask).diagram;
                assert_same(&found, &expected, &metric, ask, (family, seed, variant));
            }
        }
    }
}

/// The parallel reduction contains deliberate races, so the same inputs, with many columns and additions, are run
/// repeatedly.
#[test]
fn threads_agree_again_and_again() {
    let metric = Metric::random(Family::Paths, 110, &mut generator(7));
    let noisy = Metric::random(Family::Cloud(5), 70, &mut generator(8));
    for (metric, ask) in [(metric, Ask::enclosed(2)), (noisy, Ask { modulus: 3, ..Ask::enclosed(2) })] {
        let expected = Variant::PLAINEST.run(&metric, ask).diagram;
        for round in 0..5 {
            for threads in [2, 3, 4, 8] {
                let store = if round % 2 == 0 { SecondLayer::Implicit } else { SecondLayer::Sorted };
                let variant = Variant { threads, store, ..Variant::PLAINEST };
                let found = variant.run(&metric, ask).diagram;
                assert_same(&found, &expected, &metric, ask, (round, variant));
            }
        }
    }
}

/// Beyond the enclosing radius the complex is a cone, so the whole filtration has the same bars. 380 points have more
/// than 65,536 distances, so the ranks of their whole filtration have 32 bits.
#[test]
fn nothing_changes_past_the_enclosing_radius() {
    let cases = [
        (Family::Cloud(3), 380, 1, 32),
        (Family::Generic, 60, 2, 16),
        (Family::Cloud(3), 100, 2, 16),
        (Family::Grid(2), 100, 1, 16),
        (Family::Paths, 70, 2, 16),
    ];
    for (family, n, dim, rank_width) in cases {
        let metric = Metric::random(family, n, &mut generator(n as u64));
        for form in [Form::Matrix, Form::Edges] {
            let variant = Variant { form, ..Variant::PLAINEST };
            let whole = variant.run(&metric, Ask::whole(dim));
            assert_eq!(whole.plan.rank_width, rank_width, "{family:?}");
            let enclosed = variant.run(&metric, Ask::enclosed(dim)).diagram;
            assert_same(&whole.diagram, &enclosed, &metric, Ask::whole(dim), variant);
        }
    }
}

/// Ranks have 16 bits up to a threshold and 32 beyond it, both in the sparse shape.
#[test]
fn ranks_of_both_widths_agree() {
    let metric = Metric::random(Family::Cloud(3), 1200, &mut generator(12));
    let mut distances = metric.lower.clone();
    distances.sort_by(f64::total_cmp);
    let [short, long] = [(60_000, 16), (85_000, 32)].map(|(edges, rank_width)| {
        let ask = Ask { threshold: Some(distances[edges]), ..Ask::whole(1) };
        let outcome = Variant { form: Form::Edges, threads: 2, ..Variant::PLAINEST }.run(&metric, ask);
        assert!(matches!(outcome.plan.shape, Shape::Sparse { .. }), "{:?}", outcome.plan);
        assert_eq!(outcome.plan.rank_width, rank_width);
        outcome.diagram
    });
    assert!(short == truncated(&long, distances[60_000]), "the 1,200 points of seed 12");
    assert!(!short.bars(1).is_empty());
}

/// At a threshold t the bars born up to t remain, and those that die after t become essential.
#[test]
fn a_threshold_truncates() {
    for (family, n, dim) in [(Family::Cloud(2), 90, 2), (Family::Ties(6), 60, 2), (Family::Generic, 90, 1)] {
        let metric = Metric::random(family, n, &mut generator(3));
        let whole = Variant::PLAINEST.run(&metric, Ask::whole(dim)).diagram;
        let mut distances = metric.lower.clone();
        distances.sort_by(f64::total_cmp);
        for part in [20, 5, 3, 2] {
            let t = distances[distances.len() / part];
            let ask = Ask { threshold: Some(t), ..Ask::whole(dim) };
            for form in [Form::Matrix, Form::Edges, Form::Scattered] {
                let found = Variant { form, ..Variant::PLAINEST }.run(&metric, ask).diagram;
                assert_same(&found, &truncated(&whole, t), &metric, ask, (family, form));
            }
        }
    }
}

fn truncated(whole: &Diagram, t: f64) -> Diagram {
    let cut = |bar: &Bar| Bar { death: if bar.death > t { f64::INFINITY } else { bar.death }, ..*bar };
    let bars = |dim| whole.bars(dim).iter().filter(|bar| bar.birth <= t).map(cut).collect();
    Diagram::new((0..whole.len()).map(bars).collect())
}

/// Components at infinite distance do not interact.
#[test]
fn a_disjoint_union_has_the_bars_of_its_parts() {
    let a = Metric::random(Family::Ties(4), 35, &mut generator(1));
    let b = Metric::random(Family::Cloud(2), 40, &mut generator(2));
    // The points of the parts alternate as long as both have points.
    let part = |k: usize| if k < 2 * a.n { (k % 2, k / 2) } else { (1, k - a.n) };
    let union = Metric::from_fn(a.n + b.n, |i, j| match (part(i), part(j)) {
        ((0, i), (0, j)) => a.get(i, j),
        ((1, i), (1, j)) => b.get(i, j),
        _ => f64::INFINITY,
    });
    for form in [Form::Matrix, Form::Edges] {
        let bars = |metric: &Metric| Variant { form, ..Variant::PLAINEST }.run(metric, Ask::whole(2)).diagram;
        let parts = [bars(&a), bars(&b)];
        let all = |dim| parts.iter().flat_map(|d| d.bars(dim)).copied().collect();
        assert_eq!(multiset(&bars(&union)), multiset(&Diagram::new((0..3).map(all).collect())));
    }
}

/// The deaths of dimension 0 are the edges of a minimum spanning forest.
#[test]
fn dimension_zero_is_a_minimum_spanning_forest() {
    let families = [
        Family::Generic,
        Family::Ties(5),
        Family::Zeros(9),
        Family::Disconnected(0.99),
        Family::Graph(0.995),
        Family::Cloud(3),
        Family::Duplicates,
    ];
    for (seed, family) in families.into_iter().enumerate() {
        for n in [1, 2, 33, 100, 400] {
            let metric = Metric::random(family, n, &mut generator(seed as u64));
            let expected = forest(&metric);
            for form in Form::ALL {
                let found = Variant { form, ..Variant::PLAINEST }.run(&metric, Ask::whole(0)).diagram;
                let deaths: Vec<f64> = found.bars(0).iter().map(|bar| bar.death).collect();
                assert_eq!(deaths, expected, "{family:?}, n = {n}, {form:?}");
                assert!(found.bars(0).iter().all(|bar| bar.birth == 0.0));
            }
        }
    }
}

/// The positive edge lengths of a minimum spanning forest, ascending, and an infinity for each tree.
fn forest(metric: &Metric) -> Vec<f64> {
    let mut nearest = vec![f64::INFINITY; metric.n];
    let mut left: Vec<usize> = (0..metric.n).collect();
    let mut lengths = Vec::new();
    while let Some(at) = (0..left.len()).min_by(|&a, &b| nearest[left[a]].total_cmp(&nearest[left[b]])) {
        let v = left.swap_remove(at);
        lengths.push(nearest[v]);
        left.iter().for_each(|&u| nearest[u] = nearest[u].min(metric.get(u, v)));
    }
    lengths.retain(|&length| length > 0.0);
    lengths.sort_by(f64::total_cmp);
    lengths
}

/// At every diameter the alternating sum of the numbers of living bars is that of the simplices.
#[test]
fn euler_characteristic_at_every_diameter() {
    let cases = [
        (Family::Cloud(2), 80, 0.3125),
        (Family::Cloud(3), 130, 0.4375),
        (Family::Graph(0.88), 90, f64::INFINITY),
        (Family::Disconnected(0.85), 64, 0.8125),
        (Family::Ties(2), 14, f64::INFINITY),
        (Family::Generic, 15, f64::INFINITY),
    ];
    for (family, n, t) in cases {
        let metric = Metric::random(family, n, &mut generator(5));
        let simplices = cliques(&metric, t);
        let dim = simplices.iter().map(|&(_, dim)| dim).max().unwrap_or(0);
        for form in [Form::Matrix, Form::Edges, Form::Scattered] {
            let ask = Ask { threshold: Some(t), ..Ask::whole(dim) };
            let diagram = Variant { form, threads: 2, ..Variant::PLAINEST }.run(&metric, ask).diagram;
            for &(r, _) in &simplices {
                let alive = diagram.iter().filter(|(_, bar)| bar.birth <= r && r < bar.death);
                let bars = alternating(alive.map(|(dim, _)| dim));
                let all =
                    alternating(simplices.iter().filter(|(diameter, _)| *diameter <= r).map(|&(_, dim)| dim));
                assert_eq!(bars, all, "{family:?} at {r}, {form:?}");
            }
        }
    }
}

fn alternating(dimensions: impl Iterator<Item = usize>) -> i64 {
    dimensions.map(|dim| if dim % 2 == 0 { 1 } else { -1 }).sum()
}

/// Diameter and dimension of every simplex.
fn cliques(metric: &Metric, t: f64) -> Vec<(f64, usize)> {
    fn extend(metric: &Metric, t: f64, clique: &mut Vec<usize>, diameter: f64, out: &mut Vec<(f64, usize)>) {
        for v in clique.last().map_or(0, |&v| v + 1)..metric.n {
            let diameter = clique.iter().map(|&u| metric.get(u, v)).fold(diameter, f64::max);
            if diameter <= t && diameter.is_finite() {
                clique.push(v);
                out.push((diameter, clique.len() - 1));
                extend(metric, t, clique, diameter, out);
                clique.pop();
            }
        }
    }
    let mut out = Vec::new();
    extend(metric, t, &mut Vec::new(), 0.0, &mut out);
    out
}

/// The complex of the n-cycle at r < n/2 is a sphere S^(2l+1) while l/(2l+1) < r/n < (l+1)/(2l+3), and a wedge of
/// S^(2l) at r/n = l/(2l+1) (Adamaszek, Adams 2017). 31 is prime, so only the spheres occur.
#[test]
fn cycles_are_odd_spheres() {
    let n = 31;
    let metric = Metric::from_fn(n, |i, j| (i - j).min(n - (i - j)) as f64);
    for form in [Form::Matrix, Form::Scattered] {
        for modulus in [2, 3] {
            let variant = Variant { form, threads: 2, ..Variant::PLAINEST };
            let diagram = variant.run(&metric, Ask { modulus, ..Ask::whole(5) }).diagram;
            let bars = |dim| diagram.bars(dim).iter().map(|bar| (bar.birth, bar.death)).collect::<Vec<_>>();
            assert_eq!(bars(1), [(1.0, 11.0)]);
            assert_eq!(bars(2), []);
            assert_eq!(bars(3), [(11.0, 13.0)]);
            assert_eq!(bars(4), []);
            assert_eq!(bars(5), [(13.0, 14.0)]);
        }
    }
}

/// A small complex on a few of very many points, the others isolated. Higher point numbers need wider entries, beyond
/// 64 and 128 bits; the bars of dimension ≥ 1 are those of the small complex.
#[test]
fn entries_of_every_width() {
    let ties = Metric::random(Family::Ties(3), 12, &mut generator(4));
    let floats = Metric::random(Family::Generic, 13, &mut generator(5));
    let cross = cross_polytope(7);
    let mut widths = Vec::new();
    for (metric, dim) in [(&ties, 10), (&floats, 4), (&cross, 6)] {
        let expected = oracle(metric, Ask::whole(dim));
        for n in [metric.n, 1_000, 70_000, 1_000_000] {
            for modulus in [2, 3] {
                let rips = Rips::new(metric.scattered::<f32>(n, f64::INFINITY)).max_dim(dim).modulus(modulus);
                let outcome = rips.solve(&()).expect("fits the widest entry");
                for d in 1..=dim {
                    assert_eq!(outcome.diagram.bars(d), expected.bars(d), "n = {n}, dimension {d}");
                }
                assert_eq!(outcome.diagram.bars(0).len(), n);
                widths.push(outcome.plan.entry_width);
            }
        }
    }
    widths.sort_unstable();
    widths.dedup();
    assert_eq!(widths, [64, 128, 512]);
}

/// The vertices of the `k`-dimensional cross-polytope, S^(k−1): opposite vertices are at distance 2, others at 1.
fn cross_polytope(k: usize) -> Metric {
    Metric::from_fn(2 * k, |i, j| if i / 2 == j / 2 { 2.0 } else { 1.0 })
}

/// If coordinates are multiplied by a power of two, so are the bars, even if squares of coordinates overflow or
/// vanish while distances do not.
#[test]
fn bars_scale_with_the_points() {
    fn check<T: Value>(exponents: &[i32]) {
        let mut rng = generator(91);
        let coordinates: Vec<f64> = (0..180).map(|_| f64::from(rng.random_range(-1.0f32..1.0))).collect();
        let cloud = |scale: f64| {
            let scaled = coordinates.iter().map(|&x| T::from_f64(x * scale)).collect();
            PointCloud::<T>::new(3, scaled).unwrap()
        };
        let run = |scale: f64, threshold: Option<f64>| {
            let rips = Rips::new(cloud(scale)).max_dim(2);
            let rips = threshold.map_or(rips.clone(), |t| rips.threshold(t * scale));
            rips.run().unwrap().iter().collect::<Vec<_>>()
        };
        // The thresholds cover the enclosing radius, the whole filtration, and dense and sparse shapes.
        for threshold in [None, Some(f64::INFINITY), Some(0.75), Some(0.375)] {
            let expected = run(1.0, threshold);
            for &exponent in exponents {
                let scale = 2f64.powi(exponent);
                let by = |&(dim, bar): &(usize, Bar)| {
                    (dim, Bar { birth: bar.birth * scale, death: bar.death * scale })
                };
                let expected: Vec<_> = expected.iter().map(by).collect();
                assert_eq!(run(scale, threshold), expected, "2^{exponent}, {threshold:?}");
            }
        }
    }
    check::<f32>(&[-76, -70, -64, -60, -49, -45, 40, 60, 64, 66, 120]);
    check::<f64>(&[-565, -540, -512, -450, 60, 450, 511, 520, 1000]);
}

/// Bars that vanish in single precision are kept for double-precision distances.
#[test]
fn bars_of_doubles_are_kept() {
    let death = 1.0 + 1e-9;
    let cycle = |scale: f64| {
        let lower = [1.0, death, 1.0, 1.0, death, 1.0].map(|d| d * scale).to_vec();
        Rips::new(DistanceMatrix::from_lower(lower).unwrap()).threshold(f64::INFINITY).solve(&()).unwrap()
    };
    for scale in [1.0, 1e-50, 1e39, 1e-300, 1e300] {
        let outcome = cycle(scale);
        assert_eq!(outcome.summary.precision, Precision::Double);
        let kept = outcome.diagram.with_ratio(1.0, outcome.summary.precision);
        assert_eq!(kept.bars(1), [Bar { birth: scale, death: death * scale }]);
        let kept = outcome.diagram.with_ratio(1.0 + 1e-8, outcome.summary.precision);
        assert_eq!(kept.bars(1), []);
    }
}

/// Thresholds and enclosing radii are compared in double precision if distances are.
#[test]
fn thresholds_of_doubles_are_doubles() {
    let next = f64::next_up;
    for scale in [1.0, 1e-50, 1e39] {
        // The first point is within `radius` of the others, which are further from each other.
        let radius = next(scale);
        let lower = vec![scale, radius, next(radius)];
        let rips = Rips::new(DistanceMatrix::from_lower(lower.clone()).unwrap());
        let summary = rips.clone().solve(&()).unwrap().summary;
        assert_eq!((summary.threshold, summary.edges), (radius, 2), "{scale}");
        for (k, &threshold) in lower.iter().enumerate() {
            let summary = rips.clone().threshold(threshold).solve(&()).unwrap().summary;
            assert_eq!((summary.threshold, summary.edges), (threshold, k + 1), "{scale}");
        }
    }
}

/// Processor time of this thread in seconds, where the system reports it; other load on the machine does not count.
fn processor_seconds(start: Instant) -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat").ok().and_then(|text| {
        let first = text.split_whitespace().next()?;
        first.parse::<f64>().ok()
    });
    nanoseconds.map_or(start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

/// A graph with hubs takes about as long as a graph with as many edges and no hubs, wherever the hubs are in the
/// order of vertices.
#[test]
fn hubs_take_no_longer_than_other_vertices() {
    const EDGES: u32 = 200_000;
    let start = Instant::now();
    // Distances with many ties, in scrambled order.
    let distance = |k: u32| f64::from(k.wrapping_mul(2_654_435_761) % 1000 + 1);
    let seconds = |n: u32, edges: &[(u32, u32)], dim: usize| {
        let edges = edges.iter().zip(0..).map(|(&(a, b), k)| (a, b, distance(k)));
        let distances = SparseDistances::new(n as usize, edges).unwrap();
        let rips = Rips::new(distances).max_dim(dim);
        // One thread is used, since its time is measured.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.install(|| {
            let before = processor_seconds(start);
            let diagram = rips.run().unwrap();
            assert!(!diagram.bars(0).is_empty());
            processor_seconds(start) - before
        })
    };
    // A tree without hubs: no vertex has more than three neighbours.
    let tree: Vec<(u32, u32)> = (1..=EDGES).map(|v| (v, (v - 1) / 2)).collect();
    let star =
        |hub: u32| -> Vec<(u32, u32)> { (0..=EDGES).filter(|&v| v != hub).map(|v| (v, hub)).collect() };
    // `hubs` hubs, each joined to all others; `place` determines the position of the hubs among the vertices.
    let joined = |hubs: u32, place: u32| -> Vec<(u32, u32)> {
        let others = EDGES / hubs;
        let hub = |h: u32| if place == 0 { h } else { others * place / 2 + h };
        let is_hub = move |v: u32| (0..hubs).any(|h| hub(h) == v);
        let leaves: Vec<u32> = (0..others + hubs).filter(|&v| !is_hub(v)).collect();
        (0..hubs).flat_map(|h| leaves.iter().map(move |&v| (v, hub(h))).collect::<Vec<_>>()).collect()
    };
    let stars = (0..100).flat_map(|s| (1..=EDGES / 100).map(move |v| (s * 2001, s * 2001 + v))).collect();
    let adjacent = |place: u32| {
        let edges = joined(2, place);
        let (a, b) = (edges[0].1, edges[edges.len() - 1].1);
        edges.into_iter().chain([(a, b)]).collect::<Vec<_>>()
    };
    let graphs = [
        ("star, hub first", EDGES + 1, star(0)),
        ("star, hub in the middle", EDGES + 1, star(EDGES / 2)),
        ("star, hub last", EDGES + 1, star(EDGES)),
        ("two hubs first", EDGES / 2 + 2, joined(2, 0)),
        ("two hubs last", EDGES / 2 + 2, joined(2, 2)),
        ("two adjacent hubs first", EDGES / 2 + 2, adjacent(0)),
        ("two adjacent hubs last", EDGES / 2 + 2, adjacent(2)),
        ("ten hubs in the middle", EDGES / 10 + 10, joined(10, 1)),
        ("ten hubs first", EDGES / 10 + 10, joined(10, 0)),
        ("stars", 100 * 2001, stars),
    ];
    for dim in [1, 2] {
        for (name, n, edges) in &graphs {
            // Whatever else runs on the machine makes both longer, now this one and now that: the shortest of several tells.
            let mut shortest = [f64::INFINITY; 2];
            let is_quick = (0..5).any(|_| {
                let times = [seconds(*n, edges, dim), seconds(EDGES + 1, &tree, dim)];
                (0..2).for_each(|k| shortest[k] = shortest[k].min(times[k]));
                shortest[0] < 12.0 * shortest[1]
            });
            let [found, tree] = shortest;
            assert!(is_quick, "dimension {dim}, {name}: {found} s, a tree {tree} s");
        }
    }
}
