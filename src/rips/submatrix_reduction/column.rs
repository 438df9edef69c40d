//! One worker's reduction of one column after another.
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
//! A claim is a compare-and-swap; when it fails, the pivot is looked up again. Why this may be done by many workers at once is
//! proved in the [module above](super#reduction-without-locks).
//!
//! A column that has become long goes on as [`super::walk`] says, or as [`super::long`] does.
//!
//! Four things are put off until they are needed:
//!
//! - *Building the column.* Its first pivot is found without the others of its cofacets. Most columns claim it, and are never built.
//! - *Cofacets far from the pivot.* The working column holds the entries of a [`Band`] of ranks only. When it runs empty, the
//!   coboundaries of all simplices added so far are enumerated again for the next band, twice as wide.
//! - *Cofacets of the column's own rank.* Of a long simplex nearly all vertices make one. So of that rank the first few alone are looked at,
//!   those up to a cofacet of the column's own simplex (`last`), then eight times as many, and only then the band.
//! - *Storing the column.* Over Z/2 a column to which nothing was added is named by its simplex ([`Claim::Plain`]).

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::coboundary::{Coboundaries, Part, floor};
use super::front::Front;
use super::long::LONG;
use super::queue::{Queue, Term, cancel};
use super::walk::{WALKED, Walk};
use super::{AccessTimes, Claim, ReductionCounts, Shared, Submatrix, Version};
use crate::parallel::lock;
use crate::progress::check;
use crate::rips::apparent_pairs::join;
use crate::rips::code::CofacetEntries;
use crate::rips::complex::Band;
use crate::rips::field::Field;
use crate::rips::pair_store::Found;
use crate::rips::word::Word;

/// The first band of a column is this part of all ranks, from the rank of its pivot on.
const FIRST_BAND: u32 = 64;

/// Ranks that the first band of a column has at the least: to enumerate coboundaries again takes longer than to push what so few more have.
const LEAST_BAND: u32 = if cfg!(test) { 1 } else { 64 };

/// The first [`Worker::reach`].
const FIRST_REACH: u32 = if cfg!(test) { 1 } else { 64 };

/// A column of so many simplices, or more, looks after each addition whether the run is to end.
const LOOKED: usize = 64;

