//! Compares the device with the definition: every voxel type, both constructions, awkward sizes, ties, little memory.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::cubical::ecc::{Voxels, plain, reader_of};
use crate::cubical::read::ImageReadError;
use crate::cubical::value::Value;
use crate::cubical::{Image, Order as Axes, Voxel};

/// Opens the first device, with a limit of its memory in bytes.
fn device(memory: Option<u64>) -> Gpu {
    Gpu::open(0, memory).unwrap()
}

/// The curve of an image, which is uploaded.
fn curve_on<T: Voxel>(gpu: &Gpu, image: &Image<T>, request: &EccRequest) -> Result<Vcec, MachineError> {
    Prepared::new(gpu, T::TYPE)?.curve(&gpu.upload(image.voxels().as_bytes())?, image.shape(), request)
}

const REQUESTS: [EccRequest; 4] = {
    let t = EccRequest { construction: Construction::T, superlevel: false, bins: Bins::Distinct };
    let v = EccRequest { construction: Construction::V, ..t };
    [t, EccRequest { superlevel: true, ..t }, v, EccRequest { superlevel: true, ..v }]
};

const BINS: [Bins; 5] = [
    Bins::Distinct,
    Bins::Uniform { count: 1, range: None },
    Bins::Uniform { count: 7, range: None },
    Bins::Uniform { count: 300, range: Some((Value::Double(-3.0), Value::Double(4.5))) },
    Bins::Uniform { count: 20_000, range: Some((Value::Double(-8.0), Value::Double(7.0))) },
];

const SHAPES: [&[usize]; 16] = [
    &[1],
    &[2],
    &[1000],
    &[1, 1],
    &[1, 9],
    &[9, 1],
    &[5, 4],
    &[33, 70],
    &[1, 1, 1],
    &[1, 7, 5],
    &[6, 1, 3],
    &[4, 5, 1],
    &[2, 2, 2],
    &[3, 4, 5],
    &[19, 9, 13],
    &[40, 3, 8],
];

