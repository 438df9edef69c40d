//! Makes a tiny input and options of any bytes, and checks that the fast computation gives the answer of the plain one
//! and that neither panics.
//! The fuzz target and the plain test of the corpus share it.
//!
//! The first byte picks the computation. The bytes that follow are choices, one after another; past their end, each
//! choice is its first.
//!
//! | computation | held against |
//! |---|---|
//! | barcode of a cloud, a matrix or a graph | `rips::plain`; with weights, the simplest run |
//! | pairs of a boundary matrix, and their cycles | the standard algorithm on rows of bits |
//! | barcode of an image | `persistence::plain`, the boundary matrix, the Euler characteristic |
//! | Euler characteristic curve of an image | `ecc::plain` |
//! | skeleton of an image | `thinning::plain` |
//!
//! Devices, where some are given, compute the same once more: the search of apparent pairs, the scan of leftmost ones,
//! curves and skeletons.

use std::sync::OnceLock;

use arbitrary::{Result, Unstructured};
use lacuna::Diagram;
use lacuna::backend::Backend;
use lacuna::cubical::ecc::{self, Bins, EccRequest};
use lacuna::cubical::persistence::via_matrix::MatrixCells;
use lacuna::cubical::persistence::{self, Classes, Limits, PersistenceRequest, via_matrix};
use lacuna::cubical::thinning::{self, BitImage, Rule, ThinningRequest};
use lacuna::cubical::{AnyImage, Construction, Cubical, Image, Mask, Order, Periodic, Shape, Voxel};
use lacuna::matrix::cycles::{ClassSelection, cycles};
use lacuna::matrix::leftmost_ones::Scanner;
use lacuna::matrix::{
    Algorithm, BoundaryMatrix, Dualize, MatrixIndex, Plan, Representation, reduce, reduce_with,
};
use lacuna::metric::{DistanceMatrix, Distances, PointCloud, SparseDistances, Value};
use lacuna::rips::{Collapse, DistanceToMeasure, Growth, RepresentativesRequest, Rips, SecondLayer, plain};
use lacuna::with_image;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A kind of computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Computed {
    RipsBars,
    Pairs,
    ImageBars,
    Curve,
    Skeleton,
}

impl Computed {
    pub(crate) const ALL: [Computed; 5] =
        [Computed::RipsBars, Computed::Pairs, Computed::ImageBars, Computed::Curve, Computed::Skeleton];
}

/// Makes an input and options of the bytes, and computes: on the processor, and on the devices.
pub(crate) fn computations(bytes: &[u8], devices: Option<&Backend>) -> Option<Computed> {
    let (&choice, bytes) = bytes.split_first()?;
    let computed = Computed::ALL[usize::from(choice) % Computed::ALL.len()];
    let choices = &mut Unstructured::new(bytes);
    let done = match computed {
        Computed::RipsBars if choice >= 128 => rips::<f64>(choices, devices),
        Computed::RipsBars => rips::<f32>(choices, devices),
        Computed::Pairs if choice >= 128 => pairs::<u64>(choices, devices),
        Computed::Pairs => pairs::<u32>(choices, devices),
        Computed::ImageBars => image_bars(choices, devices),
        Computed::Curve => curve(choices, devices),
        Computed::Skeleton => skeleton(choices, devices),
    };
    done.ok().map(|()| computed)
}

/// The most threads of a computation.
const MOST_THREADS: usize = 3;

/// Does some work on some threads. Their pools are kept: to start one takes longer than most computations.
fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    static POOLS: [OnceLock<ThreadPool>; MOST_THREADS] = [const { OnceLock::new() }; MOST_THREADS];
    let start = || ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
    POOLS[threads - 1].get_or_init(start).install(work)
}

fn threads(choices: &mut Unstructured<'_>) -> Result<usize> {
    choices.int_in_range(1..=MOST_THREADS)
}

