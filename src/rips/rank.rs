//! Distances replaced by their ranks.
//!
//! The distinct distances up to the threshold are sorted once; from then on a distance is its place in that list.
//! Rank 0 is always the value 0, the birth of every vertex. Comparisons of ranks are comparisons of distances,
//! exactly, in whatever precision these had; the output looks the values up again.

use rayon::prelude::*;
use zerocopy::FromZeros;

use super::complex::{ABSENT, Sparse, stride};
use super::{Progress, RipsError};
use crate::memory::{self, Refused};
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
///
/// # Errors
/// [`RipsError::Refused`] and [`RipsError::TooManyDistances`].
pub fn rank<T: Value>(distances: &Distances<T>, threshold: T) -> Result<Ranking, RipsError> {
    match distances {
        Distances::Matrix(m) => rank_matrix(m, threshold),
        Distances::Points(p) => rank_list(&within(p, threshold)?),
        Distances::Sparse(s) => {
            let kept = || s.edges().iter().filter(|e| e.distance <= threshold);
            let mut edges = Vec::new();
            memory::reserve(&mut edges, kept().count())?;
            edges.extend(kept().map(|e| (e.i, e.j, e.distance)));
            rank_list(&edges)
        }
    }
}

fn rank_matrix<T: Value>(matrix: &DistanceMatrix<T>, threshold: T) -> Result<Ranking, RipsError> {
    let present = |d: &T| *d <= threshold && *d < T::INFINITY;
    let (values, lower) = rank_places(matrix.lower(), present, |&d| d)?;
    Ok(Ranking { values, edges: Edges::Lower(lower) })
}

fn rank_list<T: Value>(edges: &[(u32, u32, T)]) -> Result<Ranking, RipsError> {
    let (values, ranks) = rank_places(edges, |_| true, |&(_, _, d)| d)?;
    let mut ranked = Vec::new();
    memory::reserve(&mut ranked, edges.len())?;
    ranked.extend(edges.iter().zip(ranks).map(|(&(i, j, _), rank)| (i, j, rank)));
    Ok(Ranking { values, edges: Edges::List(ranked) })
}

/// The distinct values of the items that are `present`, ascending from 0, and for each item the rank of its value, or `ABSENT`.
fn rank_places<T: Value, I: Sync>(
    items: &[I],
    present: impl Fn(&I) -> bool + Sync,
    value: impl Fn(&I) -> T + Sync,
) -> Result<(Vec<f64>, Vec<u32>), RipsError> {
    let len = items.len();
    if T::NARROW && u32::try_from(len).is_ok() {
        // Value and place side by side in one word sort twice as fast as a pair.
        let pack = |place: usize, item: &I| (value(item).order_bits() << 32) | place as u64;
        let mut words = gather(items, present, pack)?;
        words.par_sort_unstable();
        let pairs = words.iter().map(|&word| (word >> 32, (word & u64::from(u32::MAX)) as usize));
        assign::<T>(pairs, len)
    } else {
        let mut pairs = gather(items, present, |place, item| [value(item).order_bits(), place as u64])?;
        pairs.par_sort_unstable();
        assign::<T>(pairs.iter().map(|&[bits, place]| (bits, place as usize)), len)
    }
}

/// Items that a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// What `word` makes of the places of the items that are `present` and of these items, in their order.
fn gather<I: Sync, W: FromZeros + Send>(
    items: &[I],
    present: impl Fn(&I) -> bool + Sync,
    word: impl Fn(usize, &I) -> W + Sync,
) -> Result<Vec<W>, Refused> {
    let count = |chunk: &[I]| chunk.iter().filter(|item| present(item)).count();
    let counts: Vec<usize> = items.par_chunks(CHUNK).map(count).collect();
    let mut all = memory::zeroed(counts.iter().sum())?;
    let mut rest = all.as_mut_slice();
    let mut parts = Vec::with_capacity(counts.len());
    for count in counts {
        let (part, after) = rest.split_at_mut(count);
        parts.push(part);
        rest = after;
    }
    let fill = |(chunk, (part, items)): (usize, (&mut [W], &[I]))| {
        let first = chunk * CHUNK;
        if part.len() == items.len() {
            for (k, (out, item)) in part.iter_mut().zip(items).enumerate() {
                *out = word(first + k, item);
            }
            return;
        }
        let found = items.iter().enumerate().filter(|&(_, item)| present(item));
        for (out, (k, item)) in part.iter_mut().zip(found) {
            *out = word(first + k, item);
        }
    };
    parts.into_par_iter().zip(items.par_chunks(CHUNK)).enumerate().for_each(fill);
    Ok(all)
}

