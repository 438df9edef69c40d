//! Cycles of the bars of images, on random small ones: judged from the definitions, over all cells and by ranks of matrices.

mod common;

use std::collections::BTreeSet;

use common::chains::{Filtration, Scale};
use common::cubes::{Cubes, name};
use common::judge::{judge_basis, judge_cycle};
use common::metrics::generator;
use common::spans::Vector;
use lacuna::Bar;
use lacuna::cubical::persistence::PersistenceRequest;
use lacuna::cubical::persistence::plain;
use lacuna::cubical::persistence::representatives::{Representative, Representatives};
use lacuna::cubical::{AnyImage, Construction, Cubical, Image, Order, Shape};
use lacuna::rips::BarSelection;
use rand::RngExt;
use rand_pcg::Pcg64;

/// The vector of a cycle; fails if it has a cell twice or one of another dimension.
fn vector(filtration: &Filtration, found: &Representative<'_>, cells: usize, what: &str) -> Vector {
    let mut vector = vec![0; cells];
    for cell in found.cells.iter() {
        let entry = &mut vector[filtration.place(&name(cell))];
        assert_eq!(*entry, 0, "{what}: {cell:?} occurs twice");
        *entry = 1;
    }
    vector
}

/// Fails unless the representatives are those of all bars of an image whose values are doubles in C order, and its bars those of the plain
/// version.
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
            let cycle = vector(&filtration, &representative, cells, &what);
            judge_cycle(&filtration, dim, bar, &cycle, &what);
            judge_voxels(cubes, &representative, bar, &what);
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

/// The voxels are those of the cells, among them the one with which the class is born; none comes after it.
fn judge_voxels(cubes: &Cubes, found: &Representative<'_>, bar: Bar, what: &str) {
    let of_cell = |cell: &[i32]| match cubes.construction {
        Construction::V => cubes.voxels(cell),
        Construction::T => vec![cubes.owner(cell)],
    };
    let expected: BTreeSet<usize> = found.cells.iter().flat_map(of_cell).collect();
    assert!(found.voxels.iter().copied().eq(expected), "{what}: voxels {:?}", found.voxels);
    assert!(found.voxels.contains(&found.class.birth), "{what}: not the voxel of birth");
    let value = |place: usize| cubes.values[place];
    assert_eq!(value(found.class.birth), bar.birth, "{what}");
    assert_eq!(found.class.death.map_or(f64::INFINITY, value), bar.death, "{what}");
    let last = found.voxels.iter().max_by(|a, b| value(**a).total_cmp(&value(**b)).then(a.cmp(b)));
    assert_eq!(last, Some(&found.class.birth), "{what}: a voxel after that of birth");
}

/// The representatives of all bars, the same on 1 and 4 threads, and beside them bars that are the same as without.
fn all(image: &AnyImage, construction: Construction) -> (Vec<Vec<Bar>>, Representatives) {
    let run = |threads: usize| {
        let cubical = Cubical::new(image).construction(construction).threads(threads);
        let plain = cubical.solve(&()).unwrap();
        assert!(plain.representatives().is_none());
        let outcome = cubical.representatives(BarSelection::All).solve(&()).unwrap();
        assert_eq!(plain.classes, outcome.classes);
        (outcome.classes.diagram(image, false).unwrap(), outcome.representatives().unwrap().clone())
    };
    let ((diagram, found), on_four) = (run(1), run(4));
    assert!(on_four == (diagram.clone(), found.clone()), "1 and 4 threads differ");
    ((0..diagram.len()).map(|dim| diagram.bars(dim).to_vec()).collect(), found)
}

fn check(axes: &[usize], values: Vec<f64>) {
    let shape = Shape::new(axes, Order::C).unwrap();
    let image = Image::new(shape, values.clone()).unwrap();
    for construction in [Construction::V, Construction::T] {
        let what = format!("{construction}-construction of {axes:?} {values:?}");
        let (bars, found) = all(&image.clone().into(), construction);
        let request = PersistenceRequest { construction, ..PersistenceRequest::default() };
        let expected = plain::persistence(&image, &request).diagram(&image.clone().into(), false).unwrap();
        assert!(bars.iter().enumerate().all(|(dim, bars)| bars == expected.bars(dim)), "{what}");
        let cubes = Cubes { axes: axes.to_vec(), values: values.clone(), construction };
        judge(&cubes, &bars, &found, &what);
    }
}

/// Values with ties: of few levels, of two, or all different.
fn values(count: usize, rng: &mut Pcg64) -> Vec<f64> {
    let levels = [2, 3, 5, 12, 1000][rng.random_range(0..5)];
    (0..count).map(|_| f64::from(rng.random_range(0..levels))).collect()
}

fn random(rounds: usize, seed: u64, shape: impl Fn(&mut Pcg64) -> Vec<usize>) {
    let mut rng = generator(seed);
    for _ in 0..rounds {
        let axes = shape(&mut rng);
        let values = values(axes.iter().product(), &mut rng);
        check(&axes, values);
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

#[test]
fn all_small_planes_of_two_values() {
    for bits in 0..512_u32 {
        check(&[3, 3], (0..9).map(|i| f64::from(bits >> i & 1)).collect());
    }
}
