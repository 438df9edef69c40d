//! Real boundary matrices against PHAT's pairs: every algorithm, primal and dual, on 1, 2 and 4 threads.
//!
//! `LACUNA_MATRICES` names the folder that `shared/bin/make-matrices` has filled; the checksums of PHAT's pairs are
//! those of `golden/matrices.tsv` in the shared folder. Matrices of more than a million columns, and combinations
//! that take more than seconds, run only if `LACUNA_MATRICES_SLOW` is set. `LACUNA_MATRICES_ONLY` selects matrices by
//! name, separated by commas.

use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::common::phat;
use crate::common::shared::{folder, table};
use crate::matrices::PARALLEL;
use lacuna::matrix::{Algorithm, BoundaryMatrix, Dualize, Pairs, Plan, Representation, reduce};
use sha2::{Digest, Sha256};

const SEQUENTIAL: [Algorithm; 4] =
    [Algorithm::Twist, Algorithm::HyphaTwist, Algorithm::Standard, Algorithm::Row];

const PRIMAL_AND_DUAL: [Dualize; 2] = [Dualize::Off, Dualize::On];

/// A line of `matrices.tsv`.
struct Golden {
    name: String,
    columns: usize,
    pairs: usize,
    /// Checksum of the lines of the pairs.
    pairs_sum: String,
    /// Checksum of the matrix file.
    file_sum: String,
}

impl Golden {
    fn from_row(row: Vec<String>) -> Golden {
        let [name, columns, pairs, pairs_sum, file_sum] = <[String; 5]>::try_from(row)
            .unwrap_or_else(|row| panic!("matrices.tsv: expected 5 columns, found {row:?}"));
        let number =
            |text: String| text.parse().unwrap_or_else(|error| panic!("matrices.tsv: {text}: {error}"));
        Golden { name, columns: number(columns), pairs: number(pairs), pairs_sum, file_sum }
    }

    fn read(&self, folder: &Path) -> BoundaryMatrix<u32> {
        let path = folder.join(&self.name).with_extension("bin");
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(hex(Sha256::digest(&bytes)), self.file_sum, "{}: not PHAT's input", path.display());
        let matrix = phat::read(&path);
        assert_eq!(matrix.len(), self.columns, "{}", self.name);
        matrix
    }

    fn compare(&self, pairs: &Pairs<u32>, plan: &Plan) {
        assert_eq!(pairs.cells, self.columns, "{}, {plan:?}", self.name);
        assert_eq!(pairs.pairs.len(), self.pairs, "{}, {plan:?}", self.name);
        assert_eq!(sum(pairs), self.pairs_sum, "{}, {plan:?}", self.name);
    }
}

/// The checksum of the lines "birth death", sorted by birth and separated by line feeds.
fn sum(pairs: &Pairs<u32>) -> String {
    let mut text = String::new();
    for (k, (birth, death)) in pairs.pairs.iter().enumerate() {
        let between = if k == 0 { "" } else { "\n" };
        write!(text, "{between}{birth} {death}").expect("a string takes all");
    }
    hex(Sha256::digest(text))
}

fn hex(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn slow_too() -> bool {
    env::var_os("LACUNA_MATRICES_SLOW").is_some()
}

/// The folder, and the selected matrices.
fn matrices() -> (PathBuf, Vec<Golden>) {
    let matrices = env::var_os("LACUNA_MATRICES").map(PathBuf::from);
    let matrices = matrices.expect("LACUNA_MATRICES names a folder of matrices");
    let only = env::var("LACUNA_MATRICES_ONLY").ok();
    let wanted = |golden: &Golden| match &only {
        Some(names) => names.split(',').any(|name| name == golden.name),
        None => golden.columns < 1_100_000 || slow_too(),
    };
    let rows = table(&folder().join("golden/matrices.tsv"));
    let goldens: Vec<Golden> = rows.into_iter().map(Golden::from_row).filter(wanted).collect();
    assert!(!goldens.is_empty(), "no such matrix in matrices.tsv");
    (matrices, goldens)
}

/// Whether a combination takes more than seconds: long columns that are written back after each addition, creators
/// that are not cleared, and Rips complexes that are not dualized.
fn is_slow(name: &str, plan: &Plan) -> bool {
    let rips = name.starts_with("rips") || name == "mumford";
    let tails = matches!(name, "torus" | "saddle64" | "grf64" | "noise64" | "noise128" | "high_genus");
    match plan.algorithm {
        Algorithm::Sieve => false,
        Algorithm::Row => tails || (rips && plan.dualize == Dualize::Off),
        Algorithm::Standard => tails || rips,
        _ => rips && plan.dualize == Dualize::Off,
    }
}

fn run(golden: &Golden, matrix: &BoundaryMatrix<u32>, plan: &Plan) {
    let start = Instant::now();
    golden.compare(&reduce(matrix, plan), plan);
    eprintln!("{} {plan:?} {:.3} s", golden.name, start.elapsed().as_secs_f64());
}

fn plan(algorithm: Algorithm, dualize: Dualize, threads: usize) -> Plan {
    Plan { algorithm, columns: Representation::default(), dualize, threads }
}

#[test]
#[ignore = "needs LACUNA_SHARED and LACUNA_MATRICES"]
fn every_algorithm_gives_phats_pairs() {
    let (folder, goldens) = matrices();
    for golden in goldens {
        let matrix = golden.read(&folder);
        for algorithm in SEQUENTIAL.into_iter().chain(PARALLEL) {
            for (dualize, threads) in PRIMAL_AND_DUAL.into_iter().flat_map(|d| [1, 2, 4].map(|t| (d, t))) {
                let plan = plan(algorithm, dualize, threads);
                if slow_too() || !is_slow(&golden.name, &plan) {
                    run(&golden, &matrix, &plan);
                }
            }
        }
    }
}

#[test]
#[ignore = "needs LACUNA_SHARED and LACUNA_MATRICES"]
fn twenty_runs_of_the_parallel_ones_give_phats_pairs() {
    let (folder, goldens) = matrices();
    for golden in goldens {
        let matrix = golden.read(&folder);
        for algorithm in PARALLEL {
            for (dualize, threads) in PRIMAL_AND_DUAL.into_iter().flat_map(|d| [2, 4].map(|t| (d, t))) {
                let plan = plan(algorithm, dualize, threads);
                if slow_too() || !is_slow(&golden.name, &plan) {
                    let first = reduce(&matrix, &plan).pairs;
                    for run in 1..20 {
                        let found = reduce(&matrix, &plan).pairs;
                        assert!(
                            found == first,
                            "{}, {plan:?}: run {run} differs from the first",
                            golden.name
                        );
                    }
                    golden.compare(&Pairs { pairs: first, cells: matrix.len(), ..Pairs::default() }, &plan);
                }
            }
        }
    }
}
