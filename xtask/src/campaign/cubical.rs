//! Barcodes of images: the discrete gradient against an explicit list of cells, the boundary matrix and the Euler
//! characteristic.

use std::collections::{BTreeMap, BTreeSet};

use lacuna::backend::{Backend, BackendRequest, Choice};
use lacuna::compare::{Barcode, Bars, compare, read};
use lacuna::cubical::ecc;
use lacuna::cubical::persistence::via_matrix::MatrixCells;
use lacuna::cubical::persistence::{Class, Classes, Limits, PersistenceRequest, plain, via_matrix};
use lacuna::cubical::verify::verify;
use lacuna::cubical::{AnyImage, Cubical, EulerCurve, Image, Mask, Order, Periodic, Shape, Voxel};
use lacuna::diagram::BarSelection;
use lacuna::output::images as output;
use lacuna::with_image;
use phat_formats::dipha::DiagramPoint;

use super::images::{self, Filtered, Sample};
use super::pools::Pools;
use super::subject::{Subject, same};
use lacuna::generate::Random;

/// Barcodes of images.
pub(super) struct ImageBars;

/// An image with the requested computation.
#[derive(Debug, Clone)]
pub(super) struct Case {
    filtered: Filtered,
    max_dim: Option<usize>,
    /// Axes along which the image closes up.
    periodic: Periodic,
    /// Seed of the mask, if there is one.
    mask: Option<u64>,
    relation: Relation,
}

/// Comparison in addition to the plain version.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Relation {
    /// Reduction of the boundary matrix.
    Matrix,
    /// Euler characteristic: numbers of living classes by dimension, with alternating signs; of all cells, where axes
    /// are periodic.
    Euler,
    /// The array in the other memory order: the same bars, voxels and cycles in the same order.
    Turned,
    /// Bars written and read back.
    Written(output::ImageBarsFormat),
    /// Filtration that ends at a threshold.
    Cut(f64),
    /// Cycles of all bars.
    Cycles,
}

const FORMATS: [output::ImageBarsFormat; 4] = [
    output::ImageBarsFormat::Csv,
    output::ImageBarsFormat::Json,
    output::ImageBarsFormat::Npy,
    output::ImageBarsFormat::Dipha,
];

impl Subject for ImageBars {
    type Case = Case;
    const NAME: &'static str = "cubical";
    const CROSSED: &'static str = "voxels, axes, order, --construction, --superlevel, --max-dim, \
        --periodic, --mask, threads, vectors, relation";

    fn draw(random: &mut Random) -> Case {
        let most = match random.below(600) {
            // Enough voxels to be sorted by buckets.
            0 => [40_000, 200, 32, 8],
            1..=5 => [5000, 50, 13, 5],
            6..=25 => [200, 14, 6, 4],
            _ => [12, 6, 4, 3],
        };
        let filtered = Filtered::draw(most, random);
        let relation = Relation::draw(&filtered.image, random);
        let max_dim = random.pick(&[None, None, Some(0), Some(1), Some(2), Some(7)]);
        let closes_up = random.once_in(3);
        let axes = (0..filtered.image.shape().axes().len()).filter(|_| closes_up && !random.once_in(3));
        let periodic = Periodic::along(axes.collect::<Vec<_>>()).expect("four axes at most");
        let mask = random.once_in(4).then(|| random.bits());
        Case { filtered, max_dim, periodic, mask, relation }.suited()
    }

    fn options(case: &Case) -> String {
        let Case { filtered, max_dim, periodic, mask, relation } = case;
        let relation = match relation {
            Relation::Cut(_) => "cut".to_owned(),
            other => format!("{other:?}"),
        };
        let axes: Vec<usize> = periodic.axes().collect();
        format!("{} {max_dim:?} {axes:?} {} {relation}", filtered.options(), mask.is_some())
    }

    fn check(case: &Case, pools: &Pools) -> Result<(), String> {
        with_image!(&case.filtered.image, image => check(case, image, pools))
    }

    fn smaller(case: &Case) -> Vec<Case> {
        let smaller = case.filtered.smaller().into_iter();
        let smaller = smaller.map(|filtered| Case { filtered, ..case.clone() }.suited());
        let whole = case.mask.map(|_| Case { mask: None, ..case.clone() });
        let open = (!case.periodic.is_none()).then(|| Case { periodic: Periodic::NONE, ..case.clone() });
        whole.into_iter().chain(open).chain(smaller).collect()
    }
}

impl Relation {
    fn draw(image: &AnyImage, random: &mut Random) -> Relation {
        let some = image.value(random.below(image.shape().count()));
        match random.below(6) {
            5 => Relation::Cycles,
            0 => Relation::Matrix,
            1 => Relation::Euler,
            2 => Relation::Turned,
            3 => Relation::Written(random.pick(&FORMATS)),
            _ => Relation::Cut(random.pick(&[some, some, some.next_up(), some.next_down(), some / 2.0, 0.5])),
        }
    }
}

