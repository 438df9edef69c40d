//! Submatrix reduction: the pairs of the residue.
//!
//! **Meaning.** Columns are residue simplices in reverse filtration order; column j is the coboundary of simplex j,
//! its pivot the oldest entry. Columns to the left, and the columns of apparent pairs, are added until no other column
//! has the same pivot, or nothing is left: then the class is essential.
//!
//! **How.** Coboundaries are enumerated when needed (Bauer 2021). For a reduced column only its column of V, in R = DV,
//! is stored: the simplices whose coboundaries sum to it. A column whose oldest cofacet is the pivot of no other column
//! is paired without being built (*emergent*). `column` reduces one column, `queue` holds the working column, `walk`
//! (with `cochain` and `closing`) and `long` reduce long columns, `annotations` finds the pairs of all edges, or of all
//! triangles, together once their columns take too long, and `last_columns` reports the progress of the last columns.
//!
//! # Reduction without locks
//!
//! This is the theorem, with its proof, on which all parallel reductions of this crate rest, after Morozov and Nigmetov
//! (2020).
//!
//! *Procedure.* A table maps a pivot to the column that claims it. Each worker reduces one column j at a time and looks
//! its pivot up:
//!
//! - No column claims it: j claims it by compare-and-swap, and the worker is done with j.
//! - A column i to the left of j (i < j) claims it: i is added to j, which makes the pivot of j a later one.
//! - A column k to the right of j (j < k) claims it: j takes the claim over by compare-and-swap, and the worker goes on
//!   with k.
//!
//! When a compare-and-swap fails, the pivot is looked up again.
//!
//! *Invariants.*
//!
//! 1. A stored version of a column never changes. A worker that reduces a column further stores a new version under the
//!    new pivot. So a worker that still reads the old version adds a column with the pivot that it looked up.
//! 2. Only columns to the left are added to a column. So at any time R = DV with V upper triangular and with units on
//!    its diagonal.
//! 3. The column that claims a pivot is replaced by columns further to the left only. So no value of the table ever
//!    comes back, and a compare-and-swap that succeeds has seen the present state.
//! 4. A column is either reduced by one worker, or stored under one pivot, or zero. A take-over exchanges the roles of
//!    two columns.
//!
//! *Termination.* Each round makes the pivot of a column later, or moves a claim to the left, or ends a column, or
//! fails because another worker did one of these. There are finitely many pivots and columns.
//!
//! *Correctness.* At the end no two columns have the same pivot, and R = DV as in invariant 2. The pivots of such an R
//! do not depend on the additions that led to it (Edelsbrunner, Letscher, Zomorodian 2002; Cohen-Steiner, Edelsbrunner,
//! Morozov 2006): they are those of the sequential algorithm, whatever the schedule.
//!
//! *Visibility.* A version is stored before the claim that names it, with release ordering; a look-up has acquire
//! ordering.

mod annotations;
mod bits;
mod bucketed_column;
mod closing;
mod coboundary;
mod cochain;
mod cochains;
mod column;
mod edges;
mod last_columns;
mod long;
mod queue;
mod rows;
mod state;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use hashbrown::HashMap;

pub use self::annotations::Tied;
use self::annotations::{annotate, annotate_triangles};
pub use self::bits::Bits;
use self::coboundary::Coboundaries;
pub(super) use self::coboundary::apparent_cofacet;
use self::column::Worker;
use self::last_columns::LastColumns;
use self::long::LONG;
use self::queue::Term;
use self::state::State;
pub(super) use self::state::{entries, reduction_name};
pub(super) use self::walk::Walking;
use self::walk::Walks;
use super::code::{Code, CofacetEntries};
use super::complex::{Band, Complex};
use super::field::Field;
use super::pair_store::{ApparentPairs, Pivots};
use super::stats::PairStoreStats;
use super::word::Word;
use super::{Progress, RipsError};
use crate::memory::{self, Refused};
use crate::parallel::{SharedRange, into_inner, lock};
use crate::progress::saving;

