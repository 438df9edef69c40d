//! Distances replaced by their ranks.
//!
//! The distinct distances up to the threshold are sorted once; from then on a distance is its place in that list.
//! Rank 0 is always the value 0, the birth of every vertex. Ranks compare exactly as the distances do in their
//! precision; the output looks the values up again.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;
use zerocopy::FromZeros;

use super::complex::{ABSENT, Sparse, stride};
use super::threads::{SharedRange, into_inner, lock};
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
    let (values, lower) = rank_places(&Lower { distances: matrix.lower(), threshold })?;
    Ok(Ranking { values, edges: Edges::Lower(lower) })
}

fn rank_list<T: Value>(edges: &[(u32, u32, T)]) -> Result<Ranking, RipsError> {
    let (values, ranks) = rank_places(&List { edges })?;
    let mut ranked = Vec::new();
    memory::reserve(&mut ranked, edges.len())?;
    ranked.extend(edges.iter().zip(ranks).map(|(&(i, j, _), rank)| (i, j, rank)));
    Ok(Ranking { values, edges: Edges::List(ranked) })
}

/// Distances to be ranked, one a place, as keys: numbers that are ordered as the distances are. Ranking is compiled once for all
/// precisions and shapes.
trait Keys: Sync {
    /// The number of places.
    fn len(&self) -> usize;

    /// Replaces what is in `keys` by the keys at some places, [`NO_KEY`] where there is no edge.
    fn keys(&self, places: Range<usize>, keys: &mut Vec<u64>);

    /// Whether keys have at most 32 bits.
    fn are_narrow(&self) -> bool;

    /// The distance with this key.
    fn value(&self, key: u64) -> f64;
}

/// The key where there is no edge. Keys of distances are the bits of finite numbers, and less.
const NO_KEY: u64 = u64::MAX;

/// The entries below the diagonal of a matrix, up to a threshold.
struct Lower<'a, T> {
    distances: &'a [T],
    threshold: T,
}

impl<T: Value> Keys for Lower<'_, T> {
    fn len(&self) -> usize {
        self.distances.len()
    }

    fn keys(&self, places: Range<usize>, keys: &mut Vec<u64>) {
        let key = |&d: &T| if d <= self.threshold && d < T::INFINITY { d.order_bits() } else { NO_KEY };
        keys.clear();
        keys.extend(self.distances[places].iter().map(key));
    }

    fn are_narrow(&self) -> bool {
        T::NARROW
    }

    fn value(&self, key: u64) -> f64 {
        T::from_order_bits(key).into()
    }
}

/// The edges of a list, all of them.
struct List<'a, T> {
    edges: &'a [(u32, u32, T)],
}

impl<T: Value> Keys for List<'_, T> {
    fn len(&self) -> usize {
        self.edges.len()
    }

    fn keys(&self, places: Range<usize>, keys: &mut Vec<u64>) {
        keys.clear();
        keys.extend(self.edges[places].iter().map(|&(_, _, d)| d.order_bits()));
    }

    fn are_narrow(&self) -> bool {
        T::NARROW
    }

    fn value(&self, key: u64) -> f64 {
        T::from_order_bits(key).into()
    }
}

/// The distinct distances, ascending from 0, and for each place the rank of its distance, or `ABSENT`.
fn rank_places(distances: &dyn Keys) -> Result<(Vec<f64>, Vec<u32>), RipsError> {
    if distances.are_narrow() && u32::try_from(distances.len()).is_ok() {
        // Key and place side by side in one word sort twice as fast as a pair.
        let mut words = gather(distances, |key, place| (key << 32) | place)?;
        words.par_sort_unstable();
        let pairs = words.iter().map(|&word| (word >> 32, (word & u64::from(u32::MAX)) as usize));
        assign(distances, pairs)
    } else {
        let mut pairs = gather(distances, |key, place| [key, place])?;
        pairs.par_sort_unstable();
        assign(distances, pairs.iter().map(|&[key, place]| (key, place as usize)))
    }
}

