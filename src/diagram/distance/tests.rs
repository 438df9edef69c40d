//! Compares distances with their definition, and matchings with their distances.

mod plain;

use std::sync::atomic::{AtomicU64, Ordering};

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::progress::Interrupted;

const INF: f64 = f64::INFINITY;

fn bars(ends: &[(f64, f64)]) -> Vec<Bar> {
    ends.iter().map(|&(birth, death)| Bar { birth, death }).collect()
}

/// Metrics of various orders and norms.
fn metrics() -> Vec<Metric> {
    let orders = [1.0, 2.0, 3.0, 1.5];
    let norms = [INF, 2.0, 1.0, 2.5];
    let all = orders
        .into_iter()
        .flat_map(|order| norms.into_iter().map(move |internal_p| Metric::Wasserstein { order, internal_p }));
    all.chain([Metric::Bottleneck]).collect()
}

/// Random bars with many ties: some of length zero, some with death below birth; with `essential`, some with infinite
/// ends.
fn random_bars(rng: &mut impl Rng, count: usize, values: i32, essential: bool) -> Vec<Bar> {
    let bar = |rng: &mut _| -> Bar {
        let mut end = || f64::from(Rng::next_u32(rng) as i32 % values) / 4.0;
        let (birth, death) = (end(), end());
        Bar { birth, death }
    };
    let mut bars: Vec<Bar> = (0..count).map(|_| bar(rng)).collect();
    if essential {
        for bar in &mut bars {
            match rng.random_range(0..10) {
                0 => bar.death = INF,
                1 => bar.birth = -INF,
                2 if rng.random_range(0..3) == 0 => (bar.birth, bar.death) = (-INF, INF),
                3 if rng.random_range(0..3) == 0 => (bar.birth, bar.death) = (INF, INF),
                4 if rng.random_range(0..3) == 0 => bar.death = -INF,
                _ => {}
            }
        }
    }
    bars
}

/// Checks that each bar is in one pair, that the distances of the pairs are right, and that they give the total
/// distance.
fn check(a: &[Bar], b: &[Bar], metric: &Metric, found: &Matching) {
    let Some(pairs) = &found.pairs else {
        assert_eq!(found.distance, INF);
        return;
    };
    let sorted = |mut places: Vec<usize>| {
        places.sort_unstable();
        places
    };
    assert!(sorted(pairs.iter().filter_map(|pair| pair.a).collect()).into_iter().eq(0..a.len()));
    assert!(sorted(pairs.iter().filter_map(|pair| pair.b).collect()).into_iter().eq(0..b.len()));
    for pair in pairs {
        let [a, b] = [pair.a.map(|k| &a[k..=k]), pair.b.map(|k| &b[k..=k])].map(Option::unwrap_or_default);
        let alone = [plain::distance(a, &[], metric), plain::distance(&[], b, metric)];
        // Matched bars are at most as far from each other as from the diagonal.
        let expected =
            if a.is_empty() || b.is_empty() { alone[0].max(alone[1]) } else { plain::distance(a, b, metric) };
        let is_near = match metric {
            Metric::Bottleneck => pair.distance <= found.distance,
            Metric::Wasserstein { .. } => (pair.distance - expected).abs() <= 1e-12 * (1.0 + expected),
        };
        assert!(is_near, "{pair:?} {expected}");
    }
    let distances = pairs.iter().map(|pair| pair.distance);
    let together = match *metric {
        Metric::Bottleneck => distances.fold(0.0, f64::max),
        Metric::Wasserstein { order, .. } => {
            distances.map(|d| d.powf(order)).sum::<f64>().powf(order.recip())
        }
    };
    assert!((together - found.distance).abs() <= 1e-12 * (1.0 + together), "{together} {found:?}");
}

fn same(found: f64, expected: f64, metric: &Metric) -> bool {
    match metric {
        Metric::Bottleneck => found == expected,
        Metric::Wasserstein { .. } => {
            found == expected || (found - expected).abs() <= 1e-11 * (1.0 + expected.abs())
        }
    }
}

/// Checks the matching of two diagrams, and that its distance is that of the definition.
fn check_with_definition(a: &[Bar], b: &[Bar], metric: &Metric) -> Matching {
    let found = matching(a, b, metric, &()).unwrap();
    let expected = plain::distance(a, b, metric);
    assert!(same(found.distance, expected, metric), "{metric:?} {a:?} {b:?}: {found:?}, {expected}");
    check(a, b, metric, &found);
    found
}