/// The pairs j < i in the order of a condensed matrix.
fn below(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..n).flat_map(|i| (0..i).map(move |j| (i, j)))
}

/// Distances that numbers are drawn for.
#[derive(Clone, Copy)]
enum Lengths {
    /// Few, so that most are equal.
    Few,
    /// Many, all of them exact.
    Many,
    /// Single-precision numbers of any bits that are not negative.
    Any,
}

impl Lengths {
    fn draw(self, choices: &mut Unstructured<'_>) -> Result<f64> {
        Ok(match self {
            Lengths::Few => match choices.arbitrary::<u8>()? {
                255 => f64::INFINITY,
                byte => f64::from(byte % 5),
            },
            Lengths::Many => f64::from(choices.arbitrary::<u16>()?) / 16.0,
            Lengths::Any => match f32::from_bits(choices.arbitrary()?).abs() {
                length if length.is_nan() => f64::INFINITY,
                length => length.into(),
            },
        })
    }
}

/// Distances of at most `most` points: of a cloud, of a matrix or of a graph; the last two may have births.
fn distances<T: Value>(most: usize, choices: &mut Unstructured<'_>) -> Result<Distances<T>> {
    let n = choices.int_in_range(1..=most)?;
    let kind = choices.int_in_range(0..=2)?;
    if kind == 0 {
        let axes = choices.int_in_range(1..=3)?;
        let (scale, is_fine) = (*choices.choose(&[1.0, 0.5, 1e-6, 1e6])?, choices.arbitrary()?);
        let mut coordinate = || {
            let number: i16 = choices.arbitrary()?;
            Ok(T::from_f64(scale * f64::from(if is_fine { number } else { number % 4 })))
        };
        let coordinates = (0..n * axes).map(|_| coordinate()).collect::<Result<_>>()?;
        return Ok(PointCloud::new(axes, coordinates).expect("coordinates are finite").into());
    }
    let lengths = *choices.choose(&[Lengths::Few, Lengths::Many, Lengths::Any])?;
    let is_born: bool = choices.arbitrary()?;
    let births: Vec<f64> =
        (0..n).map(|_| if is_born { lengths.draw(choices) } else { Ok(0.0) }).collect::<Result<_>>()?;
    let births: Vec<T> = births.into_iter().map(T::from_f64).collect();
    let mut edges = Vec::new();
    for (i, j) in below(n) {
        if kind == 1 || choices.ratio(2_u8, 3)? {
            let length = T::from_f64(lengths.draw(choices)?);
            let raised = [births[i], births[j]];
            let length =
                raised.into_iter().fold(length, |most, birth| if birth > most { birth } else { most });
            edges.push((i as u32, j as u32, length));
        }
    }
    Ok(if kind == 1 {
        let matrix =
            DistanceMatrix::from_lower(edges.into_iter().map(|edge| edge.2).collect()).expect("lengths");
        // A single point has no distances by which it would be known.
        if matrix.len() == births.len() {
            matrix.with_births(births).expect("births").into()
        } else {
            matrix.into()
        }
    } else {
        SparseDistances::new(n, edges).and_then(|graph| graph.with_births(births)).expect("a graph").into()
    })
}

