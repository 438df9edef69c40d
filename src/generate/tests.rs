//! Barcodes are as the shapes promise, and a seed gives the same sample everywhere.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::cubical::persistence::PersistenceRequest;
use crate::cubical::{AnyImage, Cubical};
use crate::progress::{Interrupted, Progress, interruptible};
use crate::rips::Rips;

/// The numbers of long bars of dimensions 1 to `dim`, for landmarks of a sample: death / birth above 2 for loops and
/// above 1.4 for cavities.
fn long_bars(cloud: Cloud, landmarks: usize, dim: usize, modulus: u32) -> Vec<usize> {
    let points = cloud.draw().unwrap();
    let rips = Rips::new(points).max_dim(dim).landmarks(Some(landmarks)).modulus(modulus);
    let diagram = rips.run().unwrap();
    (1..=dim)
        .map(|dim| {
            diagram.bars(dim).iter().filter(|bar| bar.death > [0.0, 2.0, 1.4][dim] * bar.birth).count()
        })
        .collect()
}

#[test]
fn betti_numbers_of_curves_and_surfaces() {
    let cloud = |space, points| Cloud { seed: 7, ..Cloud::new(space, points) };
    assert_eq!(long_bars(cloud(Space::Circle, 500), 60, 1, 2), [1]);
    let noisy = Cloud { noise: 0.03, ..cloud(Space::Circle, 500) };
    assert_eq!(long_bars(noisy, 60, 1, 2), [1]);
    assert_eq!(long_bars(cloud(Space::Sphere, 1500), 60, 2, 2), [0, 1]);
    let circle = Cloud { dimension: Some(1), ..cloud(Space::Sphere, 500) };
    assert_eq!(long_bars(circle, 60, 1, 2), [1]);
    assert_eq!(long_bars(cloud(Space::Torus, 4000), 160, 2, 2), [2, 1]);
    assert_eq!(long_bars(cloud(Space::SwissRoll, 4000), 250, 1, 2), [0]);
}

/// Neither surface is orientable: over Z/3 one loop and the cavity vanish.
#[test]
fn surfaces_that_are_not_orientable() {
    let plane = Cloud { seed: 7, ..Cloud::new(Space::ProjectivePlane, 2000) };
    assert_eq!(long_bars(plane, 90, 2, 2), [1, 1]);
    assert_eq!(long_bars(plane, 90, 2, 3), [0, 0]);
    let bottle = Cloud { seed: 7, ..Cloud::new(Space::KleinBottle, 5000) };
    assert_eq!(long_bars(bottle, 200, 2, 2), [2, 1]);
    assert_eq!(long_bars(bottle, 200, 2, 3), [1, 0]);
}

#[test]
fn clusters_are_components() {
    for clusters in [1, 4, 7] {
        let cloud = Cloud { seed: 3, clusters, dimension: Some(5), ..Cloud::new(Space::Clustered, 140) };
        let diagram = Rips::new(cloud.draw().unwrap()).max_dim(0).run().unwrap();
        let lasting = diagram.bars(0).iter().filter(|bar| bar.death > 0.2).count();
        assert_eq!(lasting, clusters);
    }
}

#[test]
fn points_lie_where_the_formulas_say() {
    let points = |space, dimension| {
        let cloud = Cloud { seed: 1, dimension, ..Cloud::new(space, 1000) }.draw().unwrap();
        (0..1000).map(|i| cloud.point(i).iter().map(|&x| f64::from(x)).collect()).collect::<Vec<Vec<f64>>>()
    };
    let length = |point: &[f64]| point.iter().map(|x| x * x).sum::<f64>().sqrt();
    let close = |a: f64, b: f64| (a - b).abs() < 1e-5;
    assert!(points(Space::Circle, None).iter().all(|point| close(length(point), 1.0)));
    for dimension in [1, 2, 4] {
        let sphere = points(Space::Sphere, Some(dimension));
        assert!(sphere.iter().all(|point| point.len() == dimension + 1 && close(length(point), 1.0)));
    }
    for point in points(Space::Torus, None) {
        let out = length(&point[..2]) - 2.0;
        assert!(close(out * out + point[2] * point[2], 1.0));
    }
    // The traces of a projection onto a line and of its square are 1.
    for point in points(Space::ProjectivePlane, None) {
        assert!(close(point[..3].iter().sum(), 1.0) && close(length(&point), 1.0));
    }
    for point in points(Space::Cube, Some(4)) {
        assert!(point.len() == 4 && point.iter().all(|x| (0.0..1.0).contains(x)));
    }
    // By area, the part of the torus with cos θ > 0 is 1/2 + 1/(2π) of it.
    let outer = points(Space::Torus, None).iter().filter(|point| length(&point[..2]) > 2.0).count();
    assert!((620..700).contains(&outer), "{outer}");
}

