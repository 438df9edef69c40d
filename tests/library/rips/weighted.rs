//! Weighted Vietoris–Rips filtrations, whose points have births: the fast version against the oracle on some 1,000
//! random inputs full of ties, in every configuration.

use crate::common::metrics::{Family, Metric, generator, shuffled};
use crate::common::variants::{Ask, Form, Variant, assert_same, check, multiset, oracle};
use lacuna::metric::{Distances, PointCloud};
use lacuna::rips::{Collapse, DistanceToMeasure, Growth, Rips, RipsError, plain};
use rand::RngExt;

const FAMILIES: [Family; 10] = [
    Family::Ties(2),
    Family::Ties(4),
    Family::Zeros(3),
    Family::Generic,
    Family::Disconnected(0.3),
    Family::Graph(0.4),
    Family::Paths,
    Family::Cloud(2),
    Family::Extremes,
    Family::Double,
];

/// Inputs with requests and descriptions.
fn inputs(count: u64) -> impl Iterator<Item = (Metric, Ask, String)> {
    (0..count).map(|seed| {
        let mut rng = generator(90_000 + seed);
        let family = FAMILIES[seed as usize % FAMILIES.len()];
        let n = rng.random_range(1..=[7, 9, 12][seed as usize % 3]);
        let metric = Metric::random(family, n, &mut rng).born_at_random(&mut rng);
        let some = metric.get(rng.random_range(0..n), rng.random_range(0..n));
        let threshold = match rng.random_range(0..4) {
            0 => Some(f64::INFINITY),
            1 => Some(some),
            _ => None,
        };
        let modulus = [2, 2, 3, 65521][rng.random_range(0..4)];
        let ask = Ask { dim: rng.random_range(0..=3), threshold, modulus };
        (metric, ask, format!("{family:?}, seed {seed}"))
    })
}

#[test]
fn random_births() {
    let variants = Variant::all();
    let mut late = 0;
    for (k, (metric, ask, what)) in inputs(1000).enumerate() {
        late += usize::from(oracle(&metric, ask).bars(0).iter().any(|bar| bar.birth > 0.0));
        check(&metric, ask, variants.iter().skip(k % 6).step_by(6).copied(), &what);
    }
    assert!(late > 400, "{late} inputs have a component that is born late");
}

/// The enclosing radius cuts no bars off: the whole filtration has the same bars.
#[test]
fn the_enclosing_radius_takes_nothing_away() {
    for (metric, ask, what) in inputs(300) {
        let [enclosed, whole] = [Ask::enclosed(ask.dim), Ask::whole(ask.dim)]
            .map(|ask| Variant::PLAINEST.run(&metric, ask).diagram);
        assert_same(&enclosed, &whole, &metric, Ask::whole(ask.dim), what);
    }
}

#[test]
fn the_collapsed_graph_has_the_same_bars() {
    for (metric, ask, what) in inputs(600) {
        let expected = oracle(&metric, ask);
        let matrix = Rips::new(metric.matrix::<f64>()).max_dim(ask.dim).modulus(ask.modulus);
        let edges = Rips::new(metric.edges::<f64>(f64::INFINITY)).max_dim(ask.dim).modulus(ask.modulus);
        for rips in [matrix, edges] {
            let rips = rips.threshold(ask.value(&metric)).collapse(Collapse::On);
            let found = rips.run().expect("a sound input");
            assert_same(&found, &expected, &metric, ask, format!("collapsed, {what}"));
        }
    }
}

#[test]
fn the_order_of_the_points_does_not_matter() {
    for (k, (metric, ask, what)) in inputs(200).enumerate() {
        let order = shuffled(metric.n, &mut generator(k as u64));
        let [one, other] = [&metric, &metric.relabelled(&order)]
            .map(|metric| multiset(&Variant::SPARSEST.run(metric, ask).diagram));
        assert_eq!(one, other, "{what}");
    }
}

/// Births of 0 give the same bytes as an unweighted run.
#[test]
fn births_of_zero_change_nothing() {
    let metric = Metric::random(Family::Generic, 30, &mut generator(1));
    let born = Metric { births: Some(vec![0.0; 30]), ..metric.clone() };
    for form in Form::ALL {
        let variant = Variant { form, ..Variant::PLAINEST };
        let [one, other] = [&metric, &born].map(|metric| variant.run(metric, Ask::enclosed(2)).diagram);
        assert_eq!(one, other);
    }
}

#[test]
fn a_single_point_is_born_when_it_is() {
    let bars = |birth| {
        let metric = Metric { births: Some(vec![birth]), ..Metric::from_fn(1, |_, _| 0.0) };
        Rips::new(metric.matrix::<f32>()).run().expect("a sound input").bars(0).to_vec()
    };
    assert_eq!(bars(3.0), [lacuna::Bar { birth: 3.0, death: f64::INFINITY }]);
    assert_eq!(bars(f64::INFINITY), []);
}