/// Bars of distances.
fn rips<T: Value>(choices: &mut Unstructured<'_>, devices: Option<&Backend>) -> Result<()> {
    let max_dim = choices.int_in_range(0..=3)?;
    let distances = distances::<T>([14, 12, 10, 8][max_dim], choices)?;
    let modulus = *choices.choose(&[2, 2, 2, 3, 5, 251, 32749, 65521])?;
    let some = Lengths::Few.draw(choices)?;
    let threshold = *choices.choose(&[None, Some(f64::INFINITY), Some(some), Some(some * 10.0 + 0.5)])?;
    let store = *choices.choose(&[SecondLayer::Implicit, SecondLayer::Sorted])?;
    let collapse = *choices.choose(&[Collapse::Auto, Collapse::Off, Collapse::On])?;
    let threads = threads(choices)?;
    let options = |store, collapse| {
        let rips = Rips::new(distances.clone()).max_dim(max_dim).modulus(modulus);
        let rips = rips.pair_store(store).collapse(collapse);
        if let Some(threshold) = threshold { rips.threshold(threshold) } else { rips }
    };
    let run = |rips: Rips<T>, threads| on(threads, || rips.solve(&())).expect("the input is valid");
    let value = threshold.unwrap_or_else(|| match &distances {
        Distances::Sparse(_) => f64::INFINITY,
        _ => plain::enclosing_radius(&distances),
    });
    let classes = plain::classes(&distances, max_dim, value, modulus);
    let bars = classes.iter().map(|of_dim| of_dim.iter().map(|class| class.bar).collect());
    let expected = Diagram::new(bars.collect());
    assert_eq!(run(options(store, collapse), threads).diagram, expected);
    if let Some(devices) = devices {
        assert_eq!(
            run(options(store, collapse).backend(devices.clone()), threads).diagram,
            expected,
            "on a device"
        );
    }

    if choices.ratio(1_u8, 4)? {
        let rips = options(store, Collapse::Off).representatives(RepresentativesRequest::default());
        let outcome = run(rips, threads);
        assert_eq!(outcome.diagram, expected, "beside simplices");
        let found = outcome.representatives().expect("they were asked for");
        let places = |simplex: &[u32]| simplex.iter().map(|&vertex| vertex as usize).collect();
        for (dim, classes) in classes.into_iter().enumerate() {
            let found = found.of_dimension(dim);
            let found: Vec<plain::Class> = found
                .iter()
                .map(|of| plain::Class {
                    bar: of.bar,
                    birth: places(&of.birth),
                    death: of.death.as_deref().map(places),
                })
                .collect();
            assert_eq!(found, classes, "simplices of dimension {dim}");
        }
    }
    // Of a graph no distances between all points are known, and points that have births have weights.
    if !matches!(distances, Distances::Sparse(_)) && distances.births().is_none() && choices.ratio(1_u8, 4)? {
        let weights = DistanceToMeasure {
            growth: *choices.choose(&[Growth::Linear, Growth::Quadratic, Growth::Unweighted])?,
            exponent: *choices.choose(&[1.0, 2.0, 3.0])?,
            neighbours: choices.int_in_range(0..=distances.len())?,
        };
        // A point that has too few neighbours is told, whatever the options.
        let weighted = |rips: Rips<T>, threads| {
            let outcome = on(threads, || rips.weights(Some(weights)).solve(&()));
            outcome.map(|outcome| outcome.diagram).map_err(|error| error.to_string())
        };
        let simplest = weighted(options(SecondLayer::Implicit, Collapse::Off), 1);
        assert_eq!(weighted(options(store, collapse), threads), simplest, "with weights");
    }
    Ok(())
}

/// The most cells of a complex: a row of bits holds them.
const MOST_CELLS: usize = 48;

/// The standard algorithm on rows of bits, one cell after another (Edelsbrunner, Letscher, Zomorodian 2002).
#[derive(Default)]
struct Standard {
    /// The dimension of each cell, its reduced column, and the columns that were added to it.
    cells: Vec<(usize, u64, u64)>,
    /// The pairs (birth, death).
    pairs: Vec<(usize, usize)>,
}

impl Standard {
    fn push(&mut self, dim: usize, boundary: u64) {
        let (mut column, mut sum) = (boundary, 1 << self.cells.len());
        while column != 0 {
            let low = column.ilog2() as usize;
            let Some(&(_, earlier)) = self.pairs.iter().find(|&&(birth, _)| birth == low) else {
                self.pairs.push((low, self.cells.len()));
                break;
            };
            column ^= self.cells[earlier].1;
            sum ^= self.cells[earlier].2;
        }
        self.cells.push((dim, column, sum));
    }