#[test]
fn noise_is_of_its_deviation() {
    let plain = Cloud { seed: 5, ..Cloud::new(Space::Cube, 4000) };
    let noisy = Cloud { noise: 0.1, ..plain };
    let (plain, noisy) = (plain.draw().unwrap(), noisy.draw().unwrap());
    let gaps: Vec<f64> = (0..4000)
        .flat_map(|i| {
            plain.point(i).iter().zip(noisy.point(i)).map(|(a, b)| f64::from(b - a)).collect::<Vec<_>>()
        })
        .collect();
    let count = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / count;
    let variance = gaps.iter().map(|gap| gap * gap).sum::<f64>() / count;
    assert!(mean.abs() < 0.004 && (variance.sqrt() - 0.1).abs() < 0.003, "{mean} {variance}");
}

/// A checksum of numbers that depends on their order.
fn sum(bits: impl Iterator<Item = u64>) -> u64 {
    bits.fold(0xcbf2_9ce4_8422_2325, |sum, bits| (sum ^ bits).wrapping_mul(0x0000_0100_0000_01b3))
}

#[test]
fn a_seed_is_the_same_sample_on_every_machine() {
    let sums: Vec<u64> = Space::ALL
        .iter()
        .map(|&space| {
            let cloud = Cloud { seed: 42, noise: 0.01, ..Cloud::new(space, 100) }.draw().unwrap();
            sum((0..100).flat_map(|i| cloud.point(i).to_vec()).map(|x| u64::from(x.to_bits())))
        })
        .collect();
    assert_eq!(sums, CLOUDS);
    let sums: Vec<u64> = Scene::ALL
        .iter()
        .map(|&scene| {
            let image = Field { seed: 42, ..Field::new(scene, &[20, 30]) }.draw().unwrap();
            sum((0..600).map(|place| image.value(place).to_bits()))
        })
        .collect();
    assert_eq!(sums, IMAGES);
}

const CLOUDS: [u64; 8] = [
    12362618503845885899,
    14998875022335374730,
    4690307413549008891,
    15094341519474926056,
    13068686889834176348,
    7989817615423520879,
    9903198349576820572,
    10956006036687464307,
];
const IMAGES: [u64; 4] =
    [13137507323180814341, 13440693769742127109, 17824711593733722117, 15475134410013609989];

#[test]
fn fields_have_mean_0_and_variance_1() {
    for (shape, scale) in
        [(&[64, 64][..], 2.0), (&[24, 20, 28], 1.5), (&[3000], 3.0), (&[64, 64], 0.0), (&[3, 4096], 4.0)]
    {
        // A smooth field has few independent values, so the mean over many fields is tested.
        let of_seed = |seed| {
            let AnyImage::F32(image) =
                Field { seed, scale, ..Field::new(Scene::Field, shape) }.draw().unwrap()
            else {
                panic!("voxels of f32")
            };
            let count = image.voxels().len() as f64;
            let moment =
                |power| image.voxels().iter().map(|&x| f64::from(x).powi(power)).sum::<f64>() / count;
            [moment(1), moment(2)]
        };
        let moments: Vec<[f64; 2]> = (0..12).map(of_seed).collect();
        let mean = |which: usize| moments.iter().map(|moments| moments[which]).sum::<f64>() / 12.0;
        assert!(mean(0).abs() < 0.12 && (mean(1) - 1.0).abs() < 0.12, "{shape:?}: {} {}", mean(0), mean(1));
    }
}

/// The correlation of neighbours along each axis is that of the Gaussian: e^(−d²/(4σ²)) at distance d.
#[test]
fn fields_are_smooth_along_every_axis() {
    let image = Field { seed: 9, scale: 3.0, ..Field::new(Scene::Field, &[48, 48, 48]) }.draw().unwrap();
    let at = |place: [usize; 3]| image.value((place[0] * 48 + place[1]) * 48 + place[2]);
    for axis in 0..3 {
        let mut product = 0.0;
        for place in 0..48 * 48 * 48 {
            let here = [place / 2304, place / 48 % 48, place % 48];
            let mut there = here;
            there[axis] = (there[axis] + 3) % 48;
            product += at(here) * at(there) / (48.0 * 48.0 * 48.0);
        }
        assert!((product - (-0.25_f64).exp()).abs() < 0.1, "{axis}: {product}");
    }
}

