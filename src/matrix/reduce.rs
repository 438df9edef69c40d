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

use super::error::MatrixError;
use super::figures::{Distribution, Figures};
use super::hypha::hypha;
use super::index::SharedIndex;
use super::kept::{KeptColumns, keep_pairs, kept_pairs};
use super::leftmost_ones::Scanner;
use super::pairs::Pairs;
use super::pivot_lookup::PivotLookup;
use super::plan::{Algorithm, Dualize, Open, Plan, Representation};
use super::reduction::chunk::chunk;
use super::reduction::lock_free::lock_free;
use super::reduction::problem::{Additions, ReductionProblem};
use super::reduction::row::row;
use super::reduction::spectral_sequence::spectral_sequence;
use super::reduction::ss_plus::ss_plus;
use super::reduction::standard::standard_counted;
use super::reduction::twist::twist;
use super::reduction_matrix::ReductionMatrix;
use super::sieve;
use super::working_columns::{BitTree, BoxedColumn, Full, Heap, Sparse, Vector, WorkingColumn};
use crate::backend::on_threads;
use crate::progress::{Progress, interruptible};
use crate::snapshot::{Checkpoint, Part, Resumable};

/// The integer types for which the algorithms are compiled: `u32`, and `u64` for matrices that are too large for it.
///
/// They are compiled in this crate, and not again in each crate that calls [`reduce`].
pub trait MatrixIndex: SharedIndex + sealed::Compiled {}

impl MatrixIndex for u32 {}
impl MatrixIndex for u64 {}

mod sealed {
    use phat_formats::BoundaryMatrix;

    use super::{
        MatrixError, Pairs, Plan, Progress, Scanner, SharedIndex, pairs_narrow, pairs_wide, reduce_on_pool,
    };

    /// The compiled algorithms.
    pub trait Compiled: SharedIndex {
        /// The implementation of [`super::reduce_watched`] for this width.
        fn reduce(
            matrix: &BoundaryMatrix<Self>,
            plan: &Plan,
            scanner: &Scanner<Self>,
            progress: &dyn Progress,
        ) -> Result<Pairs<Self>, MatrixError>;
    }

    impl Compiled for u32 {
        fn reduce(
            matrix: &BoundaryMatrix<u32>,
            plan: &Plan,
            scanner: &Scanner<u32>,
            progress: &dyn Progress,
        ) -> Result<Pairs<u32>, MatrixError> {
            reduce_on_pool(matrix, plan, scanner, progress, pairs_narrow)
        }
    }

    impl Compiled for u64 {
        fn reduce(
            matrix: &BoundaryMatrix<u64>,
            plan: &Plan,
            scanner: &Scanner<u64>,
            progress: &dyn Progress,
        ) -> Result<Pairs<u64>, MatrixError> {
            reduce_on_pool(matrix, plan, scanner, progress, pairs_wide)
        }
    }
}

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
    let reduced = reduce_with(matrix, plan, &Scanner::processor());
    reduced.unwrap_or_else(|error| panic!("{error}"))
}

/// Like [`reduce`], but runs the scan of leftmost ones on the device of `scanner`.
///
/// # Errors
/// A scan failed or its verification found a wrong result; or the system cannot start the planned threads.
pub fn reduce_with<I: MatrixIndex>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
) -> Result<Pairs<I>, MatrixError> {
    reduce_watched(matrix, plan, scanner, &())
}

/// Like [`reduce_with`], but reports its stages to `progress`, with counts for the long stages of the sieve.
/// `progress` may end the run early: all algorithms check that every few additions.
///
/// # Errors
/// The errors of [`reduce_with`], and [`MatrixError::Interrupted`].
pub fn reduce_watched<I: MatrixIndex>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
    progress: &dyn Progress,
) -> Result<Pairs<I>, MatrixError> {
    interruptible(progress, |progress| {
        progress.begin("reduction", None, 1);
        I::reduce(matrix, plan, scanner, progress)
    })
}

