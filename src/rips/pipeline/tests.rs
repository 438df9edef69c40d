//! Runs on a stand-in for a device, inputs at the ends of the range, and reported progress.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::collapsed::Collapsing;
use super::*;
use crate::backend::{BackendError, Decision};
use crate::diagram::Bar;
use crate::metric::{DistanceMatrix, Distances, PointCloud, SparseDistances};
use crate::progress::sums::Sums;
use crate::rips::filtration_construction::OnSwept;
use crate::rips::filtration_construction::tests::stand_in::{Failure, StandIn};
use crate::rips::pair_store::SecondLayer;
use crate::rips::rank::{PairSearch, Sampled};

/// Points around a circle, all their distances or, for a sparse complex, some.
fn distances(is_sparse: bool) -> Distances<f32> {
    let at = |k: usize| [(k as f32 * 0.7).cos(), (k as f32 * 0.7).sin(), (k % 5) as f32 * 0.1];
    let cloud = PointCloud::new(3, (0..40).flat_map(at).collect()).unwrap();
    if !is_sparse {
        return cloud.into();
    }
    spread(&cloud).into()
}

/// The distances of forty points among which are others, far from all: they make the complex sparse, and its vertices
/// wider.
fn spread(cloud: &PointCloud<f32>) -> SparseDistances<f32> {
    let pairs = (0..40u32).flat_map(|i| (0..i).map(move |j| (i, j)));
    let edges = pairs.map(|(i, j)| (9 * i, 9 * j, cloud.distance(i as usize, j as usize)));
    SparseDistances::new(400, edges).unwrap()
}

/// Runs on a stand-in for a device.
fn solve(
    rips: &Rips<f32>,
    fails: Option<(usize, Failure)>,
    may_fall_back: bool,
    self_check: bool,
) -> Result<Outcome, RipsError> {
    solve_together(rips, &Alone, fails, may_fall_back, self_check)
}

/// Runs on stand-ins for devices of this process, process 0, and of others.
pub(super) fn solve_together(
    rips: &Rips<f32>,
    processes: &dyn Ranks,
    fails: Option<(usize, Failure)>,
    may_fall_back: bool,
    self_check: bool,
) -> Result<Outcome, RipsError> {
    let decision = Decision { gpus: Vec::new(), self_check, may_fall_back, why: "it pays".into() };
    let sweep = |complex: &dyn Enumerate, sweep: &DeviceSweep<'_>, found: OnSwept<'_>| {
        StandIn { fails }.sweep(complex, sweep, found)
    };
    let decide: Decide<'_> = &|_| Ok(Dispatch { decision: decision.clone(), sweeper: Some(&sweep) });
    let outcome = prepare(rips.clone(), processes, &())?.solve_on(processes, &(), decide)?;
    processes::order_end(processes);
    Ok(outcome)
}

fn backends(outcome: &Outcome) -> Vec<&str> {
    outcome.stats.dimensions.iter().map(|stats| &*stats.backend).collect()
}

#[test]
fn a_device_that_works_is_recorded() {
    for is_sparse in [false, true] {
        for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
            let rips = Rips::new(distances(is_sparse)).max_dim(3).pair_store(layer);
            let expected = rips.clone().solve(&()).unwrap();
            assert_eq!(backends(&expected), ["cpu"; 3]);
            assert_eq!(expected.plan.backend, "cpu: as asked");
            let found = solve(&rips, None, false, true).unwrap();
            assert_eq!(found.diagram, expected.diagram);
            assert_eq!(backends(&found), ["cuda"; 3]);
            assert_eq!((found.plan.backend.as_str(), found.notes.len()), ("cuda: it pays", 0));
        }
    }
}

