//! Every algorithm with every representation, primal and dual, on 1, 2 and 4 threads, finds the pairs of a boundary
//! matrix: those of the standard algorithm with vectors, which an independent check has verified.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use crate::common::complexes::Complex;
use crate::common::dense::judge;
use crate::common::kept::Life;
use crate::common::metrics::generator;
use lacuna::cells::rips_complex;
use lacuna::internals::{CellTable, ReductionMatrix};
use lacuna::matrix::leftmost_ones::Scanner;
use lacuna::matrix::reduction::{
    Additions, ReductionProblem, spectral_sequence, ss_plus, standard_counted, twist,
};
use lacuna::matrix::reduction::{chunk, lock_free, row, standard};
use lacuna::matrix::{
    Algorithm, BoundaryMatrix, Dualize, Index, MatrixError, MatrixIndex, Pairs, Plan, Representation, reduce,
    reduce_with,
};
use lacuna::metric::DistanceMatrix;
use lacuna::progress::Progress;
use rand::RngExt;
use rand_pcg::Pcg64;

const THREADS: [usize; 3] = [1, 2, 4];

const PLAINEST: Plan = Plan {
    algorithm: Algorithm::Standard,
    columns: Representation::Vector,
    dualize: Dualize::Off,
    threads: 1,
};

/// All plans for a number of threads.
fn plans(threads: usize) -> impl Iterator<Item = Plan> {
    Algorithm::ALL.into_iter().flat_map(move |algorithm| {
        Representation::ALL.into_iter().flat_map(move |columns| {
            [Dualize::Off, Dualize::On, Dualize::Auto].map(|dualize| Plan {
                algorithm,
                columns,
                dualize,
                threads,
            })
        })
    })
}

/// Runs work on a pool that serves many small matrices.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start").install(work)
}

fn assert_pairs<I: MatrixIndex>(matrix: &BoundaryMatrix<I>, plan: &Plan, expected: &Pairs<I>, what: &str) {
    let found = reduce(matrix, plan);
    assert_eq!(found.cells, expected.cells, "{what}, {plan:?}");
    assert_eq!(found.pairs, expected.pairs, "{what}, {plan:?}");
}

/// Checks the plainest plan independently, and compares every plan with it.
fn conforms<I: MatrixIndex>(matrices: &[(String, BoundaryMatrix<I>)]) {
    let expected: Vec<Pairs<I>> = matrices.iter().map(|(_, matrix)| reduce(matrix, &PLAINEST)).collect();
    for ((what, matrix), expected) in matrices.iter().zip(&expected) {
        matrix.check().unwrap_or_else(|error| panic!("{what}: {error}"));
        judge(matrix, expected, what);
    }
    for threads in THREADS {
        on_threads(threads, || {
            for plan in plans(threads) {
                for ((what, matrix), expected) in matrices.iter().zip(&expected) {
                    assert_pairs(matrix, &plan, expected, what);
                }
            }
        });
    }
}

/// A random complex of up to about 150 cells.
fn random_complex(rng: &mut Pcg64) -> Complex {
    let ties = [1, 3, 1000][rng.random_range(0..3)];
    match rng.random_range(0..7) {
        0 => Complex::flag(rng.random_range(1..9), 4, 0.7, ties, rng),
        1 => Complex::flag(rng.random_range(8..16), 2, 0.4, ties, rng),
        2 => Complex::random(rng.random_range(1..8), 5, 0.9, ties, rng),
        3 => Complex::random(rng.random_range(6..12), 3, 0.6, ties, rng),
        4 => Complex::cubical([rng.random_range(1..6), rng.random_range(1..6), 1], ties, rng),
        5 => Complex::cubical([3, 3, rng.random_range(1..3)], ties, rng),
        _ => Complex::with_many_classes(ties, rng),
    }
}

fn random_matrices<I: Index>(seeds: std::ops::Range<u64>) -> Vec<(String, BoundaryMatrix<I>)> {
    seeds.map(|seed| (format!("seed {seed}"), random_complex(&mut generator(seed)).matrix())).collect()
}

#[test]
fn random_complexes() {
    conforms::<u32>(&random_matrices(0..120));
}

#[test]
fn random_complexes_with_wide_indices() {
    conforms::<u64>(&random_matrices(1000..1020));
}

