//! Compares the CPU with the count of cells: every instruction level, key width, construction, kind of rows and cut.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use super::*;
use crate::cubical::ecc::plain;
use crate::cubical::{Order, Shape};
use crate::simd::BLOCK;

fn requests() -> Vec<EccRequest> {
    let mut requests = Vec::new();
    for construction in [Construction::T, Construction::V] {
        for superlevel in [false, true] {
            let ranges = [None, Some((1.0.into(), 2.5.into())), Some((0.0.into(), 300.0.into()))];
            let uniform = ranges.map(|range| Bins::Uniform { count: 1 + 3 * ranges.len(), range });
            for bins in uniform.into_iter().chain([Bins::Distinct, Bins::Uniform { count: 1, range: None }]) {
                requests.push(EccRequest { construction, superlevel, bins });
            }
        }
    }
    requests
}

/// A random image with at most as many distinct values as a random level count.
fn image<T: Voxel>(axes: &[usize], rng: &mut Pcg64, voxel: impl Fn(u64) -> T) -> Image<T> {
    let shape = Shape::new(axes, Order::C).unwrap();
    let levels = [1, 2, 3, 7, 256][rng.random_range(0..5)];
    let voxels = (0..shape.count()).map(|_| voxel(rng.random_range(0..levels))).collect();
    Image::new(shape, voxels).unwrap()
}

/// Extents on both sides of a multiple of the block width.
fn axes(rng: &mut Pcg64) -> Vec<usize> {
    let wide = [1, 2, 3, 5, 31, 62, 63, 64, 65, 66, 127, 128, 129, 200][rng.random_range(0..14)];
    match rng.random_range(0..6) {
        0 => vec![wide],
        1 => vec![rng.random_range(1..5), wide],
        2 => vec![rng.random_range(1..12), rng.random_range(1..12)],
        3 => vec![rng.random_range(1..3), rng.random_range(1..4), wide],
        4 => vec![rng.random_range(1..20), rng.random_range(1..4), rng.random_range(1..4)],
        _ => vec![rng.random_range(1..6), rng.random_range(1..6), rng.random_range(1..6)],
    }
}

/// The curve of an image added at once, with the vector instructions of `level`.
fn curve_at<T: Voxel>(image: &Image<T>, request: &EccRequest, level: Level) -> Result<Vcec, BinsError> {
    curve_in_pieces(image, request, level, usize::MAX, &|| ())
}

fn agrees<T: Voxel>(image: &Image<T>, request: &EccRequest) {
    let expected = plain::curve(image, request);
    for level in Level::available() {
        let found = curve_at(image, request, level);
        assert_eq!(found, expected, "{} {} {request:?} {}", T::NAME, image.shape(), level.name());
        for at_once in [1, 3] {
            let found = curve_in_pieces(image, request, level, at_once, &|| ());
            assert_eq!(found, expected, "{at_once} planes at a time");
        }
    }
}

fn random_images<T: Voxel>(count: usize, seed: u64, voxel: impl Fn(u64) -> T) {
    let mut rng = Pcg64::seed_from_u64(seed);
    let requests = requests();
    for _ in 0..count {
        let image = image(&axes(&mut rng), &mut rng, &voxel);
        agrees(&image, &requests[rng.random_range(0..requests.len())]);
    }
}

#[test]
fn bytes() {
    random_images(1500, 1, |v| v as u8);
    random_images(300, 2, |v| 255 - v as u8);
    random_images(300, 3, |v| (v as u8).wrapping_sub(2).cast_signed());
}

#[test]
fn words() {
    random_images(150, 4, |v| v as u16);
    random_images(150, 5, |v| i16::MAX - (v * 5) as i16);
}

#[test]
fn wide_integers() {
    random_images(300, 6, |v| u32::MAX - v as u32);
    random_images(300, 7, |v| v as i32 - 2);
    random_images(200, 8, |v| v);
    random_images(200, 9, |v| i64::MIN + v.cast_signed());
}

#[test]
fn floats() {
    let special = |v| match v {
        0 => -0.0,
        1 => 0.0,
        6 => f32::INFINITY,
        9 => f32::NEG_INFINITY,
        v => v as f32 / 3.0 - 1.0,
    };
    random_images(400, 10, special);
    random_images(400, 11, |v| f64::from(special(v)) + 1e-12 * v as f64);
}

#[test]
fn extents_of_one_are_no_dimension() {
    let mut rng = Pcg64::seed_from_u64(12);
    for _ in 0..50 {
        let line = image(&[rng.random_range(1..90)], &mut rng, |v| v as u8);
        let width = line.shape().count();
        for request in requests() {
            for axes in
                [vec![1, width], vec![width, 1], vec![1, 1, width], vec![1, width, 1], vec![width, 1, 1]]
            {
                let image = Image::new(Shape::new(&axes, Order::F).unwrap(), line.voxels().to_vec()).unwrap();
                let level = Level::detect();
                assert_eq!(curve_at(&image, &request, level), curve_at(&line, &request, level), "{axes:?}");
            }
        }
    }
}