#[test]
fn accesses_to_the_pair_store_are_counted_and_timed_if_asked_for() {
    let rips = Rips::new(distances(false)).max_dim(2).threshold(f64::INFINITY).threads(2);
    for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
        let rips = rips.clone().pair_store(layer);
        let untimed = rips.clone().solve(&()).unwrap();
        let timed = rips.clone().time_pair_store(true).solve(&()).unwrap();
        assert_eq!(untimed.diagram, timed.diagram);
        let on_device = solve(&rips, None, false, false).unwrap();
        for outcome in [&untimed, &timed, &on_device] {
            for stats in &outcome.stats.dimensions {
                let store = &stats.pair_store;
                // Each column that is not cleared by an apparent pair is looked up once, and a pivot at least once;
                // annotated columns, those of edges, have their pivots stored without being looked up.
                assert!(store.clearing_reads >= stats.residue, "{stats:?}");
                let pivots = if stats.dim == 1 {
                    store.layer1_writes + stats.essential
                } else {
                    store.layer1_reads - store.clearing_reads
                };
                assert!(pivots >= stats.residue, "{stats:?}");
                let is_sorted = layer == SecondLayer::Sorted;
                assert_eq!(store.layer2_sort_seconds > 0.0, is_sorted, "{stats:?}");
                assert_eq!(store.layer2_list_seconds > 0.0, is_sorted, "{stats:?}");
                assert_eq!(store.layer2_copy_seconds, 0.0, "no device: {stats:?}");
                let times = [store.read_seconds, store.layer1_write_seconds];
                let is_timed = std::ptr::eq(outcome, &timed);
                assert!(times.iter().all(|&seconds| is_timed || seconds == 0.0), "{stats:?}");
            }
            let seconds: f64 =
                outcome.stats.dimensions.iter().map(|stats| stats.pair_store.read_seconds).sum();
            assert_eq!(seconds > 0.0, std::ptr::eq(outcome, &timed));
        }
    }
}

#[test]
fn a_device_that_fails_is_replaced_and_the_records_say_so() {
    let rips = Rips::new(distances(false)).max_dim(3);
    let expected = rips.clone().solve(&()).unwrap().diagram;
    for (failure, reason) in [
        (Failure::Error, "the CUDA driver finds no device"),
        (Failure::Panic, "the work on the device broke off: a test's device breaks"),
        (Failure::Silence, "no thread could be started"),
    ] {
        let first = solve(&rips, Some((1, failure)), true, false).unwrap();
        assert_eq!(first.diagram, expected);
        assert_eq!(backends(&first), ["cpu", "cpu", "cpu"]);
        assert!(first.plan.backend.starts_with(&format!("cpu: it pays, but {reason}")), "{}", first.plan);
        assert_eq!(first.plan.backend_name(), "cpu");
        assert!(first.notes.len() == 1 && first.notes[0].starts_with(reason), "{:?}", first.notes);
        assert!(first.notes[0].ends_with("; the processor goes on"));

        let later = solve(&rips, Some((3, failure)), true, false).unwrap();
        assert_eq!(later.diagram, expected);
        assert_eq!(backends(&later), ["cuda", "cuda", "cpu"]);
        let begin = format!("cuda+cpu: it pays, but after dimension 2 {reason}");
        assert!(later.plan.backend.starts_with(&begin), "{}", later.plan);
        assert_eq!((later.plan.backend_name(), later.notes.len()), ("cuda+cpu", 1));

        let asked = solve(&rips, Some((2, failure)), false, false).unwrap_err();
        assert!(matches!(asked, RipsError::Backend(BackendError::Cuda(_))), "{asked:?}");
    }
}

/// Asks to be interrupted after a given number of checks.
struct Patience(std::sync::atomic::AtomicU64, u64);

impl Progress for Patience {
    fn is_interrupted(&self) -> bool {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= self.1
    }
}

/// A run that waits for a device is interrupted; the device stops too, and is not reported as failed.
#[test]
fn a_run_that_waits_for_a_device_is_interrupted() {
    let rips = Rips::new(distances(false)).max_dim(3);
    for may_fall_back in [true, false] {
        let decision = Decision { gpus: Vec::new(), self_check: false, may_fall_back, why: "it pays".into() };
        let progress = Patience(0.into(), 300);
        let stand_in = StandIn { fails: Some((2, Failure::Endless)) };
        let sweep = |complex: &dyn Enumerate, sweep: &DeviceSweep<'_>, found: OnSwept<'_>| {
            stand_in.sweep(complex, sweep, found)
        };
        let found: Result<Outcome, RipsError> = interruptible(&progress, |progress| {
            let prepared = prepare(rips.clone(), &Alone, progress)?;
            prepared.solve_on(&Alone, progress, &|_| {
                Ok(Dispatch { decision: decision.clone(), sweeper: Some(&sweep) })
            })
        });
        assert!(matches!(found, Err(RipsError::Interrupted(_))), "{found:?}");
    }
}

