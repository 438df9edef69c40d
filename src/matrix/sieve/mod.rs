//! The sieve: each stage settles the cells it can settle cheaply, the next sees only the rest.
//!
//! | stage | settles | with | module |
//! |---|---|---|---|
//! | graph | block 1; the top block where no facet lies in more than two cells | union-find | `graph` |
//! | scan | stable columns of the other blocks, all at once | a look at every one | [`super::leftmost_ones`] |
//! | annotations | blocks in which few classes live at a time | a word a cell | `annotations` |
//! | residue | the open columns of what is left | additions | `residue` |
//!
//! *Block* d is the columns of dimension d. It pairs cells of dimension d − 1 with cells of dimension d, and no other block does:
//! blocks are independent problems, solved in any order, each in the way that suits it. What they tell one another saves work only.
//! A cell that destroys in block d is never a low of block d + 1: its row can be dropped there (compression). A cell that creates
//! in block d + 1 is a zero column in block d: it need not be reduced (clearing). So annotations go upwards from block 1, where it
//! is known of each cell below whether it creates; then the residues go downwards, cleared from above and, next to solved blocks,
//! compressed from below (dualized ones, of which the reverse holds, go upwards).
//!
//! A residue is reduced as it stands or anti-transposed (dualized): rows then take the part of columns. Where open rows are much fewer than
//! open columns, as at the top of a Rips filtration, the dual is less work.

mod annotations;
mod cell_set;
mod graph;
mod kept;
mod residue;
#[cfg(test)]
mod tests;

use std::time::Instant;

use phat_formats::{BoundaryMatrix, Dimension, MatrixSize};

use self::graph::Survey;
use self::kept::{KeptSieve, ResidueOf, save_sieve};
use self::residue::Keeping;
use super::error::MatrixError;
use super::expected;
use super::figures::{Block, Figures, Method};
use super::index::SharedIndex;
use super::leftmost_ones::Scanner;
use super::mates::{Census, Mates};
use super::pairs::Pairs;
use super::plan::Dualize;
use crate::progress::{Progress, check, saving};
use crate::snapshot::SnapshotError;

/// Annotations look at all columns of a block, the residue at open ones: less than one open column in this many, and the block is left to the
/// residue.
const ANNOTATE: usize = 8;

/// Open columns per open row from which on a residue is dualized.
const DUALIZE: usize = 4;

/// A block with fewer open columns than another by this factor does not change when that is done.
const FEW: usize = 32;

/// The persistence pairs of a matrix, whose scan is done by the machine of `scanner`.
pub(super) fn reduce<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    dualize: Dualize,
    scanner: &Scanner<I>,
    progress: &dyn Progress,
) -> Result<Pairs<I>, MatrixError> {
    let mut run = match KeptSieve::load(progress.checkpoint(), matrix.len())? {
        Some(kept) => Run::since(kept, matrix, dualize, progress),
        None => Run::new(matrix, dualize, scanner, progress)?,
    };
    run.graph();
    run.upwards()?;
    run.downwards()?;
    Ok(run.finish())
}

/// How large a matrix is.
fn matrix_size<I: SharedIndex>(matrix: &BoundaryMatrix<I>) -> MatrixSize {
    MatrixSize { columns: matrix.len(), entries: matrix.entries() }
}

/// A run of the sieve.
struct Run<'m, I: SharedIndex> {
    matrix: &'m BoundaryMatrix<I>,
    max_dim: Dimension,
    dualize: Dualize,
    mates: Mates<I>,
    /// The look at all ones; dropped when the graphs are solved.
    survey: Option<Survey<I>>,
    /// Whether each block is solved.
    solved: Vec<bool>,
    /// Whether all blocks that can be solved upwards are.
    is_downwards: bool,
    /// May end the run early.
    progress: &'m dyn Progress,
    figures: Figures,
    clock: Instant,
    /// When it began to find what is not kept yet.
    kept_until: Instant,
}

impl<'m, I: SharedIndex> Run<'m, I> {
    fn new(
        matrix: &'m BoundaryMatrix<I>,
        dualize: Dualize,
        scanner: &Scanner<I>,
        progress: &'m dyn Progress,
    ) -> Result<Self, MatrixError> {
        let clock = Instant::now();
        let max_dim = matrix.max_dim().unwrap_or(0);
        progress.expect(&expected::of_sieve(matrix_size(matrix)));
        progress.begin("scan", None, 1);
        let survey = Survey::of(matrix, max_dim);
        let mates = match scanner.mates(matrix)? {
            // The device has scanned all blocks, those that are graphs included.
            Some(mates) => mates,
            None => survey.pair_stable(matrix, max_dim),
        };
        let mut run = Run {
            survey: Some(survey),
            clock,
            kept_until: clock,
            ..Run::begin(matrix, max_dim, dualize, progress, mates)
        };
        run.count("scan");
        Ok(run)
    }

    /// Goes on where another run was interrupted.
    fn since(
        kept: KeptSieve<I>,
        matrix: &'m BoundaryMatrix<I>,
        dualize: Dualize,
        progress: &'m dyn Progress,
    ) -> Self {
        let KeptSieve { pairs, figures, is_downwards } = kept;
        let mates = Mates::new(matrix.len());
        pairs.iter().for_each(|(creator, destroyer)| mates.pair(creator.to_usize(), destroyer.to_usize()));
        let mut run = Run::begin(matrix, matrix.max_dim().unwrap_or(0), dualize, progress, mates);
        // A block of a dimension that there is none of would be of another matrix, whose number of cells is another one too.
        for block in &figures.blocks {
            if let Some(is_solved) = run.solved.get_mut(usize::from(block.dim)) {
                *is_solved = true;
            }
        }
        Run { is_downwards, figures, ..run }
    }