    /// A basis of the cycles of a dimension.
    fn cycles(&self, dim: usize) -> Vec<u64> {
        self.cells.iter().filter(|cell| cell.0 == dim && cell.1 == 0).map(|cell| cell.2).collect()
    }
}

/// Pairs of a chain complex: cells of any dimensions in any order, each glued along a sum of cycles.
fn pairs<I: MatrixIndex>(choices: &mut Unstructured<'_>, devices: Option<&Backend>) -> Result<()> {
    let plan = Plan {
        algorithm: *choices.choose(&Algorithm::ALL)?,
        columns: *choices.choose(&Representation::ALL)?,
        dualize: *choices.choose(&[Dualize::Auto, Dualize::On, Dualize::Off])?,
        threads: threads(choices)?,
    };
    let (mut matrix, mut standard) = (BoundaryMatrix::<I>::new(), Standard::default());
    let count = choices.int_in_range(0..=MOST_CELLS)?;
    for _ in 0..count {
        let dim: usize = choices.int_in_range(0..=4)?;
        let cycles = if dim == 0 { Vec::new() } else { standard.cycles(dim - 1) };
        let mut boundary = 0;
        if !cycles.is_empty() {
            for _ in 0..choices.int_in_range(0..=3)? {
                boundary ^= choices.choose(&cycles)?;
            }
        }
        let rows: Vec<usize> = (0..MOST_CELLS).filter(|&row| boundary >> row & 1 == 1).collect();
        matrix.push(dim as _, &rows).expect("boundaries come first");
        standard.push(dim, boundary);
    }
    let found = on(plan.threads, || reduce(&matrix, &plan));
    standard.pairs.sort_unstable();
    let numbers: Vec<_> =
        found.pairs.iter().map(|(birth, death)| (birth.to_usize(), death.to_usize())).collect();
    assert_eq!(numbers, standard.pairs, "{plan:?}");
    if let Some(devices) = devices.filter(|_| plan.algorithm.scans()) {
        let scanner = Scanner::choose(devices, &matrix).expect("a device is there");
        let scanned = on(plan.threads, || reduce_with(&matrix, &plan, &scanner, &()));
        assert_eq!(scanned.expect("a device is there").pairs, found.pairs, "on a device, {plan:?}");
    }

    let found = cycles(&matrix, &found, &ClassSelection::All, &()).expect("a complex has cycles");
    assert_eq!(found.len(), count - standard.pairs.len());
    for cycle in &found {
        let column = |cell: &I| {
            matrix.column(cell.to_usize()).iter().fold(0_u64, |sum, row| sum ^ 1 << row.to_usize())
        };
        assert_eq!(
            cycle.cells.iter().fold(0, |sum, cell| sum ^ column(cell)),
            0,
            "the boundary of {cycle:?}"
        );
        assert_eq!(cycle.cells.last(), Some(&cycle.birth), "the youngest cell of {cycle:?}");
    }
    Ok(())
}

/// A shape of one to three axes.
fn shape(choices: &mut Unstructured<'_>) -> Result<Shape> {
    let most: &[usize] = choices.choose(&[&[9, 7][..], &[40], &[4, 4, 4], &[2, 2, 9], &[3, 70]])?;
    let axes = most.iter().map(|&most| choices.int_in_range(1..=most)).collect::<Result<Vec<_>>>()?;
    Ok(Shape::new(&axes, *choices.choose(&[Order::C, Order::F])?).expect("a few voxels"))
}

