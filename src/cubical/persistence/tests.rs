//! The engine against the oracle.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::{Construction, Image, Order, Shape};
use super::*;

fn image(axes: &[usize], voxels: Vec<u8>) -> Image<u8> {
    Image::new(Shape::new(axes, Order::C).unwrap(), voxels).unwrap()
}

fn requests() -> Vec<Request> {
    let mut requests = Vec::new();
    for construction in [Construction::T, Construction::V] {
        for superlevel in [false, true] {
            for max_dim in [None, Some(0), Some(1)] {
                requests.push(Request { construction, superlevel, max_dim });
            }
        }
    }
    requests
}

fn is_the_oracles(image: &Image<u8>) {
    for request in requests() {
        let (found, expected) = (persistence(image, &request).unwrap(), plain::persistence(image, &request));
        assert_eq!(found, expected, "{request:?} of {image:?}");
    }
}

fn random(rng: &mut impl Rng, axes: &[usize], levels: u8) -> Image<u8> {
    let voxels = (0..axes.iter().product()).map(|_| rng.random_range(0..levels)).collect();
    image(axes, voxels)
}

#[test]
fn random_lines_and_planes() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for round in 0..300 {
        let levels = [2, 3, 5, 200][round % 4];
        let line = [rng.random_range(1..12)];
        is_the_oracles(&random(&mut rng, &line, levels));
        let plane = [rng.random_range(1..8), rng.random_range(1..8)];
        is_the_oracles(&random(&mut rng, &plane, levels));
    }
}

#[test]
fn all_small_planes_of_two_values() {
    for bits in 0..512_u32 {
        is_the_oracles(&image(&[3, 3], (0..9).map(|i| (bits >> i & 1) as u8).collect()));
    }
}

#[test]
fn random_solids() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for round in 0..200 {
        let levels = [2, 3, 5, 200][round % 4];
        let solid = [rng.random_range(1..5), rng.random_range(1..5), rng.random_range(1..6)];
        is_the_oracles(&random(&mut rng, &solid, levels));
    }
}

#[test]
fn all_cubes_of_two_values() {
    for bits in 0..256_u32 {
        is_the_oracles(&image(&[2, 2, 2], (0..8).map(|i| (bits >> i & 1) as u8).collect()));
    }
}