/// Complexes too large for the independent check, so that stripes, chunks and tiles have many columns.
#[test]
fn larger_complexes() {
    let mut rng = generator(5);
    let complexes = [
        Complex::cubical([24, 24, 1], 40, &mut rng),
        Complex::cubical([9, 8, 8], 1000, &mut rng),
        Complex::flag(40, 2, 0.5, 100, &mut rng),
        Complex::flag(16, 5, 0.8, 1, &mut rng),
        Complex::random(30, 3, 0.5, 7, &mut rng),
    ];
    let matrices: Vec<BoundaryMatrix<u32>> = complexes.iter().map(Complex::matrix).collect();
    let expected: Vec<Pairs<u32>> = matrices.iter().map(|matrix| reduce(matrix, &PLAINEST)).collect();
    for threads in THREADS {
        for (k, (matrix, expected)) in matrices.iter().zip(&expected).enumerate() {
            plans(threads).for_each(|plan| assert_pairs(matrix, &plan, expected, &format!("complex {k}")));
        }
    }
}

/// Deterministic corner cases.
fn corner_cases() -> Vec<(String, BoundaryMatrix<u32>)> {
    let mut rng = generator(0);
    let points = Complex::simplicial(5, 0, |_| Some(0));
    let path = Complex::simplicial(9, 1, |s| (s.len() == 1 || s[0] + 1 == s[1]).then_some(0));
    let circle = Complex::simplicial(9, 1, |s| (s.len() == 1 || (s[1] - s[0]) % 7 == 1).then_some(0));
    let cases = [
        ("empty", Complex::default()),
        ("one vertex", Complex::simplicial(1, 0, |_| Some(0))),
        ("one cell of dimension 7", Complex::default().with_loops(7, 1, 1, &mut rng)),
        ("cells of dimension 255", Complex::default().with_loops(255, 3, 1, &mut rng)),
        ("vertices", points.clone()),
        (
            "vertices, loops and spheres",
            points.clone().with_loops(1, 3, 1, &mut rng).with_loops(3, 2, 1, &mut rng),
        ),
        ("path", path.clone()),
        ("circle", circle.clone()),
        ("cone over vertices", points.cone()),
        ("cone over a cone over a circle", circle.cone().cone()),
        ("apart", path.beside(&circle).beside(&points)),
        ("simplex", Complex::simplicial(6, 5, |_| Some(0))),
        ("sphere", Complex::simplicial(6, 4, |_| Some(0))),
        ("a cell a value", Complex::cubical([4, 4, 1], 1 << 30, &mut rng)),
    ];
    cases.into_iter().map(|(what, complex)| (what.to_owned(), complex.matrix())).collect()
}

#[test]
fn corner_cases_conform() {
    conforms(&corner_cases());
}

/// Every order of the cells of a full triangle, of two edges with loops, and of a square.
#[test]
fn every_order_of_tiny_complexes() {
    let mut rng = generator(0);
    let triangle = Complex::simplicial(3, 2, |_| Some(0));
    let path = Complex::simplicial(3, 1, |s| (s != [0, 2]).then_some(0)).with_loops(1, 1, 1, &mut rng);
    let square = Complex::cubical([2, 2, 1], 1, &mut rng);
    for (name, complex, share) in [("triangle", triangle, 1), ("path", path, 1), ("square", square, 40)] {
        let mut matrices = Vec::new();
        let mut orders = 0;
        complex.every_order(&mut |order| {
            // Every 40th of the square's many orders is tested.
            if orders % share == 0 {
                matrices.push((format!("{name} {order:?}"), complex.matrix_in_order::<u32>(order)));
            }
            orders += 1;
        });
        assert!(matrices.len() > 20, "{name}: {orders} orders");
        conforms(&matrices);
    }
}

#[test]
fn every_complex_on_four_points() {
    let complexes = Complex::every_simplicial(4);
    // There are 114 complexes that contain all four vertices: antichains that cover.
    assert_eq!(complexes.len(), 114);
    let numbered = complexes.iter().enumerate();
    conforms::<u32>(
        &numbered.map(|(k, complex)| (format!("complex {k}"), complex.matrix())).collect::<Vec<_>>(),
    );
}

