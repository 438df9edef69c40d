//! Statistics of a reduction, as in HYPHA's tables.

use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use phat_formats::Dimension;

/// Counts of a reduction, and the durations of its stages in the order they ran.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Figures {
    /// Number of column additions.
    pub additions: u64,
    /// Stages: name and duration in seconds.
    pub stages: Vec<(Cow<'static, str>, f64)>,
    /// Methods of the blocks in the order in which the sieve solved them.
    pub blocks: Vec<Block>,
    /// Counts of HYPHA's stages.
    pub hypha: Option<HyphaFigures>,
    /// Distribution of the additions of the standard algorithm over columns.
    pub distribution: Option<Distribution>,
}

/// Counts of HYPHA's stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HyphaFigures {
    /// Stable columns: their low is the leftmost one of its row, so they are reduced without an addition.
    pub stable: usize,
    /// Other non-zero columns that the scan clears: those of the lows of stable columns.
    pub scan_cleared: usize,
    /// The remaining non-zero columns.
    pub unstable: usize,
    /// Unstable columns that clearing made zero.
    pub cleared_columns: usize,
    /// Entries of these columns.
    pub cleared_entries: usize,
    /// Unstable columns that compression made zero.
    pub compressed_columns: usize,
    /// Entries that compression removed, less those that it brought in.
    pub compressed_entries: isize,
    /// Additions of stable columns in compression.
    pub compression_additions: u64,
}

/// Distribution of the additions of the standard algorithm over columns (Zhang et al. 2019, Tables 1 and 2).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Distribution {
    /// Number of all columns.
    pub columns: usize,
    /// Number of columns without an addition.
    pub without_additions: usize,
    /// Number of columns with additions outside the tail.
    pub non_tail: usize,
    /// Size of the tail: the smallest set of columns with more than half of all additions.
    pub tail: usize,
    /// Number of columns of the tail that reduce to zero.
    pub tail_creators: usize,
    /// Least number of additions of a column in the tail. Columns outside it may have as many.
    pub tail_least: u64,
    /// Greatest number of additions of a column.
    pub most: u64,
}

impl Distribution {
    /// Computes the distribution from the number of additions of each column and whether it reduced to zero.
    pub fn of(additions: &[u64], is_zero: impl Fn(usize) -> bool) -> Self {
        let some = additions.iter().filter(|&&count| count > 0).count();
        let tail = Self::tail_of(additions);
        Distribution {
            columns: additions.len(),
            without_additions: additions.len() - some,
            non_tail: some - tail.len(),
            tail: tail.len(),
            tail_creators: tail.iter().filter(|&&column| is_zero(column)).count(),
            tail_least: tail.last().map_or(0, |&column| additions[column]),
            most: tail.first().map_or(0, |&column| additions[column]),
        }
    }

    /// The columns of the tail by descending number of additions; ties go from left to right.
    pub fn tail_of(additions: &[u64]) -> Vec<usize> {
        let mut columns: Vec<usize> = (0..additions.len()).filter(|&column| additions[column] > 0).collect();
        crate::sort::stable(&mut columns, &|&a, &b| additions[b].cmp(&additions[a]));
        let all: u64 = additions.iter().sum();
        let mut taken = 0;
        let outside = columns.iter().position(|&column| {
            let is_outside = 2 * taken > all;
            taken += additions[column];
            is_outside
        });
        columns.truncate(outside.unwrap_or(columns.len()));
        columns
    }
}

/// The columns of one dimension and the method that found their pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Block {
    /// The dimension of the columns.
    pub dim: Dimension,
    /// The method that found their pairs.
    #[serde(flatten)]
    pub method: Method,
}

/// Methods that find the pairs of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// Scan: it paired all cells of the block.
    Scan,
    /// Union-find on the graph whose edges are the columns.
    Graph,
    /// Union-find on the graph whose edges are the rows.
    DualGraph,
    /// Annotations.
    Annotations {
        /// Number of columns that were processed.
        columns: usize,
        /// Number of pairs found besides the stable ones.
        pairs: usize,
    },
    /// Reduction of the open columns.
    Residue {
        /// Whether the block was anti-transposed.
        dual: bool,
        /// Number of open columns.
        columns: usize,
        /// Number of column additions.
        additions: u64,
    },
}

impl Figures {
    /// Adds the time on a clock to the total of a stage, and starts the clock anew.
    pub(super) fn lap(&mut self, stage: &'static str, clock: &mut Instant) {
        let seconds = std::mem::replace(clock, Instant::now()).elapsed().as_secs_f64();
        match self.stages.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, sum)) => *sum += seconds,
            None => self.stages.push((stage.into(), seconds)),
        }
    }
}

impl std::fmt::Display for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "dimension {}: ", self.dim)?;
        match self.method {
            Method::Scan => f.write_str("the scan left nothing open"),
            Method::Graph => f.write_str("union-find, for no column has more than two ones"),
            Method::DualGraph => f.write_str("union-find backwards, for no row has more than two ones"),
            Method::Annotations { columns, pairs } => {
                write!(
                    f,
                    "annotations, for few classes live at a time: {columns} columns read, {pairs} pairs found"
                )
            }
            Method::Residue { dual, columns, additions } => {
                let what = if dual { "open rows of the anti-transpose" } else { "open columns" };
                write!(f, "reduction of {columns} {what}, {additions} additions")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_are_the_fewest_columns_that_take_more_than_half() {
        let found = Distribution::of(&[0, 4, 1, 2, 0, 4, 4], |column| column == 5);
        let expected = Distribution {
            columns: 7,
            without_additions: 2,
            non_tail: 3,
            // The tail is two of the three columns with 4 additions: 8 of 15.
            tail: 2,
            tail_creators: 1,
            tail_least: 4,
            most: 4,
        };
        assert_eq!(found, expected);
        assert_eq!(Distribution::tail_of(&[3, 1, 1, 1]), [0, 1]);
        assert_eq!(Distribution::of(&[0], |_| true).tail, 0);
    }
}
