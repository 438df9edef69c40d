//! The reduction of one column after another by one worker.
//!
//! ```text
//! reduce(j):
//!     pivot ← the oldest cofacet of simplex j                    if there is none: j is essential, done
//!     loop
//!         look pivot up in layer 1, then in layer 2
//!             layer 1: column i < j   column j ← column j − c · column i
//!             layer 1: column k > j   give the pivot to j; then j ← k, and the working column is the stored column k
//!             layer 2: (σ, pivot)     column j ← column j − c · coboundary of σ
//!             neither                 claim the pivot for j, done
//!         pivot ← the oldest entry of the working column         if there is none: j is essential, done
//! ```
//!
//! A claim is a compare-and-swap; when it fails, the pivot is looked up again. The [module
//! above](super#reduction-without-locks) proves that many workers may do this at once.
//!
//! A column that has become long is continued by [`super::walk`] or [`super::long`].
//!
//! Four things are put off until they are needed:
//!
//! - *Building the column.* Its first pivot is found without its other cofacets. Most columns claim it, and are never
//!   built.
//! - *Cofacets far from the pivot.* The working column holds the entries of a [`Band`] of ranks only. When it runs
//!   empty, the coboundaries of all simplices added so far are enumerated again for the next band, twice as wide.
//! - *Cofacets of the column's own rank.* With nearly every vertex a long simplex has a cofacet of its own rank. So
//!   only the first few of that rank are enumerated, up to a given cofacet of the column's own simplex (`last`), then
//!   eight times as many, and only then the band.
//! - *Storing the column.* Over Z/2 a column to which nothing was added is stored as its simplex alone
//!   ([`Claim::Plain`]).

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::bucketed_column::BucketedColumn;
use super::coboundary::{Coboundaries, Part, floor};
use super::long::LONG;
use super::queue::{Queue, Term, cancel};
use super::walk::{WALKED, Walk};
use super::{Claim, ReductionCounts, Shared, Submatrix, Version};
use crate::parallel::lock;
use crate::progress::check;
use crate::rips::complex::Band;
use crate::rips::complex::apparent_pairs::join;
use crate::rips::field::Field;
use crate::rips::pair_store::Found;
use crate::rips::word::Word;

/// The first band of a column has one part in this many of all ranks, from the rank of its pivot on.
const FIRST_BAND: u32 = 64;

/// Minimum number of ranks in the first band: below it, enumerating coboundaries again costs more than pushing the
/// additional entries.
const LEAST_BAND: u32 = if cfg!(test) { 1 } else { 64 };

/// Initial value of [`Worker::reach`].
const FIRST_REACH: u32 = if cfg!(test) { 1 } else { 64 };

/// Number of points for which it takes as long to look whether they add an entry to a coboundary as to push an entry.
const ENUMERATED: usize = 8;
/// Number of entries that are pushed while a pivot is looked up.
const LOOKED_UP: usize = 32;

/// From this number of simplices on, each addition to a column is followed by a check whether the run is to end.
const LOOKED: usize = 64;

/// A worker: its working column, scratch and counts.
pub(super) struct Worker<'a, W: Word, F: Field> {
    pub(super) shared: &'a Shared<'a, W, F>,
    pub(super) counts: ReductionCounts,
    /// The number of this worker.
    number: usize,
    /// The column being reduced.
    pub(super) j: usize,
    /// Whether `column` has the entries of column `j` yet; until then only its first pivot is known.
    is_built: bool,
    /// The working column's entries of ranks up to `band.to`. Later entries are enumerated when these run out: most
    /// columns find their pivot near their birth, and an entry that is never pushed costs next to nothing.
    pub(super) column: Queue<W, F>,
    /// The enumerated ranks; while the band is widened, only the new ones.
    pub(super) band: Band,
    /// The vertices of the last enumerated cofacet of the column's own rank; empty if the whole band is enumerated.
    pub(super) last: Vec<u32>,
    /// Window of equal-rank cofacets below the pivot, in vertex numbers.
    reach: u32,
    /// Number of ranks by which the band grows when it runs out.
    pub(super) step: u32,
    /// The work done for all columns so far, in entries of coboundaries pushed, each of which takes a few nanoseconds.
    work: usize,
    /// The simplices whose coboundaries sum to the working column, including its own.
    pub(super) terms: Vec<Term<W, F>>,
    coboundaries: Coboundaries<'a, W, F>,
    /// Whether the working column is stored in `bucketed` instead of `column`.
    pub(super) is_long: bool,
    pub(super) bucketed: BucketedColumn<W, F>,
    /// Whether the working column is stored in `walk` alone.
    pub(super) is_walking: bool,
    pub(super) walk: Option<Walk>,
}

