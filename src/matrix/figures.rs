//! What a reduction counted: the figures of HYPHA's tables.

use std::time::Duration;

use serde::Serialize;

use super::Dimension;

/// Counts of a reduction, and the seconds of its stages in the order they ran.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Figures {
    /// Column additions done.
    pub additions: u64,
    /// Stages: name, seconds.
    pub stages: Vec<(&'static str, f64)>,
    /// Blocks in the order they were solved, where each is solved in a way of its own.
    pub blocks: Vec<Block>,
}

/// How the columns of one dimension were solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The dimension of the columns.
    pub dim: Dimension,
    /// How.
    #[serde(flatten)]
    pub method: Method,
}

/// Ways to solve a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum Method {
    /// The scan left nothing open.
    Scan,
    /// Union-find: columns are edges.
    Graph,
    /// Union-find: rows are edges.
    DualGraph,
    /// Annotations.
    Annotations {
        /// Columns that were looked at.
        columns: usize,
        /// Pairs found beside the stable ones.
        pairs: usize,
    },
    /// Reduction of the open columns.
    Residue {
        /// Whether the block was anti-transposed.
        dual: bool,
        /// Open columns.
        columns: usize,
        /// Column additions.
        additions: u64,
    },
}

impl Figures {
    /// Notes how long a stage took; further laps of a stage are added.
    pub(crate) fn lap(&mut self, stage: &'static str, took: Duration) {
        let seconds = took.as_secs_f64();
        match self.stages.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, sum)) => *sum += seconds,
            None => self.stages.push((stage, seconds)),
        }
    }
}
