//! Compares the fast rules with the reference implementation, and checks topology.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use super::guo_hall::GuoHall;
use super::kashani::{Kashani, KashaniSafe};
use super::window::{PlanarRule, Window};
use super::zhang_suen::ZhangSuen;
use super::{BitImage, Rule, ThinError, ThinningRequest, ThinningStatistics, plain, thin, topology};
use crate::cubical::{Image, Order, Shape};

mod ronse;

fn skeleton(image: &BitImage, rule: Rule, iterations: Option<usize>) -> (BitImage, ThinningStatistics) {
    thin(image, &ThinningRequest { rule: Some(rule), iterations }, &mut |_| ()).unwrap()
}

/// An image of this shape with foreground where `black` holds at (z, y, x).
pub(super) fn drawn(axes: &[usize], black: impl Fn(i64, i64, i64) -> bool) -> BitImage {
    let shape = Shape::new(axes, Order::C).unwrap();
    let [_, rows, columns] = shape.extents();
    let voxel = |place: usize| {
        let [z, y, x] = [place / columns / rows, place / columns % rows, place % columns];
        u8::from(black(z as i64, y as i64, x as i64))
    };
    let image = Image::new(shape, (0..shape.count()).map(voxel).collect()).unwrap();
    BitImage::of(&image, |voxel| voxel == 1)
}

/// A random image: noise or blobs, of random size and density.
pub(super) fn random(axes: &[usize], random: &mut Pcg64Mcg) -> BitImage {
    let shape = Shape::new(axes, Order::C).unwrap();
    let mut sums: Vec<u32> = (0..shape.count()).map(|_| random.random_range(0..1000)).collect();
    let density: f64 = random.random_range(100.0..950.0);
    let reach = random.random_range(0..3_usize);
    let extents = shape.extents();
    let mut counts = vec![1; shape.count()];
    // Box means, axis by axis.
    for axis in 0..3 {
        let (extent, stride) = (extents[axis], extents[axis + 1..].iter().product::<usize>());
        if reach == 0 || extent == 1 {
            continue;
        }
        let of = |values: &[u32]| -> Vec<u32> {
            let sum = |place: usize| {
                let at = place / stride % extent;
                let near = at.saturating_sub(reach)..(at + reach + 1).min(extent);
                near.map(|other| values[place + other * stride - at * stride]).sum()
            };
            (0..values.len()).map(sum).collect()
        };
        (sums, counts) = (of(&sums), of(&counts));
    }
    let cut = 500.0 + (density - 500.0) * [1.0, 0.25, 0.12][reach];
    let mut image = BitImage::new(shape);
    let is_black = |place: &usize| f64::from(sums[*place]) < cut * f64::from(counts[*place]);
    (0..shape.count()).filter(is_black).for_each(|place| image.set(place, true));
    image
}

fn same_as_plain(image: &BitImage, rule: Rule, limit: Option<usize>) {
    let (expected, iterations) = plain::thin(image, rule, limit);
    let (found, statistics) = skeleton(image, rule, limit);
    assert!(found == expected, "{rule}, {}, at most {limit:?}", image.shape());
    assert_eq!(
        (statistics.iterations, statistics.before, statistics.after),
        (iterations, image.count(), expected.count())
    );
}

#[test]
fn all_images_of_four_by_four_are_thinned_as_by_the_plain_rules() {
    let shape = Shape::new(&[4, 4], Order::C).unwrap();
    for rule in Rule::ALL {
        (0..1_u32 << 16).into_par_iter().for_each(|bits| {
            let mut image = BitImage::new(shape);
            (0..16).filter(|place| bits >> place & 1 == 1).for_each(|place| image.set(place, true));
            same_as_plain(&image, rule, None);
        });
    }
}

#[test]
fn random_planes_are_thinned_as_by_the_plain_rules() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let sizes = [[1, 1], [1, 200], [200, 1], [63, 65], [64, 64], [65, 63], [2, 129], [127, 128], [257, 259]];
    for axes in sizes.into_iter().chain((0..30).map(|k| [3 + 7 * k % 90, 1 + 11 * k % 150])) {
        let image = random(&axes, &mut rng);
        for rule in Rule::ALL {
            same_as_plain(&image, rule, None);
            same_as_plain(&image, rule, Some(2));
        }
    }
}

