//! How a file of distances is to be read: its format, the rows and columns of a table, which of two distances of a pair counts.

use super::DistanceFormat;
use super::diagonal::{Diagonal, Entries};
use std::fmt;
use std::str::FromStr;

/// How a file of distances is to be read. What is not given is found out from the file; a file that can be read in two ways is refused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DistanceOptions {
    /// The format.
    pub format: Option<DistanceFormat>,
    /// The number of lines left out at the top of a text. Once it is given, a first row of numbers is data.
    pub skip_rows: Option<usize>,
    /// The columns of a text that are read. Once they are given, all of them are data.
    pub columns: Option<Columns>,
    /// What separates the whole part of a number in a text from its fraction.
    pub decimal: Option<Decimal>,
    /// Which of the two distances of a pair counts where a square matrix or a list of edges holds two that differ.
    pub symmetrize: Option<Symmetrize>,
    /// What the diagonal of a matrix holds.
    pub diagonal: Diagonal,
    /// The array of an archive of several.
    pub key: Option<String>,
}

impl DistanceOptions {
    /// How the entries of a matrix are read.
    pub(super) fn entries(&self) -> Entries {
        Entries { symmetrize: self.symmetrize, diagonal: self.diagonal }
    }
}

impl From<Option<DistanceFormat>> for DistanceOptions {
    fn from(format: Option<DistanceFormat>) -> Self {
        DistanceOptions { format, ..DistanceOptions::default() }
    }
}

impl From<DistanceFormat> for DistanceOptions {
    fn from(format: DistanceFormat) -> Self {
        Some(format).into()
    }
}

/// Columns of a table, counted from 1: ascending ranges that do not touch, the last one perhaps without end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(Vec<(usize, usize)>);

impl Columns {
    /// All columns from `first` on, 1-based.
    pub(super) fn from(first: usize) -> Self {
        Columns(vec![(first, usize::MAX)])
    }

    /// Whether column `column`, 1-based, is among them.
    pub(super) fn contains(&self, column: usize) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&column))
    }

    /// The greatest column that a row must have, 1-based.
    pub(super) fn needed(&self) -> usize {
        self.0.last().map_or(0, |&(first, last)| if last == usize::MAX { first } else { last })
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, &(first, last)) in self.0.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            match last {
                usize::MAX => write!(f, "{comma}{first}-")?,
                _ if first == last => write!(f, "{comma}{first}")?,
                _ => write!(f, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

/// Text that names no columns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("columns: expected ascending numbers from 1 and ranges such as 1-3,5,7-, found {found:?}")]
#[non_exhaustive]
pub struct UnknownColumns {
    /// The text found.
    pub found: String,
}

impl FromStr for Columns {
    type Err = UnknownColumns;

    fn from_str(text: &str) -> Result<Self, UnknownColumns> {
        let error = || UnknownColumns { found: text.to_owned() };
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for part in text.split(',') {
            let (first, last) = match part.split_once('-') {
                None => (part, part),
                Some((first, last)) => (first, last),
            };
            let first: usize = first.trim().parse().map_err(|_| error())?;
            let last = match last.trim() {
                "" => usize::MAX,
                last => last.parse().map_err(|_| error())?,
            };
            let after = ranges.last().map_or(0, |range| range.1);
            if first <= after || last < first {
                return Err(error());
            }
            ranges.push((first, last));
        }
        Ok(Columns(ranges))
    }
}

/// What separates the whole part of a number from its fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Decimal {
    /// `2.5`.
    Point,
    /// `2,5`.
    Comma,
}

/// The distance of two points of which a square matrix holds two, d(i, j) and d(j, i).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Symmetrize {
    /// The one below the diagonal.
    Lower,
    /// The one above the diagonal.
    Upper,
    /// The mean of both.
    Mean,
    /// The greater one.
    Max,
    /// The smaller one.
    Min,
}

impl Symmetrize {
    /// Every choice.
    pub const ALL: [Symmetrize; 5] =
        [Symmetrize::Lower, Symmetrize::Upper, Symmetrize::Mean, Symmetrize::Max, Symmetrize::Min];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_ascending_ranges() {
        for text in ["1", "1-3", "2-", "1,3,5-7", "1-2,4-"] {
            assert_eq!(text.parse::<Columns>().unwrap().to_string(), text);
        }
        let some: Columns = "1,3,5-7".parse().unwrap();
        assert_eq!((1..9).filter(|&c| some.contains(c)).collect::<Vec<_>>(), [1, 3, 5, 6, 7]);
        assert_eq!((some.needed(), "2-".parse::<Columns>().unwrap().needed()), (7, 2));
        for text in ["", "0", "-2", "3-1", "1-3,2", "2,1", "1-,3", "a", "1--2", "1,,2"] {
            assert!(text.parse::<Columns>().is_err(), "{text}");
        }
    }
}
