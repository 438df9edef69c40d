//! How long filtration construction should take, on the processor and on a GPU.

use super::filtration_construction::binomial;
use super::summary::Summary;
use crate::backend::Estimate;
use crate::simd::Level;

/// Simplices that a thread sweeps a second, with ranks of 16 bits (`benches/RESULTS.md`: celegans on 16 threads; alone on a core it
/// is twice that).
const CPU_RATE: f64 = 0.4e9;
/// Simplices that a thread sweeps a second, with ranks of 32 bits (700 points in R^8 on 16 threads).
const WIDE_RATE: f64 = 0.28e9;
/// Seconds in which a thread decides an edge of a sparse complex on the neighbour lists.
const EDGE: f64 = 60e-9;
/// Seconds in which a thread reads an element of a neighbour list for the matrix of a neighbourhood.
const ELEMENT: f64 = 1.5e-9;
/// Seconds that a thread needs for a block of a sweep beside what its simplices take.
const BLOCK: f64 = 150e-9;
/// Seconds that a stage takes on threads whatever there is to do.
const STAGE: f64 = 50e-6;
/// Factor by which these rates fall where no vector unit is used.
const PORTABLE: f64 = 0.5;
/// Simplices that a GPU sweeps a second (700 points in R^8 on an H200; up to three times that where the matrix fits its caches).
const DEVICE_RATE: f64 = 12e9;
/// Seconds a dimension takes on a device whatever there is to sweep: launches and copies.
const DEVICE_DIMENSION: f64 = 0.002;
/// The assumed probability that two neighbours of a vertex are joined by an edge.
const CLOSED: f64 = 0.6;

/// The estimate for distances of this summary up to a dimension, with ranks of so many bits.
pub(super) fn of(summary: &Summary, max_dim: usize, rank_width: u32, level: Level) -> Estimate {
    let dims = 1..=max_dim.min(summary.points.saturating_sub(2));
    let swept: f64 = dims.clone().map(|dim| simplices(summary, dim)).sum();
    let filled: f64 = dims.clone().map(|dim| filled(summary, dim)).sum();
    let rate = if rank_width == 16 { CPU_RATE } else { WIDE_RATE };
    let rate = if level.name() == "portable" { rate * PORTABLE } else { rate };
    let stages = dims.clone().count() as f64;
    let on_thread: f64 = dims.map(|dim| on_thread(summary, dim, rate)).sum();
    Estimate {
        work: format!("some {swept:.1e} simplices to sweep"),
        cpu: on_thread / rayon::current_num_threads() as f64 + stages * STAGE,
        device: (swept + filled) / DEVICE_RATE + stages * DEVICE_DIMENSION,
    }
}

/// Seconds in which one thread constructs the residue of a dimension.
fn on_thread(summary: &Summary, dim: usize, rate: f64) -> f64 {
    match dim {
        1 if !summary.is_dense() => simplices(summary, 1) * EDGE,
        _ => {
            let blocks = if dim == 1 { summary.points as f64 } else { simplices(summary, dim - 1) };
            filled(summary, dim) * ELEMENT + blocks * BLOCK + simplices(summary, dim) / rate
        }
    }
}

/// Elements of neighbour lists that are read for the matrices of all neighbourhoods in a dimension.
fn filled(summary: &Summary, dim: usize) -> f64 {
    if dim == 1 || summary.is_dense() {
        return 0.0;
    }
    // Each vertex has this many neighbours, whose lists are as long.
    let degree = 2.0 * summary.edges as f64 / summary.points as f64;
    summary.points as f64 * degree * degree
}

/// An estimate of the number of simplices of a dimension.
fn simplices(summary: &Summary, dim: usize) -> f64 {
    let (n, edges) = (summary.points, summary.edges as f64);
    let pairs = binomial(n, 2) as f64;
    if pairs == 0.0 {
        return 0.0;
    }
    let density = edges / pairs;
    // In a dense graph each vertex past the first must be near to one vertex, and is then likely near to all.
    let dense = binomial(n, dim + 1) as f64 * density.powf(dim as f64);
    // In a sparse graph simplices are chosen among the smaller neighbours of their greatest vertex: half of its neighbours.
    let degree = (edges / n as f64).round() as usize;
    let sparse = n as f64 * binomial(degree, dim) as f64 * CLOSED.powf(binomial(dim, 2) as f64);
    dense.max(sparse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Distances, PointCloud};
    use crate::rips::Threshold;

    #[test]
    fn of_a_full_filtration_all_simplices_are_counted() {
        let points: Vec<f32> = (0..40).map(|k| ((k * k) % 101) as f32).collect();
        let distances = Distances::from(PointCloud::new(1, points).unwrap());
        let summary = Summary::of(&distances, Threshold::Value(f64::INFINITY)).unwrap();
        assert_eq!(simplices(&summary, 3), binomial(40, 4) as f64);
        let [narrow, wide] = [16, 32].map(|bits| of(&summary, 2, bits, Level::detect()));
        assert!(0.0 < narrow.cpu && narrow.cpu < wide.cpu && wide.device > 0.0);
    }
}
