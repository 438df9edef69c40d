//! Cycles of the bars of random small images, checked by definition over all cells and by ranks of matrices.

use std::collections::BTreeSet;

use crate::common::chains::{Filtration, Scale};
use crate::common::cubes::{Cubes, name};
use crate::common::judge::{judge_basis, judge_cycle};
use crate::common::metrics::generator;
use crate::common::spans::Vector;
use lacuna::Bar;
use lacuna::backend::Backend;
use lacuna::cubical::persistence::representatives::{Representative, Representatives};
use lacuna::cubical::persistence::via_matrix::MatrixCells;
use lacuna::cubical::persistence::{Limits, PersistenceRequest, plain, via_matrix};
use lacuna::cubical::{AnyImage, Construction, Cubical, Image, Order, Periodic, Shape};
use lacuna::diagram::BarSelection;
use rand::RngExt;
use rand_pcg::Pcg64;

/// The vector of a cycle; panics if a cell occurs twice or has another dimension.
fn vector(filtration: &Filtration, found: &Representative, cells: usize, what: &str) -> Vector {
    let mut vector = vec![0; cells];
    for cell in found.cells.iter() {
        let entry = &mut vector[filtration.place(&name(cell))];
        assert_eq!(*entry, 0, "{what}: {cell:?} occurs twice");
        *entry = 1;
    }
    vector
}

/// Checks that the representatives are those of all bars of an image of doubles in C order, and that the bars are
/// those of the plain version.
fn judge(cubes: &Cubes, bars: &[Vec<Bar>], found: &Representatives, what: &str) {
    let filtration = cubes.filtration();
    let places: Vec<(usize, usize)> = found.iter().map(|found| (found.dim, found.index)).collect();
    let expected: Vec<(usize, usize)> = bars
        .iter()
        .enumerate()
        .flat_map(|(dim, bars)| (0..bars.len()).map(move |index| (dim, index)))
        .collect();
    assert_eq!(places, expected, "{what}: not all bars have a cycle, in their order");
    for (dim, bars) in bars.iter().enumerate() {
        let cells = filtration.count(dim);
        let mut cycles = Vec::new();
        for (representative, &bar) in found.of_dimension(dim).zip(bars) {
            let what =
                format!("{what}, bar {dim}:{} {bar:?}, {:?}", representative.index, representative.cells);
            let cycle = vector(&filtration, representative, cells, &what);
            judge_cycle(&filtration, dim, bar, &cycle, &what);
            judge_voxels(cubes, found.shape(), representative, bar, &what);
            cycles.push(cycle);
        }
        let mut values = cubes.values.clone();
        values.sort_by(f64::total_cmp);
        values.dedup();
        for value in values {
            let alive = bars.iter().zip(&cycles).filter(|(bar, _)| bar.birth <= value && value < bar.death);
            let alive: Vec<&Vector> = alive.map(|(_, cycle)| cycle).collect();
            judge_basis(
                &filtration,
                dim,
                Scale::AtMost(value),
                alive.into_iter(),
                &format!("{what}, dimension {dim}"),
            );
        }
    }
}

/// Checks that the voxels are those of the cells, contain the birth voxel, and do not come after it.
fn judge_voxels(cubes: &Cubes, shape: Shape, found: &Representative, bar: Bar, what: &str) {
    let of_cell = |cell: &[i32]| match cubes.construction {
        Construction::V => cubes.voxels(cell),
        Construction::T => vec![cubes.owner(cell)],
    };
    let place = |place: usize| cubes.place(&shape.coordinates(place));
    let expected: BTreeSet<usize> = found.cells.iter().flat_map(of_cell).collect();
    let voxels: BTreeSet<usize> = found.voxels.iter().map(|&voxel| place(voxel)).collect();
    assert_eq!(voxels, expected, "{what}: voxels");
    assert_eq!(voxels.len(), found.voxels.len(), "{what}: a voxel occurs twice");
    let (birth, death) = (place(found.class.birth), found.class.death.map(place));
    let value = |place: usize| cubes.values[place];
    assert_eq!((value(birth), death.map_or(f64::INFINITY, value)), (bar.birth, bar.death), "{what}");
    let last = voxels.iter().max_by(|a, b| value(**a).total_cmp(&value(**b)).then(a.cmp(b)));
    assert_eq!(last, Some(&birth), "{what}: the last voxel is not that of birth");
}

fn of(construction: Construction) -> PersistenceRequest {
    PersistenceRequest { construction, ..PersistenceRequest::default() }
}

