//! Compares the bars of two files, written by any program in any order.
//!
//! [`read`] reads barcodes, [`compare()`] compares them as multisets: of bars, dimension by dimension, or of pairs of
//! cells.
//!
//! | | same |
//! |---|---|
//! | pairs of cells | equal |
//! | finite bars | of equal dimension, births and deaths each within the tolerance |
//! | essential bars | of equal dimension, births within the tolerance |
//!
//! The death of an essential bar is written as infinity, as nothing or as `null`. JSON and DIPHA's diagrams
//! distinguish essential bars from bars that die at infinity: if both files do, the two kinds are compared
//! separately, otherwise they count as the same.
//!
//! Two multisets are the same if their elements can be matched one to one. A maximum matching is computed
//! ([`matching`]), so the result does not depend on the order of bars or on ties.
//!
//! DIPHA's diagrams give the end of the filtration as the death of essential classes. No other format does, so these
//! deaths are compared only if both files are DIPHA's.
//!
//! ```
//! use lacuna::compare::{compare, read::read_bytes};
//! let ripser = read_bytes("a.txt", b"persistence intervals in dim 0:\n [0,1.41421)\n [0, )\n", None)?;
//! let csv = read_bytes("b.csv", b"dim,birth,death\n0,0,inf\n0,0,1.4142135623730951\n", None)?;
//! assert!(compare(&ripser.barcode, &csv.barcode, 1e-5)?.is_same());
//! assert_eq!(compare(&ripser.barcode, &csv.barcode, 0.0)?.only[1].len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod barcode;
mod comparison;
pub mod matching;
pub mod read;
pub mod write;

pub use barcode::{Barcode, Bars, CellPairs, Kind};
pub use comparison::{Comparison, Entry, Note};

pub use phat_formats::dipha::DiagramPoint;

use crate::sort;

/// The error of two barcodes that cannot be compared.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// One file has bars, the other pairs of cells.
    #[error("expected two files of one kind, found {} and {}: they cannot be compared", kinds[0], kinds[1])]
    Kinds {
        /// The kinds of both files.
        kinds: [Kind; 2],
    },
    /// The tolerance is negative or NaN.
    #[error("tolerance: expected a non-negative number, found {found}")]
    Tolerance {
        /// The tolerance.
        found: f64,
    },
}

/// Compares two barcodes. Births and deaths may each differ by `tolerance`; pairs of cells must be equal.
///
/// # Errors
/// One has bars and the other pairs of cells; or the tolerance is negative or NaN.
pub fn compare(a: &Barcode, b: &Barcode, tolerance: f64) -> Result<Comparison, CompareError> {
    if tolerance.is_nan() || tolerance < 0.0 {
        return Err(CompareError::Tolerance { found: tolerance });
    }
    match (a, b) {
        (Barcode::Bars(a), Barcode::Bars(b)) => Ok(compare_bars(a, b, tolerance)),
        _ => match (a.cell_pairs(), b.cell_pairs()) {
            (Some(a), Some(b)) => Ok(compare_pairs(&a, &b)),
            _ => Err(CompareError::Kinds { kinds: [a.kind(), b.kind()] }),
        },
    }
}

fn compare_bars(a: &Bars, b: &Bars, tolerance: f64) -> Comparison {
    let ends = a.ends && b.ends;
    let tells_essential = a.tells_essential && b.tells_essential;
    let [bars_a, bars_b] = [a, b].map(|bars| classes(&bars.bars, ends, tells_essential));
    let mut comparison = Comparison { sizes: [bars_a.len(), bars_b.len()], ..Comparison::default() };
    let (mut rest_a, mut rest_b) = (bars_a.as_slice(), bars_b.as_slice());
    while let Some(class) = rest_a.iter().chain(rest_b).map(class_of).min() {
        let [here_a, here_b] = [&mut rest_a, &mut rest_b].map(|rest| take_class(rest, class));
        let [unmatched_a, unmatched_b] = matching::unmatched(&values(here_a), &values(here_b), tolerance);
        comparison.matched += here_a.len() - unmatched_a.len();
        comparison.only[0].extend(unmatched_a.into_iter().map(|k| Entry::Bar(here_a[k])));
        comparison.only[1].extend(unmatched_b.into_iter().map(|k| Entry::Bar(here_b[k])));
    }
    comparison.notes = absent_dimensions(a, b);
    comparison.sort();
    comparison
}