#[test]
fn a_device_that_is_wrong_is_found_out() {
    let rips = Rips::new(distances(true)).max_dim(2);
    let wrong = solve(&rips, Some((2, Failure::WrongCounts)), false, true).unwrap_err();
    assert!(matches!(wrong, RipsError::SelfCheck { dim: 2, .. }), "{wrong:?}");
}

#[test]
fn points_too_far_apart_for_their_precision() {
    let cloud = |xs: &[f32]| Rips::new(PointCloud::new(1, xs.to_vec()).unwrap());
    let far = [-3e38, 0.0, 3e38];
    let refused = cloud(&far).threshold(f64::INFINITY).run();
    assert_eq!(refused, Err(RipsError::TooFarApart { i: 2, j: 0 }));
    // From the middle all are near enough, and no longer distance is asked for.
    assert_eq!(cloud(&far).run().unwrap().bars(0).len(), 3);
    assert_eq!(cloud(&far).threshold(1e38).run().unwrap().bars(0).len(), 3);
    assert_eq!(cloud(&[-3e38, 3e38]).run(), Err(RipsError::TooFarApart { i: 1, j: 0 }));
}

#[test]
fn what_is_reported_adds_up_to_the_totals() {
    for is_sparse in [false, true] {
        let sums = Sums::default();
        Rips::new(distances(is_sparse)).max_dim(3).solve(&sums).unwrap();
        let stages = sums.stages();
        // Stages without parts have a total of 1.
        let counted: Vec<&str> = stages.iter().filter(|told| told.total > 1).map(|told| told.stage).collect();
        let counts = |stage| counted.contains(&stage);
        assert!(counts("assembly") && counts("reduction"), "{counted:?}");
        assert!(is_sparse || counts("distances") && counts("components"), "{counted:?}");
    }
}

/// Forty points in clusters of eight: simplices have at most eight vertices, whatever dimension is computed.
fn clusters() -> PointCloud<f32> {
    let at = |k: usize| {
        let (cluster, angle) = ((k / 8) as f32, (k % 8) as f32 * std::f32::consts::FRAC_PI_4);
        [10.0 * cluster, angle.cos() + 0.01 * cluster, angle.sin()]
    };
    PointCloud::new(3, (0..40).flat_map(at).collect()).unwrap()
}

/// The barcode does not depend on the width of entries, nor on the arithmetic and the width of ranks that go with it.
#[test]
fn entries_of_every_width_give_the_same_bars() {
    for is_sparse in [false, true] {
        for (modulus, layer) in
            [(2, SecondLayer::Implicit), (2, SecondLayer::Sorted), (3, SecondLayer::Implicit)]
        {
            let outcome = |max_dim| {
                let mut rips = Rips::new(clusters());
                if is_sparse {
                    rips = Rips::new(spread(&clusters()));
                }
                rips.max_dim(max_dim).modulus(modulus).pair_store(layer).threshold(1.9).solve(&()).unwrap()
            };
            let widths =
                if is_sparse { [(3, 64), (9, 128), (30, 512)] } else { [(3, 64), (15, 128), (30, 512)] };
            let [narrow, wide, widest] = widths.map(|(max_dim, entry_width)| {
                let outcome = outcome(max_dim);
                assert_eq!(outcome.plan.entry_width, entry_width);
                assert_eq!(outcome.plan.rank_width, 16);
                assert_eq!(matches!(outcome.plan.shape, Shape::Sparse { .. }), is_sparse);
                outcome
            });
            assert!(!narrow.diagram.bars(1).is_empty() && !narrow.diagram.bars(0).is_empty());
            for dim in 0..=3 {
                assert_eq!(wide.diagram.bars(dim), narrow.diagram.bars(dim), "dimension {dim}, Z/{modulus}");
                assert_eq!(
                    widest.diagram.bars(dim),
                    narrow.diagram.bars(dim),
                    "dimension {dim}, Z/{modulus}"
                );
            }
            assert_eq!(widest.diagram.bars(7), wide.diagram.bars(7));
        }
    }
}