impl<'a, W: Word, F: Field> Worker<'a, W, F> {
    pub(super) fn new(shared: &'a Shared<'a, W, F>) -> Self {
        Worker {
            shared,
            counts: ReductionCounts::default(),
            number: shared.last_columns.worker(),
            j: 0,
            is_built: false,
            column: Queue::new(shared.field),
            band: Band { from: 0, to: 0 },
            last: Vec::new(),
            reach: 0,
            step: 0,
            work: 0,
            terms: Vec::new(),
            coboundaries: Coboundaries::new(shared.submatrix, shared.field),
            is_long: false,
            bucketed: BucketedColumn::new(shared.field, shared.submatrix.cofacet_code),
            is_walking: false,
            walk: None,
        }
    }

    /// Reports that this worker has no more columns, and returns what it counted.
    pub(super) fn end(self) -> ReductionCounts {
        self.shared.last_columns.end(self.number);
        self.counts
    }

    /// Checks whether the run is to end or its state is to be saved, and reports the progress of the column, whose
    /// pivot has this rank.
    pub(super) fn look(&self, rank: u32) {
        let Shared { submatrix, last_columns, .. } = self.shared;
        check(submatrix.progress);
        self.shared.save_if_due();
        let birth = submatrix.code.rank(submatrix.columns[self.j]);
        let span = submatrix.ranks.saturating_sub(birth).max(1);
        last_columns.look(self.number, f64::from(rank.saturating_sub(birth)) / f64::from(span));
    }

    /// Reduces column j, and the columns whose pivots it takes over, to the end.
    pub(super) fn reduce(&mut self, j: usize) {
        (self.j, self.is_built) = (j, false);
        let first = self.shared.oldest_cofacet(j, &mut self.coboundaries.vertices);
        let Some(mut pivot) = first else { return self.keep_essential() };
        loop {
            if let Some(found) = self.claimed(pivot.0) {
                let other = self.shared.column_of(found.value);
                if other > self.j {
                    let claim = self.claim(pivot.1);
                    let began = self.clock();
                    let is_replaced = self.shared.store.replace(found, claim);
                    add_seconds(&mut self.counts.pair_store.layer1_write_seconds, began);
                    if !is_replaced {
                        continue;
                    }
                    self.counts.pair_store.layer1_writes += 1;
                    (self.j, self.is_built) = (other, true);
                    self.restore(found.value, pivot.0);
                } else {
                    self.build(pivot);
                    self.counts.additions += 1;
                    self.add_claimed(found.value, self.shared.field.neg(pivot.1));
                }
            } else if let Some(facet) = self.cancelling_facet(pivot) {
                self.build(pivot);
                self.counts.additions += 1;
                self.add_term(facet);
            } else {
                let claim = self.claim(pivot.1);
                let began = self.clock();
                let is_inserted = self.shared.store.insert(pivot.0, claim).is_ok();
                add_seconds(&mut self.counts.pair_store.layer1_write_seconds, began);
                if is_inserted {
                    self.counts.pair_store.layer1_writes += 1;
                    return;
                }
                continue;
            }
            if self.terms.len() >= LOOKED {
                self.look(self.shared.submatrix.cofacet_code.rank(pivot.0));
            }
            match self.pop() {
                _ if self.shared.is_given_up() => return,
                Some(next) => pivot = next,
                None => return self.keep_essential(),
            }
        }
    }

    /// The start time of an access to the pair store, if accesses are timed.
    #[inline]
    fn clock(&self) -> Option<Instant> {
        self.shared.submatrix.times_store.then(Instant::now)
    }

    /// The column that claims a pivot, looked up in layer 1.
    fn claimed(&mut self, pivot: W) -> Option<Found> {
        let began = self.clock();
        let found = self.shared.store.get(pivot);
        self.counts.pair_store.layer1_reads += 1;
        add_seconds(&mut self.counts.pair_store.read_seconds, began);
        found
    }

    /// Makes the working column the coboundary of its simplex; if it is built already, puts the popped pivot back.
    fn build(&mut self, pivot: Term<W, F>) {
        if self.is_built {
            if self.is_walking {
                // The walk finds the pivot again.
            } else if self.is_long {
                self.bucketed.push(pivot)
            } else {
                self.column.push(pivot)
            }
            return;
        }
        self.is_built = true;
        self.shared.touched[self.j].store(true, Ordering::Relaxed);
        self.reset(pivot.0);
        self.add_term(self.own());
    }