/// Schedules change which thread adds what, but not the pairs.
#[test]
fn twenty_runs_of_the_parallel_ones() {
    let mut rng = generator(20);
    let complexes = [Complex::cubical([14, 14, 6], 5000, &mut rng), Complex::flag(36, 2, 0.6, 30, &mut rng)];
    for (k, complex) in complexes.iter().enumerate() {
        let matrix = complex.matrix::<u32>();
        let expected = reduce(&matrix, &PLAINEST);
        for threads in [2, 3, 4, 8] {
            on_threads(threads, || {
                for algorithm in super::PARALLEL {
                    for run in 0..20 {
                        let (columns, dualize) =
                            (Representation::ALL[run % 5], [Dualize::Off, Dualize::On][run % 2]);
                        let plan = Plan { algorithm, columns, dualize, threads };
                        assert_pairs(&matrix, &plan, &expected, &format!("complex {k}, run {run}"));
                    }
                }
            });
        }
    }
}

/// Several reductions share a pool: no barrier must deadlock.
#[test]
fn many_reductions_in_one_pool() {
    use rayon::prelude::*;

    let matrices = random_matrices::<u32>(2000..2200);
    let expected: Vec<Pairs<u32>> = matrices.iter().map(|(_, matrix)| reduce(matrix, &PLAINEST)).collect();
    on_threads(4, || {
        matrices.par_iter().zip(&expected).enumerate().for_each(|(k, ((what, matrix), expected))| {
            let plan = plans(4).nth(k % 90).expect("90 plans");
            assert_pairs(matrix, &plan, expected, what);
        });
    });
}

