//! Distances of all pairs of points, computed row by row.

use std::mem;

use super::order::CHUNK;
use crate::memory::{self, Refused};
use crate::metric::value::{DistanceKey, LANES};
use crate::metric::{DistanceMatrix, PointCloud, Value};
use crate::parallel::pieces_mut;
use crate::rips::Progress;
use crate::rips::complex::stride;
use crate::simd::{Kernel, Level, Simd};

/// Number of points whose distances to smaller points a thread computes at a time, so that waking it up pays.
pub(in crate::rips) fn rows_at_once(points: usize) -> usize {
    (CHUNK / points.max(1)).max(1)
}

/// Points in blocks of [`LANES`], each block coordinate by coordinate. NaN fills the last block.
pub(super) struct Blocks<T> {
    dimension: usize,
    coordinates: Vec<T>,
}

impl<T: Value> Blocks<T> {
    /// The points of a cloud in the given order.
    ///
    /// # Errors
    /// There is not enough memory for the coordinates.
    pub(super) fn of(cloud: &PointCloud<T>, order: &[u32]) -> Result<Self, Refused> {
        let dimension = cloud.dimension();
        let length = order.len().next_multiple_of(LANES) * dimension;
        let mut coordinates = memory::filled(T::from_f64(f64::NAN), length)?;
        for (block, points) in coordinates.chunks_mut(LANES * dimension).zip(order.chunks(LANES)) {
            for (lane, &point) in points.iter().enumerate() {
                let column = block[lane..].iter_mut().step_by(LANES);
                column.zip(cloud.point(point as usize)).for_each(|(out, &x)| *out = x);
            }
        }
        Ok(Blocks { dimension, coordinates })
    }

    /// The block with the given number.
    #[inline(always)]
    pub(super) fn block(&self, number: usize) -> &[T] {
        let length = LANES * self.dimension;
        &self.coordinates[number * length..][..length]
    }
}

/// The distances from a point to the first points of a cloud, each converted by `convert`.
struct Row<'a, T, O, F> {
    cloud: &'a PointCloud<T>,
    blocks: &'a Blocks<T>,
    /// The row's point.
    i: usize,
    /// The converted distances, one element for each of the first points.
    out: &'a mut [O],
    convert: F,
}

impl<T: Value, O: Copy, F: Fn(T) -> O> Kernel<u32> for Row<'_, T, O, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<u32>>(self, _: S) {
        let Row { cloud, blocks, i, out, convert } = self;
        for (number, out) in out.chunks_mut(LANES).enumerate() {
            // All lanes are computed, even for a block that is cut off.
            let converted = distances_to_block(cloud, blocks, i, number).map(&convert);
            out.copy_from_slice(&converted[..out.len()]);
        }
    }
}

/// The distances from point `i` to the points of a block; lanes after the last point have unspecified values.
#[inline(always)]
pub(super) fn distances_to_block<T: Value>(
    cloud: &PointCloud<T>,
    blocks: &Blocks<T>,
    i: usize,
    number: usize,
) -> [T; LANES] {
    let mut sums = T::sums_of_squares(cloud.point(i), blocks.block(number));
    let first = number * LANES;
    let mut is_harmed = false;
    for (lane, &sum) in sums.iter().enumerate() {
        // The sum of the point with itself is exactly 0, so it needs no second computation.
        is_harmed |= T::is_harmed(sum) & (first + lane != i);
    }
    if is_harmed {
        let points = cloud.len().min(first + LANES) - first;
        for (lane, distance) in sums[..points].iter_mut().enumerate() {
            *distance = cloud.distance(i, first + lane);
        }
        sums
    } else {
        sums.map(T::root)
    }
}

/// The distances of all pairs of points below the diagonal, row by row, each converted by `convert`.
///
/// # Errors
/// There is not enough memory for the distances.
pub(super) fn lower_of_points<T: Value, O: zerocopy::FromZeros + Copy + Send>(
    cloud: &PointCloud<T>,
    progress: &dyn Progress,
    convert: impl Fn(T) -> O + Sync,
) -> Result<Vec<O>, Refused> {
    let n = cloud.len();
    let mut lower = memory::zeroed(n * (n - 1) / 2)?;
    // Points are numbers of 32 bits.
    let blocks = Blocks::of(cloud, &(0..n as u32).collect::<Vec<_>>())?;
    let (level, at_once) = (Level::detect(), rows_at_once(n));
    let fill = |i: usize, out: &mut [O]| {
        level.run(Row { cloud, blocks: &blocks, i, out, convert: &convert });
        progress.advance(i as u64);
    };
    let mut rest = lower.as_mut_slice();
    let rows = (0..n).map(|i| {
        let (row, after) = mem::take(&mut rest).split_at_mut(i);
        rest = after;
        (i, row)
    });
    if n <= at_once {
        rows.for_each(|(i, out)| fill(i, out));
        return Ok(lower);
    }
    let mut rows: Vec<(usize, &mut [O])> = rows.collect();
    pieces_mut(&mut rows, at_once, &|_, rows: &mut [(usize, &mut [O])]| {
        rows.iter_mut().for_each(|(i, out)| fill(*i, out));
    });
    Ok(lower)
}

/// The keys of the distances of all pairs of points in either order, as rows of a square
/// ([`Layout::Square`](super::Layout)).
///
/// # Errors
/// There is not enough memory for the keys.
pub(super) fn square_of_points<T: Value>(
    cloud: &PointCloud<T>,
    progress: &dyn Progress,
) -> Result<Vec<T::Key>, Refused> {
    let (n, stride) = (cloud.len(), stride(cloud.len()));
    let mut square = memory::zeroed(n * stride)?;
    // Points are numbers of 32 bits.
    let blocks = Blocks::of(cloud, &(0..n as u32).collect::<Vec<_>>())?;
    let level = Level::detect();
    let at_once = rows_at_once(n);
    pieces_mut(&mut square, at_once * stride, &|piece, rows: &mut [T::Key]| {
        for (i, row) in (piece * at_once..).zip(rows.chunks_mut(stride)) {
            level.run(Row { cloud, blocks: &blocks, i, out: &mut row[..n], convert: T::key });
            row[i] = T::Key::NONE;
            row[n..].fill(T::Key::NONE);
            progress.advance(i as u64);
        }
    });
    Ok(square)
}

/// The distance matrix of a point cloud.
///
/// # Errors
/// There is not enough memory for the matrix.
pub fn matrix_of_points<T: Value>(
    points: &PointCloud<T>,
    progress: &dyn Progress,
) -> Result<DistanceMatrix<T>, Refused> {
    let lower = lower_of_points(points, progress, |distance: T| distance)?;
    Ok(DistanceMatrix::from_lower(lower)
        .expect("distances of finite points are numbers from 0 up, or infinite"))
}