/// An image of any type of voxels.
fn image(choices: &mut Unstructured<'_>) -> Result<AnyImage> {
    let shape = shape(choices)?;
    let levels = *choices.choose(&[2_u8, 3, 5, 255])?;
    let mut level = || Ok(choices.arbitrary::<u8>()? % levels);
    let levels = (0..shape.count()).map(|_| level()).collect::<Result<Vec<u8>>>()?;
    fn of<T: Voxel>(shape: Shape, levels: &[u8], voxel: impl Fn(u8) -> T) -> AnyImage {
        T::any(
            Image::new(shape, levels.iter().map(|&level| voxel(level)).collect()).expect("a voxel a place"),
        )
    }
    Ok(match choices.int_in_range(0..=9)? {
        0 => of(shape, &levels, |level| level),
        1 => of(shape, &levels, |level| level as i8),
        2 => of(shape, &levels, |level| u16::from(level) << 8),
        3 => of(shape, &levels, |level| i16::from(level) - 2),
        4 => of(shape, &levels, |level| u32::MAX - u32::from(level)),
        5 => of(shape, &levels, |level| i32::MIN + i32::from(level)),
        6 => of(shape, &levels, |level| u64::MAX - u64::from(level)),
        7 => of(shape, &levels, |level| i64::from(level) << 54),
        8 => of(shape, &levels, |level| {
            f32::from_bits(u32::from(level)) * if level % 2 == 0 { -1.0 } else { 1.0 }
        }),
        _ => of(shape, &levels, |level| f64::from(level) / 3.0 - 1.0),
    })
}

/// A mask of images of a shape.
fn mask(shape: Shape, choices: &mut Unstructured<'_>) -> Result<Mask> {
    let order = *choices.choose(&[Order::C, Order::F])?;
    let voxels = (0..shape.count()).map(|_| choices.int_in_range(0..=2)).collect::<Result<Vec<u8>>>()?;
    let image = Image::new(Shape::new(&shape.axes(), order).expect("a few voxels"), voxels);
    Ok(Mask::new(&image.expect("a voxel a place").into()).expect("a few bytes"))
}

/// Bars of the part of an image for whose voxels `is_inside`: those of an image of ranks in which voxels outside are
/// the last, up to the last one inside.
fn inside<T: Voxel>(
    image: &Image<T>,
    is_inside: impl Fn(usize) -> bool,
    request: &PersistenceRequest,
) -> Classes {
    let key = |place: usize| image.voxels()[place].ordered(request.superlevel);
    let places = 0..image.voxels().len();
    let rank = |place: usize| match is_inside(place) {
        true => places.clone().filter(|&other| key(other) < key(place)).count() as u32,
        false => u32::MAX,
    };
    let ranks = Image::new(image.shape(), places.clone().map(rank).collect()).expect("a voxel a place");
    let request = PersistenceRequest { superlevel: false, ..*request };
    let last = Limits::up_to(lacuna::cubical::Value::from(u64::from(u32::MAX - 1)));
    persistence::plain::persistence(&ranks, &request).cut(&ranks.into(), &request, last)
}

/// Bars of an image.
fn image_bars(choices: &mut Unstructured<'_>, devices: Option<&Backend>) -> Result<()> {
    let request = PersistenceRequest {
        construction: *choices.choose(&[Construction::T, Construction::V])?,
        superlevel: choices.arbitrary()?,
        max_dim: *choices.choose(&[None, Some(0), Some(1), Some(2)])?,
        periodic: Periodic::NONE,
    };
    let (threads, by_matrix) = (threads(choices)?, choices.ratio(1_u8, 4)?);
    let any = &image(choices)?;
    let shape = any.shape();
    let mut axes = Vec::new();
    for (axis, &extent) in shape.axes().iter().enumerate() {
        if choices.arbitrary()? && extent > 1 {
            axes.push(axis);
        }
    }
    let request =
        PersistenceRequest { periodic: Periodic::along(axes).expect("three axes at most"), ..request };
    let mask = if choices.arbitrary()? { Some(mask(shape, choices)?) } else { None };
    let limits = Limits { threshold: None, mask: mask.as_ref() };
    with_image!(any, image => {
        let run = on(threads, || Cubical { limits, ..Cubical::new(any, request) }.solve(&()));
        let found = run.expect("the image is small").classes;
        let expected = match &mask {
            None => persistence::plain::persistence(image, &request),
            Some(_) => inside(image, |place| limits.reach(any, &request, place), &request),
        };
        assert_eq!(found, expected, "{request:?}");
        if by_matrix {
            let machine = devices.cloned().unwrap_or_default();
            for cells in [MatrixCells::All, MatrixCells::Critical] {
                let solve = || via_matrix::persistence(any, &request, cells, limits, &machine, &());
                let classes = on(threads, solve).expect("the image is small").classes;
                assert_eq!(classes, found, "of the matrix of {cells:?} cells, {request:?}");
            }
        }
        let alternating = (1_i64..).zip(&found.dimensions).map(|(dim, classes)| {
            let last = classes.iter().filter(|class| class.death.is_none()).count() as i64;
            if dim % 2 == 1 { last } else { -last }
        });
        // All cells together are a box, which is contractible, or the product of a box and circles.
        let has_all = request.dimensions(shape) == PersistenceRequest { max_dim: None, ..request }.dimensions(shape);
        if mask.is_none() && (has_all || request.periodic.is_none()) {
            let expected = i64::from(request.periodic.is_none());
            assert_eq!(alternating.sum::<i64>(), expected, "classes that never die");
        }
    });
    Ok(())
}