/// The part of the coboundary matrix to reduce, with the pairs that are known already.
pub struct Submatrix<'a, W> {
    /// The complex whose cofacets are the rows.
    pub complex: &'a dyn Complex,
    /// Code of the columns' simplices.
    pub code: Code<W>,
    /// Code of the rows' simplices.
    pub cofacet_code: Code<W>,
    /// Upper bound on all ranks. Where distances themselves serve as ranks, it is far greater than the number of
    /// distinct edge lengths.
    pub ranks: u32,
    /// Number of edges.
    pub edges: usize,
    /// For triangles, the maximum number of threads that walk long columns, each with a cochain of its own; for edges,
    /// that of tables for annotations.
    pub walkers: usize,
    /// The residue, in reverse filtration order. Edges that join two components are cleared.
    pub columns: &'a [W],
    /// The zero apparent pairs of these columns' dimension.
    pub apparent: &'a ApparentPairs<W>,
    /// Whether to time accesses to the pair store.
    pub times_store: bool,
    /// Whether the pairs are wanted for bars alone, so that a pivot may be any cofacet of the right rank.
    pub only_bars: bool,
    /// Whether the reduction of triangles, if they may be walked, ends once it takes too long, since it is faster if
    /// all edges differ in rank.
    pub gives_up: bool,
    /// Ranks at which bars of the next dimension are born whose order is asked for, ascending. They may be given only
    /// for columns of edges.
    pub tied: &'a [(u32, &'a Tied)],
    /// Receives the number of columns done.
    pub progress: &'a dyn Progress,
}

/// The last rank up to which the cochain of a column is wanted, given the column's own rank.
pub type LastRank<'a> = &'a dyn Fn(u32) -> u32;

/// The cochains that are returned.
pub struct Wanted<'a, W> {
    /// Selects, given all pivots, the columns whose cochains are wanted.
    pub columns: &'a mut dyn FnMut(&[Option<W>]) -> Vec<usize>,
    /// The last ranks of their cochains.
    pub last_rank: LastRank<'a>,
    /// Whether cochains do not depend on the schedule, so that long columns take longer.
    pub are_unique: bool,
}

/// A multiple of a simplex: its entry, and a coefficient from 1 to p − 1.
pub type Multiple<W> = (W, u16);

/// The result of a reduction.
#[derive(Debug)]
pub struct Reduction<W> {
    /// The pivot of each column, or none for an essential class.
    pub pivots: Vec<Option<W>>,
    /// Layer 1 of the pair store.
    pub store: Pivots<W>,
    /// For each wanted column, the cochain whose coboundary is the reduced column, in filtration order and up to the
    /// wanted rank. The reduced column begins with the pivot, so the cochain is a cocycle on the simplices before it.
    pub cochains: HashMap<usize, Vec<Multiple<W>>>,
    /// For each tied rank, the bars that are born at it, by their triangles in filtration order. There are none if the
    /// columns could not be annotated.
    pub births: Vec<Vec<u32>>,
    /// Numbers of columns, additions and look-ups.
    pub counts: ReductionCounts,
}

/// Numbers of columns, additions and look-ups of a reduction.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ReductionCounts {
    /// Columns that kept their oldest cofacet, of their own rank, as pivot.
    pub shortcut: u64,
    /// Columns that kept their oldest cofacet as pivot; where triangles are annotated, those whose oldest cofacet has
    /// the rank of their pivot.
    pub emergent: u64,
    /// Columns that were added to others; where a column is walked, values of its cochain that changed; where triangles
    /// are annotated, classes to which others were added.
    pub additions: u64,
    /// Accesses to the pair store.
    pub pair_store: PairStoreStats,
}

/// A version of a reduced column: the simplices whose coboundaries add up to it.
struct Version<W, F: Field> {
    column: usize,
    /// Entries of simplices and coefficients, scaled so that the pivot's coefficient is one.
    terms: Vec<Term<W, F>>,
}

/// For each column, the simplices whose coboundaries sum to it.
type Sums<W, F> = HashMap<usize, Vec<Term<W, F>>>;

/// The state shared by all threads.
struct Shared<'a, W: Word, F: Field> {
    submatrix: &'a Submatrix<'a, W>,
    field: F,
    store: Pivots<W>,
    versions: boxcar::Vec<Version<W, F>>,
    /// For each column, whether another column was added to it.
    touched: Vec<AtomicBool>,
    /// The columns that were reduced to zero (essential classes), if cochains may be wanted.
    essential: Option<Mutex<Sums<W, F>>>,
    /// The columns that were reduced to zero, for the checkpoint.
    zeros: boxcar::Vec<usize>,
    /// Whether the state is saved in checkpoints.
    is_kept: bool,
    /// The characteristic of the field.
    modulus: u16,
    /// The tables that workers use to walk long columns.
    walks: Walks,
    /// The work of one worker, and the number of simplices of a column, after which all end, because another way takes
    /// less time, if there is one; and whether they end.
    gives_up_at: Option<(usize, usize)>,
    is_given_up: AtomicBool,
    last_columns: LastColumns<'a>,
}

