//! HYPHA: uses the results of a parallel scan before any column is added (Zhang et al. 2019).
//!
//! ```text
//! scan         leftmost ones: stable columns are reduced, their lows belong to creators,
//!              and columns that hold a leftmost one belong to destroyers
//! clearing     the low of every column belongs to a creator: its column is zero
//! compression  rows that are never lows leave the unstable columns, and so do the lows of stable ones
//! reduction    of the unstable columns: SS+ or twist
//! ```
//!
//! The first three stages are parallel and regular: the paper runs the scan on the GPU, and so can [`Scanner`]. The
//! paper's switch between tiles and columns is in [`ss_plus`](mod@super::reduction::ss_plus).

use std::time::Instant;

use phat_formats::BoundaryMatrix;

use super::checkpoint::keeping_columns;
use super::clearing;
use super::error::MatrixError;
use super::figures::{Figures, HyphaFigures};
use super::index::SharedIndex;
use super::leftmost_ones::Scanner;
use super::plan::Plan;
use super::reduction::compression::{Compressed, compress};
use super::reduction::problem::{Reduce, ReductionProblem};
use super::reduction_matrix::ReductionMatrix;
use crate::progress::{Progress, check};

/// Runs scan, clearing and compression; `then` reduces the remaining columns. The columns of a checkpoint are those of
/// the anti-transpose if `is_dual` is set.
///
/// # Errors
/// The scan failed or its verification found a wrong result; or the checkpoint cannot be resumed.
pub fn hypha<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    is_dual: bool,
    plan: &Plan,
    scanner: &Scanner,
    progress: &dyn Progress,
    figures: &mut Figures,
    then: Reduce<I>,
) -> Result<Vec<(I, I)>, MatrixError> {
    let mut clock = Instant::now();
    let mut found = scanner.scan(matrix)?;
    let unstable = found.unstable.len();
    figures.lap("scan", &mut clock);
    let columns = ReductionMatrix::new(matrix);
    let mut todo = std::mem::take(&mut found.unstable);
    let cleared = clearing::clear(&columns, &clearing::creators(matrix), &mut todo);
    figures.lap("clearing", &mut clock);
    check(progress);
    let mut compressed = Compressed::default();
    keeping_columns(&columns, is_dual, progress, &mut |progress| {
        let problem = ReductionProblem::new(&columns, &found.lookup, &todo, plan, progress);
        compressed = compress(&problem, &found.destroyers);
        figures.lap("compression", &mut clock);
        figures.additions = compressed.additions + then(&problem);
    })?;
    figures.lap("reduction", &mut clock);
    figures.hypha = Some(HyphaFigures {
        stable: found.stable,
        scan_cleared: found.cleared,
        unstable,
        cleared_columns: cleared.columns,
        cleared_entries: cleared.entries,
        compressed_columns: compressed.columns,
        compressed_entries: compressed.entries,
        compression_additions: compressed.additions,
    });
    let pairs = found.lookup.to_pairs();
    figures.lap("pairs", &mut clock);
    Ok(pairs)
}

#[cfg(test)]
mod tests;
