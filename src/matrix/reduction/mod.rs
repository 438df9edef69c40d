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
//!
//! Each takes a [`Problem`] and leaves its pairs in the lookup. Those that clear, clear by dimension, so they want a
//! matrix whose boundaries have no boundary ([`BoundaryMatrix::check`]).

pub mod chunk;
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
pub use self::lock_free::lock_free;
pub use self::problem::{Additions, Problem};
pub use self::row::row;
pub use self::spectral_sequence::spectral_sequence;
pub use self::ss_plus::ss_plus;
pub use self::standard::{standard, standard_counted};
pub use self::twist::twist;
use super::columns::{BitTree, Full, Heap, Sparse, Vector, WorkingColumn};
use super::state::{Columns, Lookup};
use super::{Algorithm, BoundaryMatrix, Figures, Pairs, Plan, Representation, Row};

/// The persistence pairs of a matrix, found as planned.
///
/// Boundaries of the matrix have no boundary; otherwise the pairs depend on the algorithm.
///
/// Runs on the current pool if that has as many threads as planned, and starts one for the run otherwise.
///
/// # Panics
/// When the system does not start the planned threads. To answer that otherwise, start a pool and call from inside.
pub fn reduce<I: Row>(matrix: &BoundaryMatrix<I>, plan: &Plan) -> Pairs<I> {
    let run = || if plan.dualize { reduce_dual(matrix, plan) } else { reduce_primal(matrix, plan) };
    let threads = plan.threads.max(1);
    if rayon::current_num_threads() == threads {
        return run();
    }
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(run),
        Err(error) => panic!("expected {threads} threads to start, found: {error}"),
    }
}

fn reduce_primal<I: Row>(matrix: &BoundaryMatrix<I>, plan: &Plan) -> Pairs<I> {
    let mut figures = Figures::default();
    let columns = Columns::new(matrix);
    let lookup = Lookup::new(matrix.len());
    let todo: Vec<I> = (0..matrix.len()).map(I::from_usize).collect();
    let problem = Problem { columns: &columns, lookup: &lookup, todo: &todo, threads: plan.threads.max(1) };
    figures.additions = timed(&mut figures, "reduction", || run(plan, &problem));
    let pairs = timed(&mut figures, "pairs", || {
        lookup.pairs().map(|(birth, death)| (I::from_usize(birth), I::from_usize(death))).collect()
    });
    Pairs { pairs, cells: matrix.len(), figures }
}

/// Reduces the anti-transpose. Its pair (i, j) is the pair (n − 1 − j, n − 1 − i) of the matrix.
fn reduce_dual<I: Row>(matrix: &BoundaryMatrix<I>, plan: &Plan) -> Pairs<I> {
    let mut figures = Figures::default();
    let dual = timed(&mut figures, "anti-transpose", || matrix.anti_transpose());
    let Pairs { mut pairs, cells, figures: inner } = reduce_primal(&dual, plan);
    figures.additions = inner.additions;
    figures.stages.extend(inner.stages);
    timed(&mut figures, "mirror", || {
        let mirror = |cell: I| I::from_usize(cells - 1 - cell.to_usize());
        pairs.iter_mut().for_each(|pair| *pair = (mirror(pair.1), mirror(pair.0)));
        pairs.sort_unstable();
    });
    Pairs { pairs, cells, figures }
}

fn run<I: Row>(plan: &Plan, problem: &Problem<'_, I>) -> Additions {
    match plan.columns {
        Representation::BitTree => run_with::<I, BitTree>(plan.algorithm, problem),
        Representation::Heap => run_with::<I, Heap<I>>(plan.algorithm, problem),
        Representation::Full => run_with::<I, Full<I>>(plan.algorithm, problem),
        Representation::Sparse => run_with::<I, Sparse<I>>(plan.algorithm, problem),
        Representation::Vector => run_with::<I, Vector<I>>(plan.algorithm, problem),
    }
}

fn run_with<I: Row, C: WorkingColumn<I>>(algorithm: Algorithm, problem: &Problem<'_, I>) -> Additions {
    match algorithm {
        // Scan, clearing and compression save additions and change no pair: without them this is what they lead to.
        Algorithm::Hypha | Algorithm::SsPlus => ss_plus::<I, C>(problem),
        Algorithm::HyphaTwist | Algorithm::Twist => twist::<I, C>(problem),
        Algorithm::SpectralSequence => spectral_sequence::<I, C>(problem),
        Algorithm::Standard => standard::<I, C>(problem),
        Algorithm::Row => row::<I, C>(problem),
        Algorithm::Chunk => chunk::<I, C>(problem),
        Algorithm::LockFree => lock_free::<I, C>(problem),
    }
}

/// Does a stage and notes the seconds it took.
fn timed<T>(figures: &mut Figures, stage: &'static str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    figures.stages.push((stage, start.elapsed().as_secs_f64()));
    done
}