/// Number of columns a thread takes at a time. The last columns, the oldest and mostly the longest, are taken one at a
/// time.
const BATCH: usize = 16;
/// Number of columns for each thread that are taken one at a time.
const ONE_BY_ONE: usize = 16;

/// Edges are annotated once a worker has done this much work for each edge to annotate: that takes about a third of the
/// time to annotate it.
const ANNOTATED: usize = if cfg!(test) { 0 } else { 2 };
/// The reduction of triangles gives up, if it may, once a worker has done this much work for each edge: it then has
/// taken about as long as all that comes before. Where no long column meets equal ranks the work is less than 32, with
/// random lengths it is hundreds.
const GIVES_UP: usize = if cfg!(test) { 0 } else { 64 };
/// Triangles are annotated once a worker has done this much work for each triangle of the complex: that takes about as
/// long as to annotate them while few classes are alive. More classes take longer, but then so do columns.
const TRIANGLES_ANNOTATED: usize = if cfg!(test) { 0 } else { 3 };
/// The least work of one worker after which triangles are annotated, some tens of milliseconds. Below it, counts of
/// columns that keep their oldest cofacet are exact.
const LEAST_WORK: usize = if cfg!(test) { 1 } else { 1 << 23 };
/// Number of points with whose edges the number of edges to list is estimated.
const SAMPLED: usize = 64;

/// Reduces the columns of a submatrix over a field on the threads of the current pool. `wanted` chooses the columns
/// whose cochains are returned, once all pivots are known. A reduction whose state a checkpoint holds goes on from
/// there. Returns `None` if the reduction [gave up](Submatrix::gives_up).
///
/// # Errors
/// There is not enough memory for the tables of columns and pivots, or the checkpoint is damaged.
pub fn reduce<W: Word, F: Field>(
    submatrix: &Submatrix<'_, W>,
    field: F,
    wanted: Option<Wanted<'_, W>>,
) -> Result<Option<Reduction<W>>, RipsError> {
    let mut counts = ReductionCounts::default();
    let gives_up_at = gives_up_at(submatrix, field, wanted.as_ref());
    if submatrix.tied.is_empty() || gives_up_at.is_none() {
        let shared = Shared::new(submatrix, field, wanted.as_ref(), gives_up_at)?;
        counts = reduce_columns(&shared)?;
        if !shared.is_given_up() {
            return Ok(Some(shared.into_reduction(counts, wanted)?));
        }
        shared.last_columns.skip();
        if submatrix.gives_up {
            return Ok(None);
        }
    } else {
        submatrix.progress.advance(submatrix.columns.len() as u64);
    }
    let mut shared = Shared::new(submatrix, field, wanted.as_ref(), None)?;
    let annotated = if !F::UNIT {
        Ok(None)
    } else if submatrix.code.vertices() == 2 {
        annotate(&shared).map(Some)
    } else {
        let last_rank = wanted.as_ref().map(|wanted| wanted.last_rank);
        annotate_triangles(&shared, last_rank).map(|counts| counts.map(|counts| (counts, Vec::new())))
    };
    let births = match annotated {
        Ok(Some((annotated, births))) => {
            counts.additions = annotated.additions;
            counts.pair_store += annotated.pair_store;
            births
        }
        // Without memory for annotations, or where triangles are to be annotated but too many edges have equal ranks,
        // columns are reduced one by one all the same.
        _ => {
            let dim = submatrix.code.vertices() as usize - 1;
            submatrix.progress.begin("reduction", Some(dim), submatrix.columns.len() as u64);
            shared = Shared::new(submatrix, field, wanted.as_ref(), None)?;
            counts = reduce_columns(&shared)?;
            Vec::new()
        }
    };
    Ok(Some(Reduction { births, ..shared.into_reduction(counts, wanted)? }))
}