/// Every algorithm continues from known pairs and cleared columns, here those of a first, partial reduction.
#[test]
fn known_pairs_are_built_upon() {
    type Solve = fn(&ReductionProblem<'_, u32>) -> Additions;
    let algorithms: [(&str, Solve); 7] = [
        ("standard", standard),
        ("twist", twist),
        ("row", row),
        ("chunk", chunk),
        ("spectral sequence", spectral_sequence),
        ("SS+", ss_plus),
        ("lock-free", lock_free),
    ];
    for (what, matrix) in random_matrices::<u32>(3000..3060) {
        let expected = reduce(&matrix, &PLAINEST);
        for (name, solve) in algorithms {
            for threads in [1, 3] {
                let found = on_threads(threads, || from_apparent_pairs(&matrix, threads, solve));
                assert_eq!(found, expected.pairs, "{what}, {name}, {threads} threads");
            }
        }
    }
}

/// Pairs the columns whose low is the leftmost one of its row, clears the columns of their lows, and passes the rest
/// to `solve`.
fn from_apparent_pairs(
    matrix: &BoundaryMatrix<u32>,
    threads: usize,
    solve: impl FnOnce(&ReductionProblem<'_, u32>) -> Additions,
) -> Vec<(u32, u32)> {
    let (columns, lookup) = (ReductionMatrix::new(matrix), CellTable::new(matrix.len()));
    let mut leftmost = vec![None; matrix.len()];
    for column in 0..matrix.len() {
        for row in matrix.column(column) {
            leftmost[row.to_usize()].get_or_insert(column);
        }
    }
    let mut todo = Vec::new();
    for column in 0..matrix.len() {
        match matrix.low(column).map(Index::to_usize) {
            Some(low) if leftmost[low] == Some(column) => {
                lookup.set(low, column);
                columns.clear(low);
            }
            _ => todo.push(column as u32),
        }
    }
    solve(&ReductionProblem {
        matrix: &columns,
        lookup: &lookup,
        todo: &todo,
        clears: true,
        threads,
        columns: Representation::Vector,
        progress: &(),
    });
    lookup.pairs().map(|(birth, death)| (birth as u32, death as u32)).collect()
}

/// In the triangle, the last edge is a creator whose column takes two additions.
#[test]
fn the_standard_algorithm_counts_its_additions() {
    let matrix = Complex::simplicial(3, 2, |_| Some(0)).matrix::<u32>();
    let (columns, lookup) = (ReductionMatrix::new(&matrix), CellTable::new(matrix.len()));
    let todo: Vec<u32> = (0..7).collect();
    let problem = ReductionProblem {
        matrix: &columns,
        lookup: &lookup,
        todo: &todo,
        clears: true,
        threads: 1,
        columns: Representation::Vector,
        progress: &(),
    };
    let mut counts = Vec::new();
    let total = standard_counted(&problem, |column, count| counts.push((column, count)));
    assert_eq!(counts, [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 2), (6, 0)]);
    assert_eq!(total, 2);
    assert_eq!(reduce(&matrix, &PLAINEST).figures.additions, 2);
    assert_eq!(reduce(&matrix, &Plan { algorithm: Algorithm::Twist, ..PLAINEST }).figures.additions, 0);
}

/// A matrix with arbitrary rows of the dimension below; few such matrices are complexes.
fn any_matrix(cells: usize, rng: &mut Pcg64) -> BoundaryMatrix<u32> {
    let mut matrix = BoundaryMatrix::new();
    for column in 0..cells {
        let dim = rng.random_range(0..4u8).min(column as u8);
        let below: Vec<usize> = (0..column).filter(|&row| matrix.dim(row) + 1 == dim).collect();
        let rows: Vec<usize> = below.into_iter().filter(|_| rng.random_bool(0.3)).collect();
        matrix.push(dim, &rows).unwrap();
    }
    matrix
}

/// The guarantees in the table of `matrix::reduction` for matrices with ∂∂ ≠ 0.
#[test]
fn boundaries_with_boundaries_break_nothing() {
    let mut rng = generator(13);
    let matrices: Vec<_> = (0..60).map(|_| any_matrix(rng.random_range(0..60), &mut rng)).collect();
    assert!(matrices.iter().filter(|matrix| matrix.check().is_err()).count() > 30);
    for threads in THREADS {
        on_threads(threads, || {
            for matrix in &matrices {
                for plan in plans(threads) {
                    let found = reduce(matrix, &plan);
                    let what = || format!("{plan:?}, {:?}: {:?}", matrix, found.pairs);
                    for &(birth, death) in &found.pairs {
                        let [birth, death] = [birth, death].map(|cell| cell as usize);
                        assert!(birth < death && matrix.dim(birth) + 1 == matrix.dim(death), "{}", what());
                    }
                    assert!(found.essential().len() <= matrix.len());
                    if matches!(plan.algorithm, Algorithm::Sieve | Algorithm::Hypha | Algorithm::HyphaTwist) {
                        continue;
                    }
                    for side in [|pair: &(u32, u32)| pair.0, |pair: &(u32, u32)| pair.1] {
                        let mut cells: Vec<u32> = found.pairs.iter().map(side).collect();
                        cells.sort_unstable();
                        assert!(cells.is_sorted_by(|a, b| a < b), "{}", what());
                    }
                    let one = Plan { threads: 1, ..plan };
                    assert_eq!(found.pairs, on_threads(1, || reduce(matrix, &one)).pairs, "{}", what());
                }
            }
        });
    }
}

/// A stack size that no system can map, which prevents threads without an explicit stack size from starting.
#[cfg(target_os = "linux")]
const IMPOSSIBLE_STACK: (&str, &str) = ("RUST_MIN_STACK", "1125899906842624");

/// Runs in a process of its own, since the variable is read once per process.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    if std::env::var(IMPOSSIBLE_STACK.0).as_deref() != Ok(IMPOSSIBLE_STACK.1) {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let name = "matrices::reduction::threads_that_cannot_be_started_are_an_error";
        child.args(["--exact", name, "--nocapture", "--test-threads=1"]);
        let output = child.env(IMPOSSIBLE_STACK.0, IMPOSSIBLE_STACK.1).output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(output.status.success() && said[0].contains("1 passed"), "{said:?}");
        return;
    }
    let matrix = any_matrix(9, &mut generator(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).stack_size(1 << 20).build().unwrap();
    pool.install(|| {
        let plan = Plan { threads: 3, ..PLAINEST };
        let error = reduce_with(&matrix, &plan, &Scanner::processor(), &()).unwrap_err();
        assert!(matches!(&error, MatrixError::Threads(error) if error.threads == 3), "{error:?}");
        assert!(error.to_string().starts_with("cannot start 3 threads: "), "{error}");
    });
}

