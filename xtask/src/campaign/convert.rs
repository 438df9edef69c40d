//! Complexes of images and distances: the bars of their reduced matrices against the barcodes of the images and
//! distances.

use lacuna::cells;
use lacuna::compare::{Barcode, Bars, compare};
use lacuna::cubical::persistence;
use lacuna::cubical::{AnyImage, Construction, Cubical, Image, Order, Shape};
use lacuna::matrix::read::{AnyComplex, MatrixReadOptions, read_source};
use lacuna::matrix::{Algorithm, Dualize, MatrixIndex, Plan, Representation, reduce};
use lacuna::metric::{Distances, Value};
use lacuna::output::pairs::Solution;
use lacuna::rips::{Rips, plain};
use phat_formats::dipha::{DiagramPoint, Flavour, WeightedBoundaryMatrix, write_boundary_matrix};

use super::images;
use super::pools::{Machine, Pools};
use super::spaces::Space;
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Complexes of images and distances.
pub(super) struct Complexes;

/// An input, and how its complex is built and reduced.
#[derive(Debug, Clone)]
pub(super) struct Case {
    input: Source,
    /// Greatest dimension of the cells.
    upper_dim: usize,
    algorithm: Algorithm,
    dualize: Dualize,
    /// Whether cells have 64-bit indices.
    wide: bool,
    /// Format for writing the complex to a DIPHA file and reading it back, if any.
    written: Option<Flavour>,
    machine: Machine,
}

/// Input of a complex.
#[derive(Debug, Clone)]
enum Source {
    Image(Image<f64>),
    Space { space: Space, double: bool, threshold: f64 },
}

impl Subject for Complexes {
    type Case = Case;
    const NAME: &'static str = "convert";
    const CROSSED: &'static str =
        "input, --upper-dim, algorithm, dualize, index width, DIPHA file, threads, vectors";

    fn draw(random: &mut Random) -> Case {
        let input = if random.once_in(2) { image(random) } else { space(random) };
        Case {
            input,
            upper_dim: random.pick(&[0, 1, 1, 2, 2, 3, 4]),
            algorithm: random.pick(&Algorithm::ALL),
            dualize: random.pick(&[Dualize::Auto, Dualize::On, Dualize::Off]),
            wide: random.once_in(3),
            written: random.pick(&[None, None, Some(Flavour::Boundary), Some(Flavour::Coboundary)]),
            machine: Machine::draw(random),
        }
    }

    fn options(case: &Case) -> String {
        let Case { input, upper_dim, algorithm, dualize, wide, written, machine } = case;
        let input = match input {
            Source::Image(image) => format!("image {}", image.shape().dim()),
            Source::Space { double, threshold, .. } => format!("space {double} {}", threshold.is_finite()),
        };
        format!("{input} {upper_dim} {algorithm:?} {dualize} {wide} {written:?} {machine:?}")
    }

    fn check(case: &Case, pools: &Pools) -> Result<(), String> {
        if case.wide { check::<u64>(case, pools) } else { check::<u32>(case, pools) }
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let inputs: Vec<Source> = match &case.input {
            Source::Image(image) => {
                let doubles =
                    |image| if let AnyImage::F64(image) = image { Some(Source::Image(image)) } else { None };
                images::smaller(&image.clone().into()).into_iter().filter_map(doubles).collect()
            }
            Source::Space { space, double, threshold } => {
                let of = |space| Source::Space { space, double: *double, threshold: *threshold };
                space.smaller().into_iter().map(of).collect()
            }
        };
        let mut smaller: Vec<Case> = inputs.into_iter().map(|input| Case { input, ..case.clone() }).collect();
        if case.written.is_some() {
            smaller.push(Case { written: None, ..case.clone() });
        }
        if case.upper_dim > 0 {
            smaller.push(Case { upper_dim: case.upper_dim - 1, ..case.clone() });
        }
        smaller.extend(case.machine.smaller().into_iter().map(|machine| Case { machine, ..case.clone() }));
        smaller
    }
}

/// Draws an image of doubles, the first axis fastest.
fn image(random: &mut Random) -> Source {
    let axes = images::shape([12, 6, 4], random).axes();
    let shape = Shape::new(&axes, Order::F).expect("a few voxels");
    match images::of::<f64>(shape, random) {
        AnyImage::F64(image) => Source::Image(image),
        other => unreachable!("voxels are doubles, found {}", other.voxel_type()),
    }
}

fn space(random: &mut Random) -> Source {
    let double = random.once_in(2);
    let n = 1 + random.below(8);
    let space = Space::draw(n, double, random);
    let numbers = space.numbers();
    let threshold = match random.below(3) {
        0 if !numbers.is_empty() => f64::from(random.pick(&numbers).abs() as f32),
        _ => f64::INFINITY,
    };
    Source::Space { space, double, threshold }
}

fn check<I: MatrixIndex>(case: &Case, pools: &Pools) -> Result<(), String> {
    match &case.input {
        Source::Image(image) => {
            let axes = image.shape().axes();
            let filtration = cells::cubical_complex::<I>(&axes, image.voxels(), Some(case.upper_dim))
                .map_err(|error| format!("no complex: {error}"))?;
            check_matrix(case, &filtration, bars_of_image(case, image, pools)?, pools)
        }
        Source::Space { space, double: true, threshold } => {
            of_distances::<I, f64>(case, &space.distances(), *threshold, pools)
        }
        Source::Space { space, double: false, threshold } => {
            of_distances::<I, f32>(case, &space.distances(), *threshold, pools)
        }
    }
}

