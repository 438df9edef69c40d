//! One thread's reduction of one column after another.

use std::sync::atomic::Ordering;

use super::queue::{Queue, Term, cancel};
use super::{Claim, Counts, Shared, Version};
use crate::rips::code::CofacetEntries;
use crate::rips::complex::{Band, Complex};
use crate::rips::field::Field;
use crate::rips::word::Word;

/// A column is first looked at this part of all ranks past its pivot.
const FIRST_BAND: u32 = 64;

/// Scratch and counts of a thread.
pub(super) struct Worker<'a, C, W: Word, F: Field> {
    shared: &'a Shared<'a, C, W, F>,
    pub(super) counts: Counts,
    /// The working column's entries of ranks up to `band.to`. Those beyond are looked for when these run out: most
    /// columns find their pivot near their birth, and an entry that is never pushed costs next to nothing.
    column: Queue<W, F>,
    /// The ranks looked at; while it is widened, those that are new.
    band: Band,
    /// Ranks the band grows by when it runs out.
    step: u32,
    /// The simplices added up to get it, its own among them.
    terms: Vec<Term<W, F>>,
    vertices: Vec<u32>,
    cofacet: Vec<u32>,
    facet: Vec<u32>,
}

impl<'a, C: Complex, W: Word, F: Field> Worker<'a, C, W, F> {
    pub(super) fn new(shared: &'a Shared<'a, C, W, F>) -> Self {
        Worker {
            shared,
            counts: Counts::default(),
            column: Queue::new(shared.task.field),
            band: Band { from: 0, to: 0 },
            step: 0,
            terms: Vec::new(),
            vertices: Vec::new(),
            cofacet: Vec::new(),
            facet: Vec::new(),
        }
    }

    /// Reduces column j, and whatever it takes over, to the end.
    pub(super) fn reduce(&mut self, j: usize) {
        let Some(mut pivot) = self.oldest_cofacet(j) else { return };
        let mut j = j;
        // The column is not built until something is to be added to it.
        let mut built = false;
        loop {
            self.counts.layer1_reads += 1;
            match self.shared.store.get(pivot.0) {
                Some(found) => {
                    let other = self.shared.column_of(found.value);
                    if other > j {
                        let claim = self.claim(j, pivot.1, built);
                        if self.shared.store.replace(found, claim) {
                            self.counts.layer1_writes += 1;
                            // On with the column that lost its pivot.
                            j = other;
                            self.restore(found.value, pivot.0);
                            built = true;
                            let Some(again) = self.pop() else { return };
                            pivot = again;
                        }
                        continue;
                    }
                    self.build(j, &mut built, pivot);
                    self.add_column(found.value, pivot.1);
                }
                None => match self.apparent_facet(pivot.0) {
                    Some((facet, coefficient)) => {
                        self.build(j, &mut built, pivot);
                        let field = self.shared.task.field;
                        let factor = field.neg(field.mul(pivot.1, field.inverse(coefficient)));
                        self.counts.additions += 1;
                        self.terms.push((facet, factor));
                        self.vertices.clear();
                        self.vertices.extend_from_slice(&self.facet);
                        self.add_coboundary((facet, factor));
                    }
                    None => {
                        let claim = self.claim(j, pivot.1, built);
                        if self.shared.store.insert(pivot.0, claim).is_ok() {
                            self.counts.layer1_writes += 1;
                            return;
                        }
                        continue;
                    }
                },
            }
            match self.pop() {
                Some(next) => pivot = next,
                None => return,
            }
        }
    }

    /// The first pivot of column j.
    fn oldest_cofacet(&mut self, j: usize) -> Option<Term<W, F>> {
        let task = self.shared.task;
        let entry = task.columns[j];
        task.code.vertices_of(entry, &mut self.vertices);
        let (w, rank) = task.complex.oldest_cofacet(&self.vertices, task.code.rank(entry))?;
        let mut cofacets = CofacetEntries::new(&task.code, &task.cofacet_code, entry, &self.vertices);
        let (cofacet, below) = cofacets.entry(w, rank);
        Some((cofacet, task.field.sign(below)))
    }

    /// Makes the working column j's coboundary, unless it is built; then puts the pivot back that was taken out.
    fn build(&mut self, j: usize, built: &mut bool, pivot: Term<W, F>) {
        if *built {
            self.column.push(pivot);
            return;
        }
        *built = true;
        self.shared.touched[j].store(true, Ordering::Relaxed);
        self.reset(pivot.0);
        self.add_term(self.own(j));
    }

