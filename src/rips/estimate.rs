//! Estimated time of filtration construction on the CPU and on a GPU.

use super::binomial::binomial;
use super::summary::Summary;
use crate::backend::Estimate;
use crate::progress::{Cost, Expected};
use crate::simd::Level;

/// Simplices that one thread sweeps per second with 16-bit ranks (`benches/RESULTS.md`: celegans on 16 threads; a
/// single thread on an otherwise idle CPU is twice as fast).
const CPU_RATE: f64 = 0.4e9;
/// Simplices that one thread sweeps per second with 32-bit ranks (700 points in R^8 on 16 threads).
const WIDE_RATE: f64 = 0.28e9;
/// Seconds per edge of a matrix on one thread. Rows are read once for each vertex, not for each block.
const EDGE: f64 = 15e-9;
/// Seconds per edge of neighbour lists on one thread.
const LISTED_EDGE: f64 = 80e-9;
/// Seconds per element of a neighbour list that one thread reads to fill the matrix of a neighbourhood.
const ELEMENT: f64 = 1.5e-9;
/// Factor by which a collapsed graph has more such elements than a regular graph, since some points keep most of their
/// edges.
const UNEVEN: f64 = 4.0;
/// Seconds per block of a neighbourhood's sweep on one thread, in addition to its simplices.
const BLOCK: f64 = 500e-9;
/// Seconds per stage on the CPU, independent of its work.
const STAGE: f64 = 50e-6;
/// Factor on these rates if no vector unit is used.
const PORTABLE: f64 = 0.5;
/// Simplices that a GPU sweeps per second (700 points in R^8 on an H200; up to three times as many if the matrix fits
/// in its caches).
const DEVICE_RATE: f64 = 12e9;
/// Seconds per dimension on a device, independent of its work: launches and copies.
const DEVICE_DIMENSION: f64 = 0.002;
/// Simplices and lanes of removed edges that one thread sweeps per second where a collapse is considered
/// (`benches/growth.py`: 500 to 2,000 points of ten shapes on 1, 2 and 16 threads).
const SWEEP_RATE: f64 = 0.7e9;
/// Seconds of reduction per edge in dimension 2, as most shapes take there.
const PLANE_REDUCTION: f64 = 0.1e-6;
/// Seconds of reduction per edge and dimension above 2, whose columns are not walked, as most shapes take there.
const REDUCTION: f64 = 10e-6;
/// Time of the reduction in dimension 1, relative to the construction (9,000 points in a cube).
const EDGES_REDUCED: f64 = 0.5;
/// Assumed probability that two neighbours of a vertex are joined by an edge.
const CLOSED: f64 = 0.6;

/// Simplices that one thread of this machine sweeps per second, with ranks of `rank_width` bits.
fn rate(rank_width: u32) -> f64 {
    let rate = if rank_width == 16 { CPU_RATE } else { WIDE_RATE };
    if Level::detect().name() == "portable" { rate * PORTABLE } else { rate }
}

/// The estimate for an input with this summary up to dimension `max_dim`, with ranks of `rank_width` bits.
pub(super) fn of(summary: &Summary, max_dim: usize, rank_width: u32) -> Estimate {
    let dims = 1..=max_dim.min(summary.points.saturating_sub(2));
    // The sum of an empty iterator is -0.0.
    let swept = dims.clone().map(|dim| simplices(summary, dim)).fold(0.0, |sum, count| sum + count);
    // Neighbourhoods have matrices of their own from dimension 2 on.
    let filled: f64 =
        dims.clone().map(|dim| if dim == 1 || summary.is_dense() { 0.0 } else { listed(summary) }).sum();
    let (rate, stages) = (rate(rank_width), dims.clone().count() as f64);
    let on_thread: f64 = dims.map(|dim| on_thread(summary, dim, rate)).sum();
    Estimate {
        work: format!("some {swept:.1e} simplices to sweep"),
        cpu: on_thread / rayon::current_num_threads() as f64 + stages * STAGE,
        device: (swept + filled) / DEVICE_RATE + stages * DEVICE_DIMENSION,
    }
}

