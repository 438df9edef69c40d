//! The plan of a reduction and the reasons for it.

use phat_formats::BoundaryMatrix;
use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::cell_table::CellTable;
use super::clearing::creators;
use super::error::MatrixError;
use super::index::SharedIndex;
use super::leftmost_ones::Scanner;
use super::reason::Reason;
use super::traversal::TASK;
use crate::names::named;
use crate::parallel;

/// The algorithms from a matrix to its pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Algorithm {
    /// By dimension, each with the cheapest sufficient method: scan, union-find, annotations, or reduction
    /// ([`super::sieve`]).
    Sieve,
    /// Scan, clearing and compression, then SS+ (Zhang et al. 2019).
    Hypha,
    /// Scan, clearing and compression, then twist (Zhang et al. 2019).
    HyphaTwist,
    /// The spectral sequence with tiles or columns as tasks, by load (Zhang et al. 2019).
    SsPlus,
    /// The spectral sequence, stripes in parallel (Edelsbrunner, Harer 2010; Bauer, Kerber, Reininghaus 2014).
    SpectralSequence,
    /// Columns of descending dimension, with clearing (Chen, Kerber 2011).
    Twist,
    /// Columns left to right (Edelsbrunner, Letscher, Zomorodian 2002).
    Standard,
    /// Rows bottom up (de Silva, Morozov, Vejdemo-Johansson 2011).
    Row,
    /// Chunks in parallel, compression, then the rest (Bauer, Kerber, Reininghaus 2014).
    Chunk,
    /// All columns at once, each pivot claimed by compare and exchange (Morozov, Nigmetov 2020).
    LockFree,
}

impl Algorithm {
    /// Whether the algorithm begins with a scan of leftmost ones, which a GPU can run.
    pub fn scans(self) -> bool {
        matches!(self, Algorithm::Sieve | Algorithm::Hypha | Algorithm::HyphaTwist)
    }
}

/// The representations of a working column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Representation {
    /// A tree of bit sets, 64 children a node.
    #[default]
    BitTree,
    /// A binary heap that cancels equal rows as they come up.
    Heap,
    /// A bit a row, and a heap of the rows that were touched.
    Full,
    /// An ordered set of rows.
    Sparse,
    /// A sorted vector.
    Vector,
}

/// Whether to reduce the anti-transpose instead. The pairs are the same either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, VariantArray)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Dualize {
    /// Reduce the anti-transpose where that is likely to be less work.
    #[default]
    Auto,
    /// Reduce the anti-transpose.
    On,
    /// Reduce the matrix as it stands.
    Off,
}

named!(Algorithm);
named!(Representation);
named!(Dualize);

/// The choices for a run of [`super::reduce`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The representation of working columns. The sieve uses its own.
    pub columns: Representation,
    /// Whether the anti-transpose is reduced instead. With `Auto`, the sieve decides block by block and the other
    /// algorithms by [`Open::prefers_dual`].
    pub dualize: Dualize,
    /// The number of threads.
    pub threads: usize,
}

/// A user's request for a reduction. [`Plan::choose`] fills in each `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReductionRequest {
    /// The algorithm.
    pub algorithm: Option<Algorithm>,
    /// The representation of working columns.
    pub columns: Option<Representation>,
    /// Whether to dualize.
    pub dualize: Dualize,
    /// The number of threads.
    pub threads: Option<usize>,
}

/// Number of columns below which one thread does all work, since starting others would take longer.
const FEW: usize = 20_000;

impl Plan {
    /// Chooses what the request leaves open, by the matrix.
    pub fn choose<I: SharedIndex>(
        matrix: &BoundaryMatrix<I>,
        request: &ReductionRequest,
    ) -> (Plan, Vec<Reason>) {
        let chosen = Plan::choose_with(matrix, request, &Scanner::processor());
        chosen.unwrap_or_else(|error| unreachable!("the processor's scan does not fail: {error}"))
    }

    /// Like [`Plan::choose`], but runs the scan of the matrix, where the choice needs one, on the device of
    /// `scanner`. The reasons include that of the device.
    ///
    /// # Errors
    /// The scan failed, or its verification found a wrong result.
    pub fn choose_with<I: SharedIndex>(
        matrix: &BoundaryMatrix<I>,
        request: &ReductionRequest,
        scanner: &Scanner,
    ) -> Result<(Plan, Vec<Reason>), MatrixError> {
        let (algorithm, of_algorithm) = choose_algorithm(request);
        let (columns, of_columns) = choose_columns(request, algorithm);
        let (dualize, of_dualize) = choose_dualize(matrix, request, algorithm, scanner)?;
        let (threads, of_threads) = choose_threads(request, matrix.len());
        let mut reasons = Vec::from_iter(scanner.reason());
        reasons.extend([of_algorithm, of_columns, of_dualize, of_threads]);
        Ok((Plan { algorithm, columns, dualize, threads }, reasons))
    }
}