    /// A run that knows these pairs, and has solved no block.
    fn begin(
        matrix: &'m BoundaryMatrix<I>,
        max_dim: Dimension,
        dualize: Dualize,
        progress: &'m dyn Progress,
        mates: Mates<I>,
    ) -> Self {
        let mut solved = vec![false; usize::from(max_dim) + 1];
        // Block 0 has no rows.
        solved[0] = true;
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
            figures: Figures::default(),
            clock,
            kept_until: clock,
        }
    }

    /// Ends a stage.
    fn lap(&mut self, stage: &'static str) {
        let checkpoint = self.progress.checkpoint();
        if checkpoint.takes_turn() || checkpoint.is_worth_keeping(self.kept_until.elapsed()) {
            self.save();
            self.kept_until = Instant::now();
        }
        saving(
            || check(self.progress),
            || {
                if checkpoint.is_kept() {
                    self.save()
                }
            },
        );
        self.count(stage);
    }

    /// Counts the time of a stage.
    fn count(&mut self, stage: &'static str) {
        self.figures.lap(stage, self.clock.elapsed());
        self.clock = Instant::now();
    }

    /// Keeps what is known, none of which is of a block that is being reduced.
    fn save(&self) {
        let (checkpoint, cells) = (self.progress.checkpoint(), self.matrix.len());
        save_sieve(checkpoint, &self.mates, cells, &self.figures, self.is_downwards);
    }

    fn graph(&mut self) {
        let Some(Survey { bottom, top, columns, nodes }) = self.survey.take() else { return };
        let (matrix, mates, max_dim) = (self.matrix, &self.mates, self.max_dim);
        self.progress.begin("graph", None, 1);
        rayon::join(
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

    /// From block 1 up, as long as it is known of each cell below whether it creates.
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
                self.residue(dim)?;
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

    /// Solves a block by annotations, if few classes live at a time. It is solved at once or not at all.
    fn annotate(&self, dim: Dimension) -> Option<annotations::Counts> {
        let open = self.open(dim - 1);
        let pair = || annotations::pair(self.matrix, dim, &open, &self.mates, self.progress);
        saving(pair, || {
            if self.progress.checkpoint().is_kept() {
                self.save();
            }
        })
    }

    /// Reduces the residues of the blocks that are left: first dualized blocks upwards, where the block below is solved, then the others
    /// downwards.
    fn downwards(&mut self) -> Result<(), SnapshotError> {
        let mut dual = None;
        for dim in 1..=self.max_dim {
            if !self.solved[usize::from(dim)] && self.wants_dual(dim) {
                let dual = dual.get_or_insert_with(|| self.matrix.anti_transpose());
                let open = self.open(dim - 1);
                self.expect(dim, open.len());
                let keeping = self.keeping(dim, true);
                let additions = residue::reduce_dual(self.matrix, dual, &open, &self.mates, &keeping)?;
                drop(keeping);
                self.reduced(dim, true, open.len(), additions);
                self.lap("downwards");
            }
        }
        drop(dual);
        for dim in (1..=self.max_dim).rev() {
            if !self.solved[usize::from(dim)] {
                self.residue(dim)?;
                self.lap("downwards");
            }
        }
        self.lap("downwards");
        Ok(())
    }

    fn residue(&mut self, dim: Dimension) -> Result<(), SnapshotError> {
        let open = self.open(dim);
        self.expect(dim, open.len());
        let keeping = self.keeping(dim, false);
        let additions = residue::reduce(self.matrix, &open, &self.mates, &keeping)?;
        drop(keeping);
        self.reduced(dim, false, open.len(), additions);
        Ok(())
    }

    /// Who keeps a block while it is reduced: first all that was known before, which the block goes on from.
    fn keeping(&self, dim: Dimension, is_dual: bool) -> Keeping<'_> {
        let of = ResidueOf { cells: self.matrix.len(), dim, is_dual };
        Keeping { progress: self.progress, of, save_before: Box::new(|| self.save()) }
    }

    /// Tells which blocks are left with the residue of block `dim`, of so many columns. What the columns of another block take, nobody knows
    /// before they are reduced; blocks that have few beside this one are left out.
    fn expect(&self, dim: Dimension, columns: usize) {
        let census = self.census();
        let is_left = |&other: &Dimension| {
            let open = census[usize::from(other)].open;
            other != dim && !self.solved[usize::from(other)] && open * FEW > columns
        };
        let blocks: Vec<Dimension> = std::iter::once(dim).chain((1..=self.max_dim).filter(is_left)).collect();
        self.progress.expect(&expected::of_residues(matrix_size(self.matrix), &blocks));
        self.progress.begin(expected::REDUCTION, Some(usize::from(dim)), columns as u64);
    }

    /// Whether block `dim` is to be dualized. That pays where its open rows are few, which is known when the block
    /// below is solved.
    fn wants_dual(&self, dim: Dimension) -> bool {
        match self.dualize {
            Dualize::On => true,
            Dualize::Off => false,
            Dualize::Auto => {
                self.solved[usize::from(dim) - 1] && self.open(dim).len() > DUALIZE * self.open(dim - 1).len()
            }
        }
    }

    fn reduced(&mut self, dim: Dimension, dual: bool, columns: usize, additions: u64) {
        self.figures.additions += additions;
        self.solve(dim, Method::Residue { dual, columns, additions });
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
