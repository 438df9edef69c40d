//! Ranks compared with the sorted list of distances, and distances of points compared pair by pair.

use super::order::CHUNK;
use super::*;
use crate::metric::value::Sealed;
use crate::metric::{DistanceMatrix, PointCloud};
use crate::rips::complex::{ABSENT, stride};
use crate::rips::random::{fraction, random};
use crate::rips::rank::PairSearch;
use crate::simd::Rank;

#[test]
fn ranks_are_places_among_the_distinct_values() {
    let m = DistanceMatrix::from_lower(vec![2.5f32, 0.0, 1e-30, 7.0, 2.5, f32::INFINITY]).unwrap();
    let ranking = rank(&Distances::Matrix(m), f32::INFINITY).unwrap();
    assert_eq!(ranking.values, Values::Listed(vec![0.0, f64::from(1e-30f32), 2.5, 7.0]));
    assert_eq!(ranking.edges.numbers, [2, 0, 1, 3, 2, ABSENT]);
}

/// The ranks by sorting.
fn plain<K: DistanceKey>(keys: &[K], limit: K) -> (Values, Vec<u32>) {
    let mut distinct: Vec<K> = keys.iter().copied().filter(|&key| key <= limit).collect();
    distinct.push(K::default());
    distinct.sort_unstable();
    distinct.dedup();
    let rank = |&key: &K| if key > limit { ABSENT } else { distinct.partition_point(|&k| k < key) as u32 };
    (Values::Listed(distinct.iter().map(|key| key.distance()).collect()), keys.iter().map(rank).collect())
}

#[test]
fn keys_of_every_spread_are_ranked_as_by_sorting() {
    let mut state = 3u64;
    let mut next = move |below: u64| random(&mut state) % below;
    for len in [0, 1, 2, 31, 32, 33, 100, 1000, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5] {
        // Cases: few distinct keys; dense keys with ties, and one so small that all others have the same upper bits;
        // keys spread over 50 times their number; over the whole range.
        for (from, below, first) in [
            (0, 10, None),
            (1 << 30, 1 + len as u64 / 3, None),
            (1 << 30, 1 + len as u64 / 3, Some(7)),
            (1 << 20, 1 + 50 * len as u64, None),
            (0, 0x7f7f_ffff, None),
        ] {
            let mut keys: Vec<u32> = (0..len).map(|_| (from + next(below)) as u32).collect();
            keys.iter_mut().zip(first).for_each(|(key, first)| *key = first);
            for limit in [from + below / 2, from, from + below] {
                let limit = (limit as u32).min(u32::INFINITY - 1);
                assert_eq!(
                    ranks_of_keys(keys.clone(), limit, None, &()),
                    Ok(plain(&keys, limit)),
                    "{len}, {from}, {below}"
                );
                let wide: Vec<u64> = keys.iter().map(|&key| u64::from(key) << 31).collect();
                let limit = u64::from(limit) << 31;
                assert_eq!(
                    ranks_of_keys(wide.clone(), limit, None, &()),
                    Ok(plain(&wide, limit)),
                    "{len}, {from}, {below}"
                );
            }
        }
    }
}

/// Cases: many chunks and buckets, one bucket with nearly all keys, nearly equal distances, and subnormal ones.
#[test]
fn keys_that_are_sorted_in_buckets_are_ranked_as_by_sorting() {
    let mut state = 5u64;
    let spreads: [(&str, &dyn Fn(f64) -> f64); 6] = [
        ("even", &|x| x),
        ("with ties", &|x| (x * 1000.0).floor() * 1.000_000_1),
        ("near to each other", &|x| 1.0 + x * 1e-9),
        ("of every magnitude", &|x| (x * 1400.0 - 700.0).exp()),
        ("next to nothing", &|x| x * 1e-310),
        ("in two clusters", &|x| if x < 0.5 { x } else { 1e12 + x }),
    ];
    for (what, spread) in spreads {
        let mut keys: Vec<u64> = (0..300_000).map(|_| spread(fraction(&mut state)).key()).collect();
        for outlier in [None, Some(0.0), Some(f64::MAX), Some(f64::INFINITY)] {
            keys.extend(outlier.map(f64::key));
            for limit in [0.4, f64::MAX] {
                let limit = limit.key();
                let expected = Ok(plain(&keys, limit));
                for threads in [1, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let found = pool.install(|| ranks_of_keys(keys.clone(), limit, None, &()));
                    assert!(found == expected, "{what}, {outlier:?}, {limit}, {threads} threads");
                }
            }
        }
    }
}

