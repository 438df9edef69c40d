//! The working column: a monotone priority queue of entries with cancellation.
//!
//! Additions never move a column's pivot back: the entries before it are zero and stay so. Hence a radix heap (Ahuja,
//! Mehlhorn, Orlin, Tarjan 1990): bucket k holds the entries whose highest bit that differs from the last pivot is bit
//! k−1. A push is a xor, a count of leading zeros and an append. Most entries never come near the pivot and are not
//! moved again. Entries before the last pivot are known to cancel in the end and are dropped.

use crate::rips::field::Field;
use crate::rips::word::Word;

/// A column entry and its coefficient.
pub(super) type Term<W, F> = (W, <F as Field>::Coefficient);

/// A column under reduction.
pub(super) struct Queue<W: Word, F: Field> {
    field: F,
    /// The last pivot that was taken out, or a lower bound of the first one.
    last: W,
    /// `W::BITS + 1` buckets.
    pub(super) buckets: Vec<Vec<Term<W, F>>>,
    /// Bit k mod 64 of limb k/64 says whether bucket k has entries.
    occupied: Vec<u64>,
    /// The length of each bucket above which it is compacted.
    limits: Vec<usize>,
}

/// Number of entries for which a bucket gets room when it receives its first one.
const FIRST: usize = 64;

/// The length at which a bucket is first compacted.
pub(super) const COMPACT: usize = 1 << 18;

impl<W: Word, F: Field> Queue<W, F> {
    pub(super) fn new(field: F) -> Self {
        let buckets = W::BITS as usize + 1;
        Queue {
            field,
            last: W::ZERO,
            buckets: std::iter::repeat_with(Vec::new).take(buckets).collect(),
            occupied: vec![0; buckets.div_ceil(64)],
            limits: vec![COMPACT; buckets],
        }
    }

    /// Empties the column. Its next pivot is `pivot` or later.
    pub(super) fn reset(&mut self, pivot: W) {
        for limb in 0..self.occupied.len() {
            while self.occupied[limb] != 0 {
                let k = 64 * limb + self.occupied[limb].trailing_zeros() as usize;
                self.buckets[k].clear();
                self.limits[k] = COMPACT;
                self.occupied[limb] &= self.occupied[limb] - 1;
            }
        }
        self.last = pivot;
    }

    /// Adds a term.
    #[inline(always)]
    pub(super) fn push(&mut self, term: Term<W, F>) {
        if term.0 < self.last {
            return;
        }
        let k = (W::BITS - (term.0 ^ self.last).leading_zeros()) as usize;
        let bucket = &mut self.buckets[k];
        if bucket.is_empty() {
            self.occupied[k / 64] |= 1 << (k % 64);
            if bucket.capacity() == 0 {
                bucket.reserve_exact(FIRST);
            }
        }
        bucket.push(term);
        if bucket.len() > self.limits[k] {
            self.compact(k);
        }
    }

    /// Removes and returns the pivot: the earliest entry whose coefficients do not sum to zero.
    pub(super) fn pop(&mut self) -> Option<Term<W, F>> {
        loop {
            let k = self.first_bucket()?;
            if k > 0 {
                self.advance(k);
            }
            let sum = self.buckets[0].iter().fold(F::ZERO, |sum, &(_, c)| self.field.add(sum, c));
            self.buckets[0].clear();
            self.occupied[0] &= !1;
            if let Some(c) = self.field.non_zero(sum) {
                return Some((self.last, c));
            }
        }
    }

    /// The last pivot that was taken out, or a lower bound of the first one.
    pub(super) fn last(&self) -> W {
        self.last
    }

    /// Removes all entries, in no particular order.
    pub(super) fn drain(&mut self, take: impl FnMut(Term<W, F>)) {
        self.buckets.iter_mut().flat_map(|bucket| bucket.drain(..)).for_each(take);
        self.occupied.fill(0);
        self.limits.fill(COMPACT);
    }

    fn first_bucket(&self) -> Option<usize> {
        let limb = self.occupied.iter().position(|&bits| bits != 0)?;
        Some(64 * limb + self.occupied[limb].trailing_zeros() as usize)
    }

    /// Makes the least entry of bucket k the last pivot and distributes the bucket over the lower ones.
    fn advance(&mut self, k: usize) {
        let mut bucket = std::mem::take(&mut self.buckets[k]);
        self.occupied[k / 64] &= !(1 << (k % 64));
        self.limits[k] = COMPACT;
        self.last = bucket.iter().fold(bucket[0].0, |least, &(e, _)| least.min(e));
        for &term in &bucket {
            self.push(term);
        }
        bucket.clear();
        self.buckets[k] = bucket;
    }

    /// Adds up equal entries. A bucket then grows to at most twice the number of its distinct entries, or to
    /// [`COMPACT`] if that is more.
    #[cold]
    fn compact(&mut self, k: usize) {
        cancel(self.field, &mut self.buckets[k]);
        self.limits[k] = COMPACT.max(2 * self.buckets[k].len());
        if self.buckets[k].is_empty() {
            self.occupied[k / 64] &= !(1 << (k % 64));
        }
    }
}

/// Sorts terms and adds up equal ones; those that sum to zero are removed.
pub(super) fn cancel<W: Word, F: Field>(field: F, terms: &mut Vec<Term<W, F>>) {
    sort(terms);
    add_up(field, terms);
}

/// Sorts terms by their entries.
pub(super) fn sort<W: Word, C: Copy>(terms: &mut [(W, C)]) {
    terms.sort_unstable_by_key(|&(entry, _)| entry);
}

/// Adds up equal terms of a sorted list; those that sum to zero are removed.
pub(super) fn add_up<W: Word, F: Field>(field: F, terms: &mut Vec<Term<W, F>>) {
    let (mut kept, mut at) = (0, 0);
    while at < terms.len() {
        let entry = terms[at].0;
        let mut sum = F::ZERO;
        while at < terms.len() && terms[at].0 == entry {
            sum = field.add(sum, terms[at].1);
            at += 1;
        }
        if let Some(c) = field.non_zero(sum) {
            terms[kept] = (entry, c);
            kept += 1;
        }
    }
    terms.truncate(kept);
}
