//! Comparison with the definition: the maximum number of pairs over all matchings.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;

const NOTHING_LEFT: [Vec<usize>; 2] = [Vec::new(), Vec::new()];

/// The size of a maximum matching, by exhaustive search.
fn greatest(a: &[Point], b: &[Point], tolerance: f64) -> usize {
    fn try_all(a: &[Point], b: &[Point], used: u32, tolerance: f64) -> usize {
        let Some((first, rest)) = a.split_first() else { return 0 };
        let mut most = try_all(rest, b, used, tolerance);
        for (k, other) in b.iter().enumerate() {
            let fits = (0..2).all(|axis| near(first[axis], other[axis], tolerance));
            if fits && used & (1 << k) == 0 {
                most = most.max(1 + try_all(rest, b, used | (1 << k), tolerance));
            }
        }
        most
    }
    try_all(a, b, 0, tolerance)
}

fn matched(a: &[Point], b: &[Point], tolerance: f64) -> usize {
    let [left_a, left_b] = unmatched(a, b, tolerance);
    for (left, all) in [(&left_a, a), (&left_b, b)] {
        assert!(left.is_sorted_by(|x, y| x < y) && left.iter().all(|&id| id < all.len()));
    }
    assert_eq!(a.len() - left_a.len(), b.len() - left_b.len());
    a.len() - left_a.len()
}

#[test]
fn as_many_as_can_be_on_small_grids() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut points = |most: usize, grid: i32| -> Vec<Point> {
        let count = rng.random_range(0..=most);
        (0..count).map(|_| [0, 1].map(|_| f64::from(rng.random_range(0..grid)))).collect()
    };
    for round in 0..20_000 {
        let grid = 2 + round % 6;
        let (a, b) = (points(6, grid), points(6, grid));
        for tolerance in [0.0, 1.0, 2.0] {
            assert_eq!(
                matched(&a, &b, tolerance),
                greatest(&a, &b, tolerance),
                "{a:?} {b:?}, tolerance {tolerance}"
            );
        }
    }
}

/// Points that are moved within the tolerance can always be matched again, at any density.
#[test]
fn moved_points_are_found_again() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for (count, width, tolerance) in
        [(2_000, 1.0, 0.01), (2_000, 1.0, 0.2), (300, 1.0, 2.0), (2_000, 1e6, 0.5)]
    {
        let a: Vec<Point> = (0..count).map(|_| [0, 1].map(|_| width * rng.random::<f64>())).collect();
        let shift = |x: f64, by: f64| x + tolerance * 0.999 * (2.0 * by - 1.0);
        let mut b: Vec<Point> = a.iter().map(|p| p.map(|x| shift(x, rng.random()))).collect();
        b.reverse();
        assert_eq!(matched(&a, &b, tolerance), count, "{count} in {width}, tolerance {tolerance}");
        b[count / 2][0] += 10.0 * width;
        assert_eq!(matched(&a, &b, tolerance), count - 1);
    }
}

#[test]
fn taking_the_first_that_is_near_is_not_enough() {
    // The equal points to the right make the cluster longer along the first axis, which determines the axis of the
    // scan.
    let right = [1.55, 2.5, 3.4, 4.3].map(|x| [x, 11.0]);
    let a = [&[[0.0, 11.0], [0.6, 9.0]], right.as_slice()].concat();
    let b = [&[[0.0, 10.0], [0.5, 12.0]], right.as_slice()].concat();
    // The result must not depend on the axis and direction of a scan.
    for mirror in [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]] {
        for axes in [[0, 1], [1, 0]] {
            let turn = |p: Point| axes.map(|axis| mirror[axis] * p[axis]);
            let [a, b] = [&a, &b].map(|points| points.iter().copied().map(turn).collect::<Vec<_>>());
            assert_eq!(unmatched(&a, &b, 1.0), NOTHING_LEFT);
            assert_eq!(unmatched(&b, &a, 1.0), NOTHING_LEFT);
        }
    }
}

/// All points but one take their first choice, and that one finds its only neighbour taken: the augmenting path
/// visits all points.
#[test]
fn a_path_through_everything_is_found() {
    let n = 2_000;
    let x = |k: i32| f64::from(-k);
    let mut a: Vec<Point> = (0..=n).map(|k| [x(k), 0.0]).collect();
    let mut b: Vec<Point> = (0..=n).map(|k| [x(k) + 0.5, 0.0]).collect();
    a.push([x(n) + 0.4, 1.8]);
    b.push([x(n) - 0.5, 0.9]);
    assert_eq!(matched(&a, &b, 1.0), a.len());
    assert_eq!(matched(&b, &a, 1.0), a.len());
    b[0][0] += 10.0;
    assert_eq!(matched(&a, &b, 1.0), a.len() - 1);
}