fn check<T: Sample>(case: &Case, image: &Image<T>, pools: &Pools) -> Result<(), String> {
    let (request, machine) = (&case.request(), &case.filtered.machine);
    let mask = case.mask(image.shape());
    let limits = Limits { threshold: None, mask: mask.as_ref() };
    let run = |image: &Image<T>| {
        let image = T::any(image.clone());
        let run = pools.run(*machine, || Cubical { limits, ..Cubical::new(&image, *request) }.solve(&()));
        run.map(|run| run.classes).map_err(|error| format!("refused: {error}"))
    };
    let found = run(image)?;
    // The plain version is too slow for many cells; the matrix is not.
    let is_large = image.voxels().len() > 300;
    if !is_large {
        same("classes of the gradient and of the plain version", &found, &case.plainly(image))?;
    }
    match case.relation {
        _ if is_large => agrees_with_matrix(case, limits, &found, pools),
        Relation::Matrix => agrees_with_matrix(case, limits, &found, pools),
        Relation::Euler if request.dimensions(image.shape()) < all_dimensions(image.shape(), request) => {
            Ok(())
        }
        Relation::Euler if mask.is_some() => {
            let whole = &case.filtered.image;
            let verified = verify(whole, &found, request, limits, &Backend::default(), &());
            verified.map_err(|error| error.to_string())
        }
        Relation::Euler => {
            let asked = ecc::EccRequest {
                construction: request.construction,
                superlevel: request.superlevel,
                ..ecc::EccRequest::default()
            };
            let whole = &case.filtered.image;
            let curve = EulerCurve { periodic: request.periodic, ..EulerCurve::new(whole, asked) };
            let curve = pools.run(*machine, || curve.run());
            let curve = curve.map_err(|error| error.to_string())?;
            same("changes of the Euler characteristic", &curve.changes, &changes(image, request, &found))
        }
        Relation::Turned => {
            let turned = images::turned(image);
            let classes = run(&turned)?;
            same("bars in the other order in memory", &located(&turned, &classes), &located(image, &found))?;
            let cycles = |image: &Image<T>| located_cycles(image, request, limits);
            same("cycles in the other order in memory", &cycles(&turned)?, &cycles(image)?)
        }
        Relation::Written(format) => written(format, case, &found),
        Relation::Cycles => cycles(case, limits, image, &found, pools),
        Relation::Cut(threshold) => {
            let limits = Limits { threshold: Some(lacuna::cubical::Value::from(threshold)), ..limits };
            let cut = found.clone().cut(&case.filtered.image, request, limits);
            same("classes up to a threshold", &cut, &cut_exactly(image, request, found, threshold))
        }
    }
}

/// Checks that each bar has a cycle: without boundary, its birth voxel the last one in it, and the same on the threads
/// of the case and on the default ones.
fn cycles<T: Voxel>(
    case: &Case,
    limits: Limits<'_>,
    image: &Image<T>,
    classes: &Classes,
    pools: &Pools,
) -> Result<(), String> {
    let request = case.request();
    let solve = || {
        let cubical = Cubical::new(&case.filtered.image, request);
        let cubical = Cubical { representatives: Some(BarSelection::All), limits, ..cubical };
        cubical.solve(&()).map_err(|error| format!("refused: {error}"))
    };
    let (run, elsewhere) = (pools.run(case.filtered.machine, solve)?, solve()?);
    same("classes with cycles and without", &run.classes, classes)?;
    let found = run.representatives.as_ref().ok_or("no cycles")?;
    same("cycles on other threads", &Some(found), &elsewhere.representatives.as_ref())?;
    let places = found.iter().map(|found| (found.dim, found.index, found.class));
    let bars = classes.dimensions.iter().enumerate();
    let bars =
        bars.flat_map(|(dim, of)| of.iter().enumerate().map(move |(index, &class)| (dim, index, class)));
    same("bars that have a cycle", &places.collect::<Vec<_>>(), &bars.collect())?;
    let order = |place: &usize| {
        (image.voxels()[*place].ordered(request.superlevel), image.shape().coordinates(*place))
    };
    for cycle in found.iter() {
        let last = cycle.voxels.iter().copied().max_by_key(order);
        same("the last voxel of a cycle and that of birth", &last, &Some(cycle.class.birth))?;
        let outside =
            cycle.voxels.iter().find(|&&place| !limits.reach(&case.filtered.image, &request, place));
        same("voxels of a cycle outside the mask", &outside, &None)?;
        // Corners of other cells do not tell their sides.
        if request.cycles_need_all_cells(image.shape()) {
            continue;
        }
        let mut boundary = BTreeSet::new();
        for cell in cycle.cells.iter() {
            let corners = found.corners(cell);
            let sides = if corners.len() > 1 { corners.len() } else { 0 };
            // For an edge its two ends, for a face the midpoints of its sides.
            for at in 0..sides {
                let next = &corners[if sides == 2 { at } else { (at + 1) % sides }];
                let middle: Vec<i32> = corners[at].iter().zip(next).map(|(a, b)| a + b).collect();
                if !boundary.remove(&middle) {
                    boundary.insert(middle);
                }
            }
        }
        same("boundary of a cycle", &boundary, &BTreeSet::new())?;
    }
    Ok(())
}

