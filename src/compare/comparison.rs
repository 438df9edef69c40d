//! The result of a comparison.

use std::cmp::Ordering;
use std::fmt;
use std::io::{self, Write};
use std::iter::repeat_n;

use phat_formats::dipha::DiagramPoint;

/// The matched elements of two barcodes A and B, and the differences.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Comparison {
    /// Numbers of compared bars, or pairs and essential cells, in A and in B.
    pub sizes: [usize; 2],
    /// Number of elements of A that were matched, each with one of B.
    pub matched: usize,
    /// The unmatched elements of A and of B, sorted by dimension, birth and death.
    pub only: [Vec<Entry>; 2],
    /// Notes on the comparison.
    pub notes: Vec<Note>,
}

/// A bar, or a pair of cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Entry {
    /// A bar.
    Bar(DiagramPoint),
    /// A pair of cells.
    Pair {
        /// The cell that creates the class.
        birth: u64,
        /// The cell that destroys the class.
        death: u64,
    },
    /// The cell of an essential class.
    EssentialCell {
        /// The cell that creates the class.
        birth: u64,
    },
}

/// A note on a comparison. Side 0 is A, side 1 is B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A dimension of the other side is missing on this side, and was taken as empty.
    AbsentDimension {
        /// The dimension.
        dim: u32,
        /// The side without the dimension.
        side: usize,
    },
    /// A dimension of the other side is unfinished on this side, and was compared with the bars that exist.
    UnfinishedDimension {
        /// The dimension.
        dim: u32,
        /// The side whose run was ended early.
        side: usize,
    },
    /// This side does not give the cells of essential classes, so those of the other side were not compared.
    NoEssentialCells {
        /// The side without essential cells.
        side: usize,
    },
}

impl Comparison {
    /// Whether all elements were matched.
    pub fn is_same(&self) -> bool {
        self.only.iter().all(Vec::is_empty)
    }

    /// The unmatched elements of both sides with their side, sorted by dimension, birth and death.
    pub fn differences(&self) -> Vec<(usize, Entry)> {
        let side = |side: usize| self.only[side].iter().map(move |&entry| (side, entry));
        let mut all: Vec<_> = side(0).chain(side(1)).collect();
        all.sort_by(|(_, a), (_, b)| a.order(b));
        all
    }

    /// Writes the notes, the first `most` differences and a line of counts. `names` are the names of the sides.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, names: [&str; 2], most: usize, out: &mut dyn Write) -> io::Result<()> {
        for note in &self.notes {
            writeln!(out, "note: {}", note.text(names))?;
        }
        let differences = self.differences();
        for (side, entry) in differences.iter().take(most) {
            writeln!(out, "only in {}: {entry}", names[*side])?;
        }
        if let Some(more @ 1..) = differences.len().checked_sub(most) {
            writeln!(out, "and {more} more")?;
        }
        let ([a, b], [size_a, size_b], matched) = (names, self.sizes, self.matched);
        let verdict = if self.is_same() { "same" } else { "different" };
        writeln!(out, "{verdict}: {size_a} in {a}, {size_b} in {b}, {matched} matched")
    }

    /// Compares two multisets whose elements match only if they are equal.
    pub(super) fn add_exact<T: Copy + Ord>(&mut self, a: &[T], b: &[T], entry: impl Fn(T) -> Entry) {
        let mut all: Vec<(T, usize)> = a.iter().map(|&x| (x, 0)).chain(b.iter().map(|&x| (x, 1))).collect();
        all.sort();
        for equal in all.chunk_by(|p, q| p.0 == q.0) {
            let of_a = equal.partition_point(|&(_, side)| side == 0);
            let of_b = equal.len() - of_a;
            self.matched += of_a.min(of_b);
            self.only[0].extend(repeat_n(entry(equal[0].0), of_a.saturating_sub(of_b)));
            self.only[1].extend(repeat_n(entry(equal[0].0), of_b.saturating_sub(of_a)));
        }
    }

    pub(super) fn sort(&mut self) {
        for side in &mut self.only {
            side.sort_by(Entry::order);
        }
    }
}

impl Entry {
    /// Order by dimension, birth and death; pairs of cells come before essential cells.
    fn order(&self, other: &Entry) -> Ordering {
        match (self, other) {
            (Entry::Bar(a), Entry::Bar(b)) => {
                let births = || a.birth.total_cmp(&b.birth);
                let deaths = || a.essential.cmp(&b.essential).then_with(|| a.death.total_cmp(&b.death));
                a.dim.cmp(&b.dim).then_with(births).then_with(deaths)
            }
            _ => self.cells().cmp(&other.cells()),
        }
    }

    fn cells(&self) -> (u8, u64, u64) {
        match *self {
            Entry::Bar(_) => (0, 0, 0),
            Entry::Pair { birth, death } => (1, birth, death),
            Entry::EssentialCell { birth } => (2, birth, 0),
        }
    }
}

impl fmt::Display for Entry {
    /// Formats as `dim 1 [0.5,1.5)`, `dim 0 [0.0, )`, `(3,7)` or `(3, )`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Bar(DiagramPoint { dim, birth, death, essential: false }) => {
                write!(f, "dim {dim} [{birth:?},{death:?})")
            }
            Entry::Bar(DiagramPoint { dim, birth, death, .. }) if death.is_infinite() => {
                write!(f, "dim {dim} [{birth:?}, )")
            }
            Entry::Bar(DiagramPoint { dim, birth, death, .. }) => {
                write!(f, "dim {dim} [{birth:?}, ) of a filtration that ends at {death:?}")
            }
            Entry::Pair { birth, death } => write!(f, "({birth},{death})"),
            Entry::EssentialCell { birth } => write!(f, "({birth}, )"),
        }
    }
}

impl Note {
    /// The note in words; `names` are the names of the sides.
    pub fn text(&self, names: [&str; 2]) -> String {
        match *self {
            Note::AbsentDimension { dim, side } => {
                format!("dimension {dim} is absent from {}: taken as empty", names[side])
            }
            Note::UnfinishedDimension { dim, side } => {
                format!("dimension {dim} is unfinished in {}: taken as it is", names[side])
            }
            Note::NoEssentialCells { side } => {
                let other = names[1 - side];
                format!("{} does not give essential cells: those of {other} are not compared", names[side])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_elements_are_matched_once_each() {
        let mut comparison = Comparison::default();
        comparison.add_exact(&[3, 1, 1, 5], &[1, 4, 3, 3, 6], |birth| Entry::EssentialCell { birth });
        let cells = |births: &[u64]| births.iter().map(|&birth| Entry::EssentialCell { birth }).collect();
        let only: [Vec<Entry>; 2] = [cells(&[1, 5]), cells(&[3, 4, 6])];
        assert_eq!((comparison.matched, comparison.only), (2, only));
    }

    #[test]
    fn bars_are_shown_in_full() {
        let bar = |birth, death, essential| Entry::Bar(DiagramPoint { dim: 2, birth, death, essential });
        assert_eq!(bar(0.1, 1e300, false).to_string(), "dim 2 [0.1,1e300)");
        assert_eq!(bar(-1.0, f64::INFINITY, true).to_string(), "dim 2 [-1.0, )");
        assert_eq!(bar(0.0, 2.5, true).to_string(), "dim 2 [0.0, ) of a filtration that ends at 2.5");
        assert_eq!(Entry::Pair { birth: 3, death: 7 }.to_string(), "(3,7)");
        assert_eq!(Entry::EssentialCell { birth: 3 }.to_string(), "(3, )");
    }
}
