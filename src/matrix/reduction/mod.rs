//! Reduction: one algorithm a file, on one entry.
//!
//! | algorithm | module | parallel | clears | source |
//! |---|---|---|---|---|
//! | standard | [`mod@standard`] | no | no | Edelsbrunner, Letscher, Zomorodian 2002 |
//! | twist | [`mod@twist`] | no | yes | Chen, Kerber 2011 |
//! | row | [`mod@row`] | no | yes | de Silva, Morozov, Vejdemo-Johansson 2011 |
//! | chunk | [`mod@chunk`] | chunks of columns | yes | Bauer, Kerber, Reininghaus 2014 |
//! | spectral sequence | [`mod@spectral_sequence`] | stripes of columns | yes | Edelsbrunner, Harer 2010; Bauer, Kerber, Reininghaus 2014 |
//! | SS+ | [`mod@ss_plus`] | tiles or columns | yes | Zhang et al. 2019 |
//! | lock-free | [`mod@lock_free`] | columns | yes | Morozov, Nigmetov 2020 |
//! | HYPHA | [`mod@hypha`] | all but twist | yes | Zhang et al. 2019 |
//! | sieve | [`super::sieve`] | all but union-find and annotations | yes | see there |
//!
//! All but the last two take a [`Problem`] and leave their pairs in the lookup.
//!
//! **What is promised.** Of a matrix whose boundaries have no boundary ([`BoundaryMatrix::check`]) all find the same pairs, on any
//! number of threads, and each cell is in one at most. What they promise of any other matrix with the invariants of
//! [`BoundaryMatrix`]:
//!
//! | algorithm | the pairs are |
//! |---|---|
//! | standard | (low, column) of the matrix reduced left to right: no two have a low in common, none a column; a cell may be a low and a column |
//! | twist, row, chunk, spectral sequence, SS+, lock-free | such that no two have a low in common, and none a column; which ones depends on which columns are cleared before they are reduced |
//! | HYPHA, sieve | such that births come before deaths, a dimension below. What one dimension tells another is wrong where ∂∂ ≠ 0, so which ones they are may depend on the number of threads |
//!
//! All of them end, and none of them panics.

pub mod chunk;
pub mod hypha;
pub mod lock_free;
pub mod problem;
pub mod row;
pub mod spectral_sequence;
pub mod ss_plus;
pub mod standard;
pub mod stripes;
pub mod team;
pub mod twist;

use std::time::Instant;

pub use self::chunk::chunk;
pub use self::hypha::hypha;
pub use self::lock_free::lock_free;
pub use self::problem::{Additions, Problem};
pub use self::row::row;
pub use self::spectral_sequence::spectral_sequence;
pub use self::ss_plus::ss_plus;
pub use self::standard::{standard, standard_counted};
pub use self::twist::twist;
use super::columns::{BitTree, Full, Heap, Sparse, Vector, WorkingColumn};
use super::figures::Distribution;
use super::leftmost_ones::{ScanError, Scanner};
use super::plan::Open;
use super::state::{Columns, Lookup};
use super::{Algorithm, BoundaryMatrix, Dualize, Figures, Pairs, Plan, Representation, Row};

/// Why a matrix has no pairs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReduceError {
    /// A scan failed, or was found wrong.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The system does not start the threads that the plan asks for.
    #[error("cannot start {threads} threads: {error}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system says.
        error: String,
    },
}

/// The persistence pairs of a matrix, found as planned.
///
/// Boundaries of the matrix have no boundary; otherwise the pairs depend on the algorithm, as the table of this module says.
///
/// Runs on the current pool if that has as many threads as planned, and starts one for the run otherwise.
///
/// # Panics
/// The system does not start the planned threads, of which [`reduce_with`] makes an error.
pub fn reduce<I: Row>(matrix: &BoundaryMatrix<I>, plan: &Plan) -> Pairs<I> {
    let reduced = reduce_with(matrix, plan, &Scanner::processor());
    reduced.unwrap_or_else(|error| panic!("{error}"))
}

/// Like [`reduce`], with the scans of leftmost ones done by the machine of `scanner`.
///
/// # Errors
/// A scan failed, or was found wrong; the system does not start the planned threads.
pub fn reduce_with<I: Row>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
) -> Result<Pairs<I>, ReduceError> {
    I::reduce(matrix, plan, scanner)
}

/// The same, of an index that is known.
pub(super) fn reduce_here<I: Row>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
) -> Result<Pairs<I>, ReduceError> {
    let threads = plan.threads.max(1);
    if rayon::current_num_threads() == threads {
        return Ok(run(matrix, plan, scanner)?);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| ReduceError::Threads { threads, error: error.to_string() })?;
    Ok(pool.install(|| run(matrix, plan, scanner))?)
}