/// Points in the unit square, from a seed.
fn square(n: usize) -> PointCloud<f32> {
    let mut generator = Pcg64Mcg::seed_from_u64(5);
    PointCloud::new(2, (0..2 * n).map(|_| generator.random()).collect()).unwrap()
}

/// Single-precision distances, whose keys serve as ranks, and the same in double precision, which are sorted, give the
/// same bars: computed from points, for all pairs and for near ones, or given as input.
#[test]
fn bars_do_not_depend_on_how_distances_are_found_and_ranked() {
    for (n, threshold, is_sparse) in [(420, f64::INFINITY, false), (1600, 0.15, true)] {
        let cloud = square(n);
        let pairs = (0..n as u32).flat_map(|i| (0..i).map(move |j| (i, j)));
        let near = pairs.map(|(i, j)| (i, j, cloud.distance(i as usize, j as usize)));
        let near: Vec<(u32, u32, f32)> = near.filter(|&(_, _, d)| f64::from(d) <= threshold).collect();
        let double = near.iter().map(|&(i, j, d)| (i, j, f64::from(d)));
        let double = SparseDistances::new(n, double).unwrap();
        let sorted = Rips::new(double).threshold(threshold).solve(&()).unwrap();
        let given = SparseDistances::new(n, near.iter().copied()).unwrap();
        let given = Rips::new(given).threshold(threshold).solve(&()).unwrap();
        let of_points = Rips::new(cloud).threshold(threshold).solve(&()).unwrap();
        assert_eq!([&sorted, &given, &of_points].map(|o| o.plan.keys_are_ranks), [false, true, true]);
        assert_eq!(matches!(of_points.plan.search, PairSearch::Tree { .. }), is_sparse);
        assert_eq!(matches!(of_points.plan.shape, Shape::Sparse { .. }), is_sparse);
        assert!(sorted.diagram.bars(1).len() > 50);
        assert_eq!(of_points.diagram, sorted.diagram);
        assert_eq!(given.diagram, sorted.diagram);
    }
}

/// Lengths of shortest paths around a cycle, and random integers: columns become long, and many edges have one length.
/// Only the last dimension is annotated.
#[test]
fn ties_do_not_change_the_bars() {
    let around = |i: usize, j: usize| (i.abs_diff(j).min(300 - i.abs_diff(j))) as f32;
    let cycle: Vec<f32> = (0..300).flat_map(|i| (0..i).map(move |j| around(i, j))).collect();
    let bars = |distances: &[f32], max_dim| {
        let matrix = DistanceMatrix::from_lower(distances.to_vec()).unwrap();
        Rips::new(matrix).max_dim(max_dim).run().unwrap().bars(1).to_vec()
    };
    assert_eq!(bars(&cycle, 1), [Bar { birth: 1.0, death: 100.0 }]);
    let mut generator = Pcg64Mcg::seed_from_u64(1);
    for _ in 0..4 {
        let matrix: Vec<f32> = (0..60 * 59 / 2).map(|_| generator.random_range(1..=20) as f32).collect();
        let expected = bars(&matrix, 2);
        assert!(expected.len() > 20);
        assert_eq!(bars(&matrix, 1), expected);
    }
}

