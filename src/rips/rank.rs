//! Distances replaced by their ranks.
//!
//! The distinct distances up to the threshold are sorted once; from then on a distance is its place in that list.
//! Rank 0 is always the value 0, the birth of every vertex. Comparisons of ranks are comparisons of distances,
//! exactly, in whatever precision these had; the output looks the values up again.

use rayon::prelude::*;

use super::complex::{ABSENT, Sparse, stride};
use crate::metric::{DistanceMatrix, Distances, PointCloud, Value};
use crate::simd::Rank;

/// The distances of a filtration as ranks.
#[derive(Debug)]
pub struct Ranking {
    /// The value of each rank, ascending from 0.
    pub values: Vec<f64>,
    /// The edges.
    pub edges: Edges,
}

/// Ranked edges in the shape they came in.
#[derive(Debug)]
pub enum Edges {
    /// Entries below the diagonal, row by row, `ABSENT` past the threshold.
    Lower(Vec<u32>),
    /// (i, j, rank) with i > j.
    List(Vec<(u32, u32, u32)>),
}

/// Ranks all distances up to `threshold`.
pub fn rank<T: Value>(distances: &Distances<T>, threshold: T) -> Ranking {
    match distances {
        Distances::Matrix(m) => rank_matrix(m, threshold),
        Distances::Points(p) => rank_list(&within(p, threshold)),
        Distances::Sparse(s) => {
            let kept = s.edges().iter().filter(|e| e.distance <= threshold);
            rank_list(&kept.map(|e| (e.i, e.j, e.distance)).collect::<Vec<_>>())
        }
    }
}

fn rank_matrix<T: Value>(matrix: &DistanceMatrix<T>, threshold: T) -> Ranking {
    let present = |d: T| d <= threshold && d < T::INFINITY;
    let all = matrix.lower();
    let kept = |(place, &d): (usize, &T)| present(d).then_some((d, place));
    let (values, lower) = rank_places(all.par_iter().enumerate().filter_map(kept), all.len());
    Ranking { values, edges: Edges::Lower(lower) }
}

fn rank_list<T: Value>(edges: &[(u32, u32, T)]) -> Ranking {
    let lengths = edges.par_iter().enumerate().map(|(place, &(_, _, d))| (d, place));
    let (values, ranks) = rank_places(lengths, edges.len());
    let ranked = edges.iter().zip(ranks).map(|(&(i, j, _), rank)| (i, j, rank)).collect();
    Ranking { values, edges: Edges::List(ranked) }
}

/// The distinct values, ascending from 0, and for each of `len` places the rank of the value there, or `ABSENT`.
fn rank_places<T: Value>(
    values: impl ParallelIterator<Item = (T, usize)>,
    len: usize,
) -> (Vec<f64>, Vec<u32>) {
    if T::NARROW && u32::try_from(len).is_ok() {
        // Value and place side by side in one word sort twice as fast as a pair.
        let pack = |(d, place): (T, usize)| (d.order_bits() << 32) | place as u64;
        let mut words: Vec<u64> = values.map(pack).collect();
        words.par_sort_unstable();
        let pairs = words.iter().map(|&word| (word >> 32, (word & u64::from(u32::MAX)) as usize));
        assign::<T>(pairs, len)
    } else {
        let mut pairs: Vec<(u64, usize)> = values.map(|(d, place)| (d.order_bits(), place)).collect();
        pairs.par_sort_unstable();
        assign::<T>(pairs.iter().copied(), len)
    }
}

/// Ranks from (bits of the value, place), sorted.
fn assign<T: Value>(pairs: impl Iterator<Item = (u64, usize)>, len: usize) -> (Vec<f64>, Vec<u32>) {
    let (mut values, mut ranks) = (vec![0.0], vec![ABSENT; len]);
    let (mut last, mut rank) = (T::from_f64(0.0).order_bits(), 0);
    for (bits, place) in pairs {
        if bits != last {
            last = bits;
            // There are fewer than 2^32 - 1 distinct values: one needs 12 bytes.
            rank += 1;
            values.push(T::from_order_bits(bits).into());
        }
        ranks[place] = rank;
    }
    (values, ranks)
}