/// Checks that the reduced matrix of all cells has the same classes, and that of the critical cells.
fn agrees_with_matrix(case: &Case, limits: Limits<'_>, found: &Classes, pools: &Pools) -> Result<(), String> {
    let processor = Backend::new(BackendRequest { choice: Choice::Cpu, ..BackendRequest::default() });
    for cells in [MatrixCells::All, MatrixCells::Critical] {
        let solution = pools.run(case.filtered.machine, || {
            via_matrix::persistence(&case.filtered.image, &case.request(), cells, limits, &processor, &())
        });
        let solution = solution.map_err(|error| format!("{cells:?} cells, refused: {error}"))?;
        same(&format!("classes, and those of the matrix of {cells:?} cells"), &solution.classes, found)?;
    }
    Ok(())
}

/// Classes of the filtration that ends at a threshold, with voxels compared exactly.
fn cut_exactly<T: Sample>(
    image: &Image<T>,
    request: &PersistenceRequest,
    classes: Classes,
    threshold: f64,
) -> Classes {
    let order = |place: usize| image.voxels()[place].exact_cmp(threshold);
    let reached = |place: usize| if request.superlevel { order(place).is_ge() } else { order(place).is_le() };
    let cut = |class: Class| Class { death: class.death.filter(|&death| reached(death)), ..class };
    let of_dim =
        |classes: Vec<Class>| classes.into_iter().filter(|class| reached(class.birth)).map(cut).collect();
    Classes { dimensions: classes.dimensions.into_iter().map(of_dim).collect() }
}

/// Change of the Euler characteristic at each distinct voxel value, from the classes that are born and die there.
fn changes<T: Voxel>(image: &Image<T>, request: &PersistenceRequest, classes: &Classes) -> Vec<i64> {
    let key = |place: usize| image.voxels()[place].ordered(request.superlevel);
    let mut changes: BTreeMap<T::Key, i64> = (0..image.voxels().len()).map(|place| (key(place), 0)).collect();
    for (dim, classes) in classes.dimensions.iter().enumerate() {
        let sign = if dim % 2 == 0 { 1 } else { -1 };
        for class in classes {
            *changes.entry(key(class.birth)).or_default() += sign;
            if let Some(death) = class.death {
                *changes.entry(key(death)).or_default() -= sign;
            }
        }
    }
    changes.into_values().collect()
}

/// Number of dimensions in which an image has classes.
fn all_dimensions(shape: Shape, request: &PersistenceRequest) -> usize {
    PersistenceRequest { max_dim: None, ..*request }.dimensions(shape)
}

/// Birth and death voxel of a bar, by coordinates.
type Located = (Vec<usize>, Option<Vec<usize>>);

/// Bars by the coordinates of their voxels, in order.
fn located<T: Voxel>(image: &Image<T>, classes: &Classes) -> Vec<Vec<Located>> {
    let at = |place: usize| image.shape().coordinates(place);
    let bar = |class: &Class| (at(class.birth), class.death.map(at));
    classes.dimensions.iter().map(|classes| classes.iter().map(bar).collect()).collect()
}

/// Cells and voxels of a cycle, by coordinates.
type LocatedCycle = (Vec<Vec<i32>>, Vec<Vec<usize>>);

/// Cycles of all bars, in order.
fn located_cycles<T: Voxel>(
    image: &Image<T>,
    request: &PersistenceRequest,
    limits: Limits<'_>,
) -> Result<Vec<LocatedCycle>, String> {
    let shape = image.shape();
    let image = T::any(image.clone());
    let representatives = Some(BarSelection::All);
    let run = Cubical { representatives, limits, ..Cubical::new(&image, *request) }.solve(&());
    let run = run.map_err(|error| format!("refused: {error}"))?;
    let cycles = run.representatives.as_ref().ok_or("no cycles")?.iter().map(|found| {
        let cells = found.cells.iter().map(<[i32]>::to_vec).collect();
        (cells, found.voxels.iter().map(|&place| shape.coordinates(place)).collect())
    });
    Ok(cycles.collect())
}

