//! Test matrices for processor and device; the processor's scan against the definitions; the choice of the device and
//! its failures.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::cpu::{leftmost, scan_with};
use super::*;
use crate::backend::{Backend, BackendError, BackendRequest, Choice, Decision};
use crate::cuda::{CudaError, Gpu};
use crate::matrix::cell_table::CellTable;
use crate::matrix::index::SharedIndex;
use crate::matrix::{Algorithm, BoundaryMatrix, Dimension, Dualize, Index, Plan, Representation};
use crate::matrix::{reduce, reduce_with};

/// Kinds of test matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Columns of a few rows, with cells of all dimensions in any order.
    Mixed,
    /// Cells of dimension 0, followed by columns whose rows are these: no cell both is a row and has rows.
    Bipartite,
    /// Like `Bipartite`, but only few rows are ever lows.
    Ties,
    /// Columns of at most one row.
    Single,
    /// Columns of few rows; every hundredth has most of the rows before it.
    Long,
    /// Columns without rows.
    Zero,
}

impl Shape {
    pub(super) const ALL: [Shape; 6] =
        [Shape::Mixed, Shape::Bipartite, Shape::Ties, Shape::Single, Shape::Long, Shape::Zero];

    fn dim(self, column: usize, n: usize, rng: &mut Pcg64Mcg) -> Dimension {
        match self {
            Shape::Mixed => rng.random_range(0..4),
            Shape::Bipartite | Shape::Ties => Dimension::from(column > n / 3),
            Shape::Single => Dimension::from(rng.random_bool(0.5)),
            Shape::Long => Dimension::from(column > n / 3 && rng.random_bool(0.7)),
            Shape::Zero => rng.random_range(0..3),
        }
    }

