//! Reduction of long columns for which there is no cochain to [walk](super::walk) with.
//!
//! In each dimension a few columns, those of long-lived classes, take most of the time. Nearly all columns added to
//! them are coboundaries of apparent pairs, one for each entry. So many entries are cancelled at a time, on all threads
//! that have no columns left:
//!
//! ```text
//! the first entries e_1 < e_2 < … < e_k of the working column, but for those in no apparent pair (σ_i, e_i):
//!     column ← column + Σ c_i · coboundary of σ_i,      c_i such that e_i cancels
//! ```
//!
//! The coboundary of σ_i begins with e_i. So e_1 stays cancelled; e_2 does too, unless the coboundary of σ_1 contains
//! it, in which case it is cancelled again in the next round; and so on. The sum that is added in the end equals that
//! of cancelling one entry after another, since it is determined by the entries it cancels. A column that is added must
//! lie to the left ([invariant 2](super#reduction-without-locks)): for the pivot this always holds, for later entries
//! it is checked.
//!
//! The ranks are processed in windows. For each window the coboundaries of all simplices added so far are enumerated
//! again, also in parallel. The width of the next window is chosen so that it holds some entries per simplex; then
//! finding entries costs more than enumerating the window.

use super::Coboundaries;
use super::bucketed_column::Arranged;
use super::coboundary::Part;
use super::column::Worker;
use super::queue::{Term, cancel};
use crate::parallel;
use crate::rips::complex::Band;
use crate::rips::field::Field;
use crate::rips::word::Word;

/// Minimum number of simplices of a long column; 3 in tests, where columns are short.
pub(super) const LONG: usize = if cfg!(test) { 3 } else { 1 << 10 };
/// Number of entries that one thread processes at a time.
const AHEAD: usize = 64;
/// Number of pieces of work per thread.
const PIECES: usize = 4;
/// Number of simplices in a piece of enumeration work.
const ENUMERATED: usize = 512;
/// Target number of entries per simplex in a window.
const ENTRIES_EACH: f64 = 32.0;
/// Minimum and maximum of the target number of entries in a window.
const ENTRIES: [f64; 2] = if cfg!(test) { [4.0, 64.0] } else { [65_536.0, 4_194_304.0] };

/// The result of one piece of candidate entries.
struct Found<W: Word, F: Field> {
    /// Places of entries that have no apparent pair whose column may be added.
    stops: Vec<usize>,
    /// Multiples of the simplices that cancel the other entries. `entries` holds their coboundaries.
    added: Vec<Term<W, F>>,
    entries: Arranged<W, F>,
}

impl<W: Word, F: Field> Worker<'_, W, F> {
    /// Continues the working column as a long one.
    pub(super) fn lengthen(&mut self) {
        if !self.last.is_empty() {
            self.last.clear();
            self.enumerate_again();
        }
        self.is_long = true;
        let last = self.column.last();
        self.bucketed
            .open(Band { from: self.shared.submatrix.cofacet_code.rank(last), to: self.band.to }, last);
        let bucketed = &mut self.bucketed;
        self.column.drain(|term| bucketed.push(term));
    }

    /// Removes and returns the pivot of the long working column.
    pub(super) fn pop_long(&mut self) -> Option<Term<W, F>> {
        loop {
            self.look(self.shared.submatrix.cofacet_code.rank(self.bucketed.last()));
            match self.bucketed.first() {
                Some((pivot, true)) => {
                    self.bucketed.take_first();
                    return Some(pivot);
                }
                Some((_, false)) => self.cancel_many(),
                None if self.band.to >= self.shared.submatrix.ranks => return None,
                None => self.next_window(),
            }
        }
    }

    /// Cancels the first entries that are in apparent pairs.
    fn cancel_many(&mut self) {
        let threads = rayon::current_num_threads();
        // An edge is in an apparent pair with only one of its triangles, the first. For other simplices one entry in
        // ten is in an apparent pair, and many threads need many entries ahead to be busy.
        let is_one_a_rank = self.shared.submatrix.code.vertices() == 2;
        let at_once = if is_one_a_rank { AHEAD * threads } else { AHEAD * threads * threads };
        let candidates = self.bucketed.candidates(at_once, is_one_a_rank);
        let piece_size = at_once / (PIECES * threads);
        let (shared, bucketed, part) = (self.shared, &self.bucketed, Part::all(self.band));
        // A column that is added must lie to the left.
        let own = shared.submatrix.columns[self.j];
        let piece = |number: usize| {
            let mut coboundaries = Coboundaries::new(shared.submatrix, shared.field);
            let mut entries = Vec::new();
            let (mut stops, mut added) = (Vec::new(), Vec::new());
            for &(place, term) in candidates.chunks(piece_size).nth(number).unwrap_or_default() {
                match coboundaries.cancelling(term).filter(|facet| facet.0 > own) {
                    None => stops.push(place),
                    Some(facet) => {
                        added.push(facet);
                        coboundaries.of(facet, part, |term| entries.push(term));
                    }
                }
            }
            Found { stops, added, entries: bucketed.arrange(&entries) }
        };
        let found = parallel::map(candidates.len().div_ceil(piece_size), &piece);
        self.counts.pair_store.layer2_reads += candidates.len() as u64;
        for Found { stops, added, entries } in found {
            stops.into_iter().for_each(|place| self.bucketed.stop_at(place));
            self.counts.additions += added.len() as u64;
            self.terms.extend(added);
            self.bucketed.extend(&entries);
        }
    }

    /// Enumerates the entries of the next window.
    fn next_window(&mut self) {
        let shared = self.shared;
        cancel(shared.field, &mut self.terms);
        let from = self.band.to + 1;
        let window = Band { from, to: from.saturating_add(self.step) };
        self.bucketed.open(window, self.bucketed.last());
        let (terms, bucketed) = (&self.terms, &self.bucketed);
        let piece = |number: usize| {
            let mut coboundaries = Coboundaries::new(shared.submatrix, shared.field);
            let mut entries = Vec::new();
            for &term in terms.chunks(ENUMERATED).nth(number).unwrap_or_default() {
                coboundaries.of(term, Part::all(window), |term| entries.push(term));
            }
            bucketed.arrange(&entries)
        };
        let found = parallel::map(terms.len().div_ceil(ENUMERATED), &piece);
        let entries: usize = found.iter().map(Arranged::len).sum();
        found.iter().for_each(|entries| self.bucketed.extend(entries));
        self.band = Band { from: 0, to: window.to };
        let wanted = (ENTRIES_EACH * self.terms.len() as f64).clamp(ENTRIES[0], ENTRIES[1]);
        let factor = (wanted / entries.max(1) as f64).clamp(0.25, 4.0);
        // The value is truncated and bounded by the number of ranks.
        self.step = ((f64::from(self.step) * factor) as u32).clamp(1, shared.submatrix.ranks);
    }
}
