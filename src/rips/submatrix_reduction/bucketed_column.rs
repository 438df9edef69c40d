//! The entries of a long column: those in a window of ranks, in buckets by rank.
//!
//! A column to which tens of thousands of simplices were added has millions of entries, most of which cancel. The queue
//! for short columns moves an entry several times before it is taken out. Here an entry is put into the bucket of its
//! rank, where it stays until all earlier buckets are done. Then the bucket is sorted, entries that cancel are removed,
//! and the reduction continues from the rest.

use rayon::prelude::*;

use super::queue::{Term, add_up, sort};
use crate::rips::code::Code;
use crate::rips::complex::Band;
use crate::rips::field::Field;
use crate::rips::word::Word;

/// Number of buckets in a window.
pub(super) const BUCKETS: usize = 128;

/// Fewest entries for which all threads sort a bucket together, unless words are rare.
const SORTED_BY_ALL: usize = if cfg!(test) { 8 } else { 1 << 11 };

/// An entry of the current bucket.
struct Live<W: Word, F: Field> {
    term: Term<W, F>,
    /// Whether the entry is known to be in no apparent pair whose facet may be added to the column.
    is_stop: bool,
}

/// The entries in a window of ranks.
pub(super) struct BucketedColumn<W: Word, F: Field> {
    field: F,
    code: Code<W>,
    /// The ranks of the window.
    window: Band,
    /// Number of ranks per bucket.
    width: u32,
    buckets: Vec<Vec<Term<W, F>>>,
    /// The index of the current bucket.
    at: usize,
    /// The distinct entries of the current bucket in descending order, so that the first one is at the end.
    live: Vec<Live<W, F>>,
    /// Terms of the current bucket that are not sorted in yet.
    pushed: Vec<Term<W, F>>,
    /// The last pivot. Entries before it are known to cancel in the end and are dropped.
    last: W,
}

/// Terms grouped by bucket.
pub(super) struct Arranged<W: Word, F: Field> {
    terms: Vec<Term<W, F>>,
    /// The end of each bucket in `terms`.
    ends: Vec<u32>,
}

impl<W: Word, F: Field> Arranged<W, F> {
    /// The number of terms.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }
}

impl<W: Word, F: Field> BucketedColumn<W, F> {
    pub(super) fn new(field: F, code: Code<W>) -> Self {
        BucketedColumn {
            field,
            code,
            window: Band { from: 0, to: 0 },
            width: 1,
            buckets: Vec::new(),
            at: 0,
            live: Vec::new(),
            pushed: Vec::new(),
            last: W::ZERO,
        }
    }

    /// Opens an empty window. Pivots come after `last`.
    pub(super) fn open(&mut self, window: Band, last: W) {
        self.width = (window.to - window.from) / BUCKETS as u32 + 1;
        self.window = window;
        self.buckets.resize_with(BUCKETS, Vec::new);
        self.buckets.iter_mut().for_each(Vec::clear);
        self.at = 0;
        self.live.clear();
        self.pushed.clear();
        self.last = last;
    }

    /// Frees the memory.
    pub(super) fn close(&mut self) {
        (self.buckets, self.live, self.pushed) = Default::default();
    }

    pub(super) fn last(&self) -> W {
        self.last
    }

    /// The bucket of an entry of the window.
    #[inline(always)]
    fn bucket(&self, entry: W) -> usize {
        (self.code.rank(entry).saturating_sub(self.window.from) / self.width) as usize
    }

    /// Adds a term whose rank is in the window or before it.
    #[inline(always)]
    pub(super) fn push(&mut self, term: Term<W, F>) {
        let bucket = self.bucket(term.0);
        if bucket > self.at {
            self.buckets[bucket].push(term);
        } else if bucket == self.at && term.0 >= self.last {
            self.pushed.push(term);
        }
    }

    /// Groups terms of the window by bucket. Several threads may call this at the same time.
    pub(super) fn arrange(&self, terms: &[Term<W, F>]) -> Arranged<W, F> {
        let mut ends = vec![0; BUCKETS];
        terms.iter().for_each(|&(entry, _)| ends[self.bucket(entry)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        let mut arranged = terms.to_vec();
        for &term in terms {
            let end = &mut ends[self.bucket(term.0)];
            arranged[*end as usize] = term;
            *end += 1;
        }
        Arranged { terms: arranged, ends }
    }

    /// Adds terms that were grouped for this window.
    pub(super) fn extend(&mut self, arranged: &Arranged<W, F>) {
        let mut start = 0;
        for (bucket, &end) in arranged.ends.iter().enumerate() {
            let terms = &arranged.terms[start..end as usize];
            start = end as usize;
            if bucket > self.at {
                self.buckets[bucket].extend_from_slice(terms);
            } else if bucket == self.at {
                self.pushed.extend(terms.iter().filter(|term| term.0 >= self.last));
            }
        }
    }

    /// The first entry, and whether it is a stop; `None` if the window is empty.
    pub(super) fn first(&mut self) -> Option<(Term<W, F>, bool)> {
        loop {
            self.settle();
            if let Some(first) = self.live.last() {
                return Some((first.term, first.is_stop));
            }
            while self.at < BUCKETS && self.buckets[self.at].is_empty() {
                self.at += 1;
            }
            if self.at == BUCKETS {
                return None;
            }
            self.pushed = std::mem::take(&mut self.buckets[self.at]);
        }
    }

    /// Removes the first entry, which becomes the last pivot.
    pub(super) fn take_first(&mut self) {
        if let Some(first) = self.live.pop() {
            self.last = first.term.0;
        }
    }

    /// The first entries that are not stops, at most `most`, with their positions. With `is_one_a_rank` only the first
    /// entry of each rank is considered.
    pub(super) fn candidates(&self, most: usize, is_one_a_rank: bool) -> Vec<(usize, Term<W, F>)> {
        let rank = |place: usize| self.live.get(place).map(|live| self.code.rank(live.term.0));
        let is_first = |place: usize| !is_one_a_rank || rank(place) != rank(place + 1);
        let live = self.live.iter().enumerate().rev();
        let wanted = live.filter(|&(place, live)| !live.is_stop && is_first(place));
        wanted.map(|(place, live)| (place, live.term)).take(most).collect()
    }

    /// Marks the entry at a position as a stop.
    pub(super) fn stop_at(&mut self, place: usize) {
        self.live[place].is_stop = true;
    }

    /// Sorts the pushed terms into the current bucket.
    fn settle(&mut self) {
        if self.pushed.is_empty() {
            return;
        }
        let field = self.field;
        if !W::IS_RARE && self.pushed.len() >= SORTED_BY_ALL {
            self.pushed.par_sort_unstable_by_key(|&(entry, _)| entry);
        } else {
            sort(&mut self.pushed);
        }
        add_up(field, &mut self.pushed);
        let mut merged = Vec::with_capacity(self.live.len() + self.pushed.len());
        let mut live = std::mem::take(&mut self.live).into_iter().peekable();
        for &term in self.pushed.iter().rev() {
            while let Some(other) = live.next_if(|other| other.term.0 > term.0) {
                merged.push(other);
            }
            match live.next_if(|other| other.term.0 == term.0) {
                None => merged.push(Live { term, is_stop: false }),
                Some(other) => {
                    let sum = field.add(field.add(F::ZERO, other.term.1), term.1);
                    if let Some(c) = field.non_zero(sum) {
                        merged.push(Live { term: (term.0, c), ..other });
                    }
                }
            }
        }
        merged.extend(live);
        self.live = merged;
        self.pushed.clear();
    }
}
