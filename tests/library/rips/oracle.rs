//! The fast version against the oracle ([`lacuna::rips::plain`]): the same bars in the same order on some 3,000
//! random inputs, for every form of the input, precision, pair store and number of threads. A failure prints the
//! seed, the configuration and the distances.
//!
//! Inputs too large for the oracle are in `consistency.rs`.

use crate::common::metrics::{Family, Metric, generator};
use crate::common::variants::{Ask, Variant, assert_same, check, oracle};
use lacuna::metric::SparseDistances;
use lacuna::rips::{Rips, Shape};
use rand::RngExt;
use rand_pcg::Pcg64;

const MODULI: [u32; 5] = [2, 3, 5, 32749, 65521];

/// Checks `count` inputs of a family with random requests. Each runs in 10 of the 60 configurations, different ones
/// for consecutive inputs.
fn family(family: Family, count: u64) {
    let variants = Variant::all();
    for k in 0..count {
        let seed = 1000 * k + u64::from(format!("{family:?}").bytes().map(u32::from).sum::<u32>());
        let mut rng = generator(seed);
        let n = points(&mut rng);
        let metric = Metric::random(family, n, &mut rng);
        let ask = ask(&metric, &mut rng);
        let some = variants.iter().skip(k as usize % 6).step_by(6).copied();
        check(&metric, ask, some, &format!("{family:?}, seed {seed}"));
    }
}

/// A random number of points: mostly from 1 to 9, sometimes up to 14.
fn points(rng: &mut Pcg64) -> usize {
    let most = [9, 9, 9, 9, 11, 14][rng.random_range(0..6)];
    rng.random_range(1..=most)
}

/// A random request: any dimension, even above the greatest one, any kind of threshold, any field.
fn ask(metric: &Metric, rng: &mut Pcg64) -> Ask {
    let dim = if metric.n > 11 { rng.random_range(0..5) } else { rng.random_range(0..=metric.n) };
    let modulus = if rng.random_bool(0.5) { 2 } else { MODULI[rng.random_range(0..MODULI.len())] };
    Ask { dim, threshold: threshold(metric, rng), modulus }
}

/// A random threshold. Thresholds are rounded to the precision of the distances, so only exact values are drawn.
fn threshold(metric: &Metric, rng: &mut Pcg64) -> Option<f64> {
    let distance =
        if metric.lower.is_empty() { 1.0 } else { metric.lower[rng.random_range(0..metric.lower.len())] };
    match rng.random_range(0..8) {
        0 | 1 => None,
        2 | 3 => Some(f64::INFINITY),
        4 => Some(distance),
        5 if metric.double => Some(distance.next_down()),
        5 => Some((distance as f32).next_down().max(0.0).into()),
        6 => Some((distance.min(1e9) as f32 * rng.random_range(0.5..1.5)).into()),
        _ => Some(0.0),
    }
}

#[test]
fn ties() {
    (1..=5).for_each(|k| family(Family::Ties(k), 100));
}

#[test]
fn points_at_distance_zero() {
    (0..=4).for_each(|k| family(Family::Zeros(k), 60));
}

#[test]
fn generic_distances() {
    family(Family::Generic, 400);
}

#[test]
fn disconnected() {
    for p in [0.1, 0.3, 0.5, 0.8, 1.0] {
        family(Family::Disconnected(p), 60);
        family(Family::Graph(p), 60);
    }
}

#[test]
fn shortest_paths() {
    family(Family::Paths, 200);
}

#[test]
fn point_clouds() {
    (1..=4).for_each(|m| family(Family::Cloud(m), 60));
    (1..=3).for_each(|m| family(Family::Grid(m), 60));
    family(Family::Duplicates, 150);
}

#[test]
fn corners_of_the_number_format() {
    family(Family::Extremes, 250);
}

#[test]
fn distances_that_only_double_precision_tells_apart() {
    family(Family::Double, 200);
}

