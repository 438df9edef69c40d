//! Counts and times of the stages of a run: the columns of Ripser++'s Tables 1 and 3.

use std::borrow::Cow;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Counts and times of a whole run, with one entry per dimension from 1 up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stats {
    /// Dimensions 1, 2, …, in order.
    pub dimensions: Vec<DimensionStats>,
    /// Seconds from distances to ranks.
    pub rank_seconds: f64,
    /// Counts and times of edge collapse, if edges were collapsed. All other numbers then describe the collapsed graph.
    #[serde(default)]
    pub collapse: Option<CollapseStats>,
    /// Seconds for the pairs of dimension 0.
    pub components_seconds: f64,
    /// Peak number of bytes in use on a device; 0 without devices.
    pub device_memory: u64,
}

/// Counts and times of edge collapse.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CollapseStats {
    /// Number of edges before the collapse.
    pub before: usize,
    /// Number of edges tried, the last first; 0 if the edges were only given distinct ranks.
    #[serde(default)]
    pub tried: usize,
    /// Number of edges after the collapse.
    pub after: usize,
    /// Number of remaining edges that enter later than before.
    pub shifted: usize,
    /// Seconds for the collapse, and for a computation without it that was given up.
    pub seconds: f64,
    /// The last dimension in which bars of equal birth might have come in another order, if any. Their order was
    /// determined in a second computation, mostly of the barcode up to this dimension.
    pub ordered: Option<usize>,
    /// Seconds for the second computation.
    pub order_seconds: f64,
}

/// Counts and times of one dimension d: its d-simplices are the columns, their cofacets the rows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DimensionStats {
    /// The dimension d.
    pub dim: usize,
    /// The device that constructed the residue: `cpu` or `cuda`.
    pub backend: Cow<'static, str>,
    /// d-simplices with a diameter up to the threshold.
    pub simplices: u64,
    /// d-simplices that are the death of a pair of dimension d−1 (columns that clearing removes).
    pub cleared: u64,
    /// Pairs (d-simplex, cofacet) of equal diameter found by the apparent-pair search, never reduced.
    pub apparent: u64,
    /// `apparent` plus the residue columns paired, without any addition, with their first cofacet of equal diameter. If
    /// the pairs were found by annotations, where many distances are equal, no column of the residue is counted.
    pub shortcut: u64,
    /// `shortcut` plus the residue columns paired, without any addition, with their oldest cofacet, likewise.
    pub emergent: u64,
    /// Finite pairs of this dimension, including those of length zero.
    pub pairs: u64,
    /// Columns without a pair: essential classes.
    pub essential: u64,
    /// Columns that are neither cleared nor apparent: the submatrix that is reduced.
    pub residue: u64,
    /// Column additions: coboundaries of stored columns and of apparent facets added to a working column.
    /// Depends on the schedule when there is more than one thread, as do the pair store's reads.
    pub additions: u64,
    /// Reads and writes of the two layers of the pair store.
    pub pair_store: PairStoreStats,
    /// Seconds of filtration construction with clearing and apparent-pair search.
    pub assembly_seconds: f64,
    /// Seconds in which devices swept, before or during `assembly_seconds`; 0 without devices.
    pub device_seconds: f64,
    /// Seconds of submatrix reduction.
    pub reduction_seconds: f64,
    /// Seconds from pairs to representatives, without tightening; 0 if none are wanted.
    #[serde(default)]
    pub representatives_seconds: f64,
    /// Seconds of tightening cycles; 0 if it is not wanted.
    #[serde(default)]
    pub tightening_seconds: f64,
}

/// Look-ups and insertions by layer: 1 holds pairs found by reduction, 2 the apparent pairs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PairStoreStats {
    /// Look-ups in layer 1.
    pub layer1_reads: u64,
    /// Insertions into layer 1.
    pub layer1_writes: u64,
    /// Look-ups in layer 2.
    pub layer2_reads: u64,
    /// Pairs written to layer 2 (none when it is implicit).
    pub layer2_writes: u64,
    /// Look-ups in layer 1 by clearing; the others are those of the reduction.
    pub clearing_reads: u64,
    /// Seconds of sorting layer 2, on devices or on the CPU; 0 when it is implicit.
    pub layer2_sort_seconds: f64,
    /// Seconds of copying layer 2 from devices, not included in `layer2_sort_seconds`.
    pub layer2_copy_seconds: f64,
    /// Seconds of merging the parts of layer 2 that threads or devices found, not included in the other two.
    pub layer2_list_seconds: f64,
    /// Seconds of insertions into layer 1, and of reading the clock once for each, summed over threads; 0 unless
    /// [`Rips::time_pair_store`](super::Rips::time_pair_store) enables timing.
    pub layer1_write_seconds: f64,
    /// Seconds of the reduction's look-ups in both layers, and of reading the clock once for each, summed over threads;
    /// 0 unless timing is enabled.
    pub read_seconds: f64,
}

impl PairStoreStats {
    /// The look-ups of clearing: one for each undecided simplex.
    pub(super) fn of_clearing(undecided: u64) -> Self {
        PairStoreStats { layer1_reads: undecided, clearing_reads: undecided, ..PairStoreStats::default() }
    }
}

impl AddAssign for PairStoreStats {
    fn add_assign(&mut self, other: PairStoreStats) {
        self.layer1_reads += other.layer1_reads;
        self.layer1_writes += other.layer1_writes;
        self.layer2_reads += other.layer2_reads;
        self.layer2_writes += other.layer2_writes;
        self.clearing_reads += other.clearing_reads;
        self.layer2_sort_seconds += other.layer2_sort_seconds;
        self.layer2_copy_seconds += other.layer2_copy_seconds;
        self.layer2_list_seconds += other.layer2_list_seconds;
        self.layer1_write_seconds += other.layer1_write_seconds;
        self.read_seconds += other.read_seconds;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_back_from_json() {
        let dimension =
            DimensionStats { dim: 2, backend: "cuda".into(), simplices: 7, ..DimensionStats::default() };
        let stats = Stats { dimensions: vec![DimensionStats::default(), dimension], ..Stats::default() };
        let json = serde_json::to_string(&stats).unwrap();
        assert_eq!(serde_json::from_str::<Stats>(&json).unwrap(), stats);
        let earlier = r#"{"layer1_reads": 1, "layer1_writes": 2, "layer2_reads": 3, "layer2_writes": 4}"#;
        let store: PairStoreStats = serde_json::from_str(earlier).unwrap();
        assert_eq!((store.layer2_writes, store.clearing_reads, store.read_seconds), (4, 0, 0.0));
    }
}