#[test]
fn random_diagrams_have_the_distances_of_the_definition() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for round in 0..150 {
        let values = [3, 8, 40, 1 << 30][round % 4];
        let [n, m] = [0, 1].map(|_| rng.random_range(0..14));
        let essential = round % 3 == 0;
        let a = random_bars(&mut rng, n, values, essential);
        let mut b = random_bars(&mut rng, m, values, essential);
        if essential && round % 2 == 0 {
            // The same number of bars with each combination of infinite ends.
            b.retain(|bar| bar.birth.is_finite() && bar.death.is_finite());
            b.extend(
                a.iter()
                    .filter(|bar| !(bar.birth.is_finite() && bar.death.is_finite()))
                    .map(|bar| Bar { birth: bar.birth + 1.5, death: bar.death - 0.25 }),
            );
        }
        for metric in metrics() {
            let found = check_with_definition(&a, &b, &metric);
            assert_eq!(distance(&a, &b, &metric, &()).unwrap(), found.distance);
        }
    }
}

#[test]
fn larger_diagrams_have_the_distances_of_the_definition() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for (count, values) in [(70, 1 << 30), (90, 30), (64, 6)] {
        let (a, b) =
            (random_bars(&mut rng, count, values, false), random_bars(&mut rng, count + 9, values, false));
        for metric in
            [Metric::Bottleneck, Metric::default(), Metric::Wasserstein { order: 2.0, internal_p: 2.0 }]
        {
            check_with_definition(&a, &b, &metric);
        }
    }
}

/// Costs of the diagonal may be arbitrarily great without loss of precision for the costs of pairs.
#[test]
fn long_bars_have_the_distances_of_the_definition() {
    let order = |order| Metric::Wasserstein { order, internal_p: INF };
    let same_bars = bars(&[(0.0, 20000.0), (0.0, 20001.0)]);
    assert_eq!(distance(&same_bars, &same_bars, &order(4.0), &()).unwrap(), 0.0);
    let (a, b) = (bars(&[(0.6, 1000001.6), (1.1, 1e6)]), bars(&[(1.1, 1000000.4), (1.6, 1000001.4)]));
    let found = distance(&a, &b, &order(3.0), &()).unwrap();
    assert!((found - 1.0209).abs() < 1e-4, "{found}");
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    for round in 0..400 {
        let length = 10_f64.powi(round % 10);
        let mut some_bars = || -> Vec<Bar> {
            let mut end = || f64::from(rng.random_range(0..40)) / 8.0;
            let bar = |_| Bar { birth: end(), death: end() + if end() < 4.0 { length } else { 6.0 } };
            (0..1 + round / 10 % 5).map(bar).collect()
        };
        let (a, mut b) = (some_bars(), some_bars());
        b.truncate(if round % 7 == 0 { b.len() - 1 } else { b.len() });
        let more = [4.0, 10.0, 25.0].map(order);
        for metric in metrics().into_iter().chain(more).filter(|metric| *metric != Metric::Bottleneck) {
            let found = matching(&a, &b, &metric, &()).unwrap();
            let expected = plain::least(&a, &b, &metric);
            let difference = (found.distance - expected).abs();
            assert!(difference <= 1e-11 * expected, "{metric:?} {a:?} {b:?}: {found:?}, {expected}");
        }
    }
}

/// Bars with more near neighbours than are listed at first.
#[test]
fn many_long_bars_have_the_distances_of_the_definition() {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    for (length, spread) in [(1e3, 1.0), (1e7, 1.0), (1e7, 1e-3), (1e9, 1.0)] {
        let mut side = || -> Vec<Bar> {
            let mut end = |at: f64| at + spread * rng.random_range(0.0_f64..1.0).powi(2);
            (0..150).map(|_| Bar { birth: end(0.0), death: end(length) }).collect()
        };
        let (a, b) = (side(), side());
        for (order, internal_p) in [(1.0, INF), (1.5, 1.0), (2.0, 2.0), (4.0, INF)] {
            let metric = Metric::Wasserstein { order, internal_p };
            let found = distance(&a, &b, &metric, &()).unwrap();
            let expected = plain::without_diagonal(&a, &b, &metric);
            assert!((found - expected).abs() <= 1e-10 * expected, "{length} {metric:?}: {found}, {expected}");
        }
    }
}

/// The distance covers far more neighbours of each bar than are listed.
#[test]
fn dense_diagrams_have_the_distances_of_the_definition() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    for (n, m, apart, width) in
        [(60, 60, 0.5, 0.25), (60, 50, 0.5, 0.25), (70, 70, 0.0, 3.0), (64, 80, 40.0, 9.0)]
    {
        let mut cluster = |count: usize, at: f64| -> Vec<Bar> {
            let mut end = |at: f64| at + width * f64::from(rng.random_range(0..1 << 20)) / f64::from(1 << 20);
            (0..count).map(|_| Bar { birth: end(at), death: end(at + 100.0) }).collect()
        };
        let (a, b) = (cluster(n, 0.0), cluster(m, apart));
        let (a, b) = ([a, cluster(9, 300.0)].concat(), [b, cluster(9, 300.0 + apart)].concat());
        check_with_definition(&a, &b, &Metric::Bottleneck);
    }
}