/// The [work](Worker::work) of one worker, and the number of simplices of a column, after which the reduction ends
/// because another way takes less time; `None` if there is no other way.
fn gives_up_at<W: Word, F: Field>(
    submatrix: &Submatrix<'_, W>,
    field: F,
    wanted: Option<&Wanted<'_, W>>,
) -> Option<(usize, usize)> {
    let Submatrix { edges, ranks, only_bars, gives_up, complex, code, walkers, .. } = *submatrix;
    // Edges are annotated once their columns take too long.
    if F::UNIT && code.vertices() == 2 && walkers >= annotations::TABLES {
        return Some((annotated_from(submatrix), LONG));
    }
    if !may_walk(submatrix, field) {
        return None;
    }
    if gives_up {
        return Some((GIVES_UP * edges, usize::MAX));
    }
    let are_unique = wanted.is_some_and(|wanted| wanted.are_unique);
    let may_annotate = only_bars && !are_unique && annotations::MOST_ALIKE * ranks as usize > edges;
    // On average, an edge is in as many triangles as a point has edges, if nearly all pairs are edges, else in fewer.
    let triangles = edges.saturating_mul(2 * edges / complex.points().max(1)) / 3;
    let work = triangles.saturating_mul(TRIANGLES_ANNOTATED).max(LEAST_WORK);
    may_annotate.then_some((work, usize::MAX))
}

/// Whether long columns are walked, as far as is known before the edges are listed.
fn may_walk<W: Word, F: Field>(submatrix: &Submatrix<'_, W>, _: F) -> bool {
    F::UNIT && submatrix.code.vertices() == 3 && submatrix.walkers > 0
}

/// Reduces the columns on the threads of the current pool, or gives up once they take too long, if it is to do so.
fn reduce_columns<W: Word, F: Field>(shared: &Shared<'_, W, F>) -> Result<ReductionCounts, RipsError> {
    let submatrix = shared.submatrix;
    let columns = submatrix.columns.len();
    let state = State::load(submatrix, shared.modulus)?;
    let is_settled = state.map_or(Ok(Vec::new()), |state| shared.restore(&state))?;
    let is_open = |&j: &usize| is_settled.get(j) != Some(&true);
    let workers = workers(columns);
    let together = columns.saturating_sub(if workers > 1 { ONE_BY_ONE * workers } else { 0 });
    let (unreduced, last) = (SharedRange::new(together, BATCH), SharedRange::new(columns - together, 1));
    let take = || {
        let one = || last.take().map(|range| range.start + together..range.end + together);
        unreduced.take().or_else(one)
    };
    let total = Mutex::new(ReductionCounts::default());
    let work = || {
        let mut worker = Worker::new(shared);
        while let Some(batch) = take() {
            shared.save_if_due();
            shared.last_columns.count(batch.len() as u64);
            batch.filter(is_open).for_each(|j| worker.reduce(j));
            if shared.is_given_up() {
                break;
            }
        }
        let (mut total, counts) = (lock(&total), worker.end());
        total.additions += counts.additions;
        total.pair_store += counts.pair_store;
    };
    let save = || {
        if shared.is_kept {
            shared.save();
        }
    };
    saving(|| SharedRange::new(columns, BATCH).share(&work), save);
    Ok(into_inner(total))
}

/// The [work](Worker::work) of one worker after which it takes less time to annotate all columns of edges together:
/// that for the edges to annotate, nearly all of which are as old as the youngest one that has a column, and for one
/// part in 16 of all edges, among which they are found.
fn annotated_from<W: Word>(submatrix: &Submatrix<'_, W>) -> usize {
    let &Submatrix { complex, code, columns, edges, .. } = submatrix;
    let band = Band { from: 0, to: columns.first().map_or(0, |&column| code.rank(column)) };
    let (points, mut found) = (complex.points(), Vec::new());
    let sample = (0..points).step_by(points.div_ceil(SAMPLED).max(1));
    let sampled = sample.len().max(1);
    let ends = sample.fold(0, |ends, u| {
        // Points are numbers of 32 bits.
        complex.cofacets(&[u as u32], 0, band, 0, &mut found);
        ends + found.len()
    });
    ANNOTATED * (ends * points / sampled / 2 + edges / 16)
}

/// The number of threads on which [`reduce_columns`] runs workers.
fn workers(columns: usize) -> usize {
    if columns > BATCH { rayon::current_num_threads() } else { 1 }
}