/// Tests every cut of the image in two along its rows. Cuts along the slowest axis are tested as slabs, by
/// `slabs_do_not_show`.
#[test]
fn any_cut() {
    let mut rng = Pcg64::seed_from_u64(13);
    let level = Level::detect();
    for axes in [[7, 6, 70], [1, 9, 150], [5, 5, 64]] {
        let image = image(&axes, &mut rng, |v| v as u16);
        let (voxels, extents) = (image.voxels(), image.shape().extents());
        for construction in [Construction::T, Construction::V] {
            let request = EccRequest { construction, ..EccRequest::default() };
            let expected = plain::curve(&image, &request).unwrap();
            for row in 1..extents[1] {
                let mut counter = Counter::<u16>::new(&request, VoxelType::U16, level);
                counter.begin(None, rayon::current_num_threads(), None).unwrap();
                for rows in [0..row, row..extents[1]] {
                    let tile = VoxelTile { planes: 0..extents[0], rows, columns: 0..extents[2] };
                    let view = View { extents, first: [0; 3], voxels, order: counter.order };
                    counter.workers[0].add(view, &tile);
                }
                assert_eq!(
                    counter.finish().unwrap().into_vcec().unwrap(),
                    expected,
                    "{axes:?} rows cut at {row}"
                );
            }
        }
    }
}

#[test]
fn any_number_of_threads() {
    let mut rng = Pcg64::seed_from_u64(14);
    let bytes = image(&[90, 70, 130], &mut rng, |v| v as u8);
    let floats = image(&[200, 300], &mut rng, |v| v as f32);
    let line = image(&[20_000], &mut rng, |v| v as u32);
    let request = EccRequest::default();
    let all = || {
        let level = Level::detect();
        (
            curve_at(&bytes, &request, level),
            curve_at(&floats, &request, level),
            curve_at(&line, &request, level),
        )
    };
    let on = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(all);
    let one = on(1);
    assert_eq!(one.2, plain::curve(&line, &request));
    for threads in [2, 3, 4, 8] {
        assert_eq!(on(threads), one, "{threads} threads");
    }
}

#[test]
fn tiles_cover_a_box_once() {
    for (extents, threads) in
        [([300, 200, 5000], 2), ([1, 1000, 64], 4), ([1, 1, 100_000], 1), ([3, 5, 7], 8)]
    {
        for bytes in [1, 8] {
            let mut covered = 0;
            for tile in tiles(extents.map(|extent| 0..extent), bytes, threads) {
                assert!(tile.columns.start.is_multiple_of(BLOCK) && tile.columns.len() <= 4096);
                covered += tile.planes.len() * tile.rows.len() * tile.columns.len();
            }
            assert_eq!(covered, extents.iter().product::<usize>());
        }
    }
}

/// Tests that every possible number occurs and is right. Neighbours are lower at random, with separate densities for
/// those across faces, edges and vertices.
#[test]
fn every_number() {
    let mut rng = Pcg64::seed_from_u64(15);
    let mut numbers = std::collections::BTreeSet::new();
    for round in 0..27 * 40 {
        let densities = [round % 3, round / 3 % 3, round / 9 % 3].map(|density| f64::from(density) / 2.0);
        // 21 voxels whose neighbourhoods are disjoint.
        let mut voxels = vec![255; 9 * 84];
        for k in 0..21 {
            for (row, column) in (0..9).flat_map(|row| (0..3).map(move |column| (row, column))) {
                let away = usize::from(row / 3 != 1) + usize::from(row % 3 != 1) + usize::from(column != 1);
                let lower = away > 0 && rng.random_bool(densities[away - 1]);
                voxels[row * 84 + 4 * k + column] = if lower { 0 } else { 254 };
            }
            voxels[4 * 84 + 4 * k + 1] = 100 + k as u8;
        }
        let image = Image::new(Shape::new(&[3, 3, 84], Order::C).unwrap(), voxels).unwrap();
        for construction in [Construction::T, Construction::V] {
            let request = EccRequest { construction, ..EccRequest::default() };
            let found = curve_at(&image, &request, Level::detect()).unwrap();
            assert_eq!(found, plain::curve(&image, &request).unwrap());
            let changes = found.values.iter().zip(found.changes);
            let centres = changes.filter(|(value, _)| (100.0..121.0).contains(&value.double()));
            numbers.extend(centres.map(|(_, change)| (construction == Construction::T, change)));
        }
    }
    let expected = (-5..=7).map(|number| (false, number)).chain((-7..=5).map(|number| (true, number)));
    assert_eq!(numbers.into_iter().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}