/// Results of GUDHI 3.13.0.
#[test]
fn infinite_ends_are_as_in_gudhi() {
    type Ends = &'static [(f64, f64)];
    let cases: [(Ends, Ends, f64, f64); 12] = [
        (&[], &[], 0.0, 0.0),
        (&[], &[(0.0, 1.0)], 0.5, 0.5),
        (&[], &[(0.0, INF)], INF, INF),
        (&[(0.0, INF), (1.0, INF)], &[(2.0, INF), (0.5, INF)], 1.0, 1.5),
        (&[(-INF, 0.0)], &[(-INF, 1.0)], 1.0, 1.0),
        (&[(-INF, INF)], &[(-INF, INF)], 0.0, 0.0),
        (&[(-INF, INF)], &[], INF, INF),
        (&[(INF, INF)], &[], 0.0, 0.0),
        (&[(-INF, -INF)], &[(0.0, 1.0)], 0.5, 0.5),
        (&[(INF, INF)], &[(0.0, INF)], INF, INF),
        (&[(1.0, 1.0)], &[(0.0, 1.0)], 0.5, 0.5),
        (&[(1.0, 1.0)], &[], 0.0, 0.0),
    ];
    for (a, b, bottleneck, wasserstein) in cases {
        let (a, b) = (bars(a), bars(b));
        assert_eq!(distance(&a, &b, &Metric::Bottleneck, &()).unwrap(), bottleneck, "{a:?} {b:?}");
        assert_eq!(distance(&a, &b, &Metric::default(), &()).unwrap(), wasserstein, "{a:?} {b:?}");
    }
}

#[test]
fn extreme_values_overflow_nowhere() {
    let huge = f64::MAX;
    for metric in metrics() {
        let one = distance(&bars(&[(-huge, huge)]), &[], &metric, &()).unwrap();
        let expected = plain::distance(&bars(&[(-1.0, 1.0)]), &[], &metric);
        assert!(one == INF || (one / huge - expected).abs() < 1e-9, "{metric:?}: {one}");
        let tiny = distance(&bars(&[(0.0, 1e-300)]), &bars(&[(0.0, 3e-300)]), &metric, &()).unwrap();
        let expected = plain::distance(&bars(&[(0.0, 1.0)]), &bars(&[(0.0, 3.0)]), &metric);
        assert!((tiny / 1e-300 - expected).abs() < 1e-9, "{metric:?}: {tiny}");
        let far = distance(&bars(&[(huge, huge / 2.0)]), &bars(&[(-huge, 1.0)]), &metric, &()).unwrap();
        assert!(far > huge / 4.0, "{metric:?}: {far}");
    }
}

#[test]
fn answers_do_not_depend_on_threads() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for values in [1 << 30, 60] {
        let (a, b) = (random_bars(&mut rng, 600, values, false), random_bars(&mut rng, 500, values, false));
        for metric in
            [Metric::Bottleneck, Metric::default(), Metric::Wasserstein { order: 2.0, internal_p: 2.0 }]
        {
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| matching(&a, &b, &metric, &()).unwrap())
            };
            let one = on(1);
            check(&a, &b, &metric, &one);
            for threads in [2, 4] {
                assert_eq!(on(threads), one);
            }
        }
    }
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let fine = bars(&[(0.0, 1.0)]);
    let bad = bars(&[(0.0, 1.0), (f64::NAN, 1.0)]);
    let message =
        |a: &[Bar], b: &[Bar], metric: Metric| distance(a, b, &metric, &()).unwrap_err().to_string();
    let said = "bar 1 of diagram B: expected a birth and a death, found [NaN, 1)";
    assert_eq!(message(&fine, &bad, Metric::Bottleneck), said);
    for order in [0.5, INF, f64::NAN] {
        let metric = Metric::Wasserstein { order, internal_p: 2.0 };
        assert!(
            message(&fine, &fine, metric).starts_with("order: expected a finite number from 1 up, found")
        );
    }
    for internal_p in [0.5, f64::NAN] {
        let metric = Metric::Wasserstein { order: 1.0, internal_p };
        assert!(message(&fine, &fine, metric).starts_with("internal p: expected a number from 1 up or inf"));
    }
}

/// A progress that ends the run at its tenth check.
struct Tenth(AtomicU64);

impl Progress for Tenth {
    fn is_interrupted(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 10
    }
}

#[test]
fn runs_are_interrupted() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let (a, b) = (random_bars(&mut rng, 3000, 1 << 30, false), random_bars(&mut rng, 3000, 1 << 30, false));
    for metric in [Metric::Bottleneck, Metric::default()] {
        let found = distance(&a, &b, &metric, &Tenth(AtomicU64::new(0)));
        assert_eq!(found, Err(DistanceError::Interrupted(Interrupted::default())));
    }
}