impl<'a, W: Word, F: Field> Shared<'a, W, F> {
    /// The state before any column is reduced.
    fn new(
        submatrix: &'a Submatrix<'a, W>,
        field: F,
        wanted: Option<&Wanted<'_, W>>,
        gives_up_at: Option<(usize, usize)>,
    ) -> Result<Self, Refused> {
        let columns = submatrix.columns.len();
        let dim = submatrix.code.vertices() as usize - 1;
        let are_unique = wanted.is_some_and(|wanted| wanted.are_unique);
        Ok(Shared {
            submatrix,
            field,
            store: Pivots::with_capacity(columns)?,
            versions: boxcar::Vec::new(),
            touched: memory::zeroed(columns)?,
            essential: wanted.map(|_| Mutex::default()),
            zeros: boxcar::Vec::new(),
            is_kept: !are_unique && submatrix.progress.checkpoint().is_kept(),
            // The modulus is one more than −1.
            modulus: field.number(field.neg(field.one())).saturating_add(1),
            // Unique cochains consist of simplices that have a column or are in an apparent pair.
            walks: Walks::of(submatrix.walkers, dim == 2 && !are_unique),
            gives_up_at,
            is_given_up: AtomicBool::new(false),
            last_columns: LastColumns::of(columns, workers(columns), dim, submatrix.progress),
        })
    }

    /// Whether the columns need not be reduced any further.
    fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// The first pivot of column j, its oldest cofacet; `None` if it has no cofacet. `vertices` is scratch space.
    fn oldest_cofacet(&self, j: usize, vertices: &mut Vec<u32>) -> Option<Term<W, F>> {
        let Submatrix { complex, code, cofacet_code, columns, .. } = self.submatrix;
        code.vertices_of(columns[j], vertices);
        let oldest = complex.oldest_cofacet(vertices, code.rank(columns[j]))?;
        let mut entries = CofacetEntries::new(code, cofacet_code, columns[j], vertices);
        let (cofacet, below) = entries.entry(oldest.vertex, oldest.rank);
        Some((cofacet, self.field.sign(below)))
    }

    /// Pairs column j, whose column of V has these terms, with a pivot that no other column has. There are no terms if
    /// they are its own simplex, or are not wanted.
    fn pair(&self, j: usize, pivot: W, terms: Vec<Term<W, F>>) {
        let claim = match terms.len() {
            0 | 1 => Claim::Plain(j),
            _ => Claim::Version(self.versions.push(Version { column: j, terms })),
        };
        let _ = self.store.insert(pivot, claim.encode());
    }

    /// The column that a value of the pair store stands for.
    fn column_of(&self, value: u64) -> usize {
        match Claim::decode(value) {
            Claim::Plain(column) => column,
            Claim::Version(version) => self.versions[version].column,
        }
    }

    /// The result, when all columns are reduced.
    fn into_reduction(
        self,
        mut counts: ReductionCounts,
        wanted: Option<Wanted<'_, W>>,
    ) -> Result<Reduction<W>, Refused> {
        let Submatrix { columns, code, cofacet_code, .. } = self.submatrix;
        let mut pivots = memory::filled(None, columns.len())?;
        for (pivot, value) in self.store.iter() {
            let j = self.column_of(value);
            pivots[j] = Some(pivot);
            if !self.touched[j].load(Ordering::Relaxed) {
                counts.emergent += 1;
                counts.shortcut += u64::from(cofacet_code.rank(pivot) == code.rank(columns[j]));
            }
        }
        let mut cochains = HashMap::new();
        if let Some(Wanted { columns: wanted, last_rank, are_unique }) = wanted {
            for j in wanted(&pivots) {
                let last = last_rank(code.rank(columns[j]));
                let mut cochain = if are_unique { self.cochain(j, &pivots) } else { self.sum(j, pivots[j]) };
                cochain.truncate(cochain.partition_point(|&(simplex, _)| code.rank(simplex) <= last));
                cochains.insert(j, cochain);
            }
        }
        Ok(Reduction { pivots, store: self.store, cochains, births: Vec::new(), counts })
    }
}

/// The value of a pivot in the pair store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// A column to which nothing was added: the coboundary of its simplex.
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
        // The value was a `usize` when it was encoded.
        let id = (value >> 1) as usize;
        if value & 1 == 0 { Claim::Plain(id) } else { Claim::Version(id) }
    }
}