/// A reduction can be interrupted at any point, by a signal or by force, and resumed: the pairs are the same.
#[test]
fn reductions_go_on_from_what_was_kept() {
    let is_interruption = |error: &MatrixError| matches!(error, MatrixError::Interrupted(_));
    let mut rng = generator(20);
    // Numbers of interruptions, saves and resumptions of each algorithm.
    let mut done: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    for seed in 0..2 {
        let distances = DistanceMatrix::from_fn(15, |_, _| f64::from(rng.random_range(1..40))).unwrap();
        let complex = rips_complex::<u32, f64>(&distances.into(), 3, f64::INFINITY).unwrap();
        let expected = reduce(&complex.matrix, &PLAINEST).pairs;
        for algorithm in Algorithm::ALL {
            for (dualize, threads) in [(Dualize::Off, 1), (Dualize::Off, 3), (Dualize::On, 2)] {
                let plan = Plan { algorithm, columns: Representation::BitTree, dualize, threads };
                for (every, may_save_last, step) in [(0, true, 7), (3, false, 2), (2, true, 31)] {
                    let what = format!("{seed}, {plan:?}, {every}, {may_save_last}");
                    let life = Life::new(every, may_save_last);
                    let run = |progress: &dyn Progress| {
                        reduce_with(&complex.matrix, &plan, &Scanner::processor(), progress)
                    };
                    let (found, ended) = life.live(step, run, is_interruption);
                    assert_eq!(found.pairs, expected, "{what}");
                    let counts = [&life.saved, &life.loaded].map(|count| count.load(Ordering::Relaxed));
                    let all = done.entry(algorithm.to_string()).or_insert([0; 3]);
                    *all = [all[0] + ended, all[1] + counts[0], all[2] + counts[1]];
                    // A complete checkpoint can be resumed too, with another number of threads.
                    let plan = Plan { threads: 4, ..plan };
                    let has_pairs = life.names().iter().any(|name| name.ends_with("-pairs"));
                    assert_eq!(has_pairs, every > 0 && algorithm != Algorithm::Sieve, "{:?}", life.names());
                    let has_columns = life.names().iter().any(|name| name.contains("-columns"));
                    assert!(!(has_pairs && has_columns), "{:?}", life.names());
                    let run = |progress: &dyn Progress| {
                        reduce_with(&complex.matrix, &plan, &Scanner::processor(), progress)
                    };
                    assert_eq!(life.live(1 << 20, run, is_interruption).0.pairs, expected, "{what}");
                }
            }
        }
    }
    assert!(done.values().flatten().all(|&count| count > 10), "{done:?}");
}

/// Columns are saved in pieces with the changes since the last save; many pieces are replaced by one.
#[test]
fn pieces_of_columns_do_not_grow_without_end() {
    let mut rng = generator(21);
    let distances = DistanceMatrix::from_fn(20, |_, _| f64::from(rng.random_range(1..40))).unwrap();
    let complex = rips_complex::<u32, f64>(&distances.into(), 3, f64::INFINITY).unwrap();
    let expected = reduce(&complex.matrix, &PLAINEST).pairs;
    let dualize = Dualize::Off;
    let plan = Plan { algorithm: Algorithm::Standard, columns: Representation::BitTree, dualize, threads: 1 };
    let life = Life::new(1, false);
    // Numbers of saves so far and of remaining pieces, at the end of each run.
    let mut seen = Vec::new();
    let seen_at_end = Mutex::new(&mut seen);
    let run = |progress: &dyn Progress| {
        let reduced = reduce_with(&complex.matrix, &plan, &Scanner::processor(), progress);
        if reduced.is_err() {
            seen_at_end.lock().unwrap().push((life.saved.load(Ordering::Relaxed), life.names().len()));
        }
        reduced
    };
    let is_interruption = |error: &MatrixError| matches!(error, MatrixError::Interrupted(_));
    let (found, ended) = life.live(600, run, is_interruption);
    assert_eq!(found.pairs, expected);
    let undisturbed = reduce(&complex.matrix, &plan).figures.additions;
    // Saved work is not repeated: a run is interrupted after 600 more checks each time, a third of the whole run.
    assert!(4 * found.figures.additions < 3 * undisturbed, "{} of {undisturbed}", found.figures.additions);
    assert!(ended > 0 && seen.iter().any(|&(saved, _)| saved > 2 * 256), "{seen:?}");
    assert!(seen.iter().all(|&(_, pieces)| 0 < pieces && pieces <= 256), "{seen:?}");
}