    /// Empties the working column, whose pivot is known to be `pivot` or later.
    fn reset(&mut self, pivot: W) {
        self.terms.clear();
        self.column.reset(pivot);
        if self.is_long {
            self.is_long = false;
            self.bucketed.close();
        }
        if self.is_walking {
            self.end_walk();
        }
        let submatrix = self.shared.submatrix;
        let rank = submatrix.cofacet_code.rank(pivot);
        self.step = (submatrix.ranks / FIRST_BAND + 1).max(LEAST_BAND);
        self.band = Band { from: rank, to: rank.saturating_add(self.step) };
        self.last.clear();
        if submatrix.code.rank(submatrix.columns[self.j]) == rank {
            self.reach = FIRST_REACH;
            self.look_up_to(pivot);
        }
    }

    /// Sets `last` to the cofacet of the column's simplex that lies `reach` vertices after `pivot`; leaves it empty if
    /// there is none.
    fn look_up_to(&mut self, pivot: W) {
        let Submatrix { code, cofacet_code, columns, .. } = self.shared.submatrix;
        let vertices = &mut self.coboundaries.vertices;
        cofacet_code.vertices_of(pivot, &mut self.last);
        code.vertices_of(columns[self.j], vertices);
        let at_pivot = floor(vertices, &self.last);
        let below = (0..=at_pivot.saturating_sub(self.reach)).rev().find(|vertex| !vertices.contains(vertex));
        self.last.clear();
        if let Some(vertex) = below.filter(|_| at_pivot > self.reach) {
            self.last.extend_from_slice(vertices);
            join(&mut self.last, vertex);
        }
    }

    /// Enumerates the working column again from its simplices, without the entries before the last pivot.
    pub(super) fn enumerate_again(&mut self) {
        self.column.reset(self.column.last());
        self.add_all();
    }

    /// Makes the working column the enumerated part of the coboundaries of the simplices in its sum, of which no entry
    /// has a rank below this one.
    pub(super) fn enumerate_from(&mut self, rank: u32) {
        self.column.reset(self.shared.submatrix.cofacet_code.first(rank));
        self.last.clear();
        self.step = 1;
        self.band = Band { from: rank, to: rank };
        self.add_all();
        self.band.from = 0;
    }

    /// Adds the enumerated part of the coboundaries of all simplices in the working column's sum.
    fn add_all(&mut self) {
        cancel(self.shared.field, &mut self.terms);
        for k in 0..self.terms.len() {
            if k % LOOKED == LOOKED - 1 {
                check(self.shared.submatrix.progress);
                if self.gives_up() {
                    return;
                }
            }
            self.add_simplex(self.terms[k]);
        }
    }

    /// Removes and returns the pivot of the working column.
    fn pop(&mut self) -> Option<Term<W, F>> {
        self.work += LOOKED_UP;
        if self.gives_up() {
            return None;
        }
        if self.terms.len() >= WALKED && !self.is_walking {
            self.go_on_as_long();
        }
        if F::UNIT && self.is_walking {
            let pivot = self.pop_walk();
            if self.is_walking {
                return pivot;
            }
        }
        if self.is_long {
            return self.pop_long();
        }
        loop {
            let pivot = self.column.pop();
            if pivot.is_none() && !self.last.is_empty() {
                self.reach = self.reach.saturating_mul(8);
                self.look_up_to(self.column.last());
                self.enumerate_again();
                continue;
            }
            if pivot.is_some() || self.band.to >= self.shared.submatrix.ranks {
                return pivot;
            }
            self.widen();
        }
    }

    /// Whether the reduction is given up, because this worker's columns take too long.
    #[inline]
    pub(super) fn gives_up(&mut self) -> bool {
        let Some((work, terms)) = self.shared.gives_up_at else { return false };
        self.work += self.walk.as_mut().map_or(0, |walk| std::mem::take(&mut walk.work));
        let gives_up = self.work >= work || self.terms.len() >= terms;
        if gives_up {
            self.shared.is_given_up.store(true, Ordering::Relaxed);
        }
        gives_up
    }