/// The properties that matched bars must share: dimension, and whether they are essential.
fn class_of(bar: &DiagramPoint) -> (u32, bool) {
    (bar.dim, bar.essential)
}

/// The bars, sorted by class. Essential bars die at infinity unless both sides give the end of the filtration. A bar
/// that dies at infinity counts as essential unless both sides distinguish the two.
fn classes(bars: &[DiagramPoint], ends: bool, tells_essential: bool) -> Vec<DiagramPoint> {
    let class = |bar: &DiagramPoint| {
        let essential = bar.essential || !tells_essential && bar.death == f64::INFINITY;
        let death = if essential && !ends { f64::INFINITY } else { bar.death };
        DiagramPoint { essential, death, ..*bar }
    };
    let mut bars: Vec<_> = bars.iter().map(class).collect();
    bars.sort_by_key(class_of);
    bars
}

/// Splits the bars of a class off the front of bars sorted by class, which must not contain earlier classes.
fn take_class<'a>(rest: &mut &'a [DiagramPoint], class: (u32, bool)) -> &'a [DiagramPoint] {
    let (here, after) = rest.split_at(rest.partition_point(|bar| class_of(bar) <= class));
    *rest = after;
    here
}

fn values(bars: &[DiagramPoint]) -> Vec<[f64; 2]> {
    bars.iter().map(|bar| [bar.birth, bar.death]).collect()
}

/// Notes on the dimensions that one side has and the other lacks or has not finished.
fn absent_dimensions(a: &Bars, b: &Bars) -> Vec<Note> {
    let absent = |known: &Bars, other: &Bars, side| {
        let is_absent = |dim: &u32| !other.has_dim(*dim) && !other.unfinished.contains(dim);
        let dims: Vec<u32> = known.dims.iter().copied().filter(is_absent).collect();
        let unfinished: Vec<u32> =
            other.unfinished.iter().copied().filter(|&dim| known.has_dim(dim)).collect();
        let unfinished = unfinished.into_iter().map(move |dim| Note::UnfinishedDimension { dim, side });
        dims.into_iter().map(move |dim| Note::AbsentDimension { dim, side }).chain(unfinished)
    };
    let mut notes: Vec<Note> = absent(a, b, 1).chain(absent(b, a, 0)).collect();
    let place = |note: &Note| match *note {
        Note::AbsentDimension { dim, side } | Note::UnfinishedDimension { dim, side } => (dim, side),
        Note::NoEssentialCells { side } => (0, side),
    };
    sort::stable(&mut notes, &|a, b| place(a).cmp(&place(b)));
    notes
}

fn compare_pairs(a: &CellPairs, b: &CellPairs) -> Comparison {
    let mut comparison = Comparison { sizes: [a.pairs.len(), b.pairs.len()], ..Comparison::default() };
    comparison.add_exact(&a.pairs, &b.pairs, |(birth, death)| Entry::Pair { birth, death });
    match (&a.essential, &b.essential) {
        (Some(a), Some(b)) => {
            comparison.sizes[0] += a.len();
            comparison.sizes[1] += b.len();
            comparison.add_exact(a, b, |birth| Entry::EssentialCell { birth });
        }
        (None, Some(_)) => comparison.notes.push(Note::NoEssentialCells { side: 0 }),
        (Some(_), None) => comparison.notes.push(Note::NoEssentialCells { side: 1 }),
        (None, None) => {}
    }
    comparison.sort();
    comparison
}
