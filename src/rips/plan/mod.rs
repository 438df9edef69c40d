//! The choices of a run, made once, as data: `choose` makes them, `explain` prints them as text.

pub(super) mod choose;
mod explain;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::diagram::infinite;
use crate::memory::MemoryPlan;
use crate::rips::RepresentativeKind;
use crate::rips::pair_store::SecondLayer;
use crate::rips::rank::PairSearch;

/// Whether edge collapse comes first; see [`edge_collapse`](crate::rips::edge_collapse).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Collapse {
    /// Edges are collapsed as long as that is expected to save time.
    #[default]
    Auto,
    /// All edges are used.
    Off,
    /// All edges are tried: each that does not affect the barcode is left out, or enters later.
    On,
}

/// Data structure of the complex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A square matrix of ranks.
    Dense,
    /// Sorted neighbour lists, with adjacency bitsets when `bitsets`.
    Sparse {
        /// Whether adjacency bitsets of n² bits are made.
        bitsets: bool,
    },
}

/// The choices of a run and the reasons for them. Its [`Display`](std::fmt::Display) form, one line per choice, is the
/// output of `lacuna rips --explain`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// Number of points.
    pub points: usize,
    /// Number of edges up to the threshold; only those of a spanning tree if `search` is [`PairSearch::SpanningTree`].
    pub edges: usize,
    /// The greatest homology dimension computed: `asked_dim`, or n − 2 if that is less.
    pub max_dim: usize,
    /// The greatest homology dimension asked for.
    pub asked_dim: usize,
    /// The coefficient field Z/p.
    pub modulus: u16,
    /// The threshold used.
    #[serde(deserialize_with = "infinite::deserialize")]
    pub threshold: f64,
    /// Whether `threshold` is the enclosing radius.
    pub enclosing_radius: bool,
    /// How the distances were found.
    #[serde(default)]
    pub search: PairSearch,
    /// Number of ranks: of distinct distances up to the threshold, including zero, unless `keys_are_ranks`.
    pub ranks: usize,
    /// Whether distances are ranked without counting them: each number of their precision from the least to the
    /// greatest distance has a rank.
    #[serde(default)]
    pub keys_are_ranks: bool,
    /// Bits of a stored rank: 16 or 32.
    pub rank_width: u32,
    /// Bits of a simplex index.
    pub index_width: u32,
    /// Bits of a packed (rank, index) entry: 64, 128 or 512.
    pub entry_width: u32,
    /// Dense or sparse.
    pub shape: Shape,
    /// The second layer of the pair store. If a sorted one does not fit in memory, it is implicit.
    pub pair_store: SecondLayer,
    /// The kinds of representatives requested, if any. Edges are then not collapsed, since representatives consist of
    /// simplices of the whole filtration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub representatives: Vec<RepresentativeKind>,
    /// Maximum numbers of tables for long columns of dimension 1, which are annotated, and of dimension 2, where each
    /// thread that walks a column has a table of its own. Without tables, columns are reduced entry by entry.
    #[serde(default)]
    pub walkers: [usize; 2],
    /// Number of threads.
    pub threads: usize,
    /// The device that constructs the residue, and why it was chosen.
    pub backend: String,
    /// The memory plan.
    #[serde(default)]
    pub memory: MemoryPlan,
    /// Instruction set of the sweeps.
    pub simd: Cow<'static, str>,
}

impl Plan {
    /// The device without the reason: `cpu` or `cuda`.
    pub fn backend_name(&self) -> &str {
        self.backend.split(':').next().unwrap_or_default()
    }
}
