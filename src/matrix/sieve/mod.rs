//! The sieve: each stage settles the cells that it can settle cheaply, and the next stage handles the rest.
//!
//! | stage | settles | with | module |
//! |---|---|---|---|
//! | graph | block 1; the top block if no facet lies in more than two cells | union-find | `graph` |
//! | scan | stable columns of the other blocks, all at once | one pass over the entries | [`super::leftmost_ones`] |
//! | annotations | blocks in which few classes live at a time | one word per cell | `annotations` |
//! | residue | the remaining open columns | column additions | `residue` |
//!
//! *Block* d is the columns of dimension d. It pairs cells of dimension d − 1 with cells of dimension d, and no other
//! block does. So blocks are independent problems, solved in any order by any method; information from other blocks
//! only saves work. A destroyer of block d is never a low of block d + 1, so its row can be dropped there
//! (compression). A creator of block d + 1 is a zero column in block d, which need not be reduced (clearing). So
//! annotations go upwards from block 1, as long as every cell below is known to be a creator or not, and so do residues
//! with few zero columns; then the other residues go downwards, cleared from above and, next to solved blocks,
//! compressed from below. Dualized residues, for which the reverse holds, go upwards.
//!
//! A residue is reduced as it stands or anti-transposed (dualized), which exchanges rows and columns. If there are
//! much fewer open rows than open columns, as at the top of a Rips filtration, the dual is less work.

mod annotations;
mod cell_set;
mod graph;
mod residue;
#[cfg(test)]
mod tests;

use std::time::Instant;

use phat_formats::{BoundaryMatrix, Dimension};

use self::graph::Survey;
use self::residue::Keeping;
use super::checkpoint::{SavedPairs, save_pairs};
use super::error::MatrixError;
use super::expected;
use super::figures::{Block, Figures, Method};
use super::index::SharedIndex;
use super::leftmost_ones::Scanner;
use super::mates::{Census, Mates};
use super::pairs::Pairs;
use super::plan::Dualize;
use crate::parallel;
use crate::progress::{Progress, check, saving};
use crate::snapshot::SnapshotError;

/// Annotations read all columns of a block, the residue only open ones: if less than one column in this many is open,
/// the block is left to the residue.
const ANNOTATE: usize = 8;

/// Ratio of open columns to open rows above which a residue is dualized.
const DUALIZE: usize = 4;

/// Name of the saved pairs.
const SIEVE: &str = "sieve";

/// A block with fewer open columns than another by this factor does not count in the forecast.
const FEW: usize = 32;

/// Computes the persistence pairs of a matrix, with the scan on the device of `scanner`.
pub(super) fn reduce<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dualize: Dualize,
    scanner: &Scanner,
    progress: &dyn Progress,
) -> Result<Pairs<I>, MatrixError> {
    let max_dim = matrix.max_dim().unwrap_or(0);
    let mut run = match SavedPairs::load(progress.checkpoint(), SIEVE, matrix.len(), true)? {
        Some(SavedPairs { pairs, figures, is_downwards }) => {
            let mates = Mates::new(matrix.len());
            pairs.iter().for_each(|(i, j): &(I, I)| mates.pair(i.to_usize(), j.to_usize()));
            Run { is_downwards, ..Run::new(matrix, max_dim, dualize, progress, mates, figures) }
        }
        None => {
            let clock = Instant::now();
            progress.expect(&expected::of_sieve(matrix.size()));
            progress.begin("scan", None, 1);
            let survey = Survey::of(matrix, max_dim);
            let mates = match scanner.mates(matrix)? {
                // The device has scanned all blocks, including those that are graphs.
                Some(mates) => mates,
                None => survey.pair_stable(matrix, max_dim),
            };
            let run = Run::new(matrix, max_dim, dualize, progress, mates, Figures::default());
            let mut run = Run { survey: Some(survey), clock, saved_at: clock, ..run };
            run.figures.lap("scan", &mut run.clock);
            run
        }
    };
    run.graph();
    run.upwards()?;
    run.downwards()?;
    Ok(run.finish())
}

