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
    let table = Table::new(all.par_iter().copied().filter(|&d| present(d)).collect());
    let rank = |&d: &T| if present(d) { table.rank(d) } else { ABSENT };
    let lower = all.par_iter().with_min_len(1 << 12).map(rank).collect();
    Ranking { values: table.values::<T>(), edges: Edges::Lower(lower) }
}

fn rank_list<T: Value>(edges: &[(u32, u32, T)]) -> Ranking {
    let table = Table::new(edges.iter().map(|&(_, _, d)| d).collect());
    let ranked = edges.par_iter().map(|&(i, j, d)| (i, j, table.rank(d))).collect();
    Ranking { values: table.values::<T>(), edges: Edges::List(ranked) }
}

/// The pairs of points within `threshold`.
fn within<T: Value>(points: &PointCloud<T>, threshold: T) -> Vec<(u32, u32, T)> {
    let near = |i: usize| {
        let pairs = (0..i).map(move |j| (i as u32, j as u32, points.distance(i, j)));
        pairs.filter(|&(_, _, d)| d <= threshold && d < T::INFINITY).collect::<Vec<_>>()
    };
    (0..points.len()).into_par_iter().flat_map_iter(near).collect()
}

/// A sorted list of distinct values with a first-level index: the range of bit patterns is cut into equal parts,
/// about one a value, so that a look-up searches a handful of neighbours.
struct Table {
    /// Bits of the values, ascending, the first those of 0.
    keys: Vec<u64>,
    /// `start[k]`: the first key whose part is at least k.
    start: Vec<u32>,
    shift: u32,
}

impl Table {
    fn new<T: Value>(values: Vec<T>) -> Self {
        let mut keys: Vec<u64> = values.into_par_iter().map(T::order_bits).collect();
        keys.push(0);
        keys.par_sort_unstable();
        keys.dedup();
        // Parts are counted from the second key: floats start far above the bits of zero.
        let base = keys.get(1).copied().unwrap_or(0);
        let span = keys[keys.len() - 1] - base;
        let parts = keys.len().next_power_of_two() * 2;
        let shift = (u64::BITS - span.leading_zeros()).saturating_sub(parts.trailing_zeros());
        let mut start = vec![0u32; parts + 2];
        for &key in &keys {
            start[Self::part(key, base, shift) + 1] += 1;
        }
        for part in 0..=parts {
            start[part + 1] += start[part];
        }
        Table { keys, start, shift }
    }

    fn part(key: u64, base: u64, shift: u32) -> usize {
        // Less than twice the number of keys.
        (key.saturating_sub(base) >> shift) as usize
    }

    /// The rank of a value that is in the list.
    fn rank<T: Value>(&self, value: T) -> u32 {
        let key = value.order_bits();
        let base = self.keys.get(1).copied().unwrap_or(0);
        let part = Self::part(key, base, self.shift);
        let range = self.start[part] as usize..self.start[part + 1] as usize;
        let before = self.keys[range.clone()].partition_point(|&k| k < key);
        // There are fewer than 2^32 distinct values: they are pairs of points with 32-bit ids in memory.
        (range.start + before) as u32
    }

    fn values<T: Value>(&self) -> Vec<f64> {
        self.keys.iter().map(|&key| T::from_order_bits(key).into()).collect()
    }
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
    let row = |i: usize| (0..i).map(move |j| points.distance(i, j));
    let lower: Vec<T> = (0..points.len()).into_par_iter().flat_map_iter(row).collect();
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
