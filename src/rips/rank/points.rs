//! The distances of a point cloud, row by row: those of near points, or all.

use std::sync::Mutex;

use super::places::CHUNK;
use crate::memory::{self, Refused};
use crate::metric::{DistanceMatrix, PointCloud, Value};
use crate::parallel::{SharedRange, into_inner, lock};
use crate::rips::Progress;

/// Points whose distances to smaller points a thread takes at a time, so that it is worth waking it up.
pub(in crate::rips) fn rows_at_once(points: usize) -> usize {
    (CHUNK / points.max(1)).max(1)
}

/// The pairs of points within `threshold`.
pub(super) fn within<T: Value>(points: &PointCloud<T>, threshold: T) -> Result<Vec<(u32, u32, T)>, Refused> {
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