/// Places that a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// What `word` makes of the keys and the places of all edges, in the order of the places.
fn gather<W: FromZeros + Send>(distances: &dyn Keys, word: fn(u64, u64) -> W) -> Result<Vec<W>, Refused> {
    let counts = edges_of_chunks(distances);
    let mut all = memory::zeroed(counts.iter().sum())?;
    let mut rest = all.as_mut_slice();
    let mut parts = Vec::with_capacity(counts.len());
    for (chunk, &count) in counts.iter().enumerate() {
        let (part, after) = rest.split_at_mut(count);
        parts.push((chunk * CHUNK, part));
        rest = after;
    }
    let (chunks, parts) = (SharedRange::new(parts.len(), 1), Mutex::new(parts.into_iter()));
    chunks.share(&|| {
        let mut keys = Vec::new();
        loop {
            let next = lock(&parts).next();
            let Some((first, part)) = next else { return };
            distances.keys(first..distances.len().min(first + CHUNK), &mut keys);
            let found = (first as u64..).zip(&keys).filter(|&(_, &key)| key != NO_KEY);
            for (out, (place, &key)) in part.iter_mut().zip(found) {
                *out = word(key, place);
            }
        }
    });
    Ok(all)
}

/// The number of edges in each chunk of places.
fn edges_of_chunks(distances: &dyn Keys) -> Vec<usize> {
    let chunks = SharedRange::new(distances.len().div_ceil(CHUNK), 1);
    let counts = Mutex::new(vec![0; distances.len().div_ceil(CHUNK)]);
    chunks.share(&|| {
        let mut keys = Vec::new();
        while let Some(taken) = chunks.take() {
            for chunk in taken {
                let first = chunk * CHUNK;
                distances.keys(first..distances.len().min(first + CHUNK), &mut keys);
                let count = keys.iter().filter(|&&key| key != NO_KEY).count();
                lock(&counts)[chunk] = count;
            }
        }
    });
    into_inner(counts)
}

/// Ranks from (key, place), sorted.
fn assign(
    distances: &dyn Keys,
    pairs: impl Iterator<Item = (u64, usize)>,
) -> Result<(Vec<f64>, Vec<u32>), RipsError> {
    let (mut values, mut ranks) = (vec![0.0], memory::filled(ABSENT, distances.len())?);
    // The key of the distance 0.
    let (mut last, mut rank) = (0, 0);
    for (key, place) in pairs {
        if key != last {
            last = key;
            rank += 1;
            if rank == ABSENT {
                return Err(RipsError::TooManyDistances);
            }
            memory::push(&mut values, distances.value(key))?;
        }
        ranks[place] = rank;
    }
    Ok((values, ranks))
}

/// Points whose distances to smaller points a thread takes at a time, so that it is worth waking it up.
pub(super) fn rows_at_once(points: usize) -> usize {
    (CHUNK / points.max(1)).max(1)
}

/// The pairs of points within `threshold`.
fn within<T: Value>(points: &PointCloud<T>, threshold: T) -> Result<Vec<(u32, u32, T)>, Refused> {
    let near = |i: usize, edges: &mut Vec<(u32, u32, T)>| {
        for (j, d) in points.distances_before(i).enumerate() {
            if d <= threshold && d < T::INFINITY {
                memory::push(edges, (i as u32, j as u32, d))?;
            }
        }
        Ok(())
    };
    let rows = SharedRange::new(points.len(), rows_at_once(points.len()));
    let (found, refused) = (Mutex::new(Vec::new()), Mutex::new(None));
    rows.share(&|| {
        while let Some(mut taken) = rows.take() {
            let (first, mut edges) = (taken.start, Vec::new());
            match taken.try_for_each(|i| near(i, &mut edges)) {
                Ok(()) => lock(&found).push((first, edges)),
                Err(error) => *lock(&refused) = Some(error),
            }
        }
    });
    if let Some(error) = into_inner(refused) {
        return Err(error);
    }
    let mut found = into_inner(found);
    found.sort_unstable_by_key(|&(first, _)| first);
    let mut all = Vec::new();
    memory::reserve(&mut all, found.iter().map(|(_, edges)| edges.len()).sum())?;
    found.into_iter().for_each(|(_, edges)| all.extend_from_slice(&edges));
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

    /// The number of edges from each point to smaller points.
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
    let (at_once, rows) = (rows_at_once(n), Mutex::new(rows.into_iter().enumerate()));
    SharedRange::new(n, at_once).share(&|| {
        loop {
            let taken: Vec<(usize, &mut [T])> = lock(&rows).by_ref().take(at_once).collect();
            if taken.is_empty() {
                return;
            }
            for (i, row) in taken {
                row.iter_mut().zip(points.distances_before(i)).for_each(|(out, d)| *out = d);
                progress.advance(i as u64);
            }
        }
    });
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
}