    /// Continues the working column by walking or as a long column, once it has enough simplices. A column that is
    /// already long is walked as soon as that is possible.
    #[cold]
    fn go_on_as_long(&mut self) {
        let terms = self.terms.len();
        match self.walked_from() {
            Some(least) if terms < least => {}
            Some(_) if F::UNIT && self.begin_walk() => {}
            _ if terms >= LONG && !self.is_long => self.lengthen(),
            _ => {}
        }
    }

    /// Adds the entries of the next band of ranks.
    fn widen(&mut self) {
        let from = self.band.to + 1;
        self.step = self.step.saturating_mul(2);
        self.band = Band { from, to: from.saturating_add(self.step) };
        self.add_all();
        self.band.from = 0;
    }

    /// The column's simplex with coefficient one.
    fn own(&self) -> Term<W, F> {
        (self.shared.submatrix.columns[self.j], self.shared.field.one())
    }

    /// Makes the working column the stored column that `value` stands for.
    fn restore(&mut self, value: u64, pivot: W) {
        self.reset(pivot);
        self.add_claimed(value, self.shared.field.one());
        self.shared.touched[self.j].store(true, Ordering::Relaxed);
    }

    /// Adds `factor` times a stored column, whose pivot has coefficient one.
    fn add_claimed(&mut self, value: u64, factor: F::Coefficient) {
        let shared = self.shared;
        match Claim::decode(value) {
            Claim::Plain(column) => self.add_term((shared.submatrix.columns[column], factor)),
            Claim::Version(version) => {
                for &(entry, c) in &shared.versions[version].terms {
                    self.add_term((entry, shared.field.mul(c, factor)));
                }
            }
        }
    }

    /// Adds a simplex's coboundary, and the simplex to the column of V.
    fn add_term(&mut self, term: Term<W, F>) {
        if F::UNIT && self.is_walking {
            return self.flip(term.0);
        }
        self.terms.push(term);
        self.add_simplex(term);
    }

    /// Adds the enumerated part of a simplex's coboundary.
    fn add_simplex(&mut self, term: Term<W, F>) {
        let Worker { shared, coboundaries, column, bucketed, band, last, work, .. } = self;
        *work += shared.submatrix.complex.points() / ENUMERATED;
        let to = if last.is_empty() { band.to } else { band.from };
        let part = Part { band: Band { to, ..*band }, last };
        if self.is_long {
            coboundaries.of(term, part, |term| bucketed.push(term));
        } else {
            coboundaries.of(term, part, |term| {
                column.push(term);
                *work += 1;
            });
        }
    }

    /// The multiple of the σ of a zero apparent pair (σ, τ) whose coboundary cancels the pivot τ, if τ is in such a
    /// pair.
    fn cancelling_facet(&mut self, pivot: Term<W, F>) -> Option<Term<W, F>> {
        let began = self.clock();
        self.counts.pair_store.layer2_reads += 1;
        let facet = self.coboundaries.cancelling(pivot);
        add_seconds(&mut self.counts.pair_store.read_seconds, began);
        facet
    }

    /// Makes `terms` the simplices whose coboundaries sum to the column, each once.
    fn collect_terms(&mut self) {
        if !self.is_built {
            self.terms.clear();
            self.terms.push(self.own());
        } else if F::UNIT && self.is_walking {
            self.walked_terms();
        }
        cancel(self.shared.field, &mut self.terms);
    }

    /// Records that the column was reduced to zero, if state is saved, and its simplices, if cochains may be wanted.
    fn keep_essential(&mut self) {
        if self.shared.is_kept {
            self.shared.zeros.push(self.j);
        }
        if let Some(essential) = &self.shared.essential {
            self.collect_terms();
            let _ = lock(essential).insert(self.j, self.terms.clone());
        }
    }

    /// Stores the column, whose pivot has coefficient `c`, and returns its value for the pair store.
    fn claim(&mut self, c: F::Coefficient) -> u64 {
        let (field, j) = (self.shared.field, self.j);
        self.collect_terms();
        if F::UNIT && self.terms.len() == 1 {
            return Claim::Plain(j).encode();
        }
        let scale = field.inverse(c);
        let terms = self.terms.iter().map(|&(entry, c)| (entry, field.mul(c, scale))).collect();
        Claim::Version(self.shared.versions.push(Version { column: j, terms })).encode()
    }
}

/// Adds the time of an access to the pair store that began then, if it is timed.
#[inline]
fn add_seconds(seconds: &mut f64, began: Option<Instant>) {
    if let Some(began) = began {
        *seconds += began.elapsed().as_secs_f64();
    }
}
