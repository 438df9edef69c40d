//! HYPHA: what a scan tells, used before a column is added (Zhang et al. 2019).
//!
//! ```text
//! scan         leftmost ones: stable columns are reduced, columns that hold a leftmost one belong to destroyers
//! clearing     the low of every column belongs to a creator: its column is zero
//! compression  rows that are never lows leave the unstable columns, and so do the lows of stable ones
//! reduction    of the unstable columns: SS+ or twist
//! ```
//!
//! The first three are parallel and regular: the paper gives the scan to the GPU, and so can [`Scanner`].

use std::time::Instant;

use super::problem::{Additions, Problem};
use crate::matrix::columns::WorkingColumn;
use crate::matrix::figures::{Figures, Hypha};
use crate::matrix::leftmost_ones::{ScanError, Scanner};
use crate::matrix::state::Columns;
use crate::matrix::{BoundaryMatrix, Row, clearing, compression};

/// Scan, clearing and compression; `then` reduces what is left.
///
/// # Errors
/// The scan failed, or was found wrong.
pub fn hypha<I: Row, C: WorkingColumn<I>>(
    matrix: &BoundaryMatrix<I>,
    scanner: &Scanner<I>,
    threads: usize,
    figures: &mut Figures,
    then: impl FnOnce(&Problem<'_, I>) -> Additions,
) -> Result<Vec<(I, I)>, ScanError> {
    let mut clock = Instant::now();
    let mut lap = |figures: &mut Figures, stage| {
        figures.lap(stage, clock.elapsed());
        clock = Instant::now();
    };
    let mut found = scanner.scan(matrix)?;
    let unstable = found.unstable.len();
    lap(figures, "scan");
    let columns = Columns::new(matrix);
    let mut todo = std::mem::take(&mut found.unstable);
    let cleared = clearing::clear(&columns, &clearing::Creators::of(matrix), &mut todo);
    lap(figures, "clearing");
    let problem = Problem { columns: &columns, lookup: &found.lookup, todo: &todo, threads: threads.max(1) };
    let compressed = compression::compress::<I, C>(&problem, &found);
    lap(figures, "compression");
    figures.additions = compressed.additions + then(&problem);
    lap(figures, "reduction");
    figures.hypha = Some(Hypha {
        stable: found.stable,
        unstable,
        cleared_columns: cleared.columns,
        cleared_entries: cleared.entries,
        compressed_columns: compressed.columns,
        compressed_entries: compressed.entries,
        compression_additions: compressed.additions,
    });
    let pairs = super::pairs_of(&found.lookup);
    lap(figures, "pairs");
    Ok(pairs)
}
