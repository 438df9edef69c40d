//! Cubical persistence through the public interface: the engine, the boundary matrix and the plain version agree on
//! voxels of every type, and invariances hold.

use std::collections::BTreeMap;

use lacuna::backend::Backend;
use lacuna::cells;
use lacuna::cubical::persistence::via_matrix::MatrixCells;
use lacuna::cubical::persistence::{Classes, Held, Limits, PersistenceRequest, plain, via_matrix};
use lacuna::cubical::{AnyImage, Construction, Cubical, CubicalError, Image, Key, Order, Shape, Voxel, ecc};
use lacuna::progress::Resumable;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::common::kept::Life;

fn image<T>(axes: &[usize], voxels: Vec<T>) -> Image<T> {
    Image::new(Shape::new(axes, Order::C).unwrap(), voxels).unwrap()
}

fn requests() -> impl Iterator<Item = PersistenceRequest> {
    let constructions = [Construction::T, Construction::V].into_iter();
    constructions.flat_map(|construction| {
        [false, true].map(|superlevel| PersistenceRequest {
            construction,
            superlevel,
            ..PersistenceRequest::default()
        })
    })
}

fn any<T: Voxel>(image: &Image<T>) -> AnyImage {
    image.clone().into()
}

fn persistence<T: Voxel>(image: &Image<T>, request: &PersistenceRequest) -> Classes {
    Cubical::new(&any(image), *request).solve(&()).unwrap().classes
}

fn via_matrix<T: Voxel>(image: &Image<T>, request: &PersistenceRequest, cells: MatrixCells) -> Classes {
    via_matrix::persistence(&any(image), request, cells, Limits::default(), &Backend::default(), &())
        .unwrap()
        .classes
}

/// The pairs (birth, death) of each dimension, sorted.
fn diagram<T: Voxel>(image: &Image<T>, classes: &Classes) -> Vec<Vec<(u64, Option<u64>)>> {
    let key = |place: usize| image.voxels()[place].key().to_u64();
    let bars = |classes: &Vec<lacuna::cubical::persistence::Class>| {
        let mut bars: Vec<_> = classes.iter().map(|class| (key(class.birth), class.death.map(key))).collect();
        bars.sort_unstable();
        bars
    };
    classes.dimensions.iter().map(bars).collect()
}

/// Random voxels with `levels` values of a type, for images of each number of axes.
fn every_shape<T: Voxel>(seed: u64, voxel: impl Fn(i64) -> T) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let shapes: [&[usize]; 6] = [&[1], &[17], &[6, 7], &[1, 9], &[4, 3, 5], &[3, 1, 4]];
    for axes in shapes {
        for levels in [1, 3, 100] {
            let count = axes.iter().product();
            let image = image(axes, (0..count).map(|_| voxel(rng.random_range(-levels..levels))).collect());
            for request in requests().flat_map(|r| [r, PersistenceRequest { max_dim: Some(0), ..r }]) {
                let expected = plain::persistence(&image, &request);
                assert_eq!(persistence(&image, &request), expected, "{image:?}, {request:?}");
                for cells in [MatrixCells::All, MatrixCells::Critical] {
                    assert_eq!(via_matrix(&image, &request, cells), expected, "{image:?}, {request:?}");
                }
            }
        }
    }
}

#[test]
fn voxels_of_every_type() {
    every_shape(1, |v| v as i8);
    every_shape(2, |v| (v + 100) as u8);
    every_shape(3, |v| (v * 300) as i16);
    every_shape(4, |v| ((v + 100) * 300) as u16);
    every_shape(5, |v| (v * 20_000_000) as i32);
    every_shape(6, |v| ((v + 100) * 20_000_000) as u32);
    every_shape(7, |v| v * (1 << 55));
    every_shape(8, |v| ((v + 100) as u64) << 56);
    every_shape(9, |v| v as f32 / 3.0);
    every_shape(10, |v| match v {
        -1 => -0.0,
        99 => f64::INFINITY,
        -100 => f64::NEG_INFINITY,
        v => v as f64 * 1e-3,
    });
}

fn random(axes: &[usize], levels: i64, seed: u64) -> Image<i64> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    image(axes, (0..axes.iter().product()).map(|_| rng.random_range(-levels..levels)).collect())
}