/// The stages on the CPU from dimension 0 up, each with the seconds of one thread that it is expected to take, where
/// this many processes share the constructions. The time of a dimension's reduction cannot be estimated before the
/// reduction of the dimension below it.
pub(super) fn stages(summary: &Summary, max_dim: usize, rank_width: u32, processes: usize) -> Vec<Expected> {
    let rate = rate(rank_width);
    let stage = |stage, dim, cost| Expected { stage, dim: Some(dim), cost };
    let mut stages = vec![stage("components", 0, Cost::Known(summary.edges as f64 * EDGE))];
    for dim in 1..=max_dim.min(summary.points.saturating_sub(2)) {
        let construction = on_thread(summary, dim, rate);
        let reduction = if dim == 1 { Cost::Assumed(construction * EDGES_REDUCED) } else { Cost::Unknown };
        stages.push(stage("assembly", dim, Cost::Known(construction / processes as f64)));
        stages.push(stage("reduction", dim, reduction));
    }
    stages
}

/// A device that can construct residues, as the cost test of the collapse sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Device {
    /// Construction time on the device, as a fraction of that on all threads of the CPU.
    pub(super) share: f64,
    /// Time to open the device, in seconds times threads; `None` if the device is used in any case.
    pub(super) opening: Option<f64>,
}

/// Seconds of one thread for dimensions 1 to `max_dim` if only `edges` edges of the input are left. Residues are
/// constructed by the CPU or the device, whichever is faster; columns are reduced by the CPU.
pub(super) fn seconds(summary: &Summary, edges: usize, max_dim: usize, device: Option<Device>) -> f64 {
    let summary = Summary { edges, ..summary.clone() };
    let dims = 1..=max_dim.min(summary.points.saturating_sub(2));
    // A sweep of a matrix also passes over the lanes of removed edges.
    let rate = SWEEP_RATE * density(&summary);
    // The minimum of both, so that the estimate does not grow when edges are removed.
    let either = |dim| on_matrix(&summary, dim, rate).min(on_lists(&summary, dim, SWEEP_RATE, UNEVEN));
    let swept: f64 = dims.map(either).sum();
    let constructed = match device {
        None => swept,
        Some(Device { share, opening: None }) => share * swept,
        Some(Device { share, opening: Some(opening) }) => swept.min(opening + share * swept),
    };
    let reduced = if max_dim < 2 { 0.0 } else { PLANE_REDUCTION + REDUCTION * (max_dim - 2) as f64 };
    constructed + reduced * edges as f64
}

/// Seconds in which one thread constructs the residue of a dimension, at `rate` simplices per second in sweeps.
fn on_thread(summary: &Summary, dim: usize, rate: f64) -> f64 {
    if summary.is_dense() { on_matrix(summary, dim, rate) } else { on_lists(summary, dim, rate, 1.0) }
}

/// [`on_thread`] for a matrix.
fn on_matrix(summary: &Summary, dim: usize, rate: f64) -> f64 {
    let simplices = simplices(summary, dim);
    if dim == 1 { simplices * EDGE } else { simplices / rate }
}

/// [`on_thread`] for neighbour lists. The factor `uneven` scales the number of elements read relative to lists of equal
/// length.
fn on_lists(summary: &Summary, dim: usize, rate: f64, uneven: f64) -> f64 {
    let simplices = |dim| simplices(summary, dim);
    if dim == 1 {
        return simplices(1) * LISTED_EDGE;
    }
    // Each simplex of dimension `dim` − 1 makes a block.
    uneven * listed(summary) * ELEMENT + simplices(dim - 1) * BLOCK + simplices(dim) / rate
}

/// Number of elements of neighbour lists that are read in a dimension above 1 for the matrices of all neighbourhoods.
fn listed(summary: &Summary) -> f64 {
    // Each vertex has this many neighbours, whose lists have the same length.
    let degree = 2.0 * summary.edges as f64 / summary.points as f64;
    summary.points as f64 * degree * degree
}

