//! How long assembly should take, on the processor and on a GPU.

use super::assembly::binomial;
use super::summary::Summary;
use crate::backend::Estimate;
use crate::simd::Level;

/// Simplices that a core sweeps a second with the widest vectors (`benches/RESULTS.md`: celegans, one core).
const CPU_RATE: f64 = 0.75e9;
/// The same without vector units known here.
const PORTABLE_RATE: f64 = 0.35e9;
/// Simplices that a GPU sweeps a second (`benches/RESULTS.md`: an H100).
const DEVICE_RATE: f64 = 20e9;
/// Seconds a dimension takes on a device whatever there is to sweep: launches and copies.
const DEVICE_DIMENSION: f64 = 0.002;
/// In neighbourhoods, the probability that two neighbours are neighbours.
const CLOSED: f64 = 0.6;

/// The estimate for distances of this summary up to a dimension.
pub(super) fn of(summary: &Summary, max_dim: usize, level: Level) -> Estimate {
    let dims = 1..=max_dim.min(summary.points.saturating_sub(2));
    let swept: f64 = dims.clone().map(|dim| simplices(summary, dim)).sum();
    let rate = if level.name() == "portable" { PORTABLE_RATE } else { CPU_RATE };
    Estimate {
        work: format!("some {swept:.1e} simplices to sweep"),
        cpu: swept / (rate * rayon::current_num_threads() as f64),
        device: swept / DEVICE_RATE + dims.count() as f64 * DEVICE_DIMENSION,
    }
}

/// About how many simplices of a dimension there are.
fn simplices(summary: &Summary, dim: usize) -> f64 {
    let (n, edges) = (summary.points, summary.edges as f64);
    let pairs = binomial(n, 2) as f64;
    if pairs == 0.0 {
        return 0.0;
    }
    let density = edges / pairs;
    // Each vertex past the first must be near to one, and is then likely near to all.
    let dense = binomial(n, dim + 1) as f64 * density.powf(dim as f64);
    // Of each vertex the smaller neighbours.
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
        let summary = Summary::of(&distances, Threshold::Value(f64::INFINITY));
        assert_eq!(simplices(&summary, 3), binomial(40, 4) as f64);
        let estimate = of(&summary, 2, Level::detect());
        assert!(estimate.cpu > 0.0 && estimate.device > 0.0);
    }
}
