//! Euler characteristic curves on the processor: seeded noise and smooth images, by voxel type and kind of rows.
//!
//! `cargo bench --bench ecc`; `RAYON_NUM_THREADS=1` for one thread, `LACUNA_ECC_SIZE=512` for larger images. `memory`
//! is a curve of an image in memory, `apart` of an image that is read at arbitrary places, like a file, and `pipe` of
//! one that is read in order; all of them read from memory.
//!
//! Before an image is timed, its curve is checked: on a corner against a count of every cell, against the sum of all
//! its slabs, and it must end at 1, since a block of voxels has no holes.

#![allow(missing_docs)] // criterion's macros make public functions

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use lacuna::cubical::ecc::slabs::{SlabCounter, Watch};
use lacuna::cubical::ecc::{Bins, EccRequest, Vcec, VcecRows, Voxels, curve, plain, reader_of};
use lacuna::cubical::{Construction, Image, Order, Shape, Voxel};

/// Number of voxels along each axis.
fn size() -> usize {
    std::env::var("LACUNA_ECC_SIZE").ok().and_then(|size| size.parse().ok()).unwrap_or(256)
}

/// Independent values in [0, 1).
fn noise(size: usize) -> Vec<f64> {
    let mut random = Pcg64Mcg::seed_from_u64(2026);
    (0..size.pow(3)).map(|_| random.random::<f64>()).collect()
}

/// A sum of waves with random phases and directions, with values in [0, 1).
fn smooth(size: usize) -> Vec<f64> {
    let mut random = Pcg64Mcg::seed_from_u64(2027);
    let waves: Vec<[f64; 4]> = (0..12)
        .map(|_| {
            let frequency = [(); 3].map(|()| random.random_range(-0.2..0.2));
            [frequency[0], frequency[1], frequency[2], random.random_range(0.0..6.3)]
        })
        .collect();
    let value = |place: usize| {
        let at = [place / size / size, place / size % size, place % size].map(|x| x as f64);
        let wave = |[a, b, c, phase]: &[f64; 4]| (a * at[0] + b * at[1] + c * at[2] + phase).sin();
        0.5 + waves.iter().map(wave).sum::<f64>() / 24.5
    };
    (0..size.pow(3)).map(value).collect()
}

fn image<T: Voxel>(size: usize, values: &[f64], voxel: impl Fn(f64) -> T) -> Image<T> {
    let shape = Shape::new(&[size; 3], Order::C).expect("a shape");
    Image::new(shape, values.iter().map(|&value| voxel(value)).collect()).expect("a voxel for each place")
}

/// Loads rows into memory.
fn in_memory(rows: VcecRows) -> Vcec {
    rows.into_vcec().expect("temporary files")
}

fn piped<T: Voxel>(streamer: &mut SlabCounter, image: &Image<T>) -> Vcec {
    counted(streamer, image, true)
}

fn counted<T: Voxel>(streamer: &mut SlabCounter, image: &Image<T>, is_sequential: bool) -> Vcec {
    let read = reader_of(|first: usize, voxels: &mut [T]| {
        voxels.copy_from_slice(&image.voxels()[first..first + voxels.len()]);
        Ok(())
    });
    let (voxels, watch) = (Voxels { read: &read, is_sequential }, Watch::telling(&|_| ()));
    in_memory(streamer.curve(image.shape(), None, voxels, None, &watch).expect("voxels for the shape"))
}

fn apart<T: Voxel>(streamer: &mut SlabCounter, image: &Image<T>) -> Vcec {
    counted(streamer, image, false)
}

fn verify<T: Voxel>(streamer: &mut SlabCounter, image: &Image<T>, request: &EccRequest) {
    let [_, rows, columns] = image.shape().extents();
    let corner =
        (0..18 * 20 * 70).map(|k| image.voxels()[(k / 1400 * rows + k / 70 % 20) * columns + k % 70]);
    let corner = Image::new(Shape::new(&[18, 20, 70], Order::C).expect("a shape"), corner.collect());
    let corner = corner.expect("a voxel for each place");
    assert_eq!(curve(&corner, request).expect("bins"), plain::curve(&corner, request).expect("bins"));
    let whole = curve(image, request).expect("bins");
    assert_eq!(whole, piped(streamer, image));
    assert_eq!(whole, apart(streamer, image));
    assert_eq!(whole.euler().last(), Some(&1));
}

fn measure<T: Voxel>(bench: &mut Criterion, name: &str, image: &Image<T>, bins: Bins) {
    let mut group = bench.benchmark_group("ecc");
    group.sample_size(10).throughput(Throughput::Elements(image.shape().count() as u64));
    for construction in [Construction::T, Construction::V] {
        let request = EccRequest { construction, bins, ..EccRequest::default() };
        let mut streamer = SlabCounter::new(&request, T::TYPE, 4 << 30).expect("bins");
        verify(&mut streamer, image, &request);
        let name = format!("{name} {construction}");
        group.bench_function(BenchmarkId::new("memory", &name), |b| {
            b.iter(|| black_box(curve(image, &request)))
        });
        if construction == Construction::T {
            group.bench_function(BenchmarkId::new("apart", &name), |b| {
                b.iter(|| black_box(apart(&mut streamer, image)))
            });
            group.bench_function(BenchmarkId::new("pipe", &name), |b| {
                b.iter(|| black_box(piped(&mut streamer, image)))
            });
        }
    }
    group.finish();
}

fn curves(bench: &mut Criterion) {
    let size = size();
    let bins = Bins::Uniform { count: 1024, range: Some((0.0.into(), 1.0.into())) };
    for (kind, values) in [("noise", noise(size)), ("smooth", smooth(size))] {
        measure(bench, &format!("u8 {kind}"), &image(size, &values, |x| (x * 255.99) as u8), Bins::Distinct);
        measure(
            bench,
            &format!("u16 {kind}"),
            &image(size, &values, |x| (x * 65_535.99) as u16),
            Bins::Distinct,
        );
        let floats = image(size, &values, |x| x as f32);
        measure(bench, &format!("f32 {kind}, 1024 bins"), &floats, bins);
        // There are nearly as many rows as voxels, so a fraction of the voxels suffices.
        let planes = Shape::new(&[size.div_ceil(8), size, size], Order::C).expect("a shape");
        let some = floats.voxels()[..planes.count()].to_vec();
        let some = Image::new(planes, some).expect("a voxel for each place");
        measure(bench, &format!("f32 {kind}, distinct"), &some, Bins::Distinct);
    }
}

criterion_group!(benches, curves);
criterion_main!(benches);
