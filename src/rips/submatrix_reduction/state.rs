//! The state of a reduction in progress, as a checkpoint stores it: its claims.
//!
//! The [procedure](super#reduction-without-locks) can continue from any set of claims in which each column occurs at
//! most once and each version has the pivot of its claim: columns without a claim are reduced again from the beginning.
//! So the table may be read without locks while workers change it. A column is then seen in one of these ways:
//!
//! - It is under one pivot; or under none, because it is being reduced or was moved during the read.
//! - It is under two pivots, because a worker took its pivot over, and stored it under a later one, between the reads
//!   of both. The later claim is saved, since its version is further reduced.
//! - It became zero, and may have been seen under a pivot before. It is saved as zero: for this the list of zeros is
//!   read after the table.
//!
//! A column that is [walked](super::walk) or [long](super::long) has no claim before it is stored. It is then stored
//! like any other, by the simplices that add up to it; its bits are not saved. A run interrupted in the middle of a
//! column begins that column again. The longest column of 250 random distances in dimension 2, with those whose pivots
//! it took over, took 1.6 s of 120 s of reduction on two threads, and that of 165 points 0.03 s of 1.8 s: this loss is
//! smaller than that of the work between two saves.

use super::{Claim, Shared, Submatrix, Version};
use crate::memory::{self, Refused};
use crate::rips::code::Code;
use crate::rips::field::Field;
use crate::rips::word::{Word, limbs};
use crate::snapshot::{Fill, Reader, SnapshotError, facts};

/// The kind of the checkpoint of a dimension's reduction.
const REDUCTION: &str = "reduced columns of distances";

/// The name of the checkpoint of a dimension's reduction.
pub(in crate::rips) fn reduction_name(dim: usize) -> String {
    format!("reduction-{dim}")
}

/// The reduced columns of a submatrix.
pub(super) struct State<W> {
    /// The claimed pivots.
    pivots: Vec<W>,
    /// The column that claims each pivot, and the number of its terms. A column without terms consists of its own
    /// simplex.
    claims: Vec<(usize, usize)>,
    /// The entries and coefficients of the terms of all claims, one claim after another.
    terms: Vec<(W, u16)>,
    /// The columns that became zero.
    zeros: Vec<usize>,
}

/// Reads a table of entries, and checks that they are simplices of a complex of `points` points with ranks below
/// `ranks`.
///
/// # Errors
/// They are not, or the table is damaged.
pub(in crate::rips) fn entries<W: Word>(
    payload: &mut Reader<'_>,
    what: &'static str,
    code: &Code<W>,
    points: usize,
    ranks: u32,
) -> Result<Vec<W>, SnapshotError> {
    let limbs: Vec<u64> = payload.table(what)?;
    if !limbs.len().is_multiple_of(W::LIMBS) {
        return Err(payload.unexpected(what, "whole entries", "a part of one"));
    }
    let (entries, mut vertices) = (W::from_limb_list(limbs), Vec::new());
    let is_simplex = |&entry: &W| {
        let rank = code.rank(entry);
        code.vertices_of(entry, &mut vertices);
        rank < ranks
            && vertices.first().is_some_and(|&v| (v as usize) < points)
            && vertices.is_sorted_by(|a, b| a > b)
            && code.entry(rank, vertices.iter().copied()) == entry
    };
    if entries.iter().all(is_simplex) {
        return Ok(entries);
    }
    let dim = code.vertices() - 1;
    Err(payload.unexpected(what, format!("simplices of dimension {dim} of this graph"), "others"))
}

impl<W: Word> State<W> {
    /// The saved state of the reduction of these columns, if there is one.
    ///
    /// # Errors
    /// [`SnapshotError`]: the saved state is invalid.
    pub(super) fn load(submatrix: &Submatrix<'_, W>, modulus: u16) -> Result<Option<Self>, SnapshotError> {
        let checkpoint = submatrix.progress.checkpoint();
        let name = reduction_name(submatrix.code.vertices() as usize - 1);
        let Some(snapshot) = checkpoint.load(&name, REDUCTION)? else { return Ok(None) };
        let mut payload = snapshot.payload_of(REDUCTION)?;
        let Submatrix { complex, code, cofacet_code, ranks, columns, .. } = *submatrix;
        let (count, p): (u64, u16) = payload.record("columns and modulus")?;
        if (count, p) != (columns.len() as u64, modulus) {
            let expected = format!("{} columns over Z/{modulus}", columns.len());
            let found = format!("{count} columns over Z/{p}");
            return Err(payload.unexpected("columns and modulus", expected, found));
        }
        let points = complex.points();
        let pivots = entries(&mut payload, "pivots", &cofacet_code, points, ranks)?;
        let terms: Vec<W> = entries(&mut payload, "terms", &code, points, ranks)?;
        let claims: Vec<(usize, usize)> = payload.table("columns and numbers of terms")?;
        let coefficients: Vec<u16> = payload.table("coefficients")?;
        let zeros: Vec<usize> = payload.table("columns of zeros")?;
        let count = claims.iter().fold(0usize, |sum, claim| sum.saturating_add(claim.1));
        let are_alike = claims.len() == pivots.len() && count == terms.len();
        if !are_alike || coefficients.len() != if modulus == 2 { 0 } else { terms.len() } {
            return Err(payload.unexpected("claims", "tables that go together", "others"));
        }
        if !coefficients.iter().all(|c| (1..modulus).contains(c)) {
            return Err(payload.unexpected("coefficients", "numbers from 1 below the modulus", "others"));
        }
        let coefficient = |k: usize| coefficients.get(k).copied().unwrap_or(1);
        let terms = terms.into_iter().enumerate().map(|(k, term)| (term, coefficient(k))).collect();
        let mut is_seen = vec![false; columns.len()];
        for &j in claims.iter().map(|(column, _)| column).chain(&zeros) {
            if is_seen.get(j) != Some(&false) {
                let found = format!("column {j} of {}, or again", columns.len());
                return Err(payload.unexpected("claims", "each column once", found));
            }
            is_seen[j] = true;
        }
        let mut claimed = pivots.clone();
        claimed.sort_unstable();
        if claimed.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(payload.unexpected("claims", "each pivot once", "one of them again"));
        }
        payload.end()?;
        Ok(Some(State { pivots, claims, terms, zeros }))
    }
}