/// The representatives of all bars. Checks that they are the same on 1 and 4 threads, and that the bars are the same
/// as without representatives.
fn all(image: &AnyImage, request: PersistenceRequest) -> (Vec<Vec<Bar>>, Representatives) {
    let run = |threads: usize| {
        let cubical = Cubical { threads: Some(threads), ..Cubical::new(image, request) };
        let plain = cubical.solve(&()).unwrap();
        assert!(plain.representatives.is_none());
        let outcome = Cubical { representatives: Some(BarSelection::All), ..cubical }.solve(&()).unwrap();
        assert_eq!(plain.classes, outcome.classes);
        (outcome.classes.diagram(image, false).unwrap(), outcome.representatives.as_ref().unwrap().clone())
    };
    let ((diagram, found), on_four) = (run(1), run(4));
    assert!(on_four == (diagram.clone(), found.clone()), "1 and 4 threads differ");
    ((0..diagram.len()).map(|dim| diagram.bars(dim).to_vec()).collect(), found)
}

/// The representatives of the selected bars by the boundary matrix.
fn by_matrix(image: &AnyImage, request: &PersistenceRequest, bars: BarSelection) -> Representatives {
    let backend = Backend::default();
    via_matrix::persistence(
        image,
        request,
        MatrixCells::AllForCycles(&bars),
        Limits::default(),
        &backend,
        &(),
    )
    .unwrap()
    .representatives
    .unwrap()
}

fn check(axes: &[usize], values: Vec<f64>, periodic: Periodic) {
    let shape = Shape::new(axes, Order::C).unwrap();
    let image = Image::new(shape, values.clone()).unwrap();
    let any: AnyImage = image.clone().into();
    for construction in [Construction::V, Construction::T] {
        let what = format!("{construction}-construction of {axes:?} {values:?}, {periodic}");
        let request = PersistenceRequest { periodic, ..of(construction) };
        let (bars, found) = all(&any, request);
        let expected = plain::persistence(&image, &request).diagram(&any, false).unwrap();
        assert!(bars.iter().enumerate().all(|(dim, bars)| bars == expected.bars(dim)), "{what}");
        let cubes = Cubes { axes: axes.to_vec(), values: values.clone(), construction, periodic };
        judge(&cubes, &bars, &found, &what);
        if shape.dim() < 4 && periodic.is_none() {
            let by_matrix = by_matrix(&any, &request, BarSelection::All);
            judge(&cubes, &bars, &by_matrix, &format!("by the matrix, {what}"));
        }
        for max_dim in 0..bars.len() {
            let fewer = PersistenceRequest { max_dim: Some(max_dim), ..request };
            let fewer = Cubical { representatives: Some(BarSelection::All), ..Cubical::new(&any, fewer) };
            let fewer = fewer.solve(&()).unwrap();
            let expected: Vec<_> = cells(&found).into_iter().filter(|found| found.0 <= max_dim).collect();
            assert_eq!(
                cells(fewer.representatives.as_ref().unwrap()),
                expected,
                "{what}, up to dimension {max_dim}"
            );
        }
    }
}

/// Random values: with few levels, with two levels, or all different.
fn values(count: usize, rng: &mut Pcg64) -> Vec<f64> {
    let levels = [2, 3, 5, 12, 1000][rng.random_range(0..5)];
    (0..count).map(|_| f64::from(rng.random_range(0..levels))).collect()
}

fn random(rounds: usize, seed: u64, shape: impl Fn(&mut Pcg64) -> Vec<usize>) {
    let mut rng = generator(seed);
    for _ in 0..rounds {
        let axes = shape(&mut rng);
        let values = values(axes.iter().product(), &mut rng);
        check(&axes, values, Periodic::NONE);
    }
}

#[test]
fn lines() {
    random(150, 1, |rng| vec![rng.random_range(1..14)]);
}

#[test]
fn planes() {
    random(200, 2, |rng| vec![rng.random_range(1..7), rng.random_range(1..7)]);
}

#[test]
fn solids() {
    random(250, 3, |rng| (0..3).map(|_| rng.random_range(1..5)).collect());
}

/// Solids with many loops: thin walls, few levels.
#[test]
fn longer_solids() {
    random(25, 4, |rng| vec![rng.random_range(3..7), 3, rng.random_range(3..5)]);
}

/// Deep voxels inside shallow ones, so that walls separate many cavities.
#[test]
fn cavities_beside_each_other() {
    let mut rng = generator(10);
    for _ in 0..30 {
        let axes = [5, 5, rng.random_range(3..5)];
        let places = 0..axes.iter().product();
        let is_deep = |place: usize| (place / axes[2] + place % axes[2]).is_multiple_of(2);
        let values =
            places.map(|place| f64::from(rng.random_range(0..3) + if is_deep(place) { 9 } else { 0 }));
        check(&axes, values.collect(), Periodic::NONE);
    }
}

