//! Reduction of a matrix by a plan: the only caller of the algorithms.
//!
//! ```text
//! reduce           starts the planned threads
//!   run            the matrix as it stands, or its anti-transpose; the sieve decides that block by block
//!     sieve        scan, union-find, annotations, reduction of the residue
//!     hypha        scan, clearing, compression, then SS+ or twist
//!     reduction    one of the algorithms of the literature, on all columns
//! ```

use std::time::Instant;

use phat_formats::BoundaryMatrix;

use super::cell_table::CellTable;
use super::checkpoint::{PAIRS, SavedPairs, forget_pieces, keeping_columns, save_pairs};
use super::error::MatrixError;
use super::figures::{Distribution, Figures};
use super::hypha::hypha;
use super::index::SharedIndex;
use super::leftmost_ones::Scanner;
use super::pairs::Pairs;
use super::plan::{Algorithm, Dualize, Open, Plan};
use super::reduction::chunk::chunk;
use super::reduction::lock_free::lock_free;
use super::reduction::problem::{Reduce, ReductionProblem};
use super::reduction::row::row;
use super::reduction::spectral_sequence::spectral_sequence;
use super::reduction::ss_plus::ss_plus;
use super::reduction::standard::{standard, standard_counted};
use super::reduction::twist::twist;
use super::reduction_matrix::ReductionMatrix;
use super::sieve;
use crate::backend::on_threads;
use crate::progress::{Progress, Resumable, interruptible};
use crate::snapshot::Part;

/// The integer types for which the algorithms are compiled: `u32`, and `u64` for matrices that are too large for it.
///
/// They are compiled in this crate, and not again in each crate that calls [`reduce`].
pub trait MatrixIndex: SharedIndex {
    /// The implementation of [`reduce_with`] for this width.
    #[doc(hidden)]
    fn reduce(
        matrix: &BoundaryMatrix<Self>,
        plan: &Plan,
        scanner: &Scanner,
        progress: &dyn Progress,
    ) -> Result<Pairs<Self>, MatrixError>;
}

macro_rules! matrix_index {
    ($integer:ty) => {
        impl MatrixIndex for $integer {
            fn reduce(
                matrix: &BoundaryMatrix<Self>,
                plan: &Plan,
                scanner: &Scanner,
                progress: &dyn Progress,
            ) -> Result<Pairs<Self>, MatrixError> {
                run(matrix, plan, scanner, progress)
            }
        }
    };
}

matrix_index!(u32);
matrix_index!(u64);

/// Computes the persistence pairs of a matrix by `plan`.
///
/// The matrix must have ∂∂ = 0; otherwise the pairs depend on the algorithm, as the table of
/// [`reduction`](super::reduction) says.
///
/// Runs on the current thread pool if that has as many threads as planned, and starts one for the run otherwise.
///
/// # Panics
/// The system cannot start the planned threads; [`reduce_with`] returns an error instead.
pub fn reduce<I: MatrixIndex>(matrix: &BoundaryMatrix<I>, plan: &Plan) -> Pairs<I> {
    let reduced = reduce_with(matrix, plan, &Scanner::processor(), &());
    reduced.unwrap_or_else(|error| panic!("{error}"))
}

/// Like [`reduce`], but runs the scan of leftmost ones on the device of `scanner`, and reports its stages to
/// `progress`, with counts for the long stages of the sieve. `progress` may end the run early: all algorithms check
/// that every few additions.
///
/// # Errors
/// A scan failed or its verification found a wrong result; the system cannot start the planned threads; the checkpoint
/// of `progress` cannot be resumed; or [`MatrixError::Interrupted`].
pub fn reduce_with<I: MatrixIndex>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner,
    progress: &dyn Progress,
) -> Result<Pairs<I>, MatrixError> {
    let threads = plan.threads.max(1);
    interruptible(progress, |progress| {
        progress.begin("reduction", None, 1);
        let other = (rayon::current_num_threads() != threads).then_some(threads);
        on_threads(other, || I::reduce(matrix, plan, scanner, progress))
    })
}

