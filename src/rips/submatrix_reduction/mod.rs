//! Submatrix reduction: the pairs of the residue.
//!
//! **Meaning.** Columns are residue simplices in reverse filtration order; column j is the coboundary of simplex j,
//! its pivot the oldest entry. Columns to the left, and the columns of apparent pairs, are added until no other column
//! has the same pivot, or nothing is left: then the class is essential. The pivots are those of every reduction of
//! the coboundary matrix, whatever the order of additions (Edelsbrunner, Letscher, Zomorodian 2002).
//!
//! **How.** Coboundaries are enumerated when needed (Bauer 2021); of a reduced column only the simplices that were added up
//! (its column of V, in R = DV) are kept. A column whose oldest cofacet nobody claims is paired without being built
//! (*emergent*). Columns are reduced in parallel without locks (Morozov, Nigmetov 2020): a finished column claims its pivot in the pair
//! store; who finds the pivot claimed by a column to its left adds that; who finds one to its right takes the pivot over,
//! and goes on with that column instead of its own. When all is done, every pivot belongs to the column the sequential algorithm
//! would have given it.
//!
//! Stored versions of a column never change: taking a column over stores a new version of it under its new pivot, so
//! whoever still holds the old one adds a column with the pivot it saw.

mod column;
mod queue;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use self::column::Worker;
use super::Progress;
use super::code::Code;
use super::complex::Complex;
use super::field::Field;
use super::pair_store::{ApparentPairs, Pivots};
use super::word::Word;
use crate::memory::{self, Refused};

/// What to reduce.
pub struct Task<'a, C, W, F> {
    /// The distances.
    pub complex: &'a C,
    /// The coefficients.
    pub field: F,
    /// Entries of columns.
    pub code: Code<W>,
    /// Entries of rows.
    pub cofacet_code: Code<W>,
    /// Number of ranks.
    pub ranks: u32,
    /// The residue, in reverse filtration order.
    pub columns: &'a [W],
    /// The zero apparent pairs of these columns' dimension.
    pub apparent: &'a ApparentPairs<W>,
    /// Told of the work done, in columns.
    pub progress: &'a dyn Progress,
}

/// The pairs of the residue.
#[derive(Debug)]
pub struct Reduction<W> {
    /// The pivot of each column, or none for an essential class.
    pub pivots: Vec<Option<W>>,
    /// Layer 1 of the pair store.
    pub store: Pivots<W>,
    /// What happened.
    pub counts: Counts,
}

/// What happened in a reduction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Columns that kept their oldest cofacet, of their own rank, as pivot.
    pub shortcut: u64,
    /// Columns that kept their oldest cofacet as pivot.
    pub emergent: u64,
    /// Columns added.
    pub additions: u64,
    /// Look-ups in layer 1 of the pair store.
    pub layer1_reads: u64,
    /// Insertions into it, take-overs included.
    pub layer1_writes: u64,
    /// Look-ups in layer 2.
    pub layer2_reads: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.shortcut += other.shortcut;
        self.emergent += other.emergent;
        self.additions += other.additions;
        self.layer1_reads += other.layer1_reads;
        self.layer1_writes += other.layer1_writes;
        self.layer2_reads += other.layer2_reads;
    }
}

/// A version of a reduced column: what was added up to get it.
struct Version<W, F: Field> {
    column: usize,
    /// Entries of simplices and coefficients, scaled so that the pivot's coefficient is one.
    terms: Vec<queue::Term<W, F>>,
}

/// What all threads share.
struct Shared<'a, C, W: Word, F: Field> {
    task: &'a Task<'a, C, W, F>,
    store: Pivots<W>,
    versions: boxcar::Vec<Version<W, F>>,
    /// Whether something was added to the column.
    touched: Vec<AtomicBool>,
}

/// Columns a thread takes at a time.
const BATCH: usize = 16;

/// Reduces all columns on the threads of the current pool.
///
/// # Errors
/// There is no memory for a slot and a pivot a column.
pub fn reduce<C: Complex, W: Word, F: Field>(task: &Task<'_, C, W, F>) -> Result<Reduction<W>, Refused> {
    let columns = task.columns.len();
    let shared = Shared {
        task,
        store: Pivots::with_capacity(columns)?,
        versions: boxcar::Vec::new(),
        touched: memory::zeroed(columns)?,
    };
    let next = AtomicUsize::new(0);
    let per_thread = rayon::broadcast(|_| {
        let mut worker = Worker::new(&shared);
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= columns {
                return worker.counts;
            }
            let batch = start..columns.min(start + BATCH);
            task.progress.advance(batch.len() as u64);
            batch.for_each(|j| worker.reduce(j));
        }
    });
    let mut counts = Counts::default();
    per_thread.into_iter().for_each(|part| counts += part);
    let mut pivots = memory::filled(None, columns)?;
    for (pivot, value) in shared.store.iter() {
        let j = shared.column_of(value);
        pivots[j] = Some(pivot);
        if !shared.touched[j].load(Ordering::Relaxed) {
            counts.emergent += 1;
            let zero_length = task.cofacet_code.rank(pivot) == task.code.rank(task.columns[j]);
            counts.shortcut += u64::from(zero_length);
        }
    }
    Ok(Reduction { pivots, store: shared.store, counts })
}

impl<C, W: Word, F: Field> Shared<'_, C, W, F> {
    /// The column of a value of the pair store.
    fn column_of(&self, value: u64) -> usize {
        match Claim::decode(value) {
            Claim::Plain(column) => column,
            Claim::Version(version) => self.versions[version].column,
        }
    }
}

/// What a pivot maps to in the pair store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// A column that is its simplex's coboundary, nothing added.
    Plain(usize),
    /// A stored version of a column.
    Version(usize),
}

impl Claim {
    fn encode(self) -> u64 {
        match self {
            Claim::Plain(column) => (column as u64) << 1,
            Claim::Version(version) => ((version as u64) << 1) | 1,
        }
    }

    fn decode(value: u64) -> Self {
        // It was a usize when encoded.
        let id = (value >> 1) as usize;
        if value & 1 == 0 { Claim::Plain(id) } else { Claim::Version(id) }
    }
}