fn mapped<T, U>(image: &Image<T>, map: impl Fn(&T) -> U) -> Image<U> {
    Image::new(image.shape(), image.voxels().iter().map(map).collect()).unwrap()
}

/// Images too large for the plain version, with few levels and with many.
fn medium() -> impl Iterator<Item = Image<i64>> {
    let shapes: [&[usize]; 4] = [&[5000], &[61, 83], &[19, 23, 29], &[1, 40, 40]];
    shapes.into_iter().flat_map(|axes| [2, 20, 1 << 40].map(|levels| random(axes, levels, levels as u64)))
}

#[test]
fn the_engine_agrees_with_the_boundary_matrix() {
    for image in medium() {
        for request in requests() {
            let expected = via_matrix(&image, &request, MatrixCells::All);
            assert_eq!(persistence(&image, &request), expected, "{} {request:?}", image.shape());
            let by_critical = via_matrix(&image, &request, MatrixCells::Critical);
            assert_eq!(by_critical, expected, "{} {request:?}", image.shape());
        }
    }
}

#[test]
fn scaled_values_give_the_same_voxels() {
    for image in medium() {
        let scaled = mapped(&image, |&v| 0.5 * v as f64 + 7.0);
        for request in requests() {
            assert_eq!(persistence(&image, &request), persistence(&scaled, &request));
        }
    }
}

#[test]
fn superlevel_sets_are_sublevel_sets_of_the_negated_image() {
    for image in medium() {
        let negated = mapped(&image, |v| -v);
        for request in requests() {
            let other = PersistenceRequest { superlevel: !request.superlevel, ..request };
            assert_eq!(persistence(&image, &request), persistence(&negated, &other));
        }
    }
}

#[test]
fn permuted_and_flipped_axes_give_the_same_diagram() {
    for (levels, seed) in [(3, 1), (1000, 2)] {
        let [a, b, c] = [13, 11, 9];
        let original = random(&[a, b, c], levels, seed);
        let at = |i: usize, j: usize, k: usize| original.voxels()[(i * b + j) * c + k];
        let turned = |axes: [usize; 3], at: &dyn Fn([usize; 3]) -> i64| {
            let [planes, rows, columns] = axes;
            let of_plane = |i| (0..rows).flat_map(move |j| (0..columns).map(move |k| [i, j, k]));
            image(&axes, (0..planes).flat_map(of_plane).map(at).collect())
        };
        let others = [
            turned([c, a, b], &|[k, i, j]| at(i, j, k)),
            turned([b, a, c], &|[j, i, k]| at(i, j, k)),
            turned([a, b, c], &|[i, j, k]| at(a - 1 - i, j, c - 1 - k)),
        ];
        for request in requests() {
            let expected = diagram(&original, &persistence(&original, &request));
            for other in &others {
                assert_eq!(diagram(other, &persistence(other, &request)), expected, "{request:?}");
            }
        }
        // The same memory read in the other order is the image with its axes reversed.
        let shape = Shape::new(&[c, b, a], Order::F).unwrap();
        let reversed = Image::new(shape, original.voxels().to_vec()).unwrap();
        for request in requests() {
            let expected = diagram(&original, &persistence(&original, &request));
            assert_eq!(diagram(&reversed, &persistence(&reversed, &request)), expected);
        }
    }
}

/// The non-zero changes of the Euler characteristic by value, given as a key.
type Changes = BTreeMap<u64, i64>;

fn changes(all: impl Iterator<Item = (f64, i64)>) -> Changes {
    let mut changes = Changes::new();
    all.for_each(|(value, change)| *changes.entry(value.key()).or_insert(0) += change);
    changes.retain(|_, change| *change != 0);
    changes
}

fn sign(dim: usize) -> i64 {
    if dim.is_multiple_of(2) { 1 } else { -1 }
}

fn changes_by_bars<T: Voxel>(image: &Image<T>, request: &PersistenceRequest) -> Changes {
    let classes = persistence(image, request);
    let value = |place: usize| image.voxels()[place].value();
    changes(classes.dimensions.iter().enumerate().flat_map(|(dim, classes)| {
        let births = classes.iter().map(move |class| (value(class.birth), sign(dim)));
        let deaths = classes.iter().filter_map(|class| class.death);
        births.chain(deaths.map(move |death| (value(death), -sign(dim))))
    }))
}