#[test]
fn all_small_planes_of_two_values() {
    for bits in 0..512_u32 {
        let values = (0..9).map(|i| f64::from(bits >> i & 1)).collect();
        check(&[3, 3], values, Periodic::NONE);
    }
}

/// One to three axes, some of which close up, some with two voxels.
#[test]
fn cylinders_and_tori() {
    let mut rng = generator(11);
    for round in 0..120 {
        let most = [9, 5, 3][round % 3];
        let axes: Vec<usize> = (0..=round % 3).map(|_| rng.random_range(2..=most)).collect();
        let closed = (0..axes.len()).filter(|_| rng.random_range(0..3) > 0).collect::<Vec<_>>();
        let values = values(axes.iter().product(), &mut rng);
        check(&axes, values, Periodic::along(closed).unwrap());
    }
}

#[test]
fn images_of_four_axes() {
    let mut rng = generator(12);
    for round in 0..12 {
        let axes: Vec<usize> = (0..4).map(|axis| if axis == round % 4 { 3 } else { 2 }).collect();
        let values = values(24, &mut rng);
        check(&axes, values, Periodic::along((0..4).filter(|axis| round >> axis & 1 == 1)).unwrap());
    }
}

/// Where only one voxel at a time joins, closes or fills something, both methods find the same cells.
#[test]
fn cycles_by_the_matrix_are_those_by_the_gradient_where_they_are_unique() {
    let mut shell = vec![1_u8; 60];
    shell[4 * 3 + 16] = 9;
    for (voxels, axes) in [
        (vec![1_u8, 1, 1, 8, 0, 1, 9, 1, 8, 0, 1, 1, 1, 8, 0], &[3, 5][..]),
        (shell, &[3, 4, 5]),
        // The component of 2 merges at 5 into that of 0, which begins beside the 1.
        (vec![0, 1, 5, 2, 9, 9, 9, 9], &[2, 4]),
        (vec![7], &[1, 1]),
    ] {
        let image = AnyImage::from_slice(&voxels, axes).unwrap();
        for construction in [Construction::V, Construction::T] {
            let expected = found(&image, construction, false, BarSelection::All);
            let found = by_matrix(&image, &of(construction), BarSelection::All);
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected.iter()) {
                assert_eq!(found.voxels, expected.voxels, "{construction} {axes:?}");
                // A voxel of the T-construction has many corners that may stand for it.
                assert!(found == expected || construction == Construction::T && found.dim == 0);
            }
        }
    }
}

/// A torus of four axes, of which the last class is that of the 9; it has one cell for each voxel.
#[test]
fn the_class_of_a_torus_is_all_of_it() {
    let voxels: Vec<u8> = (0..81).map(|place| if place == 40 { 9 } else { 1 }).collect();
    let image = AnyImage::from_slice(&voxels, &[3, 3, 3, 3]).unwrap();
    for construction in [Construction::V, Construction::T] {
        let request = PersistenceRequest { periodic: Periodic::along(0..4).unwrap(), ..of(construction) };
        let cubical = Cubical {
            representatives: Some(BarSelection::Named(vec![(4, 0), (1, 3)])),
            ..Cubical::new(&image, request)
        };
        let found = cubical.solve(&()).unwrap().representatives.as_ref().unwrap().clone();
        let [loop_, torus] = [1, 4].map(|dim| found.of_dimension(dim).next().unwrap());
        assert_eq!((torus.cells.len(), torus.voxels.len(), torus.class.death), (81, 81, None));
        assert_eq!((loop_.index, loop_.cells.len() % 3, loop_.class.death), (3, 0, None));
    }
}

/// Dimension, index and cells of every representative, in any order.
fn cells(found: &Representatives) -> Vec<(usize, usize, BTreeSet<Vec<i32>>)> {
    found
        .iter()
        .map(|found| (found.dim, found.index, found.cells.iter().map(<[i32]>::to_vec).collect()))
        .collect()
}

fn found(
    image: &AnyImage,
    construction: Construction,
    superlevel: bool,
    bars: BarSelection,
) -> Representatives {
    let request = PersistenceRequest { superlevel, ..of(construction) };
    let cubical = Cubical { representatives: Some(bars), ..Cubical::new(image, request) };
    cubical.solve(&()).unwrap().representatives.as_ref().unwrap().clone()
}