/// The whole graph with distinct ranks, its points numbered anew or not, has the bars of the input in Ripser's order.
#[test]
fn distinct_ranks_and_new_numbers_do_not_change_the_bars() {
    let mut generator = Pcg64Mcg::seed_from_u64(19);
    let (mut done_twice, mut ordered, mut as_it_is) = ([0, 0], [0, 0], 0);
    for case in 0..400 {
        let points = generator.random_range(2..if case % 3 == 1 { 40 } else { 15 });
        let values = [2, 4, 9, 1000][case % 4];
        let pairs = (0..points).flat_map(|i| (0..i).map(move |j| (i, j)));
        let mut edge = |(i, j)| (i, j, generator.random_range(1..=values) as f32);
        let edges = SparseDistances::new(points as usize, pairs.map(&mut edge).collect::<Vec<_>>()).unwrap();
        let rips = Rips::new(edges).max_dim(1 + case % 3).modulus([2, 3][case / 4 % 2]);
        let rips = if case % 5 == 0 { rips.threshold(f64::from(values) * 0.6) } else { rips };
        let rips = rips.collapse(Collapse::Off);
        let expected = rips.clone().threads(1).solve(&()).unwrap().diagram;
        for are_in_order in [false, true] {
            let lengths = if case % 16 < 8 { Lengths::Few } else { Lengths::Equal };
            let pairs = Sampled { lengths, are_in_order };
            let attempt = Attempt { collapse: Collapsing::Nothing, pairs };
            let Prepared { setting, graph, .. } =
                prepare(rips.clone().collapse(Collapse::On), &Alone, &()).unwrap();
            let are_ordered = std::cell::Cell::new(false);
            let compute = |graph| {
                let decision = setting.options.backend.clone();
                let decide: Decide<'_> =
                    &|estimate| Ok(Dispatch { sweeper: None, decision: decision.decide(estimate)? });
                let found = setting.compute(graph, &Alone, &(), decide)?;
                are_ordered.set(matches!(found.1, Ties::Ordered(_)));
                Ok(found)
            };
            let found = attempt.compute(graph, &(), &compute).unwrap();
            assert_eq!(found.diagram, expected, "case {case}");
            let Some(stats) = found.stats.collapse else {
                // The reduction of dimension 2, if there is one, did not give up.
                assert!(lengths == Lengths::Equal && !are_in_order, "case {case}");
                as_it_is += 1;
                continue;
            };
            assert!(
                case % 3 != 0 || lengths == Lengths::Few || are_in_order,
                "case {case}: dimension 1 gave up"
            );
            assert_eq!((stats.tried, stats.before), (0, stats.after));
            done_twice[usize::from(are_in_order)] += usize::from(stats.ordered.is_some());
            ordered[usize::from(are_in_order)] += usize::from(are_ordered.get());
        }
    }
    assert!((50..180).contains(&as_it_is), "{as_it_is}");
    // Over Z/2 the order of dimension 2 alone is determined without computing it again.
    for (done_twice, ordered) in done_twice.into_iter().zip(ordered) {
        assert!(
            (1..200).contains(&done_twice) && (10..done_twice).contains(&ordered),
            "{done_twice} {ordered}"
        );
    }
}

/// Points along a line are in order, the same points in another order are not; many sums of two dice are equal.
#[test]
fn the_sample_finds_order_and_equal_lengths() {
    let sampled = |distances: &Distances<f32>| {
        Keyed::of(distances, None, false, &()).unwrap().sampled(Keyed::<u32>::limit(f32::INFINITY))
    };
    let line = |place: &dyn Fn(usize) -> usize| {
        let at = |k: usize| (place(k) as f32).sqrt();
        Distances::from(PointCloud::new(1, (0..500).map(at).collect()).unwrap())
    };
    assert_eq!(sampled(&line(&|k| k)), Sampled { lengths: Lengths::Distinct, are_in_order: true });
    assert_eq!(sampled(&line(&|k| k * 211 % 500)), Sampled::default());
    let dice: Vec<f32> =
        (0..500_u64 * 499 / 2).map(|k| (2 + k * k % 7 % 6 + k * 5 % 11 % 6) as f32).collect();
    let dice = Distances::from(DistanceMatrix::from_lower(dice).unwrap());
    assert_eq!(sampled(&dice), Sampled { lengths: Lengths::Few, are_in_order: false });
}
