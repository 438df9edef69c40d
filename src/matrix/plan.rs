//! What a reduction will do, and why.

use std::fmt;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::leftmost_ones::{Leftmost, ScanError, Scanner, tasks};
use super::{BoundaryMatrix, Row};

/// The algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Block by block in the way that suits it: scan, union-find, annotations, reduction of the rest ([`super::sieve`]).
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
    /// Every algorithm.
    pub const ALL: [Algorithm; 10] = [
        Algorithm::Sieve,
        Algorithm::Hypha,
        Algorithm::HyphaTwist,
        Algorithm::SsPlus,
        Algorithm::SpectralSequence,
        Algorithm::Twist,
        Algorithm::Standard,
        Algorithm::Row,
        Algorithm::Chunk,
        Algorithm::LockFree,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Sieve => "sieve",
            Algorithm::Hypha => "hypha",
            Algorithm::HyphaTwist => "hypha-twist",
            Algorithm::SsPlus => "ss-plus",
            Algorithm::SpectralSequence => "spectral-sequence",
            Algorithm::Twist => "twist",
            Algorithm::Standard => "standard",
            Algorithm::Row => "row",
            Algorithm::Chunk => "chunk",
            Algorithm::LockFree => "lock-free",
        }
    }

    /// Whether it begins with a scan of leftmost ones, which a GPU may do.
    pub fn scans(self) -> bool {
        matches!(self, Algorithm::Sieve | Algorithm::Hypha | Algorithm::HyphaTwist)
    }
}

/// The representations of a working column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

impl Representation {
    /// Every representation.
    pub const ALL: [Representation; 5] = [
        Representation::BitTree,
        Representation::Heap,
        Representation::Full,
        Representation::Sparse,
        Representation::Vector,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Representation::BitTree => "bit-tree",
            Representation::Heap => "heap",
            Representation::Full => "full",
            Representation::Sparse => "sparse",
            Representation::Vector => "vector",
        }
    }
}

/// Whether to reduce the anti-transpose instead. The pairs are those of the matrix either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dualize {
    /// Where it is less work.
    #[default]
    Auto,
    /// Yes.
    On,
    /// No.
    Off,
}

impl fmt::Display for Dualize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dualize::Auto => "auto",
            Dualize::On => "on",
            Dualize::Off => "off",
        })
    }
}

/// What [`super::reduce`] will do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The working columns. The sieve has its own.
    pub columns: Representation,
    /// Whether the anti-transpose is reduced instead. `Auto`: the sieve decides block by block, the others
    /// by [`Open::prefers_dual`].
    pub dualize: Dualize,
    /// The number of threads.
    pub threads: usize,
}

/// What is asked for; the rest is for [`Plan::choose`] to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// The algorithm.
    pub algorithm: Option<Algorithm>,
    /// The working columns.
    pub columns: Option<Representation>,
    /// Whether to dualize.
    pub dualize: Dualize,
    /// The number of threads.
    pub threads: Option<usize>,
}

/// A choice, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What was chosen.
    pub what: &'static str,
    /// The choice.
    pub choice: String,
    /// Why.
    pub why: String,
}

/// Columns below which one thread does it all: starting others takes longer.
const FEW: usize = 20_000;

impl Plan {
    /// Chooses what was not asked for, by the matrix.
    pub fn choose<I: Row>(matrix: &BoundaryMatrix<I>, request: &Request) -> (Plan, Vec<Reason>) {
        let chosen = Plan::choose_with(matrix, request, &Scanner::processor());
        chosen.unwrap_or_else(|error| unreachable!("the processor's scan does not fail: {error}"))
    }