#[test]
fn axes_of_one_voxel_and_the_sign_do_not_matter() {
    let mut rng = generator(9);
    for levels in [3, 300] {
        let values: Vec<i32> = (0..60).map(|_| rng.random_range(0..levels)).collect();
        let image = |axes: &[usize], values: Vec<i32>| AnyImage::from_slice(&values, axes).unwrap();
        let plain = image(&[4, 3, 5], values.clone());
        let thick = image(&[4, 1, 3, 5, 1], values.clone());
        let negated = image(&[4, 3, 5], values.iter().map(|value| -value).collect());
        for construction in [Construction::V, Construction::T] {
            let expected = cells(&found(&plain, construction, false, BarSelection::All));
            assert!(expected.iter().any(|(dim, ..)| *dim == 1), "a solid without a loop");
            assert_eq!(cells(&found(&negated, construction, true, BarSelection::All)), expected);
            let mut flat = cells(&found(&thick, construction, false, BarSelection::All));
            for (_, _, cells) in &mut flat {
                *cells = cells.iter().map(|cell| vec![cell[0], cell[2], cell[3]]).collect();
            }
            assert_eq!(flat, expected);
        }
    }
}

#[test]
fn a_threshold_makes_bars_essential_and_leaves_their_cycles() {
    let mut rng = generator(6);
    let values = (0..125).map(|_| rng.random_range(0..20_u8)).collect();
    let image: AnyImage = Image::new(Shape::new(&[5, 5, 5], Order::C).unwrap(), values).unwrap().into();
    for construction in [Construction::V, Construction::T] {
        let run = |threshold: Option<f64>| {
            let representatives = Some(BarSelection::All);
            let threshold = threshold.map(Into::into);
            let cubical = Cubical::new(&image, of(construction));
            Cubical { representatives, limits: Limits::up_to(threshold), ..cubical }.solve(&()).unwrap()
        };
        let (whole, cut) = (run(None), run(Some(9.0)));
        let (whole, classes) = (whole.representatives.as_ref().unwrap(), &cut.classes);
        let cut = cut.representatives.as_ref().unwrap();
        let reached = |place: usize| image.value(place) <= 9.0;
        let expected: Vec<_> = whole.iter().filter(|found| reached(found.class.birth)).collect();
        assert!(cut.len() < whole.len() && expected.len() == cut.len());
        for (found, expected) in cut.iter().zip(expected) {
            assert_eq!(
                (found.dim, &found.cells, &found.voxels),
                (expected.dim, &expected.cells, &expected.voxels)
            );
            assert_eq!(found.class, classes.dimensions[found.dim][found.index]);
            assert_eq!(found.class.death, expected.class.death.filter(|&place| reached(place)));
        }
    }
}

/// The image is too large for the check by definition, so that threads take columns in many orders.
#[test]
fn threads_change_nothing() {
    let mut rng = generator(7);
    for levels in [2, 50] {
        let values: Vec<u8> = (0..20 * 21 * 22).map(|_| rng.random_range(0..levels)).collect();
        let image: AnyImage =
            Image::new(Shape::new(&[20, 21, 22], Order::C).unwrap(), values).unwrap().into();
        for construction in [Construction::V, Construction::T] {
            let run = |threads: usize| {
                let (threads, bars) = (Some(threads), Some(BarSelection::Longest(200)));
                let cubical = Cubical::new(&image, of(construction));
                let outcome = Cubical { threads, representatives: bars, ..cubical }.solve(&()).unwrap();
                outcome.representatives.as_ref().unwrap().clone()
            };
            let alone = run(1);
            assert_eq!(alone.len(), 200);
            for threads in [2, 4, 4, 4] {
                assert!(run(threads) == alone, "{construction}, {levels} levels on {threads} threads");
            }
        }
    }
}

#[test]
fn chosen_bars_have_the_cycles_that_they_have_among_all() {
    let mut rng = generator(8);
    let values = (0..216).map(|_| rng.random_range(0..9_u8)).collect();
    let image: AnyImage = Image::new(Shape::new(&[6, 6, 6], Order::C).unwrap(), values).unwrap().into();
    for construction in [Construction::V, Construction::T] {
        let all = cells(&found(&image, construction, false, BarSelection::All));
        for bars in [
            BarSelection::Longest(5),
            BarSelection::Persistence(3.0.into()),
            BarSelection::Named(vec![(1, 7), (0, 2), (1, 3), (0, 0), (1, 7)]),
        ] {
            let chosen = cells(&found(&image, construction, false, bars.clone()));
            assert!((4..all.len() / 2).contains(&chosen.len()), "{bars:?} are {}", chosen.len());
            assert!(chosen.iter().all(|found| all.contains(found)), "{bars:?}");
        }
        let cubical = Cubical::new(&image, of(construction));
        for bars in [BarSelection::Named(vec![(3, 0)]), BarSelection::Persistence(f64::NAN.into())] {
            let cubical = Cubical { representatives: Some(bars.clone()), ..cubical.clone() };
            assert!(cubical.solve(&()).is_err(), "{bars:?}");
            // The diagram alone does not request representatives.
            assert!(cubical.run().is_ok());
        }
    }
}