impl<W: Word, F: Field> Shared<'_, W, F> {
    /// Adopts the claims of a saved state before any worker begins. Returns which columns need not be reduced.
    pub(super) fn restore(&self, state: &State<W>) -> Result<Vec<bool>, Refused> {
        let mut is_settled = memory::filled(false, self.submatrix.columns.len())?;
        let mut rest = &state.terms[..];
        for (&pivot, &(column, count)) in state.pivots.iter().zip(&state.claims) {
            let (terms, after) = rest.split_at(count);
            rest = after;
            let claim = if terms.is_empty() {
                Claim::Plain(column)
            } else {
                self.touched[column].store(true, std::sync::atomic::Ordering::Relaxed);
                let terms = terms.iter().map(|&(entry, c)| (entry, self.field.of_number(c))).collect();
                Claim::Version(self.versions.push(Version { column, terms }))
            };
            // Each pivot occurs once.
            let _ = self.store.insert(pivot, claim.encode());
            is_settled[column] = true;
        }
        for &column in &state.zeros {
            self.zeros.push(column);
            is_settled[column] = true;
        }
        Ok(is_settled)
    }

    /// Saves the current claims. Workers may continue meanwhile.
    #[cold]
    pub(super) fn save(&self) {
        let Submatrix { code, columns, progress, .. } = self.submatrix;
        let mut claims: Vec<(usize, W, u64)> =
            self.store.iter().map(|(pivot, value)| (self.column_of(value), pivot, value)).collect();
        // Read after the table, so that a column that became zero since it was seen there is saved as zero.
        let mut zeros: Vec<usize> = self.zeros.iter().map(|(_, &column)| column).collect();
        zeros.sort_unstable();
        claims.retain(|claim| zeros.binary_search(&claim.0).is_err());
        // If a column was seen under several pivots, the latest comes first and is saved.
        claims.sort_unstable_by(|a, b| (a.0, b.1).cmp(&(b.0, a.1)));
        claims.dedup_by_key(|claim| claim.0);
        let terms_of = |value: u64| -> &[_] {
            match Claim::decode(value) {
                Claim::Plain(_) => &[],
                Claim::Version(version) => &self.versions[version].terms,
            }
        };
        let terms = || claims.iter().flat_map(|claim| terms_of(claim.2));
        let count = terms().count();
        let is_binary = self.modulus == 2;
        let dim = code.vertices() as usize - 1;
        let facts = facts([
            ("dimension", dim.to_string()),
            ("columns", columns.len().to_string()),
            ("reduced", (claims.len() + zeros.len()).to_string()),
            ("simplices added up", count.to_string()),
        ]);
        let fill: Fill<'_> = &mut |out| {
            out.record(&(columns.len() as u64, self.modulus))?;
            out.list(claims.len() * W::LIMBS, claims.iter().flat_map(|claim| limbs(claim.1)))?;
            out.list(count * W::LIMBS, terms().flat_map(|&(entry, _)| limbs(entry)))?;
            out.list(claims.len(), claims.iter().map(|claim| (claim.0, terms_of(claim.2).len())))?;
            let coefficients = terms().map(|(_, c)| self.field.number(*c));
            out.list(if is_binary { 0 } else { count }, coefficients.filter(|_| !is_binary))?;
            out.record(&zeros)
        };
        progress.checkpoint().save(&reduction_name(dim), REDUCTION, &facts, fill);
    }

    /// Saves the claims if a save is due and it is this thread's turn.
    #[inline]
    pub(super) fn save_if_due(&self) {
        if self.is_kept && self.submatrix.progress.checkpoint().takes_turn() {
            self.save();
        }
    }
}
