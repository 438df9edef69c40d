//! Options for reading distances: the format, the rows and columns of a table, the choice between two distances of a
//! pair.

use super::DistanceFormat;
use crate::input::{Place, Problem};
use std::fmt;
use std::str::FromStr;

/// Options for reading distances. Missing ones are derived from the file; an ambiguous file is an error.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DistanceOptions {
    /// The format.
    pub format: Option<DistanceFormat>,
    /// Number of lines to skip at the top of a text. If given, a first row of numbers is data.
    pub skip_rows: Option<usize>,
    /// Columns of a text to read. If given, all of them are data.
    pub columns: Option<Columns>,
    /// Decimal separator of the numbers in a text.
    pub decimal: Option<Decimal>,
    /// The choice between two different distances that a square matrix or a list of edges gives for a pair.
    pub symmetrize: Option<Symmetrize>,
    /// Meaning of the diagonal of a matrix.
    pub diagonal: Diagonal,
    /// Name of the array to read from an archive.
    pub key: Option<String>,
}

impl DistanceOptions {
    /// Whether the diagonal holds births.
    pub(in crate::metric) fn has_births(&self) -> bool {
        self.diagonal == Diagonal::Births
    }
}

/// The options by which an input is read, and findings about it.
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) options: DistanceOptions,
    /// The format of the input, given or detected.
    pub(super) format: Option<DistanceFormat>,
    /// The reason for the format, if it was detected.
    pub(super) detection: Option<String>,
    /// Messages for the user.
    pub(crate) notes: Vec<String>,
}

impl Context {
    pub(crate) fn new(options: DistanceOptions) -> Self {
        Context { format: options.format, options, ..Context::default() }
    }

    pub(super) fn detected(&mut self, format: DistanceFormat, why: String) {
        (self.format, self.detection) = (Some(format), Some(why));
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

/// Columns of a table, 1-based: ascending ranges that do not touch, the last one possibly unbounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(Vec<(usize, usize)>);

impl Columns {
    /// All columns from `first` on, 1-based.
    pub(super) fn from(first: usize) -> Self {
        Columns(vec![(first, usize::MAX)])
    }

    /// Whether column `column`, 1-based, is included.
    pub(super) fn contains(&self, column: usize) -> bool {
        self.0.iter().any(|&(first, last)| (first..=last).contains(&column))
    }

    /// Number of columns that a row must at least have.
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

impl FromStr for Columns {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let error = || {
            let expected = "ascending numbers from 1 and ranges such as 1-3,5,7-";
            Problem::new(Place::Named("columns".to_owned()), expected, format!("{text:?}"))
        };
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

/// Decimal separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Decimal {
    /// `2.5`.
    Point,
    /// `2,5`.
    Comma,
}

/// Meaning of the diagonal of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Diagonal {
    /// Distances of points to themselves, which are 0.
    #[default]
    Zero,
    /// The births of the points of a weighted Vietoris–Rips filtration, `inf` for never. The entry of two points is the
    /// birth of their edge, hence at least the births of both. An entry that is smaller only by rounding, up to 1e-4 of
    /// the greatest finite distance as everywhere, is raised to them, with a note.
    Births,
}

/// The choice between d(i, j) and d(j, i) of a square matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Symmetrize {
    /// The distance below the diagonal.
    Lower,
    /// The distance above the diagonal.
    Upper,
    /// The mean of both.
    Mean,
    /// The greater distance.
    Max,
    /// The smaller distance.
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
