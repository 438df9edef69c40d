//! Smoothing against SciPy and against its definition; the device against the processor, to the last bit.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::cubical::ecc::{Bins, curve};
use crate::cubical::{Construction, Order};

fn image(axes: &[usize], seed: u64) -> Image<f32> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let shape = Shape::new(axes, Order::C).unwrap();
    Image::new(shape, (0..shape.count()).map(|_| rng.random_range(-1.0..1.0)).collect()).unwrap()
}

#[test]
fn smoothed_as_scipy_does() {
    // scipy.ndimage.gaussian_filter(a, 0.8, mode="reflect", radius=6), SciPy 1.17, in double precision.
    let axes = [3, 4];
    let voxels: Vec<f32> = (0..12).map(|k| (k * k % 7) as f32).collect();
    let expected = [
        0.907820916462,
        1.803814097218,
        2.401266249808,
        1.932685885524,
        1.766461854805,
        2.413601707220,
        2.018907025122,
        1.301473332498,
        1.916886191770,
        2.712881548829,
        2.196389689363,
        1.627811501382,
    ];
    let weights = Scales { sigma: 0.8, ..Scales::default() }.weights().unwrap();
    let found = smooth(voxels, Shape::new(&axes, Order::C).unwrap(), &weights, &|_| ());
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
    }
}

#[test]
fn smoothed_as_defined() {
    for (axes, taps) in [(&[7, 5, 9][..], 13), (&[1, 2, 3], 13), (&[40], 5), (&[6, 1], 1), (&[20, 30], 13)] {
        let image = image(axes, 7);
        let shape = image.shape();
        let weights = Scales { sigma: 1.3, taps, ..Scales::default() }.weights().unwrap();
        let mut expected = image.voxels().to_vec();
        for [length, inner] in super::axes(shape) {
            let lines = expected.clone();
            for (place, sum) in expected.iter_mut().enumerate() {
                let at = (place / inner % length) as isize;
                let neighbour = |d: isize| {
                    let mut to = at + d;
                    while to < 0 || to >= length as isize {
                        to = if to < 0 { -1 - to } else { 2 * length as isize - 1 - to };
                    }
                    lines[(place as isize + (to - at) * inner as isize) as usize]
                };
                *sum = weights[0] * neighbour(0);
                for (d, weight) in (1..).zip(&weights[1..]) {
                    *sum += weight * (neighbour(-d) + neighbour(d));
                }
            }
        }
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let found = pool.install(|| smooth(image.voxels().to_vec(), shape, &weights, &|_| ()));
            assert_eq!(found, expected, "{shape} {taps}");
        }
    }
}

/// Images with the greatest floats: constants, checkerboards, steps.
fn extreme_images(axes: &[usize]) -> Vec<Image<f32>> {
    let shape = Shape::new(axes, Order::C).unwrap();
    let of =
        |voxel: &dyn Fn(usize) -> f32| Image::new(shape, (0..shape.count()).map(voxel).collect()).unwrap();
    let mut images = Vec::new();
    for greatest in [3e38, f32::MAX] {
        images.push(of(&|_| greatest));
        images.push(of(&|_| -greatest));
        images.push(of(&|place| if place % 2 == 0 { greatest } else { -greatest }));
        images.push(of(&|place| if place < shape.count() / 2 { greatest } else { -greatest }));
    }
    images
}

#[test]
fn means_of_great_numbers_stay_between_these() {
    for taps in [3, 13] {
        let weights = Scales { taps, ..Scales::default() }.weights().unwrap();
        for image in extreme_images(&[6, 7, 8]) {
            let (shape, greatest) = (image.shape(), image.voxels()[0].abs());
            let found = smooth(image.voxels().to_vec(), shape, &weights, &|_| ());
            let of_doubles = image.voxels().iter().map(|&voxel| f64::from(voxel) / 1e30);
            let small = of_doubles.map(|voxel| voxel as f32).collect();
            let expected = smooth(small, shape, &weights, &|_| ());
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.is_finite());
                let error = (f64::from(*found) / 1e30 - f64::from(expected)).abs();
                assert!(error <= 1e-5 * f64::from(greatest) / 1e30, "{found} {expected}");
            }
            let scales = Scales { taps, ..Scales::default() };
            for curve in curves(&image, &EccRequest::default(), &scales, &|_| ()).unwrap() {
                assert_eq!(curve.changes.iter().sum::<i64>(), 1);
            }
        }
    }
}