/// The births of points and edges by Definition 3.1 of "DTM-Based Filtrations", in diameters. The scale at which
/// balls meet is found by bisection.
fn by_definition(metric: &Metric, measure: &DistanceToMeasure) -> Metric {
    let at_point = |i: usize| {
        let mut others: Vec<f64> = (0..metric.n).filter(|&j| j != i).map(|j| metric.get(i, j)).collect();
        others.sort_by(f64::total_cmp);
        let sum: f64 = others[..measure.neighbours].iter().map(|d| d.powf(measure.exponent)).sum();
        (sum / (measure.neighbours as f64 + 1.0)).powf(1.0 / measure.exponent)
    };
    let times: Vec<f64> = (0..metric.n).map(at_point).collect();
    let radius = |t: f64, f: f64| match measure.growth {
        Growth::Linear => t - f,
        Growth::Quadratic => (t * t - f * f).max(0.0).sqrt(),
        _ => t,
    };
    let meet = |i: usize, j: usize| {
        let (mut from, mut to) = (times[i].max(times[j]), 1e3);
        let touch = |t: f64| radius(t, times[i]) + radius(t, times[j]) >= metric.get(i, j);
        if touch(from) {
            return 2.0 * from;
        }
        for _ in 0..80 {
            let middle = (from + to) / 2.0;
            if touch(middle) { to = middle } else { from = middle }
        }
        2.0 * to
    };
    let births = times.iter().map(|f| 2.0 * f).collect();
    Metric { births: Some(births), double: true, ..Metric::from_fn(metric.n, meet) }
}

/// Dimension, birth and death.
type Rough = (usize, [f64; 2]);

/// Bars longer than 1e-6, in an order that ignores differences below 1e-5, since equal births may differ in their
/// last digits.
fn rough(diagram: &lacuna::Diagram) -> Vec<Rough> {
    let long = diagram.iter().filter(|(_, bar)| bar.death - bar.birth > 1e-6);
    let mut bars: Vec<_> = long.map(|(dim, bar)| (dim, [bar.birth, bar.death])).collect();
    bars.sort_by(|(d, a), (e, b)| {
        let key = |x: f64| (x * 1e5).round();
        d.cmp(e).then(key(a[0]).total_cmp(&key(b[0]))).then(key(a[1]).total_cmp(&key(b[1])))
    });
    bars
}

#[test]
fn distances_to_measure_are_those_of_their_definition() {
    for seed in 0..150 {
        let mut rng = generator(seed);
        let n = rng.random_range(5..12);
        let family = if seed % 2 == 0 { Family::Cloud(2) } else { Family::Grid(2) };
        let metric = Metric::random(family, n, &mut rng);
        let growth = [Growth::Linear, Growth::Quadratic, Growth::Unweighted][seed as usize % 3];
        let exponent = [1.0, 2.0, 3.0][rng.random_range(0..3)];
        let measure = DistanceToMeasure { growth, exponent, neighbours: rng.random_range(1..5) };
        let ask = Ask::whole(2);
        let expected = rough(&oracle(&by_definition(&metric, &measure), ask));
        let found = Rips::new(metric.matrix::<f64>()).max_dim(2).weights(Some(measure)).run();
        let found = rough(&found.expect("a sound input"));
        let near = |(a, b): (&Rough, &Rough)| {
            a.0 == b.0 && (0..2).all(|k| a.1[k] == b.1[k] || (a.1[k] - b.1[k]).abs() < 2e-6)
        };
        assert!(
            found.len() == expected.len() && found.iter().zip(&expected).all(near),
            "seed {seed}, {measure:?}\nfound    {found:?}\nexpected {expected:?}"
        );
    }
}

/// Points, their matrix and the graph of all pairs get the same weights, at any threshold.
#[test]
fn weighted_points_are_a_weighted_matrix() {
    for seed in 0..60 {
        let mut rng = generator(seed);
        let metric = Metric::random(Family::Cloud(3), rng.random_range(4..14), &mut rng);
        let measure = DistanceToMeasure { growth: Growth::Quadratic, ..DistanceToMeasure::default() };
        let cloud = metric.cloud.clone().expect("points");
        let forms: [Distances<f32>; 3] =
            [metric.matrix().into(), cloud.into(), metric.edges(f64::INFINITY).into()];
        for threshold in [f64::INFINITY, 1.5, 0.5] {
            let run = |distances: &Distances<f32>| {
                let rips = Rips::new(distances.clone()).weights(Some(measure)).threshold(threshold);
                rips.run().expect("a sound input")
            };
            let [matrix, points, graph] = [0, 1, 2].map(|form| run(&forms[form]));
            assert_eq!((&points, &graph), (&matrix, &matrix), "seed {seed}");
        }
    }
}

#[test]
fn weights_that_cannot_be() {
    let metric = Metric::from_fn(4, |_, _| 1.0);
    let with = |measure| Rips::new(metric.matrix::<f32>()).weights(Some(measure)).run();
    let few = with(DistanceToMeasure { neighbours: 4, ..DistanceToMeasure::default() });
    assert_eq!(few, Err(RipsError::TooFewNeighbours { point: 0, found: 3, neighbours: 4 }));
    let flat = with(DistanceToMeasure { exponent: f64::INFINITY, ..DistanceToMeasure::default() });
    let refused = "exponent of the distance to measure: expected a finite number above 0, found inf";
    assert_eq!(flat.unwrap_err().to_string(), refused);
    let far = PointCloud::new(1, vec![0.0f32, 1.0, 2.0, 3e38, -3e38, 3e38]).expect("points");
    let far = Rips::new(far).weights(Some(DistanceToMeasure::default())).threshold(f64::INFINITY).run();
    assert!(
        matches!(far, Err(RipsError::TooFewNeighbours { .. } | RipsError::TooFarApart { .. })),
        "{far:?}"
    );
}

/// The oracle's own enclosing radius of a matrix with births.
#[test]
fn the_enclosing_radius_of_the_oracle() {
    for (metric, _, what) in inputs(100) {
        let distances = Distances::from(metric.matrix::<f64>());
        assert_eq!(plain::enclosing_radius(&distances), metric.enclosing_radius(), "{what}");
    }
}
