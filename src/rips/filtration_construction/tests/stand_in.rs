//! A stand-in for a device in tests: it computes on the CPU what a device computes, and fails on demand.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cuda::CudaError;
use crate::ranks::{Place, Portions};
use crate::rips::filtration_construction::{
    Construction, DeviceSweep, Enumerate, OnSwept, Parts, SimplexCounts, Undecided, construct_parts,
};
use crate::rips::pair_store::{ApparentPairs, Pivots};
use crate::rips::stats::PairStoreStats;

/// Failure modes of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rips) enum Failure {
    /// The device reports an error.
    Error,
    /// The host code that drives the device panics.
    Panic,
    /// The thread that drives the device ends and reports nothing.
    Silence,
    /// The device reports wrong counts.
    WrongCounts,
    /// The device works until the run is to end.
    Endless,
}

/// The device, and the dimension in which it fails. It handles entries of 64 bits only.
#[derive(Debug, Clone, Copy)]
pub(in crate::rips) struct StandIn {
    pub(in crate::rips) fails: Option<(usize, Failure)>,
}

impl StandIn {
    pub(in crate::rips) fn sweep(
        &self,
        complex: &dyn Enumerate,
        sweep: &DeviceSweep<'_>,
        found: OnSwept<'_>,
    ) {
        assert_eq!(sweep.limbs, 1, "a test's device writes entries of 64 bits");
        let nothing = Pivots::with_capacity(0).unwrap();
        for dim in 1..=sweep.max_dim {
            let failure = self.fails.filter(|&(at, _)| at == dim).map(|(_, failure)| failure);
            let construction = Construction::new(dim, sweep.layer, sweep.rank_width, &());
            // Every `of`-th part is this process's.
            let (Place { number, of }, rounds) = (sweep.process, AtomicUsize::new(0));
            let take = |_| (rounds.fetch_add(1, Ordering::Relaxed) * of + number) as u64;
            let parts = Parts::taken(Portions::of_length(complex.parts(dim), 1, &take));
            let residue = construct_parts::<u64>(complex, &construction, &nothing, &parts);
            let pair_store = PairStoreStats {
                layer2_sort_seconds: residue.pair_store.layer2_sort_seconds,
                ..PairStoreStats::default()
            };
            let cofacets = match residue.apparent {
                ApparentPairs::Sorted(cofacets) => cofacets,
                _ => Vec::new(),
            };
            let counts = match failure {
                Some(Failure::Error) => {
                    found(Err(CudaError::NoDevice));
                    return;
                }
                Some(Failure::Panic) => panic!("a test's device breaks in dimension {dim}"),
                Some(Failure::Silence) => return,
                Some(Failure::Endless) => {
                    while !sweep.progress.is_interrupted() {
                        std::thread::sleep(std::time::Duration::from_millis(1));
                    }
                    residue.counts
                }
                Some(Failure::WrongCounts) => {
                    SimplexCounts { simplices: residue.counts.simplices + 1, ..residue.counts }
                }
                None => residue.counts,
            };
            // An entry of 64 bits is a single limb.
            let (columns, cofacets) = (vec![residue.columns], vec![cofacets]);
            if !found(Ok(Undecided { columns, cofacets, pair_store, counts, seconds: 0.0 })) {
                return;
            }
        }
    }
}
