//! The engine against the oracle.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::{Construction, Cubical, CubicalOutcome, Image, Mask, Order, Periodic, Shape};
use super::via_matrix::MatrixCells;
use super::*;
use crate::backend::Backend;
use crate::cubical::Voxel;
use crate::diagram::BarSelection;
use crate::progress::sums::Sums;
use crate::progress::{Cost, Expected, Progress};

fn image(axes: &[usize], voxels: Vec<u8>) -> Image<u8> {
    Image::new(Shape::new(axes, Order::C).unwrap(), voxels).unwrap()
}

fn requests() -> Vec<PersistenceRequest> {
    let mut requests = Vec::new();
    for construction in [Construction::T, Construction::V] {
        for superlevel in [false, true] {
            for max_dim in [None, Some(0), Some(1)] {
                requests.push(PersistenceRequest {
                    construction,
                    superlevel,
                    max_dim,
                    ..PersistenceRequest::default()
                });
            }
        }
    }
    requests
}

fn persistence<T: Voxel>(image: &Image<T>, request: &PersistenceRequest) -> Classes {
    Cubical::new(&image.clone().into(), *request).solve(&()).unwrap().classes
}

/// Computes the classes, and the cycles of all bars if `is_traced`.
fn solve(
    image: &Image<u8>,
    request: &PersistenceRequest,
    is_traced: bool,
    progress: &dyn Progress,
) -> CubicalOutcome {
    let image = image.clone().into();
    let representatives = is_traced.then_some(BarSelection::All);
    Cubical { representatives, ..Cubical::new(&image, *request) }.solve(progress).unwrap()
}