/// Checks that the reader of barcodes reads what the writer wrote: the values of the classes, as doubles.
fn written(format: output::ImageBarsFormat, case: &Case, classes: &Classes) -> Result<(), String> {
    let (image, request) = (&case.filtered.image, &case.request());
    // A double cannot represent every 64-bit integer, and does not distinguish death at infinity from no death.
    let mut values = (0..image.shape().count()).map(|place| image.value(place));
    if values.any(|value| value.is_infinite() || value.abs() >= 9007199254740992.0 && case.is_wide()) {
        return Ok(());
    }
    let mut file = Vec::new();
    let barcode =
        output::Barcode { image, classes, request, limits: Limits::default(), representatives: None };
    format.write(&barcode, &mut file).map_err(|error| format!("{format} is not written: {error}"))?;
    let loaded =
        read::read_bytes("bars", &file, None).map_err(|error| format!("{format} is not read: {error}"))?;
    let end = if request.superlevel { f64::NEG_INFINITY } else { f64::INFINITY };
    let all = classes
        .dimensions
        .iter()
        .enumerate()
        .flat_map(|(dim, of_dim)| of_dim.iter().map(move |class| (dim, class)));
    // DIPHA supports sublevel sets only: those of the negated image.
    let is_negated = request.superlevel && format == output::ImageBarsFormat::Dipha;
    let value = |value: f64| if is_negated { -value } else { value };
    let point = |(dim, class): (usize, &Class)| DiagramPoint {
        dim: dim as u32,
        birth: value(image.value(class.birth)),
        death: class.death.map_or(value(end), |place| value(image.value(place))),
        essential: class.death.is_none(),
    };
    let expected = Barcode::Bars(Bars::new(all.map(point).collect()));
    let comparison = compare(&loaded.barcode, &expected, 0.0).map_err(|error| error.to_string())?;
    same(&format!("bars read and written as {format}"), &comparison.differences(), &Vec::new())
}

impl Case {
    fn request(&self) -> PersistenceRequest {
        let Filtered { construction, superlevel, .. } = self.filtered;
        PersistenceRequest { construction, superlevel, max_dim: self.max_dim, periodic: self.periodic }
    }

    /// The case without the periodic axes that its image does not have, or that have one voxel.
    fn suited(mut self) -> Self {
        let extents = self.filtered.image.shape().axes();
        let axes: Vec<usize> =
            self.periodic.axes().filter(|&axis| extents.get(axis).is_some_and(|&n| n > 1)).collect();
        self.periodic = Periodic::along(axes).expect("they were periodic");
        self
    }

    /// The mask for an image of this shape, if there is one.
    fn mask(&self, shape: Shape) -> Option<Mask> {
        let random = &mut Random::new(self.mask?);
        let one_in = random.pick(&[1, 2, 2, 3, 10]);
        let order = random.pick(&[Order::C, Order::F]);
        let voxels = (0..shape.count()).map(|_| u8::from(!random.once_in(one_in))).collect();
        let image = Image::new(Shape::new(&shape.axes(), order).expect("as many voxels"), voxels);
        Some(Mask::new(&image.expect("a voxel for each place").into()).expect("a few bytes"))
    }

    /// The classes by the plain version. Those of the part inside a mask are those of an image of ranks in which voxels
    /// outside are the last, up to the last one inside.
    fn plainly<T: Voxel>(&self, image: &Image<T>) -> Classes {
        let (request, shape) = (self.request(), image.shape());
        let Some(mask) = self.mask(shape) else { return plain::persistence(image, &request) };
        let is_inside = |&place: &usize| {
            Limits { threshold: None, mask: Some(&mask) }.reach(&self.filtered.image, &request, place)
        };
        let key = |place: usize| image.voxels()[place].ordered(request.superlevel);
        let mut levels: Vec<T::Key> = (0..shape.count()).map(key).collect();
        levels.sort_unstable();
        let rank = |place: usize| match is_inside(&place) {
            true => levels.partition_point(|&level| level < key(place)) as u32,
            false => u32::MAX,
        };
        let ranks = Image::new(shape, (0..shape.count()).map(rank).collect()).expect("as many voxels");
        let request = PersistenceRequest { superlevel: false, ..request };
        let last = Limits::up_to(lacuna::cubical::Value::from(u64::from(u32::MAX - 1)));
        plain::persistence(&ranks, &request).cut(&ranks.into(), &request, last)
    }

    /// Whether the voxels are 64-bit integers.
    fn is_wide(&self) -> bool {
        matches!(self.filtered.image, AnyImage::U64(_) | AnyImage::I64(_))
    }
}