#[test]
fn random_spaces_are_thinned_as_by_the_plain_rule() {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let sizes = [[2, 1, 1], [3, 5, 130], [9, 70, 7], [5, 33, 65], [20, 20, 20], [2, 64, 129], [40, 3, 3]];
    for axes in sizes.into_iter().chain((0..20).map(|k| [2 + k % 9, 1 + 3 * k % 17, 1 + 5 * k % 23])) {
        let image = random(&axes, &mut rng);
        same_as_plain(&image, Rule::Subfields, None);
        same_as_plain(&image, Rule::Subfields, Some(1));
    }
}

/// A disc, a square, a bar, an annulus and the like, drawn by distance from the middle and by place.
#[test]
fn large_shapes_are_thinned_as_by_the_plain_rules() {
    let shapes = [
        drawn(&[100, 100], |_, _, _| true),
        drawn(&[150, 141], |_, y, x| (7..133).contains(&y) && (9..135).contains(&x)),
        drawn(&[140, 140], |_, y, x| (2 * y - 139).pow(2) + (2 * x - 139).pow(2) < 130 * 130),
        drawn(&[141, 150], |_, y, x| (y - 70).pow(2) + (x - 70).pow(2) < 66 * 66),
        drawn(&[130, 200], |_, y, x| {
            (20_i64.pow(2)..60_i64.pow(2)).contains(&((y - 65).pow(2) + (x - 99).pow(2)))
        }),
    ];
    for image in &shapes {
        Rule::ALL.into_iter().for_each(|rule| same_as_plain(image, rule, None));
    }
    let ball = drawn(&[30, 40, 50], |z, y, x| (z - 15).pow(2) + (y - 20).pow(2) + (x - 25).pow(2) < 14 * 14);
    same_as_plain(&ball, Rule::Subfields, None);
    same_as_plain(&drawn(&[17, 34, 131], |_, _, _| true), Rule::Subfields, None);
}

/// The documented defect of the rule as published, which the safe rule does not have.
#[test]
fn kashani_as_published_loses_even_squares_and_discs_around_a_corner() {
    let (block, square, disc) = (
        drawn(&[6, 6], |_, y, x| (2..4).contains(&y) && (2..4).contains(&x)),
        drawn(&[64, 64], |_, _, _| true),
        drawn(&[100, 100], |_, y, x| (2 * y - 99).pow(2) + (2 * x - 99).pow(2) < 90 * 90),
    );
    for image in [block, square, disc] {
        assert_eq!(skeleton(&image, Rule::Kashani, None).0.count(), 0);
        assert_eq!(skeleton(&image, Rule::KashaniSafe, None).0.count(), 1);
    }
    let odd = drawn(&[63, 63], |_, _, _| true);
    assert_eq!(skeleton(&odd, Rule::Kashani, None).0.count(), 1);
}

/// Zhang and Suen's rule deletes isolated 2×2 blocks.
#[test]
fn zhang_suen_loses_blocks() {
    let block = drawn(&[4, 4], |_, y, x| (1..3).contains(&y) && (1..3).contains(&x));
    assert_eq!(skeleton(&block, Rule::ZhangSuen, None).0.count(), 0);
    assert!(!Rule::ZhangSuen.keeps_topology() && !Rule::Kashani.keeps_topology());
}

/// The Betti numbers of an image.
fn betti(image: &BitImage) -> [usize; 3] {
    topology::verify(image, image).unwrap().before.betti
}

#[test]
fn betti_numbers_of_shapes() {
    let [torus, shell, ring] = shapes_with_holes();
    assert_eq!((betti(&torus), betti(&shell), betti(&ring)), ([1, 1, 0], [1, 0, 1], [1, 1, 0]));
}

fn shapes_with_holes() -> [BitImage; 3] {
    let torus = drawn(&[20, 50, 50], |z, y, x| {
        let (y, x) = ((y - 25) as f64, (x - 25) as f64);
        (y.hypot(x) - 15.0).hypot((z - 10) as f64) < 6.0
    });
    let shell = drawn(&[34, 34, 34], |z, y, x| {
        (64..200).contains(&((z - 17).pow(2) + (y - 17).pow(2) + (x - 17).pow(2)))
    });
    let ring = drawn(&[60, 70], |_, y, x| (100..600).contains(&((y - 30).pow(2) + (x - 35).pow(2))));
    [torus, shell, ring]
}

fn keep_topology(image: &BitImage, rules: &[Rule]) {
    for &rule in rules {
        let (found, _) = skeleton(image, rule, None);
        assert!(found.places().into_iter().all(|place| image.get(place)));
        let verdict = topology::verify(image, &found).unwrap();
        assert!(verdict.is_same(), "{rule}, {}, {:?}: {verdict:?}", image.shape(), image.places());
    }
}