/// A function that finds the pairs of a matrix by any algorithm but the sieve.
type FindPairs<I> = fn(
    &BoundaryMatrix<I>,
    &Plan,
    &Scanner<I>,
    &dyn Progress,
    &mut Figures,
) -> Result<Vec<(I, I)>, MatrixError>;

/// Runs on as many threads as planned.
fn reduce_on_pool<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
    progress: &dyn Progress,
    find_pairs: FindPairs<I>,
) -> Result<Pairs<I>, MatrixError> {
    let threads = plan.threads.max(1);
    let asked = (rayon::current_num_threads() != threads).then_some(threads);
    on_threads(asked, || run(matrix, plan, scanner, progress, find_pairs))
}

/// Reduces the matrix as it stands or its anti-transpose, as planned.
fn run<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
    progress: &dyn Progress,
    find_pairs: FindPairs<I>,
) -> Result<Pairs<I>, MatrixError> {
    if plan.algorithm == Algorithm::Sieve {
        return sieve::reduce(matrix, plan.dualize, scanner, progress);
    }
    // Only the same algorithm resumes a checkpoint, and only one that reduces the same matrix resumes its columns.
    let (prefix, began) = (format!("{}-", plan.algorithm), Instant::now());
    let whole = Part { checkpoint: progress.checkpoint(), prefix: &prefix };
    if let Some(pairs) = kept_pairs(&whole, matrix.len())? {
        return Ok(pairs);
    }
    let is_dual = match plan.dualize {
        Dualize::On => true,
        Dualize::Off => false,
        Dualize::Auto => Open::count_with(matrix, &scanner.leftmost(matrix)?).prefers_dual(),
    };
    let mut figures = Figures::default();
    let part = Part { checkpoint: &whole, prefix: if is_dual { "dual-" } else { "" } };
    let progress = &Resumable { progress, checkpoint: &part };
    let pairs = if is_dual {
        pairs_by_dual(matrix, plan, scanner, progress, &mut figures, find_pairs)
    } else {
        find_pairs(matrix, plan, scanner, progress, &mut figures)
    };
    let found = Pairs { pairs: pairs?, cells: matrix.len(), figures };
    if whole.is_worth_keeping(began.elapsed()) {
        keep_pairs(&whole, &part, &found);
    }
    Ok(found)
}

/// Reduces the anti-transpose. Its pair (i, j) is the pair (n − 1 − j, n − 1 − i) of the matrix.
fn pairs_by_dual<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
    progress: &dyn Progress,
    figures: &mut Figures,
    find_pairs: FindPairs<I>,
) -> Result<Vec<(I, I)>, MatrixError> {
    let dual = timed(figures, "anti-transpose", |_| matrix.anti_transpose());
    let mut pairs = find_pairs(&dual, plan, &scanner.for_another(), progress, figures)?;
    timed(figures, "mirror", |_| {
        let mirror = |cell: I| I::from_usize(matrix.len() - 1 - cell.to_usize());
        pairs.iter_mut().for_each(|pair| *pair = (mirror(pair.1), mirror(pair.0)));
        pairs.sort_unstable();
    });
    Ok(pairs)
}

/// Finds the pairs of a matrix with 32-bit indices. Each algorithm is compiled for the default representation; the
/// other representations share one copy of it.
fn pairs_narrow(
    matrix: &BoundaryMatrix<u32>,
    plan: &Plan,
    scanner: &Scanner<u32>,
    progress: &dyn Progress,
    figures: &mut Figures,
) -> Result<Vec<(u32, u32)>, MatrixError> {
    match plan.columns {
        Representation::BitTree => pairs_with(matrix, plan, scanner, progress, figures, BitTree::new),
        columns => pairs_with(matrix, plan, scanner, progress, figures, boxed(columns)),
    }
}

/// Finds the pairs of a matrix with 64-bit indices, which has thousands of millions of entries: all representations
/// share one copy of each algorithm.
fn pairs_wide(
    matrix: &BoundaryMatrix<u64>,
    plan: &Plan,
    scanner: &Scanner<u64>,
    progress: &dyn Progress,
    figures: &mut Figures,
) -> Result<Vec<(u64, u64)>, MatrixError> {
    pairs_with(matrix, plan, scanner, progress, figures, boxed(plan.columns))
}