fn of_all_kinds<T: Voxel>(gpu: &Gpu, seed: u64, voxel: impl Fn(f64) -> T) {
    let prepared = Prepared::new(gpu, T::TYPE).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    for axes in SHAPES {
        let shape = Shape::new(axes, Axes::C).unwrap();
        for levels in [1, 2, 15, 100_000] {
            let draw =
                |rng: &mut Pcg64Mcg| f64::from(rng.random_range(0..levels)) * 15.0 / f64::from(levels) - 7.5;
            let voxels: Vec<T> = (0..shape.count()).map(|_| voxel(draw(&mut rng))).collect();
            let buffer = gpu.upload(voxels.as_bytes()).unwrap();
            let image = Image::new(shape, voxels).unwrap();
            for request in REQUESTS {
                for bins in BINS {
                    let request = EccRequest { bins, ..request };
                    let found = prepared.curve(&buffer, shape, &request).unwrap();
                    let expected = plain::curve(&image, &request).unwrap();
                    assert_eq!(found, expected, "{} {shape} {levels} levels, {request:?}", T::NAME);
                }
            }
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_finds_the_curve_of_every_type() {
    let gpu = device(None);
    of_all_kinds::<u8>(&gpu, 1, |x| (x * 17.0 + 128.0) as u8);
    of_all_kinds::<i8>(&gpu, 2, |x| x as i8);
    of_all_kinds::<u16>(&gpu, 3, |x| (x * 4000.0 + 32768.0) as u16);
    of_all_kinds::<i16>(&gpu, 4, |x| (x * 4000.0) as i16);
    of_all_kinds::<u32>(&gpu, 5, |x| (x * 1e8 + 2e9) as u32);
    of_all_kinds::<i32>(&gpu, 6, |x| x as i32);
    of_all_kinds::<u64>(&gpu, 7, |x| u64::MAX - (x + 8.0) as u64);
    of_all_kinds::<i64>(&gpu, 8, |x| (x * 1e17) as i64);
    of_all_kinds::<f32>(&gpu, 9, |x| if x.abs() < 1.0 { -0.0 * x as f32 } else { x as f32 });
    of_all_kinds::<f64>(&gpu, 10, |x| if x.abs() < 0.1 { 0.0 * x } else { x });
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_takes_infinite_voxels() {
    let gpu = device(None);
    let voxels = [f32::INFINITY, 1.0, f32::NEG_INFINITY, 0.5, f32::INFINITY, 2.0];
    let shape = Shape::new(&[2, 3], Axes::C).unwrap();
    let image = Image::new(shape, voxels.to_vec()).unwrap();
    for request in REQUESTS {
        for bins in BINS {
            let request = EccRequest { bins, ..request };
            assert_eq!(
                curve_on(&gpu, &image, &request).unwrap(),
                plain::curve(&image, &request).unwrap(),
                "{request:?}"
            );
        }
    }
}

/// Bins of which most or all end at the same value, so that the first guess is far from the right bin.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_finds_bins_that_end_at_the_same_value() {
    let gpu = device(None);
    let shape = Shape::new(&[40, 50], Axes::C).unwrap();
    let values = || (0..2000).map(|k: u32| k * 7919 % 11);
    let floats = Image::new(shape, values().map(|value| value as f32).collect()).unwrap();
    let wholes = Image::new(shape, values().collect()).unwrap();
    let (count, request) = (crate::cubical::ecc::bins::MOST_BINS, REQUESTS[0]);
    for (low, high) in [(3.0, 3.0), (0.0, 10.0), (-1e30, 1e30)] {
        let range = (low.into(), high.into());
        for request in [request, EccRequest { superlevel: true, ..request }] {
            let request = EccRequest { bins: Bins::Uniform { count, range: Some(range) }, ..request };
            let found = curve_on(&gpu, &floats, &request).unwrap();
            assert_eq!(found, crate::cubical::ecc::curve(&floats, &request).unwrap(), "{request:?}");
            let found = curve_on(&gpu, &wholes, &request).unwrap();
            assert_eq!(found, crate::cubical::ecc::curve(&wholes, &request).unwrap(), "{request:?}");
        }
    }
}

/// So many voxels and levels that two levels share a word, some of which many threads change at the same time: two
/// values alternate, and a few voxels have any others.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_counts_two_levels_in_a_word() {
    let gpu = device(None);
    let voxels = 5 * 65_538 * u64::from(gpu.multiprocessors().unwrap());
    for dim in [2, 3] {
        let extent = (voxels as f64).powf(1.0 / f64::from(dim)) as usize;
        let shape = Shape::new(&vec![extent; dim as usize], Axes::C).unwrap();
        for odds in [2, 40_000] {
            let mut rng = Pcg64Mcg::seed_from_u64(12);
            let voxel = |place: usize| {
                let at = place + place / extent + place / extent / extent;
                if rng.random_ratio(1, odds) { rng.random() } else { 1000 + (at % 2) as u16 }
            };
            let mut voxels: Vec<u16> = (0..shape.count()).map(voxel).collect();
            (voxels[7], voxels[11]) = (0, u16::MAX);
            let image = Image::new(shape, voxels).unwrap();
            for request in REQUESTS {
                let found = curve_on(&gpu, &image, &request).unwrap();
                assert_eq!(
                    found,
                    crate::cubical::ecc::curve(&image, &request).unwrap(),
                    "{shape} {request:?}"
                );
            }
        }
    }
}

/// Shapes that need many blocks and marches, compared with the sum over separately counted parts.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_marches_in_parts() {
    let gpu = device(None);
    let prepared = Prepared::new(&gpu, u8::TYPE).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    let [planes, rows, columns] = [70, 37, 50];
    let voxels: Vec<u8> = (0..planes * rows * columns).map(|_| rng.random_range(0..9)).collect();
    let shape = Shape::new(&[planes, rows, columns], Axes::C).unwrap();
    let image = Image::new(shape, voxels.clone()).unwrap();
    for request in REQUESTS {
        let expected = plain::curve(&image, &request).unwrap();
        for step in [1, 2, 16, 17, 69, 70] {
            let mut counting = Counting::begin(&prepared, &request, None).unwrap();
            for first in (0..planes).step_by(step) {
                let end = planes.min(first + step);
                let held = first.saturating_sub(1)..planes.min(end + 1);
                let plane = rows * columns;
                let buffer = gpu.upload(&voxels[held.start * plane..held.end * plane]).unwrap();
                let (from, to) = (first - held.start, end - held.start);
                let part = Part { voxels: &buffer, planes: held.len(), rows, columns, from, to };
                counting.count(&part).unwrap();
                counting.mark(&part).unwrap();
            }
            assert_eq!(counting.finish(None).unwrap(), expected, "{step} {request:?}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_counts_what_comes_a_piece_at_a_time() {
    let gpu = device(None);
    let mut rng = Pcg64Mcg::seed_from_u64(13);
    // Shapes of a slab and a half, of many slabs, of slabs shorter than planes; with one plane, two and three.
    let shapes: [&[usize]; 7] = [
        &[3, 1500, 5000],
        &[70, 1000, 1000],
        &[5, 7000, 5000],
        &[40_000, 2000],
        &[1, 9, 9],
        &[2, 3, 3],
        &[3, 1, 2],
    ];
    for axes in shapes {
        let shape = Shape::new(axes, Axes::C).unwrap();
        let voxels: Vec<u16> = (0..shape.count()).map(|_| rng.random_range(0..300)).collect();
        for request in [REQUESTS[0], REQUESTS[3]] {
            let image = Image::new(shape, voxels.clone()).unwrap();
            let expected = curve_on(&gpu, &image, &request).unwrap();
            for memory in [None, Some(160 << 20)] {
                let gpu = Gpu::open(0, memory).unwrap();
                let prepared = Prepared::new(&gpu, u16::TYPE).unwrap();
                let next = AtomicUsize::new(0);
                let read = reader_of(|first: usize, room: &mut [u16]| {
                    assert_eq!(next.swap(first + room.len(), Ordering::Relaxed), first, "voxels in order");
                    room.copy_from_slice(&voxels[first..first + room.len()]);
                    Ok(())
                });
                let read_at = reader_of(|first: usize, room: &mut [u16]| {
                    room.copy_from_slice(&voxels[first..first + room.len()]);
                    Ok(())
                });
                for voxels in [Voxels { read: &read, is_sequential: true }, Voxels::anywhere(&read_at)] {
                    let told = Cell::new(0);
                    let advance = |voxels| told.set(told.get() + voxels);
                    match prepared.stream(shape, &request, voxels, &advance) {
                        Ok(found) => {
                            assert_eq!(found, expected, "{shape} {request:?}");
                            assert_eq!(told.get(), shape.count() as u64);
                        }
                        Err(MachineError::Device(CudaError::OutOfMemory { .. }))
                            if memory.is_some() && axes[0] == 5 => {}
                        Err(error) => panic!("{shape} {memory:?}: {error}"),
                    }
                }
            }
        }
    }
    let request = EccRequest { bins: BINS[1], ..REQUESTS[0] };
    let shape = Shape::new(&[2], Axes::C).unwrap();
    let prepared = Prepared::new(&gpu, f32::TYPE).unwrap();
    let found = prepared.stream(shape, &request, Voxels::anywhere(&|_, _| Ok(())), &|_| ());
    assert!(matches!(found, Err(MachineError::Stage(EccError::Range("f32")))), "{found:?}");
}

/// Read error that names the place of the voxel.
fn broken(place: usize) -> EccError {
    ImageReadError::Io { file: place.to_string(), error: std::io::Error::other("broken") }.into()
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_says_the_first_of_several_faults_of_reading() {
    let gpu = device(None);
    let prepared = Prepared::new(&gpu, u8::TYPE).unwrap();
    let shape = Shape::new(&[60, 1000, 1000], Axes::C).unwrap();
    for at in [0, 1, 5_000_000, 59_999_999] {
        let read = |first: usize, room: &mut [u8]| {
            room.fill(1);
            let end = first + room.len();
            // The piece with the first broken voxel is the last to be reported.
            if (first..end).contains(&at) {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            if end > at { Err(broken(first.max(at))) } else { Ok(()) }
        };
        let found = prepared.stream(shape, &REQUESTS[0], Voxels::anywhere(&read), &|_| ());
        assert_eq!(found.unwrap_err().to_string(), broken(at).to_string());
    }
    // The prepared kernels and memory work again after the error.
    let read = |_: usize, room: &mut [u8]| {
        room.fill(1);
        Ok(())
    };
    let found = prepared.stream(shape, &REQUESTS[0], Voxels::anywhere(&read), &|_| ()).unwrap();
    assert_eq!(found, Vcec::new(vec![1.0], vec![1]));
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_sorts_what_there_is_room_for() {
    let shape = Shape::new(&[9, 160, 160], Axes::C).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(12);
    let voxels: Vec<f64> = (0..shape.count()).map(|_| rng.random_range(0.0..1.0)).collect();
    let image = Image::new(shape, voxels).unwrap();
    let request = REQUESTS[3];
    let expected = plain::curve(&image, &request).unwrap();
    for memory in [None, Some(30 << 20), Some(8 << 20)] {
        assert_eq!(curve_on(&device(memory), &image, &request).unwrap(), expected, "{memory:?}");
    }
    let found = curve_on(&device(Some(3 << 20)), &image, &request);
    assert!(matches!(found, Err(MachineError::Device(CudaError::OutOfMemory { .. }))), "{found:?}");
}
