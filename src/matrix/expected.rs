//! Expected costs of the stages of a run on a boundary matrix, for the forecast of the time left.
//!
//! Every stage but the reduction takes time proportional to the size of the matrix. The time of a residue is unknown
//! until it is reduced; it is assumed to equal that of the scan (`benches/RESULTS.md`: noise128, images of noise of
//! 96³ and 160³ voxels).

use phat_formats::{Dimension, MatrixSize};

use crate::progress::{Cost, Expected};

// Nanoseconds per column and entry, measured on two threads with an image of noise of 160³ voxels.
const READING: f64 = 133.0;
const CHECK: f64 = 41.0;
const SCAN: f64 = 130.0;
const GRAPH: f64 = 41.0;
const PAIRS: f64 = 17.0;

/// Name of the stage in which columns are reduced.
pub(super) const REDUCTION: &str = "reduction";

/// Number of columns plus number of entries.
pub(super) fn units(size: MatrixSize) -> u64 {
    (size.columns + size.entries) as u64
}

/// All stages of a run that reads the matrix and checks ∂∂ = 0.
pub(super) fn with_reading(size: MatrixSize) -> Vec<Expected> {
    let units = units(size) as f64;
    let mut stages = vec![
        Expected::of("reading", Cost::Known(units * READING)),
        Expected::of("check", Cost::Known(units * CHECK)),
    ];
    stages.extend(of_sieve(size));
    stages
}

/// The stages of the sieve.
pub(super) fn of_sieve(size: MatrixSize) -> [Expected; 4] {
    let units = units(size) as f64;
    [
        Expected::of("scan", Cost::Known(units * SCAN)),
        Expected::of("graph", Cost::Known(units * GRAPH)),
        Expected::of(REDUCTION, Cost::Assumed(units * SCAN)),
        Expected::of("pairs", Cost::Known(units * PAIRS)),
    ]
}

/// The stages that remain when the residue of the first of `blocks` is about to be reduced.
pub(super) fn of_residues(size: MatrixSize, blocks: &[Dimension]) -> Vec<Expected> {
    let of =
        |dim: &Dimension| Expected { stage: REDUCTION, dim: Some(usize::from(*dim)), cost: Cost::Unknown };
    let pairs = Expected::of("pairs", Cost::Known(units(size) as f64 * PAIRS));
    blocks.iter().map(of).chain([pairs]).collect()
}