/// The pairs of points within `threshold`.
fn within<T: Value>(points: &PointCloud<T>, threshold: T) -> Vec<(u32, u32, T)> {
    let near = |i: usize| {
        let pairs = (0..i).map(move |j| (i as u32, j as u32, points.distance(i, j)));
        pairs.filter(|&(_, _, d)| d <= threshold && d < T::INFINITY).collect::<Vec<_>>()
    };
    (0..points.len()).into_par_iter().flat_map_iter(near).collect()
}

impl Edges {
    /// A square matrix of ranks as [`super::complex::Dense`] wants it.
    pub fn square<R: Rank>(&self, n: usize) -> Vec<R> {
        let stride = stride(n);
        let mut square = vec![<R as Rank>::MAX; n * stride];
        match self {
            Edges::Lower(lower) => square.par_chunks_mut(stride).enumerate().for_each(|(i, row)| {
                let start = i * i.saturating_sub(1) / 2;
                for (out, &rank) in row.iter_mut().zip(&lower[start..start + i]) {
                    *out = R::narrow(rank);
                }
                let mut at = start + i + i;
                for (j, out) in row.iter_mut().enumerate().take(n).skip(i + 1) {
                    *out = R::narrow(lower[at]);
                    at += j;
                }
            }),
            Edges::List(list) => {
                for &(i, j, rank) in list {
                    square[i as usize * stride + j as usize] = R::narrow(rank);
                    square[j as usize * stride + i as usize] = R::narrow(rank);
                }
            }
        }
        square
    }

    /// For each point the number of edges to smaller points.
    pub fn lower_degrees(&self, n: usize) -> Vec<usize> {
        match self {
            Edges::Lower(lower) => (0..n)
                .map(|i| {
                    let start = i * i.saturating_sub(1) / 2;
                    lower[start..start + i].iter().filter(|&&rank| rank != ABSENT).count()
                })
                .collect(),
            Edges::List(list) => {
                let mut degrees = vec![0; n];
                list.iter().for_each(|&(i, _, _)| degrees[i as usize] += 1);
                degrees
            }
        }
    }

    /// Neighbour lists.
    pub fn graph(&self, n: usize) -> Sparse {
        match self {
            Edges::List(list) => Sparse::new(n, list),
            Edges::Lower(lower) => {
                let pairs = (0..n as u32).flat_map(|i| (0..i).map(move |j| (i, j)));
                let present = pairs.zip(lower).filter(|&(_, &rank)| rank != ABSENT);
                Sparse::new(n, &present.map(|((i, j), &rank)| (i, j, rank)).collect::<Vec<_>>())
            }
        }
    }
}

/// A point cloud's distance matrix.
pub fn matrix_of_points<T: Value>(points: &PointCloud<T>) -> Option<DistanceMatrix<T>> {
    let n = points.len();
    let mut lower = vec![T::from_f64(0.0); n * (n - 1) / 2];
    let mut rows = Vec::with_capacity(n);
    let mut rest = lower.as_mut_slice();
    for i in 0..n {
        let (row, after) = rest.split_at_mut(i);
        rows.push(row);
        rest = after;
    }
    let fill = |(i, row): (usize, &mut [T])| {
        row.iter_mut().enumerate().for_each(|(j, out)| *out = points.distance(i, j));
    };
    rows.into_par_iter().enumerate().for_each(fill);
    DistanceMatrix::from_lower(lower).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_places_among_the_distinct_values() {
        let m = DistanceMatrix::from_lower(vec![2.5f32, 0.0, 1e-30, 7.0, 2.5, f32::INFINITY]).unwrap();
        let ranking = rank(&Distances::Matrix(m), f32::INFINITY);
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
            rank(&Distances::Matrix(DistanceMatrix::from_lower(values.clone()).unwrap()), threshold);
        let Edges::Lower(ranks) = &ranking.edges else { panic!("a matrix stays one") };
        for (&value, &rank) in values.iter().zip(ranks) {
            let expected =
                if value <= threshold { sorted.partition_point(|&v| v < value) as u32 } else { ABSENT };
            assert_eq!(rank, expected);
        }
    }

    #[test]
    fn a_square_is_symmetric_with_an_absent_diagonal() {
        let lower = Edges::Lower((0..10).collect());
        let pairs = (0..5u32).flat_map(|i| (0..i).map(move |j| (i, j)));
        let list = Edges::List(pairs.zip(0..10).map(|((i, j), rank)| (i, j, rank)).collect());
        let (a, b) = (lower.square::<u16>(5), list.square::<u16>(5));
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
}