fn changes_by_cells<T: Voxel>(image: &Image<T>, request: &PersistenceRequest) -> Changes {
    let complex = cells::image_complex::<u32>(&any(image), request, None, &()).unwrap();
    let dims = complex.matrix.dims().iter().map(|&dim| sign(dim.into()));
    changes(complex.owners.iter().map(|&owner| image.voxels()[owner as usize].value()).zip(dims))
}

fn changes_by_curve<T: Voxel>(image: &Image<T>, request: &PersistenceRequest) -> Changes {
    let PersistenceRequest { construction, superlevel, .. } = *request;
    let curve = ecc::curve(image, &ecc::EccRequest { construction, superlevel, bins: ecc::Bins::Distinct });
    changes(curve.unwrap().rows().map(|(value, change, _)| (value.double(), change)))
}

fn check_changes<T: Voxel>(image: &Image<T>) {
    for request in requests() {
        let bars = changes_by_bars(image, &request);
        assert!(bars == changes_by_cells(image, &request), "cells, {} {request:?}", T::NAME);
        assert!(bars == changes_by_curve(image, &request), "curve, {} {request:?}", T::NAME);
    }
}

/// At every value the alternating sum of the Betti numbers is that of the cells (Euler, Poincaré), and agrees with
/// the Euler characteristic curve.
#[test]
fn bars_have_the_euler_characteristic_of_cells() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let wave = |x: usize| (x as f64 * 0.37).sin();
    let smooth = |p: usize| wave(p / 4096) * wave(p / 64 % 64 + 3) + 0.6 * wave(2 * (p % 64));
    let axes = [64, 64, 64];
    let smooth = image(&axes, (0..64 * 64 * 64).map(smooth).collect());
    check_changes(&mapped(&smooth, |v| (v * 100.0) as i8));
    check_changes(&smooth);
    check_changes(&image(&axes, (0..64 * 64 * 64).map(|_| rng.random::<f64>()).collect()));
    check_changes(&image(&[150, 170], (0..150 * 170).map(|_| rng.random_range(0..9_u8)).collect()));
}

/// An image by blocks that is killed again and again goes on from the block where it was.
#[test]
fn blocks_that_are_done_are_not_done_again() {
    let voxels: Vec<u16> = (0..30_u32 * 9 * 8).map(|k| (k.wrapping_mul(0x9E37_79B9) >> 24) as u16).collect();
    let image = AnyImage::from_slice(&voxels, &[30, 9, 8]).unwrap();
    for construction in [Construction::T, Construction::V] {
        let request = PersistenceRequest { construction, ..PersistenceRequest::default() };
        let whole = Cubical { threads: Some(2), ..Cubical::new(&image, request) };
        let expected = whole.solve(&()).unwrap().classes;
        let [blocks, with_codes] =
            [0, usize::MAX].map(|codes| Cubical { held: Some(Held { keys: 0, codes }), ..whole.clone() });
        for (blocks, may_save_last) in [(&blocks, false), (&blocks, true), (&with_codes, true)] {
            let life = Life::new(3, may_save_last);
            let is_interruption = |error: &CubicalError| matches!(error, CubicalError::Interrupted(_));
            let (found, ended) = life.live(5, |progress| blocks.solve(progress), is_interruption);
            assert_eq!(found.classes, expected, "{construction}");
            assert!(ended > 2 && life.names().contains(&"cells".to_owned()), "{ended} {:?}", life.names());
        }
        // What another image has saved is refused.
        let life = Life::new(1, true);
        life.live(1 << 20, |progress| blocks.solve(progress), |_: &CubicalError| false);
        let others: Vec<u16> = voxels.iter().map(|voxel| voxel / 3).collect();
        let other = AnyImage::from_slice(&others, &[30, 9, 8]).unwrap();
        let refused = Cubical { image: &other, ..blocks.clone() }
            .solve(&Resumable { progress: &(), checkpoint: &life })
            .unwrap_err();
        let expected = "critical cells: expected those of the image";
        assert!(refused.to_string().contains(expected), "{refused}");
    }
}