/// Ranks from (bits of the value, place), sorted.
fn assign<T: Value>(
    pairs: impl Iterator<Item = (u64, usize)>,
    len: usize,
) -> Result<(Vec<f64>, Vec<u32>), RipsError> {
    let (mut values, mut ranks) = (vec![0.0], memory::filled(ABSENT, len)?);
    let (mut last, mut rank) = (T::from_f64(0.0).order_bits(), 0);
    for (bits, place) in pairs {
        if bits != last {
            last = bits;
            rank += 1;
            if rank == ABSENT {
                return Err(RipsError::TooManyDistances);
            }
            memory::push(&mut values, T::from_order_bits(bits).into())?;
        }
        ranks[place] = rank;
    }
    Ok((values, ranks))
}

/// The pairs of points within `threshold`.
fn within<T: Value>(points: &PointCloud<T>, threshold: T) -> Result<Vec<(u32, u32, T)>, Refused> {
    let near = |i: usize| {
        let mut row = Vec::new();
        for (j, d) in points.distances_before(i).enumerate() {
            if d <= threshold && d < T::INFINITY {
                memory::push(&mut row, (i as u32, j as u32, d))?;
            }
        }
        Ok(row)
    };
    let rows: Vec<_> = (0..points.len()).into_par_iter().map(near).collect::<Result<_, Refused>>()?;
    let mut all = Vec::new();
    memory::reserve(&mut all, rows.iter().map(Vec::len).sum())?;
    rows.into_iter().for_each(|row| all.extend_from_slice(&row));
    Ok(all)
}

impl Edges {
    /// A square matrix of ranks as [`super::complex::Dense`] wants it.
    ///
    /// # Errors
    /// There is no memory for it.
    pub fn square<R: Rank>(&self, n: usize) -> Result<Vec<R>, Refused> {
        let stride = stride(n);
        let mut square = memory::filled(<R as Rank>::MAX, n * stride)?;
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
        Ok(square)
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
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn graph(&self, n: usize) -> Result<Sparse, Refused> {
        match self {
            Edges::List(list) => Sparse::new(n, list),
            Edges::Lower(lower) => {
                let mut list = Vec::new();
                memory::reserve(&mut list, lower.iter().filter(|&&rank| rank != ABSENT).count())?;
                let pairs = (0..n as u32).flat_map(|i| (0..i).map(move |j| (i, j)));
                let present = pairs.zip(lower).filter(|&(_, &rank)| rank != ABSENT);
                list.extend(present.map(|((i, j), &rank)| (i, j, rank)));
                Sparse::new(n, &list)
            }
        }
    }
}

/// A point cloud's distance matrix.
///
/// # Errors
/// There is no memory for it.
pub fn matrix_of_points<T: Value>(
    points: &PointCloud<T>,
    progress: &dyn Progress,
) -> Result<DistanceMatrix<T>, Refused> {
    let n = points.len();
    let mut lower = memory::zeroed(n * (n - 1) / 2)?;
    let mut rows = Vec::with_capacity(n);
    let mut rest = lower.as_mut_slice();
    for i in 0..n {
        let (row, after) = rest.split_at_mut(i);
        rows.push(row);
        rest = after;
    }
    let fill = |(i, row): (usize, &mut [T])| {
        row.iter_mut().zip(points.distances_before(i)).for_each(|(out, d)| *out = d);
        progress.advance(i as u64);
    };
    rows.into_par_iter().enumerate().for_each(fill);
    Ok(DistanceMatrix::from_lower(lower)
        .expect("distances of finite points are numbers from 0 up, or infinite"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let items: Vec<usize> = (0..len).map(|place| 3 * place).collect();
            let present = |item: &usize| item / 3 % 7 < item / 15_000;
            let expected: Vec<u64> =
                (0..len).filter(|place| present(&items[*place])).map(|place| 4 * place as u64).collect();
            assert_eq!(gather(&items, present, |place, item| (place + item) as u64), Ok(expected), "{len}");
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
}