/// A worker: its working column, scratch and counts.
pub(super) struct Worker<'a, W: Word, F: Field> {
    pub(super) shared: &'a Shared<'a, W, F>,
    pub(super) counts: ReductionCounts,
    /// Its number among workers.
    number: usize,
    /// The column that it reduces.
    j: usize,
    /// The working column's entries of ranks up to `band.to`. Those beyond are looked for when these run out: most
    /// columns find their pivot near their birth, and an entry that is never pushed costs next to nothing.
    pub(super) column: Queue<W, F>,
    /// The ranks looked at; while it is widened, those that are new.
    pub(super) band: Band,
    /// If there are any, the vertices of the last simplex that is looked at, which has the rank of the column, as has all before it.
    pub(super) last: Vec<u32>,
    /// How many vertices below that of the pivot the vertex lies that the column's simplex lacks of that one.
    reach: u32,
    /// Ranks the band grows by when it runs out.
    pub(super) step: u32,
    /// The simplices whose coboundaries add up to the working column, its own among them.
    pub(super) terms: Vec<Term<W, F>>,
    coboundaries: Coboundaries<'a, W, F>,
    /// Whether the working column is long, and lies in `front`, not in `column`.
    pub(super) is_long: bool,
    pub(super) front: Front<W, F>,
    /// Whether the working column is long, and lies in `walk` alone.
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
            column: Queue::new(shared.field),
            band: Band { from: 0, to: 0 },
            last: Vec::new(),
            reach: 0,
            step: 0,
            terms: Vec::new(),
            coboundaries: Coboundaries::new(shared.submatrix, shared.field),
            is_long: false,
            front: Front::new(shared.field, shared.submatrix.cofacet_code),
            is_walking: false,
            walk: None,
        }
    }

    /// Says that there are no more columns.
    pub(super) fn end(&self) {
        self.shared.last_columns.end(self.number);
    }

    /// Looks whether the run is to end or its state to be kept, and tells how far the column is whose pivot has this rank.
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
        let mut j = j;
        self.j = j;
        let mut is_built = false;
        let Some(mut pivot) = self.oldest_cofacet(j) else { return self.keep_essential(j, is_built) };
        loop {
            if let Some(found) = self.claimed(pivot.0) {
                let other = self.shared.column_of(found.value);
                if other > j {
                    let claim = self.claim(j, pivot.1, is_built);
                    let began = self.clock(|counts| &mut counts.write_times);
                    let is_replaced = self.shared.store.replace(found, claim);
                    self.counts.write_times.end(began);
                    if !is_replaced {
                        continue;
                    }
                    self.counts.layer1_writes += 1;
                    (j, self.j) = (other, other);
                    self.restore(found.value, pivot.0);
                    is_built = true;
                } else {
                    self.build(j, &mut is_built, pivot);
                    self.add_column(found.value, pivot.1);
                }
            } else if let Some(facet) = self.cancelling_facet(pivot) {
                self.build(j, &mut is_built, pivot);
                self.counts.additions += 1;
                self.add_term(facet);
            } else {
                let claim = self.claim(j, pivot.1, is_built);
                let began = self.clock(|counts| &mut counts.write_times);
                let is_inserted = self.shared.store.insert(pivot.0, claim).is_ok();
                self.counts.write_times.end(began);
                if is_inserted {
                    self.counts.layer1_writes += 1;
                    return;
                }
                continue;
            }
            if self.terms.len() >= LOOKED {
                self.look(self.shared.submatrix.cofacet_code.rank(pivot.0));
            }
            match self.pop(j) {
                Some(next) => pivot = next,
                None => return self.keep_essential(j, is_built),
            }
        }
    }

    /// The time at which an access to the pair store begins, if it is one of those that are timed.
    #[inline]
    fn clock(&mut self, kind: fn(&mut ReductionCounts) -> &mut AccessTimes) -> Option<Instant> {
        if self.shared.submatrix.times_store { kind(&mut self.counts).begin() } else { None }
    }

    /// The column that claims a pivot, looked up in layer 1.
    fn claimed(&mut self, pivot: W) -> Option<Found> {
        let began = self.clock(|counts| &mut counts.layer1_read_times);
        let found = self.shared.store.get(pivot);
        self.counts.layer1_reads += 1;
        self.counts.layer1_read_times.end(began);
        found
    }

    /// The first pivot of column j.
    fn oldest_cofacet(&mut self, j: usize) -> Option<Term<W, F>> {
        let submatrix = self.shared.submatrix;
        let (code, entry) = (&submatrix.code, submatrix.columns[j]);
        let vertices = &mut self.coboundaries.vertices;
        code.vertices_of(entry, vertices);
        let oldest = submatrix.complex.oldest_cofacet(vertices, code.rank(entry))?;
        let mut entries = CofacetEntries::new(code, &submatrix.cofacet_code, entry, vertices);
        let (cofacet, below) = entries.entry(oldest.vertex, oldest.rank);
        Some((cofacet, self.shared.field.sign(below)))
    }

    /// Makes the working column the coboundary of simplex j, unless it is built; then puts the pivot back that was taken out.
    fn build(&mut self, j: usize, is_built: &mut bool, pivot: Term<W, F>) {
        if *is_built {
            if self.is_walking {
                // The walk finds it once more.
            } else if self.is_long {
                self.front.push(pivot)
            } else {
                self.column.push(pivot)
            }
            return;
        }
        *is_built = true;
        self.shared.touched[j].store(true, Ordering::Relaxed);
        self.reset(j, pivot.0);
        self.add_term(self.own(j));
    }

    /// An empty working column j whose pivot is known to be `pivot` or later.
    fn reset(&mut self, j: usize, pivot: W) {
        self.terms.clear();
        self.column.reset(pivot);
        if self.is_long {
            self.is_long = false;
            self.front.close();
        }
        if self.is_walking {
            self.end_walk();
        }
        let submatrix = self.shared.submatrix;
        let rank = submatrix.cofacet_code.rank(pivot);
        self.step = (submatrix.ranks / FIRST_BAND + 1).max(LEAST_BAND);
        self.band = Band { from: rank, to: rank.saturating_add(self.step) };
        self.last.clear();
        if submatrix.code.rank(submatrix.columns[j]) == rank {
            self.reach = FIRST_REACH;
            self.look_up_to(j, pivot);
        }
    }

    /// Sets the last simplex that is looked at: a cofacet of the simplex of column j some vertices after `pivot`. None is set if there is none.
    fn look_up_to(&mut self, j: usize, pivot: W) {
        let Submatrix { code, cofacet_code, columns, .. } = self.shared.submatrix;
        let vertices = &mut self.coboundaries.vertices;
        cofacet_code.vertices_of(pivot, &mut self.last);
        code.vertices_of(columns[j], vertices);
        let at_pivot = floor(vertices, &self.last);
        let below = (0..=at_pivot.saturating_sub(self.reach)).rev().find(|vertex| !vertices.contains(vertex));
        self.last.clear();
        if let Some(vertex) = below.filter(|_| at_pivot > self.reach) {
            self.last.extend_from_slice(vertices);
            join(&mut self.last, vertex);
        }
    }

    /// What of coboundaries is looked at.
    fn part(band: Band, last: &[u32]) -> Part<'_> {
        if last.is_empty() { Part::all(band) } else { Part { band: Band { to: band.from, ..band }, last } }
    }

    /// Makes the working column anew of the simplices that add up to it. What comes before the last pivot is left out.
    pub(super) fn enumerate_again(&mut self) {
        self.column.reset(self.column.last());
        self.add_all();
    }

    /// Adds the part that is looked at of the coboundaries of all simplices that add up to the working column.
    fn add_all(&mut self) {
        cancel(self.shared.field, &mut self.terms);
        for k in 0..self.terms.len() {
            if k % LOOKED == LOOKED - 1 {
                check(self.shared.submatrix.progress);
            }
            self.add_simplex(self.terms[k]);
        }
    }

    /// Takes the pivot out of the working column j.
    fn pop(&mut self, j: usize) -> Option<Term<W, F>> {
        if self.terms.len() >= WALKED && !self.is_walking {
            self.go_on_as_long(j);
        }
        if self.is_walking {
            return self.pop_walk();
        }
        if self.is_long {
            return self.pop_long(j);
        }
        loop {
            let pivot = self.column.pop();
            if pivot.is_none() && !self.last.is_empty() {
                self.reach = self.reach.saturating_mul(8);
                self.look_up_to(j, self.column.last());
                self.enumerate_again();
                continue;
            }
            if pivot.is_some() || self.band.to >= self.shared.submatrix.ranks {
                return pivot;
            }
            self.widen();
        }
    }

    /// Goes on with the working column j, which has some simplices, by a walk or as a long one, if it is time for that. One that is long already is
    /// walked as soon as it can be.
    #[cold]
    fn go_on_as_long(&mut self, j: usize) {
        let terms = self.terms.len();
        match self.walked_from() {
            Some(least) if terms < least => {}
            Some(_) if self.begin_walk(j) => {}
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

    /// Simplex j with coefficient one.
    fn own(&self, j: usize) -> Term<W, F> {
        (self.shared.submatrix.columns[j], self.shared.field.one())
    }

    /// Makes the working column the stored one that `value` stands for.
    fn restore(&mut self, value: u64, pivot: W) {
        let j = self.shared.column_of(value);
        self.reset(j, pivot);
        let one = self.shared.field.one();
        self.add_claimed(value, one);
        self.shared.touched[j].store(true, Ordering::Relaxed);
    }

    /// Adds a stored column so that the pivot, with coefficient `c`, cancels.
    fn add_column(&mut self, value: u64, c: F::Coefficient) {
        self.counts.additions += 1;
        self.add_claimed(value, self.shared.field.neg(c));
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

    /// Adds a simplex's coboundary and notes it in the column of V.
    fn add_term(&mut self, term: Term<W, F>) {
        if self.is_walking {
            return self.flip(term.0);
        }
        self.terms.push(term);
        self.add_simplex(term);
    }

    /// Adds the part within the band of a simplex's coboundary.
    fn add_simplex(&mut self, term: Term<W, F>) {
        let Worker { coboundaries, column, front, band, last, .. } = self;
        let part = Self::part(*band, last);
        if self.is_long {
            coboundaries.of(term, part, |term| front.push(term));
        } else {
            coboundaries.of(term, part, |term| column.push(term));
        }
    }

    /// The multiple of the σ of a zero apparent pair (σ, τ) whose coboundary cancels the pivot τ, if there is one.
    fn cancelling_facet(&mut self, pivot: Term<W, F>) -> Option<Term<W, F>> {
        let began = self.clock(|counts| &mut counts.layer2_read_times);
        self.counts.layer2_reads += 1;
        let facet = self.coboundaries.cancelling(pivot);
        self.counts.layer2_read_times.end(began);
        facet
    }

    /// Makes `terms` the simplices that add up to column j, each once.
    fn collect_terms(&mut self, j: usize, is_built: bool) {
        if !is_built {
            self.terms.clear();
            self.terms.push(self.own(j));
        } else if self.is_walking {
            self.walked_terms();
        }
        cancel(self.shared.field, &mut self.terms);
    }

    /// Keeps column j, which has come to zero, if it may be wanted; and that it has, if that is kept.
    fn keep_essential(&mut self, j: usize, is_built: bool) {
        if self.shared.is_kept {
            self.shared.zeros.push(j);
        }
        if let Some(essential) = &self.shared.essential {
            self.collect_terms(j, is_built);
            let _ = lock(essential).insert(j, self.terms.clone());
        }
    }

    /// Stores column j, whose pivot has coefficient `c`, and gives what to put in the pair store.
    fn claim(&mut self, j: usize, c: F::Coefficient, is_built: bool) -> u64 {
        let field = self.shared.field;
        self.collect_terms(j, is_built);
        if F::UNIT && self.terms.len() == 1 {
            return Claim::Plain(j).encode();
        }
        let scale = field.inverse(c);
        let terms = self.terms.iter().map(|&(entry, c)| (entry, field.mul(c, scale))).collect();
        Claim::Version(self.shared.versions.push(Version { column: j, terms })).encode()
    }
}