/// A run of the sieve.
struct Run<'m, I: SharedIndex> {
    matrix: &'m BoundaryMatrix<I>,
    max_dim: Dimension,
    dualize: Dualize,
    mates: Mates<I>,
    /// The survey of all entries; dropped when the graphs are solved.
    survey: Option<Survey<I>>,
    /// Whether each block is solved.
    solved: Vec<bool>,
    /// Whether all blocks that can be solved upwards are solved.
    is_downwards: bool,
    /// Progress, which may end the run early.
    progress: &'m dyn Progress,
    figures: Figures,
    clock: Instant,
    /// Time of the last save; results found since then are not in the checkpoint.
    saved_at: Instant,
}

impl<'m, I: SharedIndex> Run<'m, I> {
    /// Creates a run with the given pairs, in which the blocks that `figures` lists are solved.
    fn new(
        matrix: &'m BoundaryMatrix<I>,
        max_dim: Dimension,
        dualize: Dualize,
        progress: &'m dyn Progress,
        mates: Mates<I>,
        figures: Figures,
    ) -> Self {
        // Block 0 has no rows.
        let is_solved = |dim| dim == 0 || figures.blocks.iter().any(|block| block.dim == dim);
        let solved = (0..=max_dim).map(is_solved).collect();
        let clock = Instant::now();
        Run {
            matrix,
            max_dim,
            dualize,
            mates,
            survey: None,
            solved,
            is_downwards: false,
            progress,
            figures,
            clock,
            saved_at: clock,
        }
    }

    /// Ends a stage: saves if it is time, and records the duration.
    fn lap(&mut self, stage: &'static str) {
        let checkpoint = self.progress.checkpoint();
        if checkpoint.takes_turn() || checkpoint.is_worth_keeping(self.saved_at.elapsed()) {
            self.save();
            self.saved_at = Instant::now();
        }
        self.saving(|| check(self.progress));
        self.figures.lap(stage, &mut self.clock);
    }

    /// Does `work`, and saves the known pairs if it is interrupted.
    fn saving<T>(&self, work: impl FnOnce() -> T) -> T {
        saving(work, || {
            if self.progress.checkpoint().is_kept() {
                self.save();
            }
        })
    }

    /// Saves the known pairs, without those of a block under reduction.
    fn save(&self) {
        let (checkpoint, pairs) = (self.progress.checkpoint(), self.mates.pairs());
        save_pairs(checkpoint, SIEVE, self.matrix.len(), &pairs, &self.figures, self.is_downwards);
    }

    fn graph(&mut self) {
        let Some(Survey { bottom, top, columns, nodes }) = self.survey.take() else { return };
        let (matrix, mates, max_dim) = (self.matrix, &self.mates, self.max_dim);
        self.progress.begin("graph", None, 1);
        parallel::join(
            || bottom.then(|| graph::pair_by_columns(matrix, 1, &nodes, mates)),
            || top.then(|| graph::pair_by_rows(matrix, max_dim, &columns, &nodes, mates)),
        );
        if bottom {
            self.solve(1, Method::Graph);
        }
        if top {
            self.solve(max_dim, Method::DualGraph);
        }
        self.lap("graph");
    }

    fn solve(&mut self, dim: Dimension, method: Method) {
        self.solved[usize::from(dim)] = true;
        self.figures.blocks.push(Block { dim, method });
    }

    /// Solves blocks from block 1 up, as long as every cell below is known to be a creator or not.
    fn upwards(&mut self) -> Result<(), SnapshotError> {
        if self.is_downwards {
            return Ok(());
        }
        let mut census = self.census();
        for dim in 1..=self.max_dim {
            let (below, here) = (usize::from(dim) - 1, usize::from(dim));
            if self.solved[here] {
                continue;
            }
            if census[below].open == 0 || census[here].open == 0 {
                self.solve(dim, Method::Scan);
                continue;
            }
            if self.dualize == Dualize::On || !self.solved[below] {
                continue;
            }
            if census[here].open * ANNOTATE < census[here].cells {
                if !self.is_quick_uncleared(census[here].open, census[below].open) {
                    continue;
                }
                self.residue(dim, None)?;
            } else if let Some(counts) = self.annotate(dim) {
                self.solve(dim, Method::Annotations { columns: counts.columns, pairs: counts.pairs });
            }
            census = self.census();
            self.lap("upwards");
        }
        self.is_downwards = true;
        self.lap("upwards");
        Ok(())
    }

