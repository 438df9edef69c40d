//! A matrix with its pairs, and ways to reduce it.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use lacuna::internals::CellTable;
use lacuna::internals::ReductionMatrix;
use lacuna::matrix::clearing;
use lacuna::matrix::figures::Distribution;
use lacuna::matrix::leftmost_ones::Scan;
use lacuna::matrix::reduction::compression;
use lacuna::matrix::reduction::{Additions, ReductionProblem, standard_counted};
use lacuna::matrix::{BoundaryMatrix, Representation};
use sha2::{Digest, Sha256};

use super::inputs::DataSet;
use crate::{Failure, Run};

/// Duration above which a single run suffices.
const LONG: Duration = Duration::from_secs(2);

/// Number of runs, of which the median counts.
const RUNS: usize = 5;

/// Pairs (row, column), sorted by row.
pub type FoundPairs = Vec<(u32, u32)>;

/// A matrix, its pairs, and statistics of the standard algorithm.
pub struct Subject<'a> {
    pub set: &'a DataSet,
    pub matrix: BoundaryMatrix<u32>,
    pub pairs: FoundPairs,
    pub threads: usize,
    pub small: bool,
    /// Number of additions of the standard algorithm to each column.
    pub additions: Vec<u64>,
    pub distribution: Distribution,
    /// The time of the standard algorithm.
    pub standard: Duration,
}

impl<'a> Subject<'a> {
    /// Builds the matrix, runs the standard algorithm, and compares its pairs with PHAT's. For a tiny matrix, without
    /// pairs of PHAT, it compares them with those of a run with vectors.
    pub fn new(set: &'a DataSet, run: &Run) -> Result<Self, Failure> {
        let matrix = set.matrix(run)?;
        let mut additions = vec![0; matrix.len()];
        let start = Instant::now();
        let mut distribution = None;
        let pairs = solve(&matrix, true, 1, Representation::BitTree, |problem| {
            let sum = standard_counted(problem, |column, count| additions[column] = count);
            distribution = Some(Distribution::of(&additions, |column| problem.matrix.low(column).is_none()));
            sum
        })
        .pairs;
        let standard = start.elapsed();
        let small = run.small;
        let is_right = if small {
            let mut vectors = solve(&matrix, true, 1, Representation::Vector, |problem| {
                standard_counted(problem, |_, _| ())
            });
            std::mem::take(&mut vectors.pairs) == pairs
        } else {
            sum(&pairs) == set.pairs
        };
        if !is_right {
            return Err(format!("{}: the standard algorithm's pairs are not PHAT's", set.name).into());
        }
        let distribution = distribution.ok_or("the standard algorithm did not run")?;
        Ok(Subject { set, matrix, pairs, threads: run.threads, small, additions, distribution, standard })
    }

    /// The source against which the rows of this matrix are verified.
    pub fn verified(&self) -> &'static str {
        if self.small { "the standard algorithm's pairs" } else { "PHAT's pairs (sha256)" }
    }

    /// Compares pairs with the right ones.
    pub fn check(&self, what: &str, pairs: &FoundPairs) -> Result<(), Failure> {
        if *pairs == self.pairs {
            Ok(())
        } else {
            Err(format!("{}: {what}: wrong pairs", self.set.name).into())
        }
    }

    /// The median time of several runs; or the time of the first if it is long or inputs are small.
    pub fn median(&self, mut once: impl FnMut() -> Result<Duration, Failure>) -> Result<Duration, Failure> {
        let first = once()?;
        if first > LONG || self.small {
            return Ok(first);
        }
        let mut times = (0..RUNS).map(|_| once()).collect::<Result<Vec<_>, _>>()?;
        times.sort_unstable();
        Ok(times[times.len() / 2])
    }

    /// The class of each column in Table 1: 0 without additions, 1 with some, 2 in the tail.
    pub fn classes(&self) -> Vec<usize> {
        let mut classes: Vec<usize> = self.additions.iter().map(|&count| usize::from(count > 0)).collect();
        Distribution::tail_of(&self.additions).into_iter().for_each(|column| classes[column] = 2);
        classes
    }
}

/// The checksum of the lines "birth death", sorted by birth and separated by line feeds.
fn sum(pairs: &FoundPairs) -> String {
    let mut text = String::new();
    for (k, (birth, death)) in pairs.iter().enumerate() {
        let between = if k == 0 { "" } else { "\n" };
        // Writing to a string does not fail.
        let _ = write!(text, "{between}{birth} {death}");
    }
    Sha256::digest(text).iter().fold(String::new(), |sum, byte| sum + &format!("{byte:02x}"))
}

/// The result of a reduction.
pub struct Solved {
    pub pairs: FoundPairs,
    pub additions: Additions,
    /// Time from the matrix to the pairs.
    pub took: Duration,
}

/// Reduces a matrix by an algorithm that reduces all columns.
pub fn solve(
    matrix: &BoundaryMatrix<u32>,
    clears: bool,
    threads: usize,
    representation: Representation,
    algorithm: impl FnOnce(&ReductionProblem<'_, u32>) -> Additions,
) -> Solved {
    let start = Instant::now();
    let (columns, lookup) = (ReductionMatrix::new(matrix), CellTable::new(matrix.len()));
    let todo: Vec<u32> = (0..matrix.len() as u32).collect();
    let additions = algorithm(&ReductionProblem {
        matrix: &columns,
        lookup: &lookup,
        todo: &todo,
        clears,
        threads,
        columns: representation,
        progress: &(),
    });
    let pairs = found(&lookup);
    Solved { pairs, additions, took: start.elapsed() }
}

fn found(lookup: &CellTable<u32>) -> FoundPairs {
    lookup.pairs().map(|(row, column)| (row as u32, column as u32)).collect()
}

/// The result of HYPHA.
pub struct Staged {
    pub solved: Solved,
    /// Number of additions in compression, included in those of `solved`.
    pub compression: Additions,
}

/// HYPHA (Algorithm 6) with a given scan and a given reduction of the remaining columns.
pub fn hypha(
    matrix: &BoundaryMatrix<u32>,
    threads: usize,
    scan: impl FnOnce() -> Result<Scan<u32>, Failure>,
    then: impl FnOnce(&ReductionProblem<'_, u32>) -> Additions,
) -> Result<Staged, Failure> {
    let start = Instant::now();
    let mut found_by_scan = scan()?;
    let columns = ReductionMatrix::new(matrix);
    let mut todo = std::mem::take(&mut found_by_scan.unstable);
    clearing::clear(&columns, &clearing::creators(matrix), &mut todo);
    let problem = ReductionProblem {
        matrix: &columns,
        lookup: &found_by_scan.lookup,
        todo: &todo,
        clears: true,
        threads,
        columns: Representation::BitTree,
        progress: &(),
    };
    let compression = compression::compress(&problem, &found_by_scan.destroyers).additions;
    let additions = compression + then(&problem);
    let pairs = found(&found_by_scan.lookup);
    Ok(Staged { solved: Solved { pairs, additions, took: start.elapsed() }, compression })
}
