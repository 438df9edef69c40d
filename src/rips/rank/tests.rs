//! Ranks against the sorted list of distances, and rows of points against each pair.

use super::places::{CHUNK, gather};
use super::*;
use crate::metric::PointCloud;

#[test]
fn ranks_are_places_among_the_distinct_values() {
    let m = DistanceMatrix::from_lower(vec![2.5f32, 0.0, 1e-30, 7.0, 2.5, f32::INFINITY]).unwrap();
    let ranking = rank(&Distances::Matrix(m), f32::INFINITY).unwrap();
    assert_eq!(ranking.values, [0.0, f64::from(1e-30f32), 2.5, 7.0]);
    let Edges::Lower(ranks) = &ranking.edges else { panic!("a matrix stays one") };
    assert_eq!(ranks, &[2, 0, 1, 3, 2, ABSENT]);
}

#[test]
fn ranks_of_many_values_of_every_magnitude() {
    let mut state = 5u64;
    let values: Vec<f64> = (0..4950)
        .map(|k| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mantissa = (state >> 40) as f64;
            mantissa * 2f64.powi((k % 60) - 30)
        })
        .collect();
    let mut sorted = values.clone();
    sorted.push(0.0);
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    let threshold = sorted[sorted.len() * 3 / 4];
    let ranking =
        rank(&Distances::Matrix(DistanceMatrix::from_lower(values.clone()).unwrap()), threshold).unwrap();
    let Edges::Lower(ranks) = &ranking.edges else { panic!("a matrix stays one") };
    for (&value, &rank) in values.iter().zip(ranks) {
        let expected =
            if value <= threshold { sorted.partition_point(|&v| v < value) as u32 } else { ABSENT };
        assert_eq!(rank, expected);
    }
}

#[test]
fn places_in_order_over_many_chunks() {
    for len in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 100_000] {
        let distances: Vec<f32> = (0..len).map(|place| (place * 7 % 1000) as f32).collect();
        let lower = Lower { distances: &distances, threshold: 300.0 };
        let kept = (0..len).filter(|&place| distances[place] <= 300.0);
        let expected: Vec<[u64; 2]> =
            kept.map(|place| [distances[place].order_bits(), place as u64]).collect();
        assert_eq!(gather(&lower, |key, place| [key, place]), Ok(expected), "{len}");
    }
}

#[test]
fn near_pairs_come_in_order_and_rows_of_a_matrix_whole() {
    for n in [1, 2, 300, 700] {
        let cloud = PointCloud::new(1, (0..n).map(|k| (k * 37 % 101) as f32).collect()).unwrap();
        let pairs = || (0..n as u32).flat_map(|i| (0..i).map(move |j| (i, j)));
        let distance = |(i, j): (u32, u32)| (i, j, cloud.distance(i as usize, j as usize));
        let near: Vec<_> = pairs().map(distance).filter(|&(_, _, d)| d <= 5.0).collect();
        assert_eq!(within(&cloud, 5.0), Ok(near));
        let matrix = matrix_of_points(&cloud, &()).unwrap();
        assert!(matrix.lower().iter().copied().eq(pairs().map(|pair| distance(pair).2)));
    }
}

#[test]
fn a_square_is_symmetric_with_an_absent_diagonal() {
    let lower = Edges::Lower((0..10).collect());
    let pairs = (0..5u32).flat_map(|i| (0..i).map(move |j| (i, j)));
    let list = Edges::List(pairs.zip(0..10).map(|((i, j), rank)| (i, j, rank)).collect());
    let (a, b) = (lower.square::<u16>(5).unwrap(), list.square::<u16>(5).unwrap());
    assert_eq!(a, b);
    let at = |i: usize, j: usize| a[i * stride(5) + j];
    for i in 0..5 {
        assert_eq!(at(i, i), u16::MAX);
        assert!((0..5).all(|j| at(i, j) == at(j, i)));
    }
    assert_eq!(at(4, 2), 8);
    assert_eq!(lower.lower_degrees(5), [0, 1, 2, 3, 4]);
    assert_eq!(list.lower_degrees(5), [0, 1, 2, 3, 4]);
}