fn run<I: Row>(matrix: &BoundaryMatrix<I>, plan: &Plan, scanner: &Scanner<I>) -> Result<Pairs<I>, ScanError> {
    let is_dual = match plan.dualize {
        _ if plan.algorithm == Algorithm::Sieve => {
            return super::sieve::reduce_with(matrix, plan.dualize, scanner);
        }
        Dualize::On => true,
        Dualize::Off => false,
        Dualize::Auto => Open::count_with(matrix, &scanner.leftmost(matrix)?).prefers_dual(),
    };
    let mut figures = Figures::default();
    let pairs = if is_dual {
        pairs_by_dual(matrix, plan, scanner, &mut figures)
    } else {
        pairs(matrix, plan, scanner, &mut figures)
    };
    Ok(Pairs { pairs: pairs?, cells: matrix.len(), figures })
}

/// Reduces the anti-transpose. Its pair (i, j) is the pair (n − 1 − j, n − 1 − i) of the matrix.
fn pairs_by_dual<I: Row>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
    figures: &mut Figures,
) -> Result<Vec<(I, I)>, ScanError> {
    let dual = timed(figures, "anti-transpose", |_| matrix.anti_transpose());
    let mut pairs = pairs(&dual, plan, &scanner.for_another(), figures)?;
    timed(figures, "mirror", |_| {
        let mirror = |cell: I| I::from_usize(matrix.len() - 1 - cell.to_usize());
        pairs.iter_mut().for_each(|pair| *pair = (mirror(pair.1), mirror(pair.0)));
        pairs.sort_unstable();
    });
    Ok(pairs)
}

fn pairs<I: Row>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
    figures: &mut Figures,
) -> Result<Vec<(I, I)>, ScanError> {
    match plan.columns {
        Representation::BitTree => pairs_with::<I, BitTree>(matrix, plan, scanner, figures),
        Representation::Heap => pairs_with::<I, Heap<I>>(matrix, plan, scanner, figures),
        Representation::Full => pairs_with::<I, Full<I>>(matrix, plan, scanner, figures),
        Representation::Sparse => pairs_with::<I, Sparse<I>>(matrix, plan, scanner, figures),
        Representation::Vector => pairs_with::<I, Vector<I>>(matrix, plan, scanner, figures),
    }
}

fn pairs_with<I: Row, C: WorkingColumn<I>>(
    matrix: &BoundaryMatrix<I>,
    plan: &Plan,
    scanner: &Scanner<I>,
    figures: &mut Figures,
) -> Result<Vec<(I, I)>, ScanError> {
    let whole = |figures: &mut Figures, algorithm: fn(&Problem<'_, I>) -> Additions| {
        on_whole(matrix, plan.threads, figures, |problem, figures| figures.additions = algorithm(problem))
    };
    Ok(match plan.algorithm {
        Algorithm::Sieve => unreachable!("the sieve has columns of its own"),
        Algorithm::Hypha => hypha::<I, C>(matrix, scanner, plan.threads, figures, ss_plus::<I, C>)?,
        Algorithm::HyphaTwist => hypha::<I, C>(matrix, scanner, plan.threads, figures, twist::<I, C>)?,
        Algorithm::SsPlus => whole(figures, ss_plus::<I, C>),
        Algorithm::SpectralSequence => whole(figures, spectral_sequence::<I, C>),
        Algorithm::Twist => whole(figures, twist::<I, C>),
        Algorithm::Row => whole(figures, row::<I, C>),
        Algorithm::Chunk => whole(figures, chunk::<I, C>),
        Algorithm::LockFree => whole(figures, lock_free::<I, C>),
        Algorithm::Standard => on_whole(matrix, plan.threads, figures, standard_with_figures::<I, C>),
    })
}

/// Reduces all columns.
fn on_whole<I: Row>(
    matrix: &BoundaryMatrix<I>,
    threads: usize,
    figures: &mut Figures,
    algorithm: impl FnOnce(&Problem<'_, I>, &mut Figures),
) -> Vec<(I, I)> {
    let columns = Columns::new(matrix);
    let lookup = Lookup::new(matrix.len());
    let todo: Vec<I> = (0..matrix.len()).map(I::from_usize).collect();
    let problem = Problem { columns: &columns, lookup: &lookup, todo: &todo, threads: threads.max(1) };
    timed(figures, "reduction", |figures| algorithm(&problem, figures));
    timed(figures, "pairs", |_| pairs_of(&lookup))
}

/// The standard algorithm, and where its additions were.
fn standard_with_figures<I: Row, C: WorkingColumn<I>>(problem: &Problem<'_, I>, figures: &mut Figures) {
    let mut additions = vec![0; problem.columns.len()];
    figures.additions = standard_counted::<I, C>(problem, |column, count| additions[column] = count);
    figures.distribution = Some(Distribution::of(&additions, |column| problem.columns.low(column).is_none()));
}

fn pairs_of<I: Row>(lookup: &Lookup<I>) -> Vec<(I, I)> {
    lookup.pairs().map(|(birth, death)| (I::from_usize(birth), I::from_usize(death))).collect()
}

/// Does a stage and notes the seconds it took.
fn timed<T>(figures: &mut Figures, stage: &'static str, work: impl FnOnce(&mut Figures) -> T) -> T {
    let start = Instant::now();
    let done = work(figures);
    figures.lap(stage, start.elapsed());
    done
}