#[test]
fn scenes_have_their_values_and_densities() {
    for scene in [Scene::Blobs, Scene::Vessels] {
        let shape = [40, 50, 30];
        let image = Field { seed: 2, scale: 3.0, density: 0.2, ..Field::new(scene, &shape) }.draw().unwrap();
        let AnyImage::U8(image) = image else { panic!("voxels of u8") };
        let painted = image.voxels().iter().filter(|&&voxel| voxel == 255).count();
        assert!(image.voxels().iter().all(|&voxel| voxel == 0 || voxel == 255));
        let part = painted as f64 / image.voxels().len() as f64;
        assert!((0.195..0.25).contains(&part), "{scene}: {part}");
    }
    let all = Field { density: 1.0, ..Field::new(Scene::Blobs, &[5, 5]) }.draw().unwrap();
    assert!((0..25).all(|place| all.value(place) == 255.0));
}

/// A smooth field has few components below 0; noise has many.
#[test]
fn structures_grow_with_the_scale() {
    let components = |scale| {
        let image = Field { seed: 4, scale, ..Field::new(Scene::Field, &[96, 96]) }.draw().unwrap();
        Cubical::new(&image, PersistenceRequest { max_dim: Some(0), ..Default::default() })
            .run()
            .unwrap()
            .bars(0)
            .len()
    };
    let [noise, fine, coarse] = [0.0, 2.0, 6.0].map(components);
    assert!(noise > 5 * fine && fine > 3 * coarse && coarse > 1, "{noise} {fine} {coarse}");
}

#[test]
fn what_cannot_be_drawn() {
    let cube = Cloud::new(Space::Cube, 3);
    for (wrong, expected) in [
        (Cloud { points: 0, ..cube }, "points: expected a number from 1"),
        (Cloud { dimension: Some(0), ..cube }, "dimension: expected a number from 1 to 65535, found 0"),
        (Cloud { noise: f64::NAN, ..cube }, "noise: expected a finite number"),
    ] {
        assert!(wrong.draw().unwrap_err().to_string().starts_with(expected), "{wrong:?}");
    }
    assert!(Field { density: 1.5, ..Field::new(Scene::Blobs, &[3]) }.draw().is_err());
    assert!(Field::new(Scene::Noise, &[2, 2, 2, 2]).draw().is_err());
}

/// Inputs that exceed any memory, and scales whose Gaussians have too many taps or are indistinguishable from 0.
#[test]
fn what_is_too_large_or_too_small_is_no_panic() {
    let refused = |error: GenerateError| matches!(error, GenerateError::Memory(_));
    let is_no_number = |error: GenerateError| matches!(error, GenerateError::Number { .. });
    for space in Space::ALL {
        assert!(is_no_number(Cloud::new(space, usize::MAX / 8).draw().unwrap_err()), "{space}");
    }
    let many = Cloud { clusters: usize::MAX / 2, ..Cloud::new(Space::Clustered, 3) };
    assert!(is_no_number(many.draw().unwrap_err()));
    for scene in Scene::ALL {
        assert!(refused(Field::new(scene, &[1 << 20, 1 << 20, 1 << 20]).draw().unwrap_err()), "{scene}");
        let coarse = Field { scale: 1e300, ..Field::new(scene, &[3, 4]) }.draw().unwrap_err();
        assert_eq!(
            coarse.to_string(),
            "scale: expected a number from 0 to 1000000, found 1".to_owned() + &"0".repeat(300)
        );
    }
    let [none, least, fine] = [0.0, 1e-200, 0.019]
        .map(|scale| Field { scale, ..Field::new(Scene::Field, &[6, 7]) }.draw().unwrap());
    assert_eq!((format!("{least:?}"), format!("{fine:?}")), (format!("{none:?}"), format!("{none:?}")));
}

/// A progress that ends the work when it has been asked a number of times.
struct Patience(AtomicU64);

impl Progress for Patience {
    fn is_interrupted(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) == 0
    }
}

#[test]
fn points_are_interrupted_at_any_time() {
    for space in Space::ALL {
        let cloud = Cloud { noise: 0.1, clusters: 20_000, ..Cloud::new(space, 20_000) };
        let whole = cloud.draw().unwrap();
        let drawn = |patience| {
            let progress = Patience(AtomicU64::new(patience));
            interruptible::<_, Interrupted>(&progress, |progress| Ok(cloud.draw_watched(progress).unwrap()))
        };
        let ends = (0..).find(|&patience| drawn(patience).is_ok()).unwrap();
        // Once at the beginning, and for each piece of the coordinates when they are drawn and when they are rounded.
        assert!(ends > 2 * (whole.len() * whole.dimension()).div_ceil(1 << 14) as u64, "{space} {ends}");
        assert_eq!(drawn(ends), Ok(whole), "{space}");
    }
}