/// Smooths images once on a device and on the processor, and compares the voxels to the last bit.
fn are_smoothed_alike(gpu: &Gpu, sigma: f64, taps: usize, images: impl IntoIterator<Item = Image<f32>>) {
    let weights = Scales { sigma, taps, ..Scales::default() }.weights().unwrap();
    let kernels = SmoothKernels::load(gpu, &weights).unwrap();
    for image in images {
        let (shape, bytes) = (image.shape(), image.voxels().as_bytes());
        let mut voxels = [gpu.upload(bytes).unwrap(), gpu.zeros(bytes.len()).unwrap()];
        kernels.smooth(&axes(shape), &mut voxels).unwrap();
        let found = gpu.read(&voxels[0], 0..bytes.len()).unwrap();
        let expected = smooth(image.voxels().to_vec(), shape, &weights, &|_| ());
        let different = found.iter().zip(expected.as_bytes()).position(|(ours, theirs)| ours != theirs);
        assert!(found == expected.as_bytes(), "{shape}, {taps} taps, byte {different:?}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_smooths_great_numbers_to_the_same_bits() {
    let gpu = Gpu::open(0, None).unwrap();
    for taps in [3, 13, 21] {
        let shapes = [&[1000][..], &[65, 129], &[50, 20, 33], &[1, 2, 3]];
        are_smoothed_alike(&gpu, 1.7, taps, shapes.into_iter().flat_map(extreme_images));
    }
}

/// Lines of a voxel or two are reflected thousands of times within the radius.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_reflects_short_lines_at_any_radius() {
    let gpu = Gpu::open(0, None).unwrap();
    let shapes = [&[1, 2, 1][..], &[2, 3], &[7]];
    are_smoothed_alike(&gpu, 3e4, 100_001, shapes.map(|axes| image(axes, 5)));
}

#[test]
fn the_first_curve_is_that_of_the_image() {
    let image = image(&[6, 7, 8], 3);
    let (request, scales) = (EccRequest::default(), Scales { count: 3, ..Scales::default() });
    let told = std::cell::Cell::new(0);
    let advance = |voxels| told.set(told.get() + voxels);
    let found = curves(&image, &request, &scales, &advance).unwrap();
    assert_eq!(told.get(), (image.shape().count() * scales.count) as u64);
    assert_eq!((found.len(), &found[0]), (3, &curve(&image, &request).unwrap()));
    assert!(found.iter().all(|curve| curve.changes.iter().sum::<i64>() == 1));
    // Smoother images have fewer extrema.
    let minima = |curve: &Vcec| curve.changes.iter().filter(|&&change| change > 0).count();
    assert!(minima(&found[2]) < minima(&found[0]));
    assert!(curves(&image, &request, &Scales { count: 0, ..scales }, &|_| ()).unwrap().is_empty());
}

#[test]
fn what_cannot_be_smoothed() {
    let image = Image::new(Shape::new(&[1, 3], Order::C).unwrap(), vec![0.0, 1e300, 2.0]).unwrap();
    let of = |scales| curves(&image, &EccRequest::default(), &scales, &|_| ());
    let scales = Scales::default();
    let error = of(scales).unwrap_err();
    assert!(matches!(&error, EccError::Infinite { voxel, found: 1e300 } if *voxel == [0, 1]), "{error}");
    assert_eq!(of(Scales { count: 1, ..scales }).unwrap().len(), 1);
    assert!(matches!(of(Scales { taps: 4, ..scales }), Err(EccError::Taps { found: 4 })));
    for sigma in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(matches!(of(Scales { sigma, ..scales }), Err(EccError::Sigma { .. })));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_smooths_to_the_same_bits() {
    let gpu = Gpu::open(0, None).unwrap();
    // Tiles that are full, cut, and few; axes shorter than the radius; rows that are not whole words; kernels of one
    // axis.
    let shapes: [&[usize]; 17] = [
        &[1],
        &[1000],
        &[1, 300],
        &[300, 1],
        &[16, 32],
        &[31, 300],
        &[15, 70],
        &[64, 128],
        &[65, 129],
        &[33, 67],
        &[200, 260],
        &[1, 40, 41],
        &[2, 16, 36],
        &[50, 20, 33],
        &[7, 3, 100],
        &[40, 16, 17],
        &[9, 1, 1],
    ];
    for taps in (1..=21).step_by(2) {
        are_smoothed_alike(&gpu, 1.7, taps, shapes.map(|axes| image(axes, 5)));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_finds_the_same_curves_at_all_scales() {
    let gpu = Gpu::open(0, None).unwrap();
    for (axes, sigma, taps) in [
        (&[40, 50, 60][..], 1.0, 13),
        (&[300, 301], 2.5, 13),
        (&[1000], 0.7, 5),
        (&[1, 2, 3], 1.0, 13),
        (&[3, 5, 7], 4.0, 41),
        (&[3, 20, 70], 1.0, 7),
    ] {
        let image = image(axes, 9);
        let scales = Scales { count: 4, sigma, taps };
        for construction in [Construction::T, Construction::V] {
            for bins in
                [Bins::Distinct, Bins::Uniform { count: 100, range: Some(((-0.5).into(), 0.5.into())) }]
            {
                let request = EccRequest { construction, bins, superlevel: construction == Construction::V };
                let found = curves_device(&gpu, &image.clone().into(), &request, &scales, &|_| ()).unwrap();
                assert_eq!(
                    found,
                    curves(&image, &request, &scales, &|_| ()).unwrap(),
                    "{axes:?} {request:?}"
                );
            }
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_keeps_an_image_in_bins_of_a_range_only() {
    let gpu = Gpu::open(0, None).unwrap();
    let prepared = Prepared::new(&gpu, VoxelType::F32).unwrap();
    let image = image(&[30, 40], 3);
    let of = |bins| EccRequest { bins, ..EccRequest::default() };
    let scales = Scales::default();
    let bring = || gpu.upload(image.voxels().as_bytes()).unwrap();
    for bins in [Bins::Distinct, Bins::Uniform { count: 9, range: None }] {
        let refused = ResidentScales::new(&prepared, bring(), image.shape(), &of(bins), &scales).err();
        assert!(matches!(refused, Some(MachineError::Stage(EccError::Range("f32")))), "{refused:?}");
    }
    let request = of(Bins::Uniform { count: 9, range: Some(((-1.0).into(), 1.0.into())) });
    let mut resident = ResidentScales::new(&prepared, bring(), image.shape(), &request, &scales).unwrap();
    assert_eq!(resident.take().unwrap(), None);
    // Two counts before sending double the changes; after sending, counts restart from zero.
    resident.count().unwrap();
    resident.count().unwrap();
    resident.send().unwrap();
    resident.count().unwrap();
    resident.send().unwrap();
    assert_eq!(resident.waiting(), 2);
    let [twice, once] = [(); 2].map(|()| resident.take().unwrap().unwrap());
    assert_eq!(once, curve(&image, &request).unwrap());
    assert!(twice.changes.iter().zip(&once.changes).all(|(twice, once)| *twice == 2 * once));
}

/// The number of curves known beforehand changes neither the other curves nor the total of reported voxels.
#[test]
fn curves_go_on_from_those_that_are_known() {
    let image = image(&[5, 6, 7], 11);
    let voxels = image.shape().count() as u64;
    for count in 0..5 {
        let (request, scales) = (EccRequest::default(), Scales { count, ..Scales::default() });
        let all = curves(&image, &request, &scales, &|_| ()).unwrap();
        assert_eq!(all.len(), count);
        for known in 0..=count {
            let (told, mut found) = (std::cell::Cell::new(0), all[..known].to_vec());
            let mut lengths = Vec::new();
            let advance = |voxels| told.set(told.get() + voxels);
            let mut take = |curves: &[Vcec]| lengths.push(curves.len());
            curves_since(&image, &request, &scales, &mut found, &mut take, &advance).unwrap();
            assert_eq!(found, all);
            assert!(lengths.into_iter().eq(known + 1..=count), "{known} of {count}");
            assert_eq!(told.get(), voxels * count as u64, "{known} of {count}");
        }
    }
}