/// Reduces the matrix as it stands or its anti-transpose, as planned.
fn run<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner,
    progress: &dyn Progress,
) -> Result<Pairs<I>, MatrixError> {
    if plan.algorithm == Algorithm::Sieve {
        return sieve::reduce(matrix, plan.dualize, scanner, progress);
    }
    // Only the same algorithm resumes a checkpoint, and only one that reduces the same matrix resumes its columns.
    let (prefix, began) = (format!("{}-", plan.algorithm), Instant::now());
    let checkpoint = &Part { checkpoint: progress.checkpoint(), prefix: &prefix };
    let cells = matrix.len();
    if let Some(SavedPairs { pairs, figures, .. }) = SavedPairs::load(checkpoint, PAIRS, cells, false)? {
        return Ok(Pairs { pairs, cells, figures });
    }
    let is_dual = match plan.dualize {
        Dualize::On => true,
        Dualize::Off => false,
        Dualize::Auto => Open::count(matrix, &scanner.leftmost(matrix)?).prefers_dual(),
    };
    let mut figures = Figures::default();
    let progress = &Resumable { progress, checkpoint };
    let pairs = if is_dual {
        let dual = timed(&mut figures, "anti-transpose", |_| matrix.anti_transpose());
        let mut pairs = pairs(&dual, true, plan, scanner, progress, &mut figures)?;
        timed(&mut figures, "mirror", |_| {
            // The pair (i, j) of the anti-transpose is the pair (n − 1 − j, n − 1 − i) of the matrix.
            let mirror = |cell: I| I::from_usize(cells - 1 - cell.to_usize());
            pairs.iter_mut().for_each(|pair| *pair = (mirror(pair.1), mirror(pair.0)));
            pairs.sort_unstable();
        });
        pairs
    } else {
        pairs(matrix, false, plan, scanner, progress, &mut figures)?
    };
    if progress.checkpoint.is_worth_keeping(began.elapsed())
        && save_pairs(progress.checkpoint, PAIRS, cells, &pairs, &figures, true)
    {
        forget_pieces(progress.checkpoint, 0);
    }
    Ok(Pairs { pairs, cells, figures })
}

/// Finds the pairs of a matrix, or of the anti-transpose of another, by any algorithm but the sieve.
fn pairs<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    is_dual: bool,
    plan: &Plan,
    scanner: &Scanner,
    progress: &dyn Progress,
    figures: &mut Figures,
) -> Result<Vec<(I, I)>, MatrixError> {
    let algorithm: Reduce<I> = match plan.algorithm {
        Algorithm::Sieve => unreachable!("the sieve has columns of its own"),
        Algorithm::Hypha => return hypha(matrix, is_dual, plan, scanner, progress, figures, ss_plus),
        Algorithm::HyphaTwist => return hypha(matrix, is_dual, plan, scanner, progress, figures, twist),
        Algorithm::SsPlus => ss_plus,
        Algorithm::SpectralSequence => spectral_sequence,
        Algorithm::Twist => twist,
        Algorithm::Row => row,
        Algorithm::Chunk => chunk,
        Algorithm::LockFree => lock_free,
        Algorithm::Standard => standard,
    };
    let columns = ReductionMatrix::new(matrix);
    let lookup = CellTable::new(matrix.len());
    let todo: Vec<I> = (0..matrix.len()).map(I::from_usize).collect();
    keeping_columns(&columns, is_dual, progress, &mut |progress| {
        let problem = ReductionProblem::new(&columns, &lookup, &todo, plan, progress);
        timed(figures, "reduction", |figures| {
            if plan.algorithm != Algorithm::Standard {
                figures.additions = algorithm(&problem);
                return;
            }
            let mut additions = vec![0; columns.len()];
            figures.additions = standard_counted(&problem, |column, count| additions[column] = count);
            let is_zero = |column| columns.low(column).is_none();
            figures.distribution = Some(Distribution::of(&additions, is_zero));
        });
    })?;
    Ok(timed(figures, "pairs", |_| lookup.to_pairs()))
}

/// Runs a stage and records its duration.
fn timed<T>(figures: &mut Figures, stage: &'static str, work: impl FnOnce(&mut Figures) -> T) -> T {
    let mut clock = Instant::now();
    let done = work(figures);
    figures.lap(stage, &mut clock);
    done
}
