//! The sieve: each stage settles the cells it can settle cheaply, and the next sees only the rest.
//!
//! 1. [`scan`](super::scan): stable columns, all dimensions at once, no additions.
//! 2. [`graph`]: block 1 by union-find, and the top block when no facet lies in more than two cells.
//! 3. The blocks between, dimension ascending. When a block's turn comes the block below is solved, so it is known of each row whether
//!    it can be a low:
//!    - [`annotations`], while few classes live at a time;
//!    - else [`residue`]: reduction of the open columns.
//!
//! Blocks (the columns of one dimension) are independent problems: cells of dimension d − 1 are paired with cells of dimension d
//! in block d and nowhere else. What one block tells another saves work only: a cell that destroys in block d is no low in block
//! d + 1; a cell that creates in block d + 1 is a zero column in block d.

mod annotations;
mod bits;
mod graph;
mod residue;

use std::time::Instant;

use super::scan::Leftmost;
use super::{BoundaryMatrix, Figures, Pairs, Row};

use bits::CellSet;
use residue::Residue;

/// The persistence pairs of a matrix.
pub fn reduce<I: Row>(matrix: &BoundaryMatrix<I>) -> Pairs<I> {
    let mut figures = Figures::default();
    let mut clock = Instant::now();
    let mut lap = |figures: &mut Figures, stage: &'static str| {
        figures.stages.push((stage, clock.elapsed().as_secs_f64()));
        clock = Instant::now();
    };
    let leftmost = Leftmost::of(matrix);
    lap(&mut figures, "leftmost");
    let mates = leftmost.pair_stable(matrix);
    lap(&mut figures, "stable");
    let max_dim = matrix.max_dim().unwrap_or(0);
    let (bottom, top) = rayon::join(
        || max_dim >= 1 && graph::pair_by_columns(matrix, 1, &mates),
        || max_dim >= 2 && graph::pair_by_rows(matrix, max_dim, &leftmost, &mates),
    );
    drop(leftmost);
    lap(&mut figures, "graph");
    let mut open = mates.open(matrix.dims(), max_dim);
    lap(&mut figures, "open");
    for dim in 1..=max_dim {
        if dim == 1 && bottom || dim == max_dim && top {
            continue;
        }
        let (below, here) = (usize::from(dim) - 1, usize::from(dim));
        let is_open = |cell: &I| mates.is_open(cell.to_usize());
        open[below].retain(is_open);
        open[here].retain(is_open);
        if annotations::pair(matrix, dim, &open[below], &mates).is_some() {
            lap(&mut figures, "annotations");
            continue;
        }
        lap(&mut figures, "annotations (given up)");
        let rows = CellSet::of_not_destroyers(matrix.dims(), dim - 1, &mates);
        let residue = Residue { matrix, rows: &rows, columns: &open[here], mates: &mates };
        figures.additions += residue.reduce();
        lap(&mut figures, "residue");
    }
    let pairs = mates.pairs();
    lap(&mut figures, "pairs");
    Pairs { pairs, cells: matrix.len(), figures }
}