    /// Random cells of the dimension below.
    fn rows(self, column: usize, below: &[usize], rng: &mut Pcg64Mcg) -> Vec<usize> {
        let (most, from) = match self {
            Shape::Mixed | Shape::Bipartite => (6, below.len()),
            Shape::Ties => (4, below.len().min(5)),
            Shape::Single => (1, below.len()),
            Shape::Long if column.is_multiple_of(100) => (4 * below.len(), below.len()),
            Shape::Long => (2, below.len()),
            Shape::Zero => (0, 0),
        };
        if from == 0 {
            return Vec::new();
        }
        let mut rows: Vec<usize> =
            (0..rng.random_range(0..=most)).map(|_| below[rng.random_range(0..from)]).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

/// Builds a random matrix with ∂∂ ≠ 0 in general: a scan works on any.
pub(super) fn matrix<I: Index>(shape: Shape, n: usize, rng: &mut Pcg64Mcg) -> BoundaryMatrix<I> {
    let mut matrix = BoundaryMatrix::new();
    let mut of_dim: Vec<Vec<usize>> = vec![Vec::new(); 4];
    for column in 0..n {
        let dim = shape.dim(column, n, rng);
        let below = usize::from(dim).checked_sub(1).map_or(&[][..], |below| &of_dim[below]);
        let rows = shape.rows(column, below, rng);
        matrix.push(dim, &rows).expect("rows one dimension below");
        of_dim[usize::from(dim)].push(column);
    }
    matrix
}

/// Matrices of all kinds and of awkward sizes.
pub(super) fn matrices<I: Index>(seed: u64) -> impl Iterator<Item = (String, BoundaryMatrix<I>)> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let sizes = [0, 1, 2, 31, 32, 33, 255, 256, 257, 1000, 1023, 1024, 1025, 3000];
    let cases = Shape::ALL.into_iter().flat_map(move |shape| sizes.map(|n| (shape, n)));
    cases.map(move |(shape, n)| (format!("{shape:?}, {n} columns"), matrix(shape, n, &mut rng)))
}

/// The first device, limited to `memory` bytes of its memory.
pub(super) fn gpu(memory: Option<u64>) -> Gpu {
    Gpu::open(0, memory).unwrap()
}

/// A decision for a device that may be replaced by the processor, or not.
fn decision(gpu: Gpu, self_check: bool, may_fall_back: bool) -> Decision {
    Decision { gpus: vec![gpu], self_check, may_fall_back, why: "for a test".into() }
}

/// A transcription of the definitions.
fn plain<I: SharedIndex>(matrix: &BoundaryMatrix<I>) -> (Vec<Option<usize>>, Scan<I>) {
    let n = matrix.len();
    let has = |column: usize, row: usize| matrix.column(column).contains(&I::from_usize(row));
    let leftmost: Vec<Option<usize>> = (0..n).map(|row| (0..n).find(|&column| has(column, row))).collect();
    let lookup = CellTable::new(n);
    let low = |column: usize| matrix.low(column).map(|low| low.to_usize());
    let (is_stable, others): (Vec<usize>, Vec<usize>) = (0..n)
        .filter(|&column| low(column).is_some())
        .partition(|&column| low(column).and_then(|low| leftmost[low]) == Some(column));
    for &column in &is_stable {
        lookup.set(low(column).expect("a low"), column);
    }
    let (is_cleared, left): (Vec<usize>, Vec<usize>) =
        others.into_iter().partition(|&column| is_stable.iter().any(|&stable| low(stable) == Some(column)));
    let (stable, cleared) = (is_stable.len(), is_cleared.len());
    let unstable = left.into_iter().map(I::from_usize).collect();
    let destroyers = (0..n).map(|column| leftmost.contains(&Some(column))).collect();
    (leftmost, Scan { lookup, destroyers, stable, cleared, unstable })
}

#[test]
fn the_processors_scan_is_what_the_definitions_say() {
    for (what, matrix) in matrices::<u32>(1).filter(|(_, matrix)| matrix.len() <= 257) {
        let (expected, plain) = plain(&matrix);
        let leftmost = leftmost(&matrix);
        for (row, &expected) in expected.iter().enumerate() {
            assert_eq!(leftmost.get(row), expected, "{what}, row {row}");
        }
        Scan::compare(&scan(&matrix), &plain).unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

/// Five cells: rows 0 and 1, and columns 2 to 4, of which 2 and 3 are stable.
fn five() -> BoundaryMatrix<u32> {
    let mut matrix = BoundaryMatrix::new();
    for rows in [&[][..], &[]] {
        matrix.push(0, rows).expect("a cell");
    }
    for rows in [&[0][..], &[0, 1], &[0, 1]] {
        matrix.push(1, rows).expect("a cell");
    }
    matrix
}

#[test]
fn differences_are_named_by_stage_and_place() {
    let matrix = five();
    let right = || scan(&matrix);
    let said = |found: Scan<u32>| Scan::compare(&found, &right()).unwrap_err().to_string();
    assert_eq!(Scan::compare(&right(), &right()), Ok(()));
    let wrong = right();
    wrong.lookup.set(1, 4);
    assert_eq!(said(wrong), "lookup: row 1: column 4 on the device, column 3 on the processor");
    let wrong = Scan { lookup: CellTable::new(5), ..right() };
    assert_eq!(said(wrong), "lookup: row 0: none on the device, column 2 on the processor");
    let mut wrong = right();
    wrong.destroyers[3] = false;
    // If several tables differ, the first is reported.
    wrong.unstable.clear();
    assert_eq!(said(wrong), "destroyers: column 3: none on the device, a leftmost one on the processor");
    let wrong = Scan { stable: 7, ..right() };
    assert_eq!(said(wrong), "stable: all columns: 7 on the device, 2 on the processor");
    let wrong = Scan { cleared: 1, ..right() };
    assert_eq!(said(wrong), "cleared: all columns: 1 on the device, 0 on the processor");
    let wrong = Scan { unstable: vec![4, 2], ..right() };
    assert_eq!(said(wrong), "unstable: place 1: column 2 on the device, none on the processor");
    let other = leftmost::<u32>(&BoundaryMatrix::from_parts(vec![0; 5], vec![0; 6], vec![]).unwrap());
    let said = check::tables("leftmost", &other, &leftmost(&matrix)).unwrap_err();
    assert_eq!(said.to_string(), "leftmost: row 0: none on the device, column 2 on the processor");
    let error = ScanError::from(said.within("scan")).to_string();
    assert!(error.starts_with("self-check: scan: leftmost: row 0: "), "{error}");
}

#[test]
fn without_a_device_auto_scans_here_and_cuda_is_an_error() {
    let matrix = five();
    let choose = |choice, self_check| {
        // No machine has 1024 devices.
        let backend = Backend::new(BackendRequest {
            choice,
            self_check,
            devices: vec![1023],
            ..BackendRequest::default()
        });
        Scanner::choose(&backend, &matrix)
    };
    for (choice, self_check) in [(Choice::Cuda, false), (Choice::Auto, true), (Choice::Cpu, true)] {
        let BackendError::Cuda(why) = choose(choice, self_check).expect_err("no device");
        assert!(!matches!(why, CudaError::OutOfMemory { .. } | CudaError::Kernel { .. }), "{why}");
    }
    for (choice, why) in [
        (Choice::Cpu, "as asked"),
        (Choice::Auto, "5 entries in 5 columns to scan: less than 0.1 ms on the processor, 5.0 ms on a GPU"),
    ] {
        let scanner = choose(choice, false).unwrap();
        let reason = scanner.reason().unwrap();
        assert_eq!((reason.what, reason.choice.as_str()), ("backend", "cpu"));
        assert!(reason.why.starts_with(why), "{}", reason.why);
        Scan::compare(&scanner.scan(&matrix).unwrap(), &scan(&matrix)).unwrap();
        assert_eq!((scanner.device_memory(), scanner.notes()), (0, vec![]));
    }
}

#[test]
fn the_machine_is_the_first_reason() {
    let request = crate::matrix::ReductionRequest::default();
    let (plan, reasons) = Plan::choose(&five(), &request);
    assert_ne!(reasons[0].what, "backend");
    let scanner = Scanner::processor_as("for a test".into());
    let (same, with_machine) = Plan::choose_with(&five(), &request, &scanner).unwrap();
    assert_eq!(same, plan);
    assert_eq!((with_machine[0].what, with_machine[0].choice.as_str()), ("backend", "cpu"));
    assert_eq!(with_machine[1..], reasons);
}

/// Checks that a device and the processor give the same results for a scan.
fn agrees<I: SharedIndex>(what: &str, matrix: &BoundaryMatrix<I>, scanner: &Scanner) {
    let own = leftmost(matrix);
    let failed = |error: &dyn std::fmt::Display| -> ! { panic!("{what}: {error}") };
    let leftmost = scanner.leftmost(matrix).unwrap_or_else(|error| failed(&error));
    check::tables("leftmost", &leftmost, &own).unwrap_or_else(|error| failed(&error));
    // Matrices of other kinds are not complexes, so a cell may be in two stable pairs.
    if what.starts_with("Bipartite")
        && let Some(mates) = scanner.mates(matrix).unwrap_or_else(|error| failed(&error))
    {
        assert_eq!(mates.pairs(), pair_stable(matrix, own.entries(), |_| true).pairs(), "{what}");
    }
    let found = scanner.scan(matrix).unwrap_or_else(|error| failed(&error));
    Scan::compare(&found, &scan_with(matrix, &own)).unwrap_or_else(|error| failed(&error));
}

/// Checks one device on one matrix after the other.
fn agree<I: SharedIndex>(gpu: &Gpu, self_check: bool, seed: u64) {
    let scanner = Scanner::with(decision(gpu.clone(), self_check, false));
    for (what, matrix) in matrices::<I>(seed) {
        assert!(scanner.mates(&matrix).unwrap().is_some(), "{what}: the processor was to do it");
        agrees(&what, &matrix, &scanner);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_scanner_agrees_with_the_processor() {
    let gpu = gpu(None);
    for self_check in [false, true] {
        agree::<u32>(&gpu, self_check, 2);
        agree::<u64>(&gpu, self_check, 3);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_without_memory_is_replaced_only_if_it_may_be() {
    let gpu = gpu(Some(20_000));
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let matrix = matrix::<u32>(Shape::Mixed, 3000, &mut rng);
    let scanner = Scanner::with(decision(gpu.clone(), false, false));
    let error = scanner.scan(&matrix).err().expect("too little memory");
    let ScanError::Device(CudaError::OutOfMemory { .. }) = error else { panic!("{error:?}") };
    let scanner = Scanner::with(decision(gpu, false, true));
    agrees("replaced", &matrix, &scanner);
    // The failure is noted once, although the device was asked twice.
    let [note] = &scanner.notes()[..] else { panic!("{:?}", scanner.notes()) };
    assert!(note.ends_with("; the processor goes on"), "{note}");
}

/// Torus-like images under all plans, on a device and on the processor.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_reductions_give_the_same_pairs() {
    let gpu = gpu(None);
    let value = |k: usize| ((k * 7919) % 101) as f64;
    let values: Vec<f64> = (0..12 * 11 * 7).map(value).collect();
    let image = crate::cells::cubical_complex::<u32>(&[12, 11, 7], &values, None).expect("an image").matrix;
    for algorithm in [Algorithm::Sieve, Algorithm::Hypha, Algorithm::HyphaTwist] {
        for dualize in [Dualize::Off, Dualize::On, Dualize::Auto] {
            for threads in [1, 3] {
                let plan = Plan { algorithm, columns: Representation::default(), dualize, threads };
                let scanner = Scanner::with(decision(gpu.clone(), true, false));
                let found = reduce_with(&image, &plan, &scanner, &()).expect("a device");
                assert_eq!(found.pairs, reduce(&image, &plan).pairs, "{plan:?}");
            }
        }
    }
    // The scan of the plan is followed by that of the reduction.
    let request = crate::matrix::ReductionRequest { algorithm: Some(Algorithm::Hypha), ..Default::default() };
    let scanner = Scanner::with(decision(gpu, true, false));
    let (plan, reasons) = Plan::choose_with(&image, &request, &scanner).expect("a device");
    assert_eq!(reasons[0].choice, "cuda");
    let (expected_plan, expected) = Plan::choose(&image, &request);
    assert_eq!((plan, &reasons[1..]), (expected_plan, &expected[..]));
    assert_eq!(reduce_with(&image, &plan, &scanner, &()).unwrap().pairs, reduce(&image, &plan).pairs);
    assert!(scanner.device_memory() > 0);
}