/// The reason for a choice that the request made.
fn as_asked() -> String {
    "as asked".to_owned()
}

fn choose_algorithm(request: &ReductionRequest) -> (Algorithm, Reason) {
    let (algorithm, why) = match (request.algorithm, request.columns) {
        (Some(algorithm), _) => (algorithm, as_asked()),
        (None, None) => {
            (Algorithm::Sieve, "settles each dimension in the cheapest way that its counts allow".to_owned())
        }
        (None, Some(_)) => (Algorithm::Hypha, "columns were asked for, and the sieve has its own".to_owned()),
    };
    (algorithm, Reason { what: "algorithm", choice: algorithm.to_string(), why })
}

fn choose_columns(request: &ReductionRequest, algorithm: Algorithm) -> (Representation, Reason) {
    let columns = request.columns.unwrap_or_default();
    let (choice, why) = if algorithm == Algorithm::Sieve {
        ("the sieve's own".to_owned(), "sorted vectors while short, bit trees when long".to_owned())
    } else if request.columns.is_some() {
        (columns.to_string(), as_asked())
    } else {
        (columns.to_string(), "no representation is better on the whole".to_owned())
    };
    (columns, Reason { what: "columns", choice, why })
}

fn choose_dualize<I: SharedIndex>(
    matrix: &BoundaryMatrix<I>,
    request: &ReductionRequest,
    algorithm: Algorithm,
    scanner: &Scanner,
) -> Result<(Dualize, Reason), MatrixError> {
    let (dualize, why) = match (request.dualize, algorithm) {
        (Dualize::Auto, Algorithm::Sieve) => {
            (Dualize::Auto, "decided for each dimension by its open rows and columns".to_owned())
        }
        (Dualize::Auto, _) => {
            let open = Open::count(matrix, &scanner.leftmost(matrix)?);
            let dualize = if open.prefers_dual() { Dualize::On } else { Dualize::Off };
            (dualize, format!("the scan leaves {} columns and {} rows open", open.columns, open.rows))
        }
        (dualize, _) => (dualize, as_asked()),
    };
    Ok((dualize, Reason { what: "dualize", choice: dualize.to_string(), why }))
}

fn choose_threads(request: &ReductionRequest, columns: usize) -> (usize, Reason) {
    let (threads, why) = match request.threads {
        Some(threads) => (threads, as_asked()),
        None if columns < FEW => (1, format!("{columns} columns are too few to share")),
        None => (rayon::current_num_threads(), "one a core".to_owned()),
    };
    (threads, Reason { what: "threads", choice: threads.to_string(), why })
}

/// Numbers of columns and rows that the scan and clearing leave to be reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    /// Columns that are neither zero nor stable nor cleared (their cell is the low of no column).
    pub columns: usize,
    /// The corresponding columns of the anti-transpose: rows that are neither zero nor the low of a stable column,
    /// and whose cell has no leftmost one in its column.
    pub rows: usize,
}

impl Open {
    /// Counts the open columns and rows of a matrix with these leftmost ones.
    pub(super) fn count<I: SharedIndex>(matrix: &BoundaryMatrix<I>, leftmost: &CellTable<I>) -> Self {
        let creators = creators(matrix);
        let count = |columns: std::ops::Range<usize>| {
            let mut open = Open { columns: 0, rows: 0 };
            for cell in columns {
                let low = matrix.low(cell).map(|low| low.to_usize());
                let is_stable = low.is_some_and(|low| leftmost.get(low) == Some(cell));
                open.columns += usize::from(low.is_some() && !is_stable && creators.get(cell).is_none());
                let first = leftmost.get(cell);
                let is_pivot =
                    first.is_some_and(|column| matrix.low(column).is_some_and(|low| low.to_usize() == cell));
                let destroys =
                    || matrix.column(cell).iter().any(|row| leftmost.get(row.to_usize()) == Some(cell));
                open.rows += usize::from(first.is_some() && !is_pivot && !destroys());
            }
            open
        };
        parallel::joined(matrix.len(), TASK, Open { columns: 0, rows: 0 }, &count, &|sum, found| {
            sum.columns += found.columns;
            sum.rows += found.rows;
        })
    }

    /// Whether reducing the anti-transpose is likely to be less work, construction included.
    pub fn prefers_dual(self) -> bool {
        self.columns > 4 * self.rows
    }
}
