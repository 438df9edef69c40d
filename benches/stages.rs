//! Every stage of the Vietoris–Rips path separately, on seeded random inputs and on shipped examples.
//!
//! `cargo bench` runs all; `cargo bench -- assembly` those whose name contains `assembly`. Each input is first run
//! through the whole program and its pairs are counted against the number of simplices: a stage with wrong answers is
//! not timed.

#![allow(missing_docs)] // criterion's macros make public functions

use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use lacuna::internals::{Code, Dense, Level, Rank, Two, binomial};
use lacuna::metric::read::read_bytes;
use lacuna::metric::{Distances, PointCloud};
use lacuna::rips::components::Components;
use lacuna::rips::filtration_construction::{Construction, Residue, construct};
use lacuna::rips::pair_store::Pivots;
use lacuna::rips::rank::{matrix_of_points, rank};
use lacuna::rips::submatrix_reduction::{Submatrix, reduce};
use lacuna::rips::{Rips, SecondLayer};

/// n seeded random points in the unit cube of R^m.
fn cloud(n: usize, m: usize) -> PointCloud {
    let mut random = Pcg64Mcg::seed_from_u64(2026);
    PointCloud::new(m, (0..n * m).map(|_| random.random::<f32>()).collect()).expect("finite coordinates")
}

/// A full filtration as its matrix of ranks, and the number of ranks.
fn dense<R: Rank>(points: &PointCloud, level: Level) -> (Dense<R>, u32) {
    let matrix = matrix_of_points(points, &()).expect("memory for them");
    let ranking = rank(&Distances::Matrix(matrix), f32::INFINITY).expect("memory for ranks");
    let ranks = u32::try_from(ranking.values.count()).expect("ranks fit 32 bits");
    (Dense::new(points.len(), ranking.edges.square().expect("memory for it"), level), ranks)
}

/// Checks that the number of pairs of every dimension of a full filtration is C(n−1, d+1).
fn verified(points: &PointCloud, dim: usize) {
    let outcome = Rips::new(points.clone()).max_dim(dim).threshold(f64::INFINITY).solve(&()).expect("a run");
    for stats in &outcome.stats.dimensions {
        assert_eq!(stats.pairs + stats.essential, binomial(points.len() - 1, stats.dim + 1), "{stats:?}");
    }
}

/// A layer 1 without pairs.
fn nothing() -> Pivots<u64> {
    Pivots::with_capacity(0).unwrap()
}

fn construction(dim: usize, layer: SecondLayer) -> Construction<'static> {
    Construction::new(dim, layer, 32, &())
}

fn read(c: &mut Criterion) {
    let mut group = c.benchmark_group("read");
    for name in ["torus.pts", "klein_bottle.lower", "projective_plane.dist"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name);
        let bytes = std::fs::read(&path).expect("an example that ships");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| read_bytes(name, black_box(&bytes), None).expect("readable"))
        });
    }
}

fn ranks_and_components(c: &mut Criterion) {
    let points = cloud(1000, 3);
    let matrix = Distances::Matrix(matrix_of_points(&points, &()).expect("memory for them"));
    c.bench_function("rank/1000 points", |b| b.iter(|| rank(black_box(&matrix), f32::INFINITY)));
    let (complex, _) = dense::<u32>(&points, Level::detect());
    c.bench_function("components/1000 points", |b| b.iter(|| complex.forest(32, &())));
}

fn assembly(c: &mut Criterion) {
    let cleared = nothing();
    let mut group = c.benchmark_group("assembly");
    group.sample_size(20);
    for (n, m, dim) in [(400, 3, 2), (120, 8, 3)] {
        let points = cloud(n, m);
        verified(&points, dim);
        group.throughput(Throughput::Elements(binomial(n, dim + 1)));
        for level in Level::available() {
            let name = format!("{n} points, dimension {dim}, {}", level.name());
            let task = construction(dim, SecondLayer::Implicit);
            let (wide, ranks) = dense::<u32>(&points, level);
            group.bench_function(BenchmarkId::new("u32", &name), |b| {
                b.iter(|| construct(&wide, &task, &cleared))
            });
            if ranks <= u16::GREATEST {
                let (narrow, _) = dense::<u16>(&points, level);
                group.bench_function(BenchmarkId::new("u16", &name), |b| {
                    b.iter(|| construct(&narrow, &task, &cleared))
                });
            }
        }
    }
}

fn submatrix<'a>(
    complex: &'a Dense<u32>,
    (ranks, edges): (u32, usize),
    (n, dim): (usize, usize),
    residue: &'a Residue<u64>,
) -> Submatrix<'a, u64> {
    Submatrix {
        complex,
        code: Code::new(n, dim + 1),
        cofacet_code: Code::new(n, dim + 2),
        ranks,
        edges,
        columns: &residue.columns,
        apparent: &residue.apparent,
        times_store: false,
        only_bars: false,
        walkers: usize::MAX,
        gives_up: false,
        tied: &[],
        progress: &(),
    }
}

fn reduction(c: &mut Criterion) {
    let n = 400;
    let (complex, ranks) = dense::<u32>(&cloud(n, 3), Level::detect());
    let mut group = c.benchmark_group("reduction");
    group.sample_size(20);
    for layer in [SecondLayer::Implicit, SecondLayer::Sorted] {
        let mut store = Pivots::with_capacity(n).unwrap();
        for edge in complex.forest(32, &()) {
            store.insert(Code::new(n, 2).entry(edge.rank, edge.vertices), 0).expect("an edge comes once");
        }
        for dim in [1, 2] {
            let task = construction(dim, layer);
            let residue = construct(&complex, &task, &store);
            let columns = residue.columns.len();
            let reduction = submatrix(&complex, (ranks, n * (n - 1) / 2), (n, dim), &residue);
            group.throughput(Throughput::Elements(columns as u64));
            group.bench_function(format!("{n} points, dimension {dim}, {layer:?}"), |b| {
                b.iter(|| reduce(black_box(&reduction), Two, None));
            });
            store = reduce(&reduction, Two, None).unwrap().unwrap().store;
        }
    }
}

fn whole(c: &mut Criterion) {
    let mut group = c.benchmark_group("whole");
    group.sample_size(20);
    for (n, m, dim, modulus) in [(150, 3, 2, 2), (150, 3, 2, 3), (100, 8, 3, 2)] {
        let points = cloud(n, m);
        verified(&points, dim);
        for store in [SecondLayer::Implicit, SecondLayer::Sorted] {
            let run = Rips::new(points.clone()).max_dim(dim).modulus(modulus).pair_store(store);
            let name = format!("{n} points in R^{m}, dimension {dim}, Z/{modulus}, {store:?}");
            group.bench_function(&name, |b| {
                b.iter_batched(|| run.clone(), |run| run.run().expect("a run"), BatchSize::LargeInput)
            });
        }
    }
}

criterion_group!(stages, read, ranks_and_components, assembly, reduction, whole);
criterion_main!(stages);