#[test]
fn many_equal_points() {
    let (a, b) = (vec![[0.0, 1.0]; 100_000], vec![[0.0, 1.5]; 99_999]);
    let [left_a, left_b] = unmatched(&a, &b, 0.5);
    assert_eq!((left_a.len(), left_b.len()), (1, 0));
}

#[test]
fn infinities_are_near_themselves_only() {
    let inf = f64::INFINITY;
    let a = [[0.0, inf], [-inf, 0.0], [1.0, 2.0]];
    let b = [[-inf, 0.0], [0.0, inf], [1.0, inf]];
    for tolerance in [0.0, 1.0, 1e300] {
        assert_eq!(unmatched(&a, &b, tolerance), [vec![2], vec![2]]);
    }
    assert_eq!(unmatched(&a, &b, inf), NOTHING_LEFT);
}

#[test]
fn minus_zero_is_zero() {
    assert_eq!(unmatched(&[[-0.0, 0.0]], &[[0.0, -0.0]], 0.0), NOTHING_LEFT);
}

/// Bound on the visited nodes and edges per point and doubling of their number, enough for some tens of phases.
/// Without phases, each point that the start leaves unmatched could visit all pairs of near points.
const WORK: f64 = 500.0;

fn is_cheap(what: &str, a: &[Point], b: &[Point], tolerance: f64, expected: usize) {
    let ([left, _], work) = unmatched_counted(a, b, tolerance);
    assert_eq!(a.len() - left.len(), expected, "{what}");
    let n = a.len().max(b.len()) as f64;
    assert!(work as f64 <= WORK * n * n.log2(), "{what}: {work} nodes for {n} points");
}

#[test]
fn bars_that_are_all_near_one_another_take_no_time() {
    let n = 20_000;
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let bars: Vec<Point> = (0..n).map(|_| [rng.random::<f64>(), 1.0 + rng.random::<f64>()]).collect();
    let mut moved = |tolerance: f64| -> Vec<Point> {
        bars.iter().map(|bar| bar.map(|x| x + tolerance * (rng.random::<f64>() - 0.5))).collect()
    };
    for tolerance in [1e-4, 1e-3, 0.01, 0.1, 2.0] {
        is_cheap(&format!("moved, tolerance {tolerance}"), &bars, &moved(tolerance), tolerance, n);
    }
    let line = |shift: f64| -> Vec<Point> { (0..n).map(|k| [0.0, k as f64 / 16384.0 + shift]).collect() };
    is_cheap("equal births", &line(0.0), &line(0.0625), 0.125, n);
    is_cheap("equal births, far", &line(0.0), &line(1.0), 1.0, n);
    let grid = |shift: f64| -> Vec<Point> {
        (0..n).map(|k| [(k % 141) as f64 + shift, (k / 141) as f64 + shift]).collect()
    };
    is_cheap("a grid", &grid(0.0), &grid(0.5), 1.0, n);
    is_cheap("twice as many", &bars, &bars[..n / 2], 0.01, n / 2);
}

/// Points that differ by rounding are matched with their own at once, however large the tolerance is.
#[test]
fn points_moved_by_little_are_matched_to_start_with() {
    let n = 20_000;
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let bars: Vec<Point> = (0..n).map(|_| [rng.random::<f64>(), 1.0 + rng.random::<f64>()]).collect();
    for tolerance in [2e-7, 1e-5, 1e-3, 0.1, 10.0] {
        let moved = bars.iter().map(|bar| bar.map(|x| x + 1e-7 * rng.random::<f64>()));
        let tagged = |side: usize, points: Vec<Point>| {
            points.into_iter().enumerate().map(move |(id, at)| Site::tagged(at, side, id))
        };
        let mut points: Vec<Site> = tagged(0, bars.clone()).chain(tagged(1, moved.collect())).collect();
        let (pairs, _) = start::pairs(&mut points, tolerance);
        let matched = pairs.iter().map(Vec::len).sum::<usize>();
        assert!(matched + 3 >= n, "{matched} of {n}, tolerance {tolerance}");
    }
}

/// A spiral, from which each cut along an axis separates only a few points.
#[test]
fn spirals_are_matched() {
    let spiral: Vec<Point> = (0..5_000)
        .map(|k: i32| {
            let r = f64::from(k / 4) * 1.5 + 2.0;
            [[r, r - 0.7], [r - 0.7, -r], [-r, 0.7 - r], [0.7 - r, r]][k as usize % 4]
        })
        .collect();
    assert_eq!(matched(&spiral, &spiral, 1.0), spiral.len());
}