#[test]
fn keys_are_ranks_where_nothing_is_narrower_without_them() {
    let len = 200_000;
    let keys = |different: usize| -> Vec<u32> {
        (0..len).map(|k| if k == 77 { 0 } else { (1 << 30) + (k * 7919 % different) as u32 * 3 }).collect()
    };
    let limit = (1 << 30) + 450_000;
    let (any, by_rank) = (|_: usize| Ok(64), |ranks: usize| Ok(if ranks > 300_000 { 128 } else { 64 }));
    // Cases: all keys distinct with one width of entries; with entries that get wider with the number of ranks; few
    // distinct keys.
    let (many, few) = (keys(len), keys(10_000));
    let (values, ranks) = ranks_of_keys(many.clone(), limit, Some(&any), &()).unwrap();
    assert_eq!(values, Values::Keys { least: 1 << 30, ranks: 450_002 });
    let (expected, places) = plain(&many, limit);
    for (((rank, place), &key), k) in ranks.iter().zip(places).zip(&many).zip(0..) {
        assert_eq!(*rank == ABSENT, place == ABSENT, "{k}");
        if *rank != ABSENT {
            assert_eq!((values.distance(*rank), expected.distance(place)), (key.distance(), key.distance()));
        }
    }
    assert_eq!(ranks_of_keys(many.clone(), limit, Some(&by_rank), &()), Ok(plain(&many, limit)));
    assert_eq!(ranks_of_keys(few.clone(), limit, Some(&any), &()), Ok(plain(&few, limit)));
    let wide: Vec<u64> = many.iter().copied().map(u64::from).collect();
    assert_eq!(
        ranks_of_keys(wide.clone(), u64::from(limit), Some(&any), &()),
        Ok(plain(&wide, u64::from(limit)))
    );
}

/// Points on a line with ties, some of them equal.
fn line(n: usize) -> PointCloud<f32> {
    PointCloud::new(1, (0..n).map(|k| (k * 37 % 101) as f32).collect()).unwrap()
}

#[test]
fn rows_of_a_matrix_come_whole() {
    for n in [1, 2, 31, 32, 33, 300] {
        let cloud = line(n);
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let matrix = matrix_of_points(&cloud, &()).unwrap();
        assert!(matrix.lower().iter().copied().eq(pairs.map(|(i, j)| cloud.distance(i, j))));
    }
}

#[test]
fn points_are_ranked_as_their_matrix_is() {
    for n in [1, 2, 90, 700] {
        let cloud = line(n);
        for threshold in [0.0, 1.0, 5.0, 60.0, f32::INFINITY] {
            let of_points = rank(&Distances::Points(cloud.clone()), threshold).unwrap();
            let matrix = matrix_of_points(&cloud, &()).unwrap();
            let of_matrix = rank(&Distances::Matrix(matrix), threshold).unwrap();
            assert_eq!(of_points.values, of_matrix.values);
            let edges = |ranking: &Ranking| {
                let mut edges = listed(&ranking.edges);
                edges.sort_unstable();
                edges
            };
            assert_eq!(edges(&of_points), edges(&of_matrix), "{n} points, threshold {threshold}");
        }
    }
}