/// Returns a constructor of boxed working columns.
fn boxed<I: SharedIndex>(columns: Representation) -> fn(rows: usize) -> BoxedColumn<I> {
    match columns {
        Representation::BitTree => |rows| Box::new(BitTree::new(rows)),
        Representation::Heap => |_| Box::new(Heap::default()),
        Representation::Full => |rows| Box::new(Full::new(rows)),
        Representation::Sparse => |_| Box::new(Sparse::default()),
        Representation::Vector => |_| Box::new(Vector::default()),
    }
}

fn pairs_with<I: SharedIndex, C: WorkingColumn<I>>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
    progress: &dyn Progress,
    figures: &mut Figures,
    working_column: fn(rows: usize) -> C,
) -> Result<Vec<(I, I)>, MatrixError> {
    let threads = plan.threads.max(1);
    let algorithm: fn(&ReductionProblem<'_, I, C>) -> Additions = match plan.algorithm {
        Algorithm::Sieve => unreachable!("the sieve has columns of its own"),
        Algorithm::Hypha => {
            return hypha(matrix, scanner, threads, progress, figures, working_column, ss_plus);
        }
        Algorithm::HyphaTwist => {
            return hypha(matrix, scanner, threads, progress, figures, working_column, twist);
        }
        Algorithm::SsPlus => ss_plus,
        Algorithm::SpectralSequence => spectral_sequence,
        Algorithm::Twist => twist,
        Algorithm::Row => row,
        Algorithm::Chunk => chunk,
        Algorithm::LockFree => lock_free,
        Algorithm::Standard => {
            let work = standard_with_figures;
            return on_all_columns(matrix, threads, progress, figures, working_column, work);
        }
    };
    let work = |problem: &ReductionProblem<'_, I, C>, figures: &mut Figures| {
        figures.additions = algorithm(problem);
    };
    on_all_columns(matrix, threads, progress, figures, working_column, work)
}

/// Reduces all columns of a matrix.
fn on_all_columns<I: SharedIndex, C>(
    matrix: &BoundaryMatrix<I>,
    threads: usize,
    progress: &dyn Progress,
    figures: &mut Figures,
    working_column: fn(rows: usize) -> C,
    algorithm: impl FnOnce(&ReductionProblem<'_, I, C>, &mut Figures),
) -> Result<Vec<(I, I)>, MatrixError> {
    let columns = ReductionMatrix::new(matrix);
    let kept = KeptColumns::restore(&columns, progress.checkpoint())?;
    let lookup = PivotLookup::new(matrix.len());
    let todo: Vec<I> = (0..matrix.len()).map(I::from_usize).collect();
    kept.keeping(progress, |progress| {
        let problem = ReductionProblem {
            matrix: &columns,
            lookup: &lookup,
            todo: &todo,
            clears: true,
            threads,
            working_column,
            progress,
        };
        timed(figures, "reduction", |figures| algorithm(&problem, figures));
    });
    Ok(timed(figures, "pairs", |_| lookup.to_pairs()))
}

/// Runs the standard algorithm and records the distribution of its additions.
fn standard_with_figures<I: SharedIndex, C: WorkingColumn<I>>(
    problem: &ReductionProblem<'_, I, C>,
    figures: &mut Figures,
) {
    let mut additions = vec![0; problem.matrix.len()];
    figures.additions = standard_counted(problem, |column, count| additions[column] = count);
    figures.distribution = Some(Distribution::of(&additions, |column| problem.matrix.low(column).is_none()));
}

/// Runs a stage and records its duration.
fn timed<T>(figures: &mut Figures, stage: &'static str, work: impl FnOnce(&mut Figures) -> T) -> T {
    let start = Instant::now();
    let done = work(figures);
    figures.lap(stage, start.elapsed());
    done
}