/// Number of random images per rule.
const IMAGES: u64 = if cfg!(debug_assertions) { 20_000 } else { 100_000 };

const KEEPING: [Rule; 3] = [Rule::GuoHall, Rule::KashaniSafe, Rule::Subfields];

#[test]
fn random_planes_keep_their_topology() {
    (0..IMAGES).into_par_iter().for_each(|seed| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let axes = [rng.random_range(1..=32), rng.random_range(1..=32)];
        keep_topology(&random(&axes, &mut rng), &KEEPING);
    });
}

#[test]
fn random_spaces_keep_their_topology() {
    (0..IMAGES).into_par_iter().for_each(|seed| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let axes = [rng.random_range(2..=12), rng.random_range(1..=12), rng.random_range(1..=12)];
        keep_topology(&random(&axes, &mut rng), &[Rule::Subfields]);
    });
}

/// Includes shapes for which other programs return an empty skeleton.
#[test]
fn shapes_keep_their_topology() {
    let [torus, shell, ring] = shapes_with_holes();
    [torus, shell].iter().for_each(|image| keep_topology(image, &[Rule::Subfields]));
    keep_topology(&ring, &KEEPING);
    for axes in [[4, 4, 100], [100, 4, 4], [4, 100, 4], [2, 2, 2], [2, 2, 3], [64, 2, 2]] {
        let bar = drawn(&axes, |_, _, _| true);
        let (found, _) = skeleton(&bar, Rule::Subfields, None);
        assert_eq!(betti(&found), [1, 0, 0]);
        let longest = axes.into_iter().max().unwrap();
        assert!(longest < 60 || (longest - 6..=longest + 6).contains(&found.count()), "{}", found.count());
    }
    for extent in [31, 32, 128] {
        let (found, _) = skeleton(&drawn(&[extent; 3], |_, _, _| true), Rule::Subfields, None);
        assert_eq!(betti(&found), [1, 0, 0]);
    }
    for axes in [[100, 4], [4, 100], [3, 90], [90, 1]] {
        let bar = drawn(&axes, |_, _, _| true);
        for rule in KEEPING {
            let (found, _) = skeleton(&bar, rule, None);
            assert_eq!(betti(&found), [1, 0, 0]);
            assert!(found.count() >= 80, "{rule}: {}", found.count());
        }
    }
}

#[test]
fn threads_and_iterations_make_no_difference() {
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    let (plane, space) = (random(&[400, 700], &mut rng), random(&[40, 70, 150], &mut rng));
    for (image, rules) in [(plane, &Rule::ALL[..]), (space, &[Rule::Subfields])] {
        for &rule in rules {
            let found = [1, 2, 4].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| skeleton(&image, rule, None))
            });
            assert!(found[0] == found[1] && found[1] == found[2], "{rule}");
            let (mut steps, mut passes) = (image.clone(), Vec::new());
            for _ in 0..found[0].1.iterations {
                steps = skeleton(&steps, rule, Some(1)).0;
            }
            assert!(steps == found[0].0, "{rule}");
            let request = ThinningRequest { rule: Some(rule), iterations: None };
            thin(&image, &request, &mut |pass| passes.push(pass)).unwrap();
            let deleted: usize = passes.iter().map(|pass| pass.deleted).sum();
            let statistics = &found[0].1;
            assert_eq!(
                (passes.len(), deleted),
                (statistics.iterations, statistics.before - statistics.after)
            );
            assert!(passes.iter().zip(1..).all(|(pass, iteration)| pass.iteration == iteration));
        }
    }
}

#[test]
fn rules_of_the_plane_refuse_space() {
    let image = drawn(&[2, 3, 4], |_, _, _| true);
    for rule in Rule::ALL.into_iter().filter(|rule| rule.is_planar()) {
        let error =
            thin(&image, &ThinningRequest { rule: Some(rule), iterations: None }, &mut |_| ()).unwrap_err();
        assert_eq!(error, ThinError::Space { rule, shape: image.shape() });
    }
    assert_eq!(ThinningRequest::default().rule_for(image.shape()), Rule::Subfields);
    let line = Shape::new(&[5], Order::C).unwrap();
    assert_eq!(ThinningRequest::default().rule_for(line), Rule::GuoHall);
    for rule in Rule::ALL {
        assert_eq!(
            thin(&BitImage::new(line), &ThinningRequest { rule: Some(rule), iterations: None }, &mut |_| ())
                .unwrap()
                .1
                .iterations,
            0
        );
    }
}