    /// The same, a scan that it takes done by this machine, which is one of the reasons.
    ///
    /// # Errors
    /// The scan failed, or was found wrong.
    pub fn choose_with<I: Row>(
        matrix: &BoundaryMatrix<I>,
        request: &Request,
        scanner: &Scanner<I>,
    ) -> Result<(Plan, Vec<Reason>), ScanError> {
        let mut reasons = Vec::from_iter(scanner.reason());
        let mut reason = |what, choice: &dyn fmt::Display, why: String| {
            reasons.push(Reason { what, choice: choice.to_string(), why });
        };
        let asked = || "as asked".to_owned();
        let (algorithm, why) = match (request.algorithm, request.columns) {
            (Some(algorithm), _) => (algorithm, asked()),
            (None, None) => (
                Algorithm::Sieve,
                "settles each dimension in the cheapest way that its counts allow".to_owned(),
            ),
            (None, Some(_)) => {
                (Algorithm::Hypha, "columns were asked for, and the sieve has its own".to_owned())
            }
        };
        reason("algorithm", &algorithm.name(), why);
        let columns = request.columns.unwrap_or_default();
        if algorithm == Algorithm::Sieve {
            reason(
                "columns",
                &"the sieve's own",
                "sorted vectors while short, bit trees when long".to_owned(),
            );
        } else {
            let why = if request.columns.is_some() {
                asked()
            } else {
                "no representation is better on the whole".to_owned()
            };
            reason("columns", &columns.name(), why);
        }
        let dualize = match (request.dualize, algorithm) {
            (Dualize::Auto, Algorithm::Sieve) => {
                reason(
                    "dualize",
                    &"auto",
                    "decided for each dimension by its open rows and columns".to_owned(),
                );
                Dualize::Auto
            }
            (Dualize::Auto, _) => {
                let open = Open::count_with(matrix, &scanner.leftmost(matrix)?);
                let dualize = if open.prefers_dual() { Dualize::On } else { Dualize::Off };
                reason(
                    "dualize",
                    &dualize,
                    format!("the scan leaves {} columns and {} rows open", open.columns, open.rows),
                );
                dualize
            }
            (dualize, _) => {
                reason("dualize", &dualize, asked());
                dualize
            }
        };
        let threads = match request.threads {
            Some(threads) => {
                reason("threads", &threads, asked());
                threads
            }
            None if matrix.len() < FEW => {
                reason("threads", &1, format!("{} columns are too few to share", matrix.len()));
                1
            }
            None => {
                let threads = rayon::current_num_threads();
                reason("threads", &threads, "one a core".to_owned());
                threads
            }
        };
        Ok((Plan { algorithm, columns, dualize, threads }, reasons))
    }
}

/// What the scan leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    /// Columns that are neither zero, nor stable, nor of a cell that is the low of some column.
    pub columns: usize,
    /// The same of the anti-transpose: rows that are neither zero, nor the low of a stable column, nor of a cell that holds a leftmost
    /// one.
    pub rows: usize,
}

impl Open {
    /// Counts.
    pub fn count<I: Row>(matrix: &BoundaryMatrix<I>) -> Self {
        Open::count_with(matrix, &Leftmost::of(matrix))
    }

    pub(super) fn count_with<I: Row>(matrix: &BoundaryMatrix<I>, leftmost: &Leftmost<I>) -> Self {
        let creators = super::clearing::Creators::of(matrix);
        let count = |columns: std::ops::Range<usize>| {
            let mut open = Open { columns: 0, rows: 0 };
            for cell in columns {
                let low = matrix.low(cell).map(|low| low.to_usize());
                let is_stable = low.is_some_and(|low| leftmost.get(low) == Some(cell));
                open.columns += usize::from(low.is_some() && !is_stable && !creators.contains(cell));
                let first = leftmost.get(cell);
                let is_pivot =
                    first.is_some_and(|column| matrix.low(column).is_some_and(|low| low.to_usize() == cell));
                let destroys =
                    || matrix.column(cell).iter().any(|row| leftmost.get(row.to_usize()) == Some(cell));
                open.rows += usize::from(first.is_some() && !is_pivot && !destroys());
            }
            open
        };
        let sum = |a: Open, b: Open| Open { columns: a.columns + b.columns, rows: a.rows + b.rows };
        tasks(matrix.len()).map(count).reduce(|| Open { columns: 0, rows: 0 }, sum)
    }

    /// Whether the anti-transpose is likely to be less work, its own making included.
    pub fn prefers_dual(self) -> bool {
        self.columns > 4 * self.rows
    }
}
