//! Sweeps on devices, compared with the definitions and with sweeps in little memory.

use std::slice;

use super::*;
use crate::cuda::{CudaError, Gpu};
use crate::ranks::Place;
use crate::rips::complex::LONG;

/// The first device, limited to `memory` bytes.
fn gpu(memory: Option<u64>) -> Gpu {
    Gpu::open(0, memory).unwrap()
}

/// The sweep of a complex on devices, with ranks of 16 bits and entries of one limb.
fn sweep_of<'a>(
    gpus: &'a [Gpu],
    points: usize,
    max_dim: usize,
    layer: SecondLayer,
    queue: &'a SweepQueue,
) -> DeviceSweep<'a> {
    let (rank_bits, rank_width, limbs, process) = (10, 16, 1, Place::default());
    DeviceSweep { gpus, points, max_dim, layer, rank_bits, rank_width, limbs, process, queue, progress: &() }
}

/// Checks the sweep of every dimension of a complex on devices.
fn device_conforms<W: Word>(
    gpus: &[Gpu],
    complex: &dyn Enumerate,
    rank_width: u32,
    max_dim: usize,
    expected: &[Expected],
) {
    let n = complex.points();
    for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
        let queue = SweepQueue::default();
        let sweep = sweep_of(gpus, n, max_dim, layer, &queue);
        let sweep = DeviceSweep { rank_width, limbs: W::LIMBS, ..sweep };
        let mut dim = 0;
        complex.sweep_on(&sweep, &mut |swept| {
            dim += 1;
            let expected = &expected[dim - 1];
            let wide = |entries: &[u64]| -> Vec<W> {
                let word = |&entry: &u64| W::from_limbs(|k| if k == 0 { entry } else { 0 });
                entries.iter().map(word).collect()
            };
            let pivots = Pivots::with_capacity(expected.cleared.len()).unwrap();
            wide(&expected.cleared).into_iter().for_each(|entry| pivots.insert(entry, 0).unwrap());
            let found = swept.unwrap().clear(&pivots, layer);
            assert_eq!(
                found.counts, expected.counts,
                "n = {n}, dimension {dim}, {layer:?}, {rank_width} bits"
            );
            assert_eq!(found.columns, wide(&expected.columns), "n = {n}, dimension {dim}, {layer:?}");
            match &found.apparent {
                ApparentPairs::Sorted(cofacets) => assert_eq!(cofacets, &wide(&expected.cofacets)),
                _ => assert_eq!(layer, SecondLayer::Implicit),
            }
            true
        });
        assert_eq!(dim, max_dim);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_residue_is_what_the_definitions_say() {
    let gpu = gpu(None);
    let gpus = [gpu];
    let level = Level::detect();
    let mut state = 12;
    for (n, max_dim) in [(2, 1), (3, 2), (9, 4), (12, 6), (17, 3), (31, 2), (32, 2), (33, 2), (40, 3)] {
        for (ranks, absent) in [(1, 0), (2, 1), (5, 0), (5, 4), (1000, 0), (1000, 1), (1000, 4)] {
            let table = Table::random(n, ranks, absent, &mut state);
            let expected: Vec<Expected> = (1..=max_dim).map(|dim| expected(&table, dim)).collect();
            let (narrow, wide, graph) =
                (table.dense::<u16>(level), table.dense::<u32>(level), table.sparse());
            device_conforms::<u64>(&gpus, &narrow, 16, max_dim, &expected);
            device_conforms::<u128>(&gpus, &wide, 32, max_dim, &expected);
            device_conforms::<u64>(&gpus, &graph, 16, max_dim, &expected);
            device_conforms::<u128>(&gpus, &graph, 32, max_dim, &expected);
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_residue_around_hubs_is_what_the_definitions_say() {
    let gpus = [gpu(None)];
    let (max_dim, mut state) = (3, 16);
    for n in [70, 150] {
        for hubs in sets_of_hubs(n) {
            let table = Table::with_hubs(n, &hubs, &mut state);
            let graph = table.sparse();
            // Matrix rows are filled in both ways: along the neighbour list, and by searching a long one.
            let row = |v: usize| graph.row(v as u32).0;
            let is_long = |v: usize| row(hubs[0]).len() / LONG > row(v).len() + 1;
            assert!((0..n).any(is_long) && !(0..n).all(is_long), "{n} points, hubs {hubs:?}");
            let expected: Vec<Expected> = (1..=max_dim).map(|dim| expected(&table, dim)).collect();
            device_conforms::<u64>(&gpus, &graph, 16, max_dim, &expected);
            device_conforms::<u128>(&gpus, &graph, 32, max_dim, &expected);
        }
    }
}

/// The undecided simplices of every dimension, swept on the given devices.
fn swept(gpus: &[Gpu], complex: &dyn Enumerate, max_dim: usize, layer: SecondLayer) -> Vec<Undecided> {
    let (queue, mut all) = (SweepQueue::default(), Vec::new());
    complex.sweep_on(&sweep_of(gpus, complex.points(), max_dim, layer, &queue), &mut |swept| {
        all.push(swept.unwrap());
        true
    });
    all
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_of_little_memory_gives_the_same() {
    let plenty = gpu(None);
    let mut state = 13;
    let table = Table::random(70, 900, 1, &mut state);
    let (dense, graph) = (table.dense::<u16>(Level::detect()), table.sparse());
    for memory in [400 << 10, 700 << 10, 2 << 20] {
        let little = gpu(Some(memory));
        for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
            let nothing = Pivots::<u64>::with_capacity(0).unwrap();
            let complexes: [&dyn Enumerate; 2] = [&dense, &graph];
            for complex in complexes {
                let [expected, found] =
                    [&plenty, &little].map(|gpu| swept(slice::from_ref(gpu), complex, 3, layer));
                assert!(layer == SecondLayer::Implicit || found[2].cofacets.len() > 1, "no batch was cut");
                for (expected, found) in expected.into_iter().zip(found) {
                    let (expected, found) = (expected.clear(&nothing, layer), found.clear(&nothing, layer));
                    assert_eq!((expected.counts, &expected.columns), (found.counts, &found.columns));
                    match (&expected.apparent, &found.apparent) {
                        (ApparentPairs::Sorted(a), ApparentPairs::Sorted(b)) => assert_eq!(a, b),
                        (ApparentPairs::Implicit, ApparentPairs::Implicit) => {}
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    }
}

/// The shares of several processes, each on the device, are together what one process finds.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_shares_of_processes_are_the_whole() {
    let gpus = [gpu(None)];
    let (mut state, nothing) = (15, Pivots::<u64>::with_capacity(0).unwrap());
    for n in [3, 40, 70] {
        let table = Table::random(n, 900, 1, &mut state);
        let (dense, graph) = (table.dense::<u16>(Level::detect()), table.sparse());
        let complexes: [&dyn Enumerate; 2] = [&dense, &graph];
        for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
            for (complex, of) in complexes.iter().flat_map(|&complex| [(complex, 2), (complex, 5)]) {
                let mut shares: Vec<Undecided> = (0..3).map(|_| Undecided::default()).collect();
                for number in 0..of {
                    let queue = SweepQueue::default();
                    let sweep = sweep_of(&gpus, n, 3, layer, &queue);
                    let mut dimensions = shares.iter_mut();
                    complex.sweep_on(&DeviceSweep { process: Place { number, of }, ..sweep }, &mut |swept| {
                        let (all, swept) = (dimensions.next().unwrap(), swept.unwrap());
                        all.columns.extend(swept.columns);
                        all.cofacets.extend(swept.cofacets);
                        all.counts += swept.counts;
                        true
                    });
                }
                let whole = swept(&gpus, complex, 3, layer).into_iter().zip(2..);
                for ((whole, vertices), shares) in whole.zip(shares) {
                    let whole = whole.clear(&nothing, layer);
                    shares.check(&whole, &Code::new(n, vertices)).unwrap();
                }
            }
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_without_memory_says_so() {
    let gpu = gpu(Some(10_000));
    let mut state = 14;
    let table = Table::random(70, 900, 0, &mut state);
    let (gpus, queue) = ([gpu], SweepQueue::default());
    let sweep = sweep_of(&gpus, 70, 2, SecondLayer::Implicit, &queue);
    let mut told = 0;
    table.dense::<u16>(Level::detect()).sweep_on(&sweep, &mut |swept| {
        assert!(matches!(swept, Err(CudaError::OutOfMemory { .. })), "{swept:?}");
        told += 1;
        false
    });
    assert_eq!(told, 1);
}