    /// An empty working column whose pivot is known to be `pivot` or later.
    fn reset(&mut self, pivot: W) {
        self.terms.clear();
        self.column.reset(pivot);
        let task = self.shared.task;
        let rank = task.cofacet_code.rank(pivot);
        self.step = task.ranks / FIRST_BAND + 1;
        self.band = Band { from: rank, to: rank.saturating_add(self.step) };
    }

    /// Takes the pivot out of the working column.
    fn pop(&mut self) -> Option<Term<W, F>> {
        loop {
            let pivot = self.column.pop();
            if pivot.is_some() || self.band.to >= self.shared.task.ranks {
                return pivot;
            }
            self.widen();
        }
    }

    /// Looks at the next ranks.
    fn widen(&mut self) {
        let from = self.band.to + 1;
        self.step = self.step.saturating_mul(2);
        self.band = Band { from, to: from.saturating_add(self.step) };
        cancel(self.shared.task.field, &mut self.terms);
        for k in 0..self.terms.len() {
            self.add_simplex(self.terms[k]);
        }
        self.band.from = 0;
    }

    /// The simplex of column j.
    fn own(&self, j: usize) -> Term<W, F> {
        (self.shared.task.columns[j], self.shared.task.field.one())
    }

    /// Makes the working column the stored one that `value` stands for.
    fn restore(&mut self, value: u64, pivot: W) {
        self.reset(pivot);
        let one = self.shared.task.field.one();
        self.add_claimed(value, one);
        let j = self.shared.column_of(value);
        self.shared.touched[j].store(true, Ordering::Relaxed);
    }

    /// Adds a stored column so that the pivot, with coefficient `c`, cancels.
    fn add_column(&mut self, value: u64, c: F::Coefficient) {
        self.counts.additions += 1;
        self.add_claimed(value, self.shared.task.field.neg(c));
    }

    /// Adds `factor` times a stored column, whose pivot has coefficient one.
    fn add_claimed(&mut self, value: u64, factor: F::Coefficient) {
        let shared = self.shared;
        match Claim::decode(value) {
            Claim::Plain(column) => self.add_term((shared.task.columns[column], factor)),
            Claim::Version(version) => {
                for &(entry, c) in &shared.versions[version].terms {
                    self.add_term((entry, shared.task.field.mul(c, factor)));
                }
            }
        }
    }

    /// Adds a simplex's coboundary and notes it in the column of V.
    fn add_term(&mut self, term: Term<W, F>) {
        self.terms.push(term);
        self.add_simplex(term);
    }

    fn add_simplex(&mut self, term: Term<W, F>) {
        self.shared.task.code.vertices_of(term.0, &mut self.vertices);
        self.add_coboundary(term);
    }

    /// Adds the coboundary of the simplex with vertices `self.vertices`.
    fn add_coboundary(&mut self, (entry, factor): Term<W, F>) {
        let task = self.shared.task;
        let mut cofacets = CofacetEntries::new(&task.code, &task.cofacet_code, entry, &self.vertices);
        let column = &mut self.column;
        task.complex.cofacets(&self.vertices, task.code.rank(entry), self.band, |w, rank| {
            let (cofacet, below) = cofacets.entry(w, rank);
            column.push((cofacet, task.field.mul(factor, task.field.sign(below))));
        });
    }

    /// The σ of the zero apparent pair (σ, τ), its vertices in `self.facet`, and the coefficient of τ in its
    /// coboundary.
    fn apparent_facet(&mut self, cofacet: W) -> Option<(W, F::Coefficient)> {
        self.counts.layer2_reads += 1;
        let task = self.shared.task;
        task.cofacet_code.vertices_of(cofacet, &mut self.cofacet);
        let rank = task.cofacet_code.rank(cofacet);
        let omitted = task.apparent.facet(task.complex, cofacet, &self.cofacet, rank, &mut self.facet)?;
        let below = self.cofacet.len() - 1 - omitted;
        let entry = task.code.entry(rank, self.facet.iter().copied());
        Some((entry, task.field.sign(below)))
    }

    /// Stores column j, whose pivot has coefficient `c`, and gives what to put in the pair store.
    fn claim(&mut self, j: usize, c: F::Coefficient, built: bool) -> u64 {
        let task = self.shared.task;
        if !built {
            self.terms.clear();
            self.terms.push(self.own(j));
        }
        cancel(task.field, &mut self.terms);
        if F::UNIT && self.terms.len() == 1 {
            return Claim::Plain(j).encode();
        }
        let scale = task.field.inverse(c);
        let terms = self.terms.iter().map(|&(entry, c)| (entry, task.field.mul(c, scale))).collect();
        Claim::Version(self.shared.versions.push(Version { column: j, terms })).encode()
    }
}