/// The fraction of pairs of points that are edges.
fn density(summary: &Summary) -> f64 {
    let pairs = binomial(summary.points, 2);
    if pairs == 0 { 0.0 } else { summary.edges as f64 / pairs as f64 }
}

/// The estimated number of simplices of a dimension.
fn simplices(summary: &Summary, dim: usize) -> f64 {
    let (n, edges) = (summary.points, summary.edges as f64);
    let density = density(summary);
    // In a dense graph each further vertex has to be near one vertex, and is then likely near all.
    let dense = binomial(n, dim + 1) as f64 * density.powf(dim as f64);
    // In a sparse graph the other vertices of a simplex are among the smaller neighbours of its greatest vertex: half
    // of its neighbours.
    let degree = (edges / n as f64).round() as usize;
    let sparse = n as f64 * binomial(degree, dim) as f64 * CLOSED.powf(binomial(dim, 2) as f64);
    dense.max(sparse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::{Distances, PointCloud};
    use crate::rips::Rips;
    use crate::rips::random::fraction;

    #[test]
    fn of_a_full_filtration_all_simplices_are_counted() {
        let points: Vec<f32> = (0..40).map(|k| ((k * k) % 101) as f32).collect();
        let distances = Distances::from(PointCloud::new(1, points).unwrap());
        let summary = Summary::of(&distances, Some(f64::INFINITY)).unwrap();
        assert_eq!(simplices(&summary, 3), binomial(40, 4) as f64);
        let [narrow, wide] = [16, 32].map(|bits| of(&summary, 2, bits));
        assert!(0.0 < narrow.cpu && narrow.cpu < wide.cpu && wide.device > 0.0);
    }

    /// Points in a cube, or on a torus of two circles if there are four coordinates; from a seed.
    fn cloud(n: usize, dimension: usize) -> PointCloud {
        let mut state = 7u64;
        let mut next = || fraction(&mut state) as f32;
        let mut coordinates = Vec::new();
        for _ in 0..n {
            if dimension == 4 {
                let [a, b] = [next(), next()].map(|x| std::f32::consts::TAU * x);
                coordinates.extend([a.cos(), a.sin(), b.cos(), b.sin()]);
            } else {
                coordinates.extend((0..dimension).map(|_| next()));
            }
        }
        PointCloud::new(dimension, coordinates).unwrap()
    }

    #[test]
    #[ignore = "takes times, of a release build on an idle machine"]
    fn assembly_takes_about_as_long_as_estimated() {
        let inf = f64::INFINITY;
        let shapes = [
            // Dense complexes: points, coordinates, greatest dimension, threshold.
            (3000, 3, 1, inf),
            (6000, 2, 1, inf),
            (300, 3, 2, inf),
            (700, 8, 2, inf),
            (100, 8, 3, inf),
            // Sparse ones, from few neighbours to many.
            (100_000, 2, 1, 0.008),
            (3000, 4, 1, 1.0),
            (20_000, 4, 2, 0.16),
            (3000, 4, 2, 0.8),
            (20_000, 2, 3, 0.02),
        ];
        let mut far_off = 0;
        for (n, dimension, max_dim, threshold) in shapes {
            let rips = Rips::new(cloud(n, dimension)).max_dim(max_dim).threshold(threshold);
            let outcome = rips.solve(&()).unwrap();
            let took: f64 = outcome.stats.dimensions.iter().map(|stats| stats.assembly_seconds).sum();
            let estimate = of(&outcome.summary, max_dim, outcome.plan.rank_width);
            let ratio = estimate.cpu / took;
            println!(
                "{n} points in R^{dimension}, dimension {max_dim}, {} edges: {took:.4} s, estimated {:.4} s ({ratio:.2})",
                outcome.summary.edges, estimate.cpu
            );
            far_off += usize::from(!(0.2..5.0).contains(&ratio));
        }
        assert_eq!(far_off, 0, "shapes whose estimate is more than five times off");
    }
}
