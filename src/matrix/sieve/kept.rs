//! Checkpoints of the sieve, from which another run resumes.
//!
//! | piece | holds | is written |
//! |---|---|---|
//! | `sieve` | the known pairs, and the solved blocks with their methods | between stages, at the checkpoint interval or after a long stage; and before the first `residue` of a block |
//! | `residue` | the columns of one block that have claimed their lows, and the zero columns | while the block is reduced |
//!
//! A block under reduction is saved while threads work: the claims of any moment are a valid start, see
//! [`crate::rips::submatrix_reduction`]. A column that is found with two lows, because it was evicted while the table
//! was read, keeps the later one, and columns without a claim are reduced again.

use phat_formats::Dimension;

use super::super::figures::Figures;
use super::super::index::SharedIndex;
use super::super::kept::{
    expect_cells, read_columns, read_figures, read_pairs, write_columns, write_figures, write_pairs,
};
use super::super::mates::Mates;
use crate::snapshot::{Checkpoint, Kind, SnapshotError, Writer, facts};

const SIEVE: &str = "sieve";
const RESIDUE: &str = "residue";

/// The state of the sieve between two stages.
pub(super) struct KeptSieve<I> {
    pub(super) pairs: Vec<(I, I)>,
    pub(super) figures: Figures,
    /// Whether all upward stages are done.
    pub(super) is_downwards: bool,
}

impl<I: SharedIndex> KeptSieve<I> {
    /// Loads the state for a matrix of `cells` cells, if it was saved.
    pub(super) fn load(checkpoint: &dyn Checkpoint, cells: usize) -> Result<Option<Self>, SnapshotError> {
        let Some(snapshot) = checkpoint.load(SIEVE, Kind::MatrixReduction)? else { return Ok(None) };
        let mut reader = snapshot.payload_of(Kind::MatrixReduction)?;
        expect_cells(&mut reader, cells)?;
        let is_downwards = reader.record("direction")?;
        let figures = read_figures(&mut reader)?;
        let pairs: Vec<(I, I)> = read_pairs(&mut reader, cells)?;
        let mut is_paired = vec![false; cells];
        let mut was_paired = |cell: I| std::mem::replace(&mut is_paired[cell.to_usize()], true);
        if let Some((creator, destroyer)) = pairs.iter().find(|pair| was_paired(pair.0) || was_paired(pair.1))
        {
            let expected = format!("pairs of {cells} cells, each in one at most");
            let found = format!("({}, {})", creator.to_usize(), destroyer.to_usize());
            return Err(reader.unexpected("pairs", expected, found));
        }
        reader.end()?;
        Ok(Some(KeptSieve { pairs, figures, is_downwards }))
    }
}

/// Saves the state of the sieve. Marks of a block under reduction do not count as pairs.
pub(super) fn save_sieve<I: SharedIndex>(
    checkpoint: &dyn Checkpoint,
    mates: &Mates<I>,
    cells: usize,
    figures: &Figures,
    is_downwards: bool,
) {
    let pairs = mates.pairs_before_marks();
    let solved: Vec<String> = figures.blocks.iter().map(|block| block.dim.to_string()).collect();
    let told = facts([
        ("cells", cells.to_string()),
        ("pairs", pairs.len().to_string()),
        ("dimensions that are done", solved.join(", ")),
    ]);
    checkpoint.save(SIEVE, Kind::MatrixReduction, &told, &mut |out: &mut Writer<'_>| {
        out.record(&(cells as u64))?;
        out.record(&is_downwards)?;
        write_figures(out, figures)?;
        write_pairs(out, &pairs)
    });
}

/// The block whose residue is being reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResidueOf {
    pub(super) cells: usize,
    pub(super) dim: Dimension,
    pub(super) is_dual: bool,
}

/// The saved columns of a block under reduction.
pub(super) struct KeptResidue<I> {
    /// Columns that have claimed their lows, in the order of their claims.
    pub(super) claims: Vec<(usize, Box<[I]>)>,
    /// The zero columns.
    pub(super) zeros: Vec<usize>,
    pub(super) additions: u64,
}

impl<I: SharedIndex> KeptResidue<I> {
    /// Loads the saved columns of a block, unless none were saved or they belong to another block.
    pub(super) fn load(checkpoint: &dyn Checkpoint, of: ResidueOf) -> Result<Option<Self>, SnapshotError> {
        let Some(snapshot) = checkpoint.load(RESIDUE, Kind::MatrixReduction)? else { return Ok(None) };
        let mut reader = snapshot.payload_of(Kind::MatrixReduction)?;
        expect_cells(&mut reader, of.cells)?;
        let found: (Dimension, bool) = reader.record("dimension and direction")?;
        if found != (of.dim, of.is_dual) {
            return Ok(None);
        }
        let additions = reader.record("additions")?;
        let claims = read_columns(&mut reader, of.cells)?;
        let zeros = reader.u64s("columns that are zero")?;
        if let Some(cell) = zeros.iter().find(|cell| cell.get() >= of.cells as u64) {
            return Err(reader.unexpected("columns that are zero", format!("{} cells", of.cells), cell));
        }
        let zeros = zeros.iter().map(|cell| cell.get() as usize).collect();
        reader.end()?;
        Ok(Some(KeptResidue { claims, zeros, additions }))
    }
}

/// Saves the columns of a block.
pub(super) fn save_residue<I: SharedIndex>(
    checkpoint: &dyn Checkpoint,
    of: ResidueOf,
    claims: &[(usize, &[I])],
    zeros: &[u64],
    additions: u64,
    open: usize,
) {
    let told = facts([
        ("cells", of.cells.to_string()),
        ("dimension", of.dim.to_string()),
        ("columns that are reduced", format!("{} of {open}", claims.len() + zeros.len())),
    ]);
    checkpoint.save(RESIDUE, Kind::MatrixReduction, &told, &mut |out: &mut Writer<'_>| {
        out.record(&(of.cells as u64))?;
        out.record(&(of.dim, of.is_dual))?;
        out.record(&additions)?;
        write_columns(out, claims)?;
        out.u64s(zeros)
    });
}