    /// Whether the residue of a block above a solved one is soon reduced although nothing clears it, given the numbers
    /// of its open columns and rows. As many columns as rows pair with these; each of the others becomes zero, by at
    /// most one addition for each row.
    fn is_quick_uncleared(&self, columns: usize, rows: usize) -> bool {
        columns.saturating_sub(rows).saturating_mul(rows) <= self.matrix.entries()
    }

    /// Solves a block by annotations if few classes live at a time. An interrupted attempt leaves no partial result.
    fn annotate(&self, dim: Dimension) -> Option<annotations::Counts> {
        let open = self.open(dim - 1);
        self.saving(|| annotations::pair(self.matrix, dim, &open, &self.mates, self.progress))
    }

    /// Reduces the residues of the remaining blocks: first dualized blocks upwards, if the block below is solved,
    /// then the others downwards.
    fn downwards(&mut self) -> Result<(), SnapshotError> {
        let mut dual = None;
        for dim in 1..=self.max_dim {
            if !self.solved[usize::from(dim)] && self.wants_dual(dim) {
                let dual = dual.get_or_insert_with(|| self.matrix.anti_transpose());
                self.residue(dim, Some(dual))?;
                self.lap("downwards");
            }
        }
        drop(dual);
        for dim in (1..=self.max_dim).rev() {
            if !self.solved[usize::from(dim)] {
                self.residue(dim, None)?;
                self.lap("downwards");
            }
        }
        self.lap("downwards");
        Ok(())
    }

    /// Reduces the residue of a block, anti-transposed if `dual`, the anti-transpose of the matrix, is given.
    fn residue(&mut self, dim: Dimension, dual: Option<&BoundaryMatrix<I>>) -> Result<(), SnapshotError> {
        let open = self.open(if dual.is_some() { dim - 1 } else { dim });
        self.expect(dim, open.len());
        let keeping = Keeping { progress: self.progress, dim, save_before: &|| self.save() };
        let additions = match dual {
            Some(dual) => residue::reduce_dual(self.matrix, dual, &open, &self.mates, &keeping)?,
            None => residue::reduce(self.matrix, &open, &self.mates, &keeping)?,
        };
        self.figures.additions += additions;
        self.solve(dim, Method::Residue { dual: dual.is_some(), columns: open.len(), additions });
        Ok(())
    }

    /// Announces the remaining blocks with the residue of block `dim`, which has `columns` columns. The costs of
    /// other blocks are unknown; blocks with far fewer columns than this one are left out.
    fn expect(&self, dim: Dimension, columns: usize) {
        let census = self.census();
        let is_left = |&other: &Dimension| {
            let open = census[usize::from(other)].open;
            other != dim && !self.solved[usize::from(other)] && open * FEW > columns
        };
        let blocks: Vec<Dimension> = std::iter::once(dim).chain((1..=self.max_dim).filter(is_left)).collect();
        self.progress.expect(&expected::of_residues(self.matrix.size(), &blocks));
        self.progress.begin(expected::REDUCTION, Some(usize::from(dim)), columns as u64);
    }

    /// Whether to dualize block `dim`. This pays if it has few open rows, which is known once the block below is
    /// solved.
    fn wants_dual(&self, dim: Dimension) -> bool {
        match self.dualize {
            Dualize::On => true,
            Dualize::Off => false,
            Dualize::Auto => {
                self.solved[usize::from(dim) - 1] && self.open(dim).len() > DUALIZE * self.open(dim - 1).len()
            }
        }
    }

    fn census(&self) -> Vec<Census> {
        self.mates.census(self.matrix.dims(), self.max_dim)
    }

    fn open(&self, dim: Dimension) -> Vec<I> {
        self.mates.open(self.matrix.dims(), dim)
    }

    fn finish(mut self) -> Pairs<I> {
        self.progress.begin("pairs", None, 1);
        let pairs = self.mates.pairs();
        self.lap("pairs");
        Pairs { pairs, cells: self.matrix.len(), figures: self.figures }
    }
}