/// The Euler characteristic curve of an image.
fn curve(choices: &mut Unstructured<'_>, devices: Option<&Backend>) -> Result<()> {
    let count = *choices.choose(&[0, 1, 2, 7, 256])?;
    let low = f64::from(choices.int_in_range(-3_i8..=3)?);
    let high = low + f64::from(choices.int_in_range(0_u8..=9)?) / 2.0;
    let range = Some((low.into(), high.into()));
    let request = EccRequest {
        construction: *choices.choose(&[Construction::T, Construction::V])?,
        superlevel: choices.arbitrary()?,
        bins: if count == 0 { Bins::Distinct } else { Bins::Uniform { count, range } },
    };
    let threads = threads(choices)?;
    with_image!(&image(choices)?, image => {
        let found = on(threads, || ecc::curve(image, &request));
        if request.bins.check().is_err() {
            assert!(found.is_err(), "{request:?}");
        } else {
            let expected = ecc::plain::curve(image, &request).expect("the request is valid");
            assert_eq!(found.expect("the image is small"), expected, "{request:?}");
            if let Some(devices) = devices {
                let (found, _) = ecc::curve_by(&image.clone().into(), Periodic::NONE, &request, devices, &()).expect("the image is small");
                assert_eq!(found, expected, "on a device, {request:?}");
            }
        }
    });
    Ok(())
}

/// The skeleton of an image.
fn skeleton(choices: &mut Unstructured<'_>, devices: Option<&Backend>) -> Result<()> {
    let (rule, iterations) =
        (*choices.choose(&Rule::ALL)?, *choices.choose(&[None, Some(0), Some(1), Some(2)])?);
    let (threads, shape) = (threads(choices)?, shape(choices)?);
    let voxels = (0..shape.count()).map(|_| choices.arbitrary()).collect::<Result<Vec<bool>>>()?;
    let image = BitImage::of(&Image::new(shape, voxels).expect("a voxel a place"), |voxel| voxel);
    let request = ThinningRequest { rule: Some(rule), iterations };
    match on(threads, || thinning::thin(&image, &request, &mut |_| ())) {
        Ok((found, figures)) => {
            let (expected, passes) = thinning::plain::thin(&image, rule, iterations);
            assert_eq!((found.places(), figures.iterations), (expected.places(), passes), "{request:?}");
            if let Some(devices) = devices {
                let on_device = thinning::thin_by(&image, &request, devices, &mut |_| ());
                let (found, figures, _) = on_device.expect("the image is small");
                assert_eq!(
                    (found.places(), figures.iterations),
                    (expected.places(), passes),
                    "on a device, {request:?}"
                );
            }
        }
        Err(error) => assert!(rule.is_planar() && shape.dim() > 2, "{rule}: {error}"),
    }
    Ok(())
}