fn is_the_oracles(image: &Image<u8>) {
    for request in requests() {
        let (found, expected) = (persistence(image, &request), plain::persistence(image, &request));
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

/// Values at both ends of their types, which take keys of 32 bits or sorting, and those one nearer to each other.
#[test]
fn values_at_the_ends_of_their_types() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for axes in [&[17][..], &[4, 5], &[3, 2, 4]] {
        let shape = Shape::new(axes, Order::C).unwrap();
        fn check<T: Voxel>(shape: Shape, values: [T; 4], rng: &mut impl Rng) {
            let voxels = (0..shape.count()).map(|_| values[rng.random_range(0..4)]).collect();
            let image = Image::new(shape, voxels).unwrap();
            for request in requests() {
                assert_eq!(persistence(&image, &request), plain::persistence(&image, &request), "{image:?}");
            }
        }
        for _ in 0..9 {
            for less in 0..5 {
                check(shape, [0, 1, 1 << 31, u32::MAX - less], &mut rng);
                check(shape, [i32::MIN, -1, 0, i32::MAX - less.cast_signed()], &mut rng);
                check(shape, [9, 10, 11, 9 + u64::from(u32::MAX - less)], &mut rng);
                check(shape, [i64::MIN, -1, 0, i64::MAX - i64::from(less)], &mut rng);
            }
            check(shape, [f32::NEG_INFINITY, -0.0, 0.0, f32::INFINITY], &mut rng);
            check(shape, [f32::MIN, -1.0, 1.0, f32::MAX], &mut rng);
            check(shape, [f64::NEG_INFINITY, -0.0, 0.0, f64::INFINITY], &mut rng);
            check(shape, [0, 1, 254, u8::MAX], &mut rng);
        }
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

/// Blocks of one slice and of some, in both orders of memory, of plateaus and of noise.
#[test]
fn images_by_blocks() {
    let mut rng = Pcg64Mcg::seed_from_u64(14);
    for round in 0..90 {
        let axes = [[70, 1, 1], [1, 30, 30], [20, 9, 8]][round % 3].map(|most| rng.random_range(1..=most));
        let shape = Shape::new(&axes, [Order::C, Order::F][round % 2]).unwrap();
        let levels = [2, 9, 200][rng.random_range(0..3)];
        let voxels = (0..shape.count()).map(|_| rng.random_range(0..levels)).collect();
        let image = Image::<u16>::new(shape, voxels).unwrap().into();
        for periodic in Periodic::all(shape) {
            let request = PersistenceRequest { periodic, ..requests()[rng.random_range(0..12)] };
            let whole = Cubical::new(&image, request);
            let held = Some(Held {
                keys: rng.random_range(0..shape.count()),
                codes: rng.random_range(0..2 * shape.count()),
            });
            let [whole, blocks] =
                [&whole, &Cubical { held, ..whole.clone() }].map(|by| by.solve(&()).unwrap());
            assert!(whole.classes == blocks.classes, "{request:?} of {image:?} by blocks of {held:?}");
            assert_eq!(whole.statistics.critical, blocks.statistics.critical);
        }
    }
}

/// Axes of two voxels are among them, along which two voxels are neighbours twice.
#[test]
fn images_that_close_up() {
    let mut rng = Pcg64Mcg::seed_from_u64(12);
    for round in 0..60 {
        let levels = [2, 3, 5, 200][round % 4];
        let (few, more) = (1..4, 1..7);
        for axes in [
            &[rng.random_range(1..12)][..],
            &[rng.random_range(more.clone()), rng.random_range(more.clone())],
            &[rng.random_range(few.clone()), rng.random_range(few), rng.random_range(1..5)],
        ] {
            let image = random(&mut rng, axes, levels);
            for periodic in Periodic::all(image.shape()) {
                let request = requests()[rng.random_range(0..12)];
                let request = PersistenceRequest { periodic, ..request };
                let expected = plain::persistence(&image, &request);
                assert_eq!(persistence(&image, &request), expected, "{request:?} of {image:?}");
            }
        }
    }
}

/// Voxels of all types, some of them at the ends of their types, with and without an order of their own.
#[test]
fn parts_of_images() {
    fn check<T: Voxel>(shape: Shape, values: &[T], rng: &mut impl Rng) {
        let voxels = (0..shape.count()).map(|_| values[rng.random_range(0..values.len())]).collect();
        let image = Image::new(shape, voxels).unwrap();
        let of_ten = [1, 5, 9, 10][rng.random_range(0..4)];
        let inside: Vec<u8> =
            (0..shape.count()).map(|_| u8::from(rng.random_range(0..10) < of_ten)).collect();
        // The mask is the same array in C order.
        let in_c = (0..shape.count()).map(|place| inside[shape.memory_place(place)]).collect();
        let mask = Mask::new(&Image::new(shape.in_order(Order::C), in_c).unwrap().into()).unwrap();
        let limits = Limits { threshold: None, mask: Some(&mask) };
        let any = image.clone().into();
        for periodic in Periodic::all(shape) {
            let request = PersistenceRequest { periodic, ..requests()[rng.random_range(0..12)] };
            let expected = plain::persistence_within(&image, &|place| inside[place] == 1, &request);
            for held in [None, Some((0, usize::MAX)), Some((40, 50)), Some((40, 0))] {
                let held = held.map(|(keys, codes)| Held { keys, codes });
                let found =
                    Cubical { limits, held, ..Cubical::new(&any, request) }.solve(&()).unwrap().classes;
                assert_eq!(found, expected, "{request:?} of {image:?} in {inside:?} by blocks of {held:?}");
            }
            for cells in [MatrixCells::All, MatrixCells::Critical] {
                let found =
                    via_matrix::persistence(&any, &request, cells, limits, &Backend::default(), &()).unwrap();
                assert_eq!(found.classes, expected, "{request:?} of {image:?} in {inside:?}, {cells:?}");
            }
        }
    }
    let mut rng = Pcg64Mcg::seed_from_u64(13);
    for round in 0..60 {
        let axes = [[12, 1, 1], [1, 6, 5], [3, 4, 3]][round % 3].map(|most| rng.random_range(1..=most));
        let shape = Shape::new(&axes, [Order::C, Order::F][round % 2]).unwrap();
        check(shape, &[0_u8, 1, 2, u8::MAX], &mut rng);
        check(shape, &[i32::MIN, -1, 0, i32::MAX], &mut rng);
        check(shape, &[0, 7, u32::MAX - 2], &mut rng);
        check(shape, &[0, 1, u64::MAX], &mut rng);
        check(shape, &[f64::NEG_INFINITY, 0.1, 0.25, 3.0, f64::INFINITY], &mut rng);
        check(shape, &[-1e9, -0.0, 0.0, 0.25, f64::INFINITY], &mut rng);
    }
}

/// Each circle of a torus is a loop that is never filled: of the middle dimensions there are as many as of pairs.
#[test]
fn a_torus_has_the_classes_of_its_circles() {
    for (axes, betti) in [(&[5][..], &[1, 1][..]), (&[2, 4], &[1, 2, 1]), (&[40, 33, 2], &[1, 3, 3, 1])] {
        let shape = Shape::new(axes, Order::F).unwrap();
        let voxels: Vec<u16> = (0..shape.count()).map(|place| (place * 7919 % 1009) as u16).collect();
        let image = Image::new(shape, voxels).unwrap();
        let periodic = Periodic::along(0..axes.len()).unwrap();
        for construction in [Construction::T, Construction::V] {
            let request = PersistenceRequest { construction, periodic, ..PersistenceRequest::default() };
            let classes = persistence(&image, &request);
            let essential =
                |classes: &Vec<Class>| classes.iter().filter(|class| class.death.is_none()).count();
            assert_eq!(classes.dimensions.iter().map(essential).collect::<Vec<_>>(), betti, "{construction}");
            for cells in [MatrixCells::All, MatrixCells::Critical] {
                let (image, limits) = (image.clone().into(), Limits::default());
                let found =
                    via_matrix::persistence(&image, &request, cells, limits, &Backend::default(), &());
                assert_eq!(classes, found.unwrap().classes, "{construction} of {axes:?}, {cells:?}");
            }
        }
    }
}

#[test]
fn all_cubes_of_two_values() {
    for bits in 0..256_u32 {
        is_the_oracles(&image(&[2, 2, 2], (0..8).map(|i| (bits >> i & 1) as u8).collect()));
    }
}

#[test]
fn all_small_solids_of_two_values() {
    for bits in 0..4096_u32 {
        let solid = image(&[3, 2, 2], (0..12).map(|i| (bits >> i & 1) as u8).collect());
        for construction in [Construction::T, Construction::V] {
            let request = PersistenceRequest {
                construction,
                superlevel: bits % 2 == 1,
                ..PersistenceRequest::default()
            };
            assert_eq!(persistence(&solid, &request), plain::persistence(&solid, &request));
        }
    }
}

/// Columns are taken in the direction in which faces become earlier: up, down, and where there is none.
#[test]
fn solids_that_rise_along_an_axis() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    for round in 0..30 {
        let place = |i: u8| if round % 2 == 0 { i } else { 5 - i };
        let voxels = (0..96).map(|i| 3 * place(i / 16) + rng.random_range(0..9)).collect();
        is_the_oracles(&image(&[6, 4, 4], voxels));
    }
}

/// Voxels of births and deaths by coordinates, bar by bar in order, and the cells and voxels of their cycles.
type Located = (Vec<Vec<(Vec<usize>, Option<Vec<usize>>)>>, Vec<(Vec<Vec<i32>>, Vec<Vec<usize>>)>);

#[test]
fn the_order_in_memory_does_not_matter() {
    let mut rng = Pcg64Mcg::seed_from_u64(9);
    for round in 0..60 {
        let most = [[1, 1, 40], [1, 9, 9], [6, 5, 4]][round % 3];
        let axes = most.map(|most| rng.random_range(1..=most));
        let in_c = random(&mut rng, &axes, [2, 3, 5][round / 3 % 3]);
        let fortran = Shape::new(&axes, Order::F).unwrap();
        let voxels = (0..fortran.count()).map(|place| in_c.voxels()[fortran.c_place(place)]).collect();
        let in_fortran = Image::new(fortran, voxels).unwrap();
        for request in requests() {
            let located = |image: &Image<u8>| -> Located {
                let shape = image.shape();
                let at = |place: usize| shape.coordinates(place);
                let by_coordinates = |classes: &Classes| {
                    let class = |class: &Class| (at(class.birth), class.death.map(at));
                    classes.dimensions.iter().map(|classes| classes.iter().map(class).collect()).collect()
                };
                let classes = persistence(image, &request);
                assert_eq!(plain::persistence(image, &request), classes, "{request:?} of {image:?}");
                let run = solve(image, &request, true, &());
                let cycles = run.representatives.as_ref().unwrap().iter().map(|found| {
                    let cells = found.cells.iter().map(<[i32]>::to_vec).collect();
                    (cells, found.voxels.iter().map(|&place| at(place)).collect())
                });
                (by_coordinates(&run.classes), cycles.collect())
            };
            assert_eq!(located(&in_fortran), located(&in_c), "{request:?} of {in_c:?}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    for (axes, levels) in [([40, 41, 42], 255), ([48, 40, 32], 2), ([1, 301, 300], 4)] {
        let image = random(&mut rng, &axes, levels);
        for request in requests() {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| persistence(&image, &request))
            };
            let alone = run(1);
            assert!(run(2) == alone && run(4) == alone, "{request:?} of {axes:?}");
        }
    }
}

#[test]
fn stages_are_heard_and_counted() {
    let solid = image(&[3, 3, 3], (0..27).map(|i| i * 7 % 27).collect());
    let sums = Sums::default();
    let CubicalOutcome { classes, statistics, .. } =
        solve(&solid, &PersistenceRequest::default(), false, &sums);
    assert_eq!(classes, plain::persistence(&solid, &PersistenceRequest::default()));
    assert!(
        sums.stages().iter().map(|told| &told.stage).eq(statistics.stages.iter().map(|(stage, _)| stage))
    );
    assert!(statistics.stages.iter().all(|(_, seconds)| *seconds >= 0.0));
    assert_eq!(statistics.voxels, 27);
    // Euler's characteristic of the image and its rim, the rim being one vertex.
    let [minima, edges, faces, maxima] = statistics.critical;
    assert_eq!(minima + faces + 1, edges + maxima);
}

/// The stages that were told to lie ahead and have not begun.
#[derive(Default)]
struct Ahead(std::sync::Mutex<Vec<Expected>>);

impl Progress for Ahead {
    fn expect(&self, stages: &[Expected]) {
        let is_sound = |stage: &Expected| match stage.cost {
            Cost::Known(cost) | Cost::Assumed(cost) => cost >= 0.0,
            Cost::Unknown => true,
        };
        assert!(stages.iter().all(is_sound), "{stages:?}");
        *self.0.lock().unwrap() = stages.to_vec();
    }

    fn begin(&self, stage: &'static str, dim: Option<usize>, _: u64) {
        let next = self.0.lock().unwrap().remove(0);
        assert_eq!((next.stage, next.dim), (stage, dim));
    }
}

#[test]
fn stages_are_told_before_they_begin() {
    let mut rng = Pcg64Mcg::seed_from_u64(10);
    for axes in [&[7][..], &[20, 30], &[1, 9, 8], &[10, 11, 12]] {
        let image = random(&mut rng, axes, 9);
        for request in requests() {
            let ahead = Ahead::default();
            for is_traced in [false, true] {
                solve(&image, &request, is_traced, &ahead);
                assert_eq!(*ahead.0.lock().unwrap(), [], "{request:?} of {axes:?}");
            }
        }
    }
}

#[test]
fn what_is_reported_adds_up_to_the_totals() {
    let mut rng = Pcg64Mcg::seed_from_u64(9);
    // Few voxels and many, whole lines in a part and lines longer than one.
    for axes in [&[7][..], &[30_000], &[2, 3], &[150, 151], &[3, 9000], &[9000, 3], &[31, 32, 33]] {
        let image = random(&mut rng, axes, 200);
        for request in requests() {
            let sums = Sums::default();
            solve(&image, &request, false, &sums);
            let stages = sums.stages();
            let is_counted: Vec<_> = stages.iter().map(|told| (told.stage, told.total > 1)).collect();
            let mut expected = vec![
                ("order", true),
                ("gradient", true),
                ("critical cells", true),
                ("components and cavities", false),
            ];
            if axes.len() == 3 && request.max_dim.is_none_or(|max_dim| max_dim > 0) {
                expected.push(("loops", true));
            }
            expected.push(("classes", false));
            assert_eq!(is_counted, expected, "{request:?} of {axes:?}");
        }
    }
}
