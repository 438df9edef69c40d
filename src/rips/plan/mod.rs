//! The choices of a run, made once, as data: `choose` makes them, `explain` puts them in words.

pub(super) mod choose;
mod explain;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::diagram::infinite;
use crate::memory::MemoryPlan;
use crate::metric::Value;
use crate::rips::RepresentativeKind;

/// How the second layer of the pair store is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SecondLayer {
    /// Apparent pairs are recomputed at look-up from the distances: no memory.
    #[default]
    Implicit,
    /// Apparent pairs are kept in an array sorted by cofacet: the paper's.
    Sorted,
}

/// Whether edges are collapsed before anything else; see [`edge_collapse`](crate::rips::edge_collapse).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Collapse {
    /// As long as it should take less time than it saves.
    #[default]
    Auto,
    /// All edges are used.
    Off,
    /// All edges without which the bars are the same are left out, or enter later.
    On,
}

/// How a filtration is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Threshold {
    /// The smallest r such that some point is within r of all others: past it the complex is a cone and nothing
    /// changes. Edge lists have none; they are taken whole.
    #[default]
    EnclosingRadius,
    /// Simplices of diameter up to this value, which is finite or infinite, not negative, not NaN.
    Value(f64),
}

impl Threshold {
    /// The value in the precision of distances, if one is given.
    pub(super) fn rounded<T: Value>(self) -> Option<T> {
        match self {
            Threshold::Value(t) => Some(T::from_f64(t)),
            Threshold::EnclosingRadius => None,
        }
    }
}

/// How the distances that are ranked were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum PairSearch {
    /// They are the input.
    #[default]
    Given,
    /// Of all pairs of points, because there is no finite threshold.
    All,
    /// Of all pairs of points, because a sample of pairs says that many are near enough.
    Dense,
    /// Of near points, which a k-d tree finds.
    Tree {
        /// Pairs of points that were compared.
        compared: u64,
    },
    /// Of all pairs of points, of which a spanning tree alone is ranked, because dimension 0 alone is wanted.
    #[serde(rename = "spanning-tree")]
    SpanningTree,
}

/// The shape the ranked distances are kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A square matrix of ranks.
    Dense,
    /// Sorted neighbour lists, with adjacency bitsets when `bitsets`.
    Sparse {
        /// Whether n² bits are affordable.
        bitsets: bool,
    },
}

/// What was chosen and why: `lacuna rips --explain` prints it, one line a choice, through [`Display`](std::fmt::Display).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// Number of points.
    pub points: usize,
    /// Number of edges up to the threshold; those of a spanning tree alone, where `search` says that these are ranked.
    pub edges: usize,
    /// The greatest homology dimension computed (what was asked, cut to n − 2).
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
    /// Number of ranks: of distinct distances up to the threshold, zero included, unless `keys_are_ranks`.
    pub ranks: usize,
    /// Whether distances are not counted: ranks are all numbers of their precision from the least distance to the greatest.
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
    /// The second layer of the pair store. A sorted one that was asked for and does not fit in memory is implicit.
    pub pair_store: SecondLayer,
    /// The kinds of representatives that were asked for, if any. Beside those that are simplices of the filtration no edges are collapsed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub representatives: Vec<RepresentativeKind>,
    /// Threads that may walk long columns of dimension 1 and of dimension 2 along the edges, each with a table of its own; the others, and all
    /// columns of higher dimensions, are reduced entry by entry.
    #[serde(default)]
    pub walkers: [usize; 2],
    /// Threads.
    pub threads: usize,
    /// Which machine constructs the residue, and why.
    pub backend: String,
    /// What memory is planned.
    #[serde(default)]
    pub memory: MemoryPlan,
    /// Instruction set the sweeps use.
    #[serde(deserialize_with = "simd_name")]
    pub simd: Name,
}

/// A name out of a list that the program knows. Deserialization would borrow a field of type `&str` from its input.
pub(super) type Name = &'static str;

/// Reads the name of an instruction set.
fn simd_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
    known_name(deserializer, &["AVX-512", "AVX2", "portable"])
}

/// Reads one of these names.
pub(super) fn known_name<'de, D: Deserializer<'de>>(
    deserializer: D,
    names: &'static [Name],
) -> Result<Name, D::Error> {
    let found = String::deserialize(deserializer)?;
    let known = names.iter().copied().find(|name| *name == found);
    known.ok_or_else(|| de::Error::unknown_variant(&found, names))
}

impl Plan {
    /// The machine alone: `cpu` or `cuda`.
    pub fn backend_name(&self) -> &str {
        self.backend.split(':').next().unwrap_or_default()
    }
}