#[test]
fn few_near_points_are_searched_for_and_many_are_not() {
    let cloud = Distances::Points(line(3000));
    let search = |threshold| Keyed::of(&cloud, threshold, false, &()).unwrap().search;
    assert!(matches!(search(Some(1.0)), PairSearch::Tree { .. }));
    assert_eq!(search(Some(50.0)), PairSearch::Dense);
    assert_eq!([search(None), search(Some(f32::INFINITY))], [PairSearch::All; 2]);
}

/// All pairs of points, ranked in order.
fn lower(points: usize) -> Edges {
    let numbers = (0..(points * points.saturating_sub(1) / 2) as u32).collect();
    Edges { points, numbers, layout: Layout::Lower }
}

/// Edges as triples.
fn listed(edges: &Edges) -> Vec<(u32, u32, u32)> {
    let mut list = Vec::new();
    edges.each(|i, j, rank| list.push((i, j, rank)));
    list
}

/// Squares of one tile and of several: symmetric, with an absent diagonal, from all pairs and from a list of them.
#[test]
fn a_square_is_symmetric_with_an_absent_diagonal() {
    for n in [1, 2, 5, 63, 64, 65, 130, 200] {
        let lower = lower(n);
        let pairs = (0..n as u32).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let list = Edges { layout: Layout::Pairs(pairs), ..lower.clone() };
        let degrees: Vec<usize> = (0..n).collect();
        assert_eq!((lower.lower_degrees(), list.lower_degrees()), (degrees.clone(), degrees));
        let square = lower.clone().square::<u32>().unwrap();
        for (i, row) in square.chunks(stride(n)).enumerate() {
            for (j, &rank) in row.iter().enumerate() {
                let (a, b) = (i.max(j), i.min(j));
                let expected = if i == j || j >= n { u32::MAX } else { lower.numbers[a * (a - 1) / 2 + b] };
                assert_eq!(rank, expected, "{n} points, {i}, {j}");
            }
        }
        assert_eq!(list.clone().square::<u32>().unwrap(), square, "{n} points");
        let narrow: Vec<u16> = square.iter().map(|&rank| u16::narrow(rank)).collect();
        assert_eq!(lower.square::<u16>().unwrap(), narrow, "{n} points");
        assert_eq!(list.square::<u16>().unwrap(), narrow, "{n} points");
    }
}

#[test]
fn few_points_are_ranked_once() {
    for n in [1, 2, 90, 181] {
        let keyed = Keyed::of(&Distances::Points(line(n)), None, true, &()).unwrap();
        assert!(matches!(keyed.edges.layout, Layout::Lower));
    }
}

#[test]
fn points_in_a_square_are_ranked_as_below_the_diagonal() {
    // Fewer points have so few keys that a square does not pay.
    for n in [182, 190, 200, 257] {
        let cloud = Distances::Points(line(n));
        for threshold in [f32::INFINITY, 60.0, 0.0] {
            let ranked = |may_be_square| {
                let keyed = Keyed::of(&cloud, Some(f32::INFINITY), may_be_square, &()).unwrap();
                assert_eq!(matches!(keyed.edges.layout, Layout::Square), may_be_square);
                rank_keyed(keyed, Keyed::limit(threshold), None, &()).unwrap()
            };
            let (square, lower) = (ranked(true), ranked(false));
            assert_eq!(square.values, lower.values);
            assert_eq!(square.edges.lower_degrees(), lower.edges.lower_degrees());
            let graphs = [ranked(true), ranked(false)].map(|ranked| ranked.edges.graph(true).unwrap());
            assert!((0..n as u32).all(|v| graphs[0].row(v) == graphs[1].row(v)));
            let narrow = [ranked(true), ranked(false)].map(|ranked| ranked.edges.square::<u16>().unwrap());
            assert_eq!(narrow[0], narrow[1]);
            let lists = [ranked(true), ranked(false)].map(|ranked| listed(&ranked.edges));
            assert_eq!(lists[0], lists[1]);
            assert_eq!(square.edges.square::<u32>().unwrap(), lower.edges.square::<u32>().unwrap());
        }
    }
}