/// Numbers of points around the widths of the sweeps (8, 16, 32 lanes and their multiples), in all dimensions that
/// the oracle can handle.
#[test]
fn sizes_about_the_lane_counts() {
    let sizes: [(&[usize], usize); 4] =
        [(&[8, 9, 10], 6), (&[15, 16, 17, 18], 3), (&[23, 24, 25], 2), (&[31, 32, 33, 34, 47, 48, 49], 1)];
    let families = [
        Family::Generic,
        Family::Ties(2),
        Family::Ties(5),
        Family::Zeros(3),
        Family::Graph(0.5),
        Family::Cloud(3),
    ];
    let variants = Variant::all();
    for (sizes, dim) in sizes {
        for (k, (&n, family)) in sizes.iter().flat_map(|n| families.iter().map(move |f| (n, *f))).enumerate()
        {
            let seed = (n * 10 + k) as u64;
            let metric = Metric::random(family, n, &mut generator(seed));
            for ask in [Ask::whole(dim), Ask { modulus: 3, ..Ask::enclosed(dim) }] {
                let some = variants.iter().skip(k % 8).step_by(8).copied();
                check(&metric, ask, some, &format!("{family:?}, seed {seed}"));
            }
        }
    }
}

/// 63, 64 and 65 points, around the words of an adjacency bitset.
#[test]
fn sizes_about_the_bitset_word() {
    for (k, n) in [63usize, 64, 65].into_iter().enumerate() {
        for (family, ask) in [
            (Family::Ties(3), Ask::enclosed(1)),
            (Family::Graph(0.7), Ask::whole(2)),
            (Family::Cloud(2), Ask { threshold: Some(0.5), ..Ask::whole(2) }),
        ] {
            let metric = Metric::random(family, n, &mut generator(n as u64));
            let some = Variant::all().into_iter().skip(k).step_by(7);
            check(&metric, ask, some, &format!("{family:?}, seed {n}"));
        }
    }
}

/// Every configuration on one input of each family.
#[test]
fn all_configurations() {
    let families = [
        Family::Ties(3),
        Family::Zeros(2),
        Family::Generic,
        Family::Graph(0.4),
        Family::Paths,
        Family::Grid(2),
        Family::Extremes,
        Family::Double,
    ];
    for (seed, family) in families.into_iter().enumerate() {
        let metric = Metric::random(family, 12, &mut generator(seed as u64));
        for threshold in [None, Some(f64::INFINITY)] {
            let ask = Ask { dim: 4, threshold, modulus: 2 };
            check(&metric, ask, Variant::all(), &format!("{family:?}, seed {seed}"));
        }
    }
}

/// The tests above cover both shapes: not every input has the same one.
#[test]
fn dense_and_sparse_shapes_are_both_taken() {
    let dense = Metric::random(Family::Generic, 40, &mut generator(1));
    let outcome = Variant::PLAINEST.run(&dense, Ask::whole(1));
    assert_eq!(outcome.plan.shape, Shape::Dense);
    let ring = SparseDistances::new(500, (0..500u32).map(|i| (i, (i + 1) % 500, 1.0f32))).expect("a ring");
    let outcome = Rips::new(ring).max_dim(2).solve(&()).expect("runs");
    assert!(matches!(outcome.plan.shape, Shape::Sparse { .. }), "{:?}", outcome.plan);
    assert_eq!(outcome.diagram.bars(0).len(), 500);
    assert_eq!(outcome.diagram.bars(1).len(), 1);
    assert_eq!(outcome.diagram.bars(2).len(), 0);
}

/// One and two points with requests beyond what they have.
#[test]
fn one_and_two_points() {
    for n in [1, 2] {
        let metric = Metric::from_fn(n, |_, _| 5.0);
        for ask in [Ask::whole(0), Ask::enclosed(7)] {
            let expected = oracle(&metric, ask);
            assert_eq!(expected.len(), 1);
            assert_eq!(expected.bars(0).len(), n);
            for variant in Variant::all() {
                assert_same(&variant.run(&metric, ask).diagram, &expected, &metric, ask, variant);
            }
        }
    }
}

#[test]
fn arguments_out_of_range_are_errors() {
    let rips = || Rips::new(Metric::from_fn(4, |_, _| 1.0).matrix::<f32>());
    let refused = |rips: Rips, why: &str| assert_eq!(rips.run().unwrap_err().to_string(), why);
    for p in [0, 1, 4, 9, 15, 32761, 65535, 65536, 65537, u32::MAX] {
        refused(rips().modulus(p), &format!("modulus: expected a prime below 65536, found {p}"));
    }
    for t in [-1.0, -f64::MIN_POSITIVE, f64::NEG_INFINITY, f64::NAN] {
        refused(rips().threshold(t), &format!("threshold: expected a non-negative number, found {t}"));
    }
}