fn of_distances<I: MatrixIndex, T: Value>(
    case: &Case,
    distances: &Distances<T>,
    threshold: f64,
    pools: &Pools,
) -> Result<(), String> {
    let filtration = cells::rips_complex::<I, T>(distances, case.upper_dim, threshold)
        .map_err(|error| format!("no complex: {error}"))?;
    let expected = bars_of_distances(case, distances, threshold, pools)?;
    check_matrix(case, &filtration, expected, pools)
}

/// Bars of an image in the dimensions below the cut of its complex.
fn bars_of_image(case: &Case, image: &Image<f64>, pools: &Pools) -> Result<Vec<DiagramPoint>, String> {
    let Some(max_dim) = case.upper_dim.checked_sub(1) else { return Ok(Vec::new()) };
    let request = persistence::PersistenceRequest {
        construction: Construction::V,
        superlevel: false,
        max_dim: Some(max_dim),
        ..persistence::PersistenceRequest::default()
    };
    let classes = pools.run(case.machine, || Cubical::new(&image.clone().into(), request).solve(&()));
    let classes = classes.map_err(|error| format!("refused: {error}"))?.classes;
    let value = |place: usize| image.voxels()[place];
    let of_dim = |(dim, classes): (usize, Vec<persistence::Class>)| {
        let bar = move |class: persistence::Class| DiagramPoint {
            dim: dim as u32,
            birth: value(class.birth),
            death: class.death.map_or(f64::INFINITY, value),
            essential: class.death.is_none(),
        };
        classes.into_iter().map(bar).collect::<Vec<_>>()
    };
    Ok(classes.dimensions.into_iter().enumerate().flat_map(of_dim).collect())
}

/// Bars of distances, halved, in the dimensions below the cut of their complex.
fn bars_of_distances<T: Value>(
    case: &Case,
    distances: &Distances<T>,
    threshold: f64,
    pools: &Pools,
) -> Result<Vec<DiagramPoint>, String> {
    let Some(max_dim) = case.upper_dim.checked_sub(1) else { return Ok(Vec::new()) };
    let rips = Rips::new(distances.clone()).max_dim(max_dim).threshold(threshold);
    let diagram = pools.run(case.machine, || rips.run()).map_err(|error| format!("refused: {error}"))?;
    same(
        "bars of the fast and of the plain version",
        &diagram,
        &plain::barcode(distances, max_dim, threshold, 2),
    )?;
    let bar = |(dim, bar): (usize, lacuna::Bar)| DiagramPoint {
        dim: dim as u32,
        birth: bar.birth / 2.0,
        death: bar.death / 2.0,
        essential: bar.is_essential(),
    };
    // Half of the smallest positive double is 0.
    Ok(diagram.iter().map(bar).filter(|bar| bar.birth < bar.death).collect())
}

/// Checks that ∂∂ = 0, that the complex survives a file, and that it has these bars.
fn check_matrix<I: MatrixIndex>(
    case: &Case,
    filtration: &WeightedBoundaryMatrix<I>,
    expected: Vec<DiagramPoint>,
    pools: &Pools,
) -> Result<(), String> {
    let Case { algorithm, dualize, machine, .. } = *case;
    same("boundaries of boundaries", &filtration.matrix.check(), &Ok(()))?;
    same("values ascend", &filtration.values.is_sorted(), &true)?;
    if let Some(flavour) = case.written {
        read_back(filtration, flavour)?;
    }
    let columns = Representation::default();
    let plan = Plan { algorithm, columns, dualize, threads: machine.threads };
    let WeightedBoundaryMatrix { matrix, values, max_dim } = filtration;
    let pairs = &pools.run(machine, || reduce(matrix, &plan));
    let (values, max_dim) = (Some(&values[..]), *max_dim);
    let solution = Solution { matrix, pairs, values, max_dim, cut: false, cycles: None };
    let found = Barcode::Bars(Bars::new(solution.dipha_points()));
    // The end of the filtration is known for one of the two only.
    let comparison =
        compare(&found, &Barcode::Bars(Bars::new(expected)), 0.0).map_err(|error| error.to_string())?;
    same("bars of the matrix and of its input", &comparison.differences(), &Vec::new())
}

fn read_back<I: MatrixIndex>(filtration: &WeightedBoundaryMatrix<I>, flavour: Flavour) -> Result<(), String> {
    let WeightedBoundaryMatrix { matrix, values, max_dim } = filtration;
    let narrow = |rows: &[I]| rows.iter().map(|row| row.to_usize()).collect::<Vec<_>>();
    let mut expected = lacuna::matrix::BoundaryMatrix::<u32>::new();
    for column in 0..matrix.len() {
        let pushed = expected.push(matrix.dim(column), &narrow(matrix.column(column)));
        pushed.map_err(|error| format!("no column: {error}"))?;
    }
    let mut file = Vec::new();
    write_boundary_matrix(&mut file, filtration, flavour).map_err(|error| format!("not written: {error}"))?;
    let loaded = read_source("complex", &file, &MatrixReadOptions::default())
        .map_err(|error| format!("not read: {error}"))?;
    let AnyComplex::Narrow(cells) = loaded.input else {
        return Err("few cells are numbered by 64 bits".to_owned());
    };
    same(&format!("the matrix read from a DIPHA file, {flavour:?}"), &cells.matrix, &expected)?;
    same("its values", &cells.values, &Some(values.clone()))?;
    same("its dimension", &cells.max_dim, max_dim)
}
