//! Bars, Euler characteristic curves and skeletons of images.

use lacuna::cubical::ecc::scales::{Scales, curves};
use lacuna::cubical::ecc::{Bins, EccRequest, Values, Vcec};
use lacuna::cubical::persistence::representatives::{Representative, Representatives};
use lacuna::cubical::persistence::{Class, Classes, Limits, PersistenceError, PersistenceRequest, footprint};
use lacuna::cubical::thinning::binary::{Foreground, binary};
use lacuna::cubical::thinning::graph::SkeletonGraph;
use lacuna::cubical::thinning::{self, BitImage, Rule, ThinningRequest};
use lacuna::cubical::value::Value;
use lacuna::cubical::verify::{self, VerifyError};
use lacuna::cubical::{
    AnyImage, Construction, Cubical, CubicalOutcome, EulerCurve, Mask, Order, Periodic, Shape, Skeleton,
    SkeletonOutcome,
};
use lacuna::diagram::BarSelection;
use lacuna::progress::{Progress, interruptible};
use lacuna::snapshot::checksum;
use lacuna::with_image;
use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::choices::{bars, choice, named};
use crate::error::Failure;
use crate::image::{MakeImage, image};
use crate::rips::{answers, arrays, numbers, rows};
use crate::run::{Run, each, on_threads, on_threads_unless};

/// Number of voxels up to which one thread finds the bars of an image faster than others would wake up.
const FEW_FOR_BARS: usize = 1 << 11;

/// Maximum number of voxels of an image that one thread handles alone if there are many images: it takes some 20
/// megabytes.
const SMALL: usize = 1 << 20;

/// Number of voxels up to which one thread counts or thins an image faster than others would wake up.
const FEW: usize = 1 << 14;

/// The value of a voxel: an integer of any voxel type, or a double.
#[derive(FromPyObject, Clone, Copy)]
pub(crate) enum Number {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Signed(value) => value.into(),
            Number::Unsigned(value) => value.into(),
            Number::Double(value) => value.into(),
        }
    }
}

/// Converts the value of an option.
///
/// # Errors
/// The value is NaN.
pub(crate) fn value(option: &str, number: Number) -> Result<Value, Failure> {
    match number {
        Number::Double(value) if value.is_nan() => {
            Err(Failure::Value(format!("{option}: expected a number, found NaN")))
        }
        number => Ok(number.into()),
    }
}

pub(crate) fn construction(name: &str) -> Result<Construction, Failure> {
    choice("construction", &[("T", Construction::T), ("V", Construction::V)], name)
}

/// The range of the bins, if it is given.
pub(crate) fn range_of(range: Option<(Number, Number)>) -> Result<Option<(Value, Value)>, Failure> {
    range.map(|(low, high)| Ok((value("range", low)?, value("range", high)?))).transpose()
}

/// The options of [`cubical`].
#[derive(FromPyObject)]
pub(crate) struct Request {
    construction: String,
    superlevel: bool,
    max_dim: Option<usize>,
    threshold: Option<Number>,
    /// Axes, counted from the end where negative; `None` for all.
    periodic: Option<Vec<i64>>,
    mask: Option<Py<PyAny>>,
    verify: bool,
    locations: bool,
    representatives: bool,
    only: Option<Vec<(usize, usize)>>,
    longest: Option<usize>,
    min_persistence: Option<Number>,
}

/// Advice for an image whose bars take too much memory.
const HELPS: &str = "a part of the image, or one of fewer voxels, takes less, and so does its curve (ecc)";

/// Advice for an image that takes too much memory to be thinned.
const HELPS_THINNING: &str = "a part of the image takes less";

/// Describes an image with its checksum.
fn content(image: &AnyImage) -> String {
    let (sum, _) = checksum(&mut image.bytes()).expect("memory can be read");
    format!("a {} with checksum {sum:032x}", image.shape().described(image.voxel_type()))
}

/// The failure of the check of the bars.
fn of_verify(error: VerifyError) -> Failure {
    match Failure::from(error) {
        Failure::Value(text) => Failure::Value(format!("verify: {text}")),
        Failure::Runtime(text) => Failure::Runtime(format!("verify: {text}")),
        other => other,
    }
}

/// A mask, and the array that it was made of.
type MaskOfArray = (Mask, AnyImage);

/// Converts the mask of a request. Returns a function that makes it, as [`image`] does.
fn mask_of(
    py: Python<'_>,
    request: &Request,
) -> PyResult<impl FnOnce() -> Result<Option<MaskOfArray>, Failure> + use<>> {
    let make = request.mask.as_ref().map(|array| image(array.bind(py))).transpose()?;
    Ok(move || {
        let Some((make, _)) = make else { return Ok(None) };
        let image = make().map_err(|error| Failure::Value(format!("mask: {error}")))?;
        Ok(Some((Mask::new(&image).map_err(PersistenceError::from)?, image)))
    })
}

/// A [`Request`] whose names and numbers are known to be right.
struct Wanted {
    /// The filtration, without its periodic axes, which depend on the image.
    request: PersistenceRequest,
    periodic: Option<Vec<i64>>,
    threshold: Option<Value>,
    verify: bool,
    locations: bool,
    representatives: Option<BarSelection>,
}

impl Wanted {
    fn of(request: Request) -> Result<Self, Failure> {
        let Request { superlevel, max_dim, periodic, verify, locations, .. } = request;
        let construction = construction(&request.construction)?;
        let least = request.min_persistence.map(|number| value("min_persistence", number)).transpose()?;
        let bars = bars(request.only, request.longest, least)?;
        Ok(Wanted {
            request: PersistenceRequest {
                construction,
                superlevel,
                max_dim,
                ..PersistenceRequest::default()
            },
            periodic,
            threshold: request.threshold.map(|number| value("threshold", number)).transpose()?,
            verify,
            locations,
            representatives: request.representatives.then_some(bars),
        })
    }

    /// The request for an image of this shape.
    fn request(&self, shape: Shape) -> Result<PersistenceRequest, Failure> {
        Ok(PersistenceRequest { periodic: closing_up(self.periodic.as_deref(), shape)?, ..self.request })
    }

    /// Computes the bars of an image, after the checks of the options that it has to suit.
    fn solve(
        &self,
        image: &AnyImage,
        mask: Option<&Mask>,
        run: &Run,
        progress: &dyn Progress,
    ) -> Result<CubicalOutcome, Failure> {
        let request = self.request(image.shape())?;
        if self.verify {
            verify::check(image.shape(), &request).map_err(of_verify)?;
        }
        let (representatives, backend) = (self.representatives.clone(), run.backend.clone());
        let limits = self.limits(mask);
        Ok(Cubical { limits, representatives, backend, ..Cubical::new(image, request) }.solve(progress)?)
    }

    fn limits<'a>(&self, mask: Option<&'a Mask>) -> Limits<'a> {
        Limits { threshold: self.threshold, mask }
    }

    /// Converts the bars of an image for Python, after they have been verified if that is requested.
    fn told(
        &self,
        image: AnyImage,
        mask: Option<&Mask>,
        found: CubicalOutcome,
        run: &Run,
        progress: &dyn Progress,
    ) -> Result<Told, Failure> {
        if self.verify {
            let request = self.request(image.shape())?;
            let limits = self.limits(mask);
            verify::verify(&image, &found.classes, &request, limits, &run.backend, progress)
                .map_err(of_verify)?;
        }
        Ok(Told {
            bars: numbers(&found.classes.diagram(&image, self.request.superlevel)?),
            locations: self.locations.then(|| places(&image, &found.classes)),
            representatives: found.representatives,
            image,
        })
    }
}

/// The bars of an image, prepared without the interpreter's lock by as many threads as there are.
struct Told {
    /// Births and deaths of each dimension, interleaved.
    bars: Vec<Vec<f64>>,
    /// For each dimension the coordinates of the birth and the death voxels; those of essential deaths are −1.
    locations: Option<Vec<(Vec<i64>, Vec<i64>)>>,
    representatives: Option<Representatives>,
    image: AnyImage,
}

impl Told {
    /// Converts the data to a dictionary, see `_answers.py`.
    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let Told { bars, locations, representatives, image } = self;
        let (answer, dimensions, axes) = (PyDict::new(py), bars.len(), image.shape().axes().len());
        answer.set_item(intern!(py, "bars"), arrays(py, bars)?)?;
        if let Some(locations) = locations {
            let rows_of = |(births, deaths)| Ok((rows(py, axes, births)?, rows(py, axes, deaths)?));
            let tables = locations.into_iter().map(rows_of).collect::<PyResult<Vec<_>>>()?;
            answer.set_item(intern!(py, "locations"), PyList::new(py, tables)?)?;
        }
        if let Some(cycles) = &representatives {
            let of_dimension = |dim| cycles_of(py, &image, cycles.of_dimension(dim));
            let tables = (0..dimensions).map(of_dimension).collect::<PyResult<Vec<_>>>()?;
            answer.set_item(intern!(py, "representatives"), PyList::new(py, tables)?)?;
        }
        Ok(answer)
    }
}

/// Refuses an image whose bars take more memory than there is.
fn check_memory(image: &AnyImage, wanted: &Wanted) -> Result<(), Failure> {
    let (bytes, are_traced) = (image.bytes().len() as u64, wanted.representatives.is_some());
    let request = wanted.request(image.shape())?;
    let plan = footprint::memory_plan(image.shape(), &request, image.voxel_type(), bytes, are_traced);
    Ok(plan.check(bytes, HELPS)?)
}

/// Returns the bars of an image as a dictionary, see `_answers.py`; with `locations` also the voxels of births and
/// deaths.
#[pyfunction]
pub(crate) fn cubical<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    request: Request,
    run: &Run,
) -> PyResult<Bound<'py, PyDict>> {
    let mask = mask_of(py, &request)?;
    let wanted = Wanted::of(request)?;
    let (image, voxels) = image(array)?;
    let is_little = voxels <= FEW_FOR_BARS;
    let work = |progress: &dyn Progress| {
        let (image, mask) = (image()?, mask()?);
        if !is_little {
            check_memory(&image, &wanted)?;
        }
        let describe = |image: &&AnyImage| {
            let mut parts = vec![content(image)];
            let periodic = wanted.request(image.shape())?.periodic;
            parts.extend(Some(periodic.to_string()).filter(|_| !periodic.is_none()));
            parts.extend(mask.as_ref().map(|(_, array)| format!("mask {}", content(array))));
            Ok(parts.join("; "))
        };
        let inside = mask.as_ref().map(|(mask, _)| mask);
        let found = run.kept("cubical", &image, describe, progress, |image, progress| {
            wanted.solve(image, inside, run, progress)
        })?;
        wanted.told(image, inside, found, run, progress)
    };
    on_threads_unless(is_little, py, run.threads, Some(run), work)?.into_dict(py)
}

/// Returns the bars of several images, each as a dictionary like that of [`cubical`], or as the exception that it
/// raises. Many small images run in parallel, each on one thread.
#[pyfunction]
pub(crate) fn cubical_many<'py>(
    py: Python<'py>,
    images: Vec<Bound<'py, PyAny>>,
    request: Request,
    run: &Run,
) -> PyResult<Bound<'py, PyList>> {
    let mask = mask_of(py, &request)?;
    let wanted = Wanted::of(request)?;
    let images = images.iter().map(image).collect::<PyResult<Vec<(MakeImage, usize)>>>()?;
    let are_small = images.iter().all(|(_, voxels)| *voxels <= SMALL);
    let outcomes = on_threads(py, run.threads, Some(run), |progress| {
        let mask = mask()?.map(|(mask, _)| mask);
        each(images, are_small, run, progress, &|(image, _): (MakeImage, usize), progress| {
            let image = image()?;
            if !are_small {
                check_memory(&image, &wanted)?;
            }
            let found = wanted.solve(&image, mask.as_ref(), run, progress)?;
            wanted.told(image, mask.as_ref(), found, run, progress)
        })
    })?;
    answers(py, outcomes.into_iter().map(|outcome| outcome.map(|told| told.into_dict(py))))
}

/// For each dimension the coordinates of the birth and death voxels; those of essential deaths are −1.
fn places(image: &AnyImage, classes: &Classes) -> Vec<(Vec<i64>, Vec<i64>)> {
    let axes = image.shape().axes().len();
    let coordinates = |place: Option<usize>| match place {
        Some(place) => image.shape().coordinates(place).into_iter().map(|at| at as i64).collect(),
        None => vec![-1; axes],
    };
    let of = |classes: &Vec<Class>| {
        let births = classes.iter().flat_map(|class| coordinates(Some(class.birth))).collect();
        let deaths = classes.iter().flat_map(|class| coordinates(class.death)).collect();
        (births, deaths)
    };
    classes.dimensions.iter().map(of).collect()
}

/// The indices of the bars of a dimension that have cycles, and for each cycle its cells, by the doubled coordinates of
/// their centres, and its voxels.
fn cycles_of<'py, 'a>(
    py: Python<'py>,
    image: &AnyImage,
    cycles: impl Iterator<Item = &'a Representative> + Clone,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyList>)> {
    let shape = image.shape();
    let axes = shape.axes().len();
    let places = cycles.clone().map(|cycle| cycle.index as i64);
    let told = cycles.map(|cycle| {
        let cells = cycle.cells.iter().flatten().map(|&at| i64::from(at)).collect();
        let voxels = cycle.voxels.iter().flat_map(|&place| shape.coordinates(place));
        Ok((rows(py, axes, cells)?, rows(py, axes, voxels.map(|at| at as i64).collect())?))
    });
    let told = PyList::new(py, told.collect::<PyResult<Vec<_>>>()?)?;
    Ok((PyArray1::from_iter(py, places), told))
}

/// The axes of an image of this shape that close up: those of these numbers, negative ones counted from the end, or
/// all.
fn closing_up(given: Option<&[i64]>, shape: Shape) -> Result<Periodic, Failure> {
    let axes = shape.axes().len() as i64;
    let number = |&axis: &i64| match axis {
        _ if axis < -axes || axis >= axes => Err(Failure::Value(format!(
            "periodic: expected axes from {} to {}, found {axis}",
            -axes,
            axes - 1
        ))),
        _ => Ok((if axis < 0 { axis + axes } else { axis }) as usize),
    };
    let numbers = match given {
        Some(given) => given.iter().map(number).collect::<Result<Vec<_>, _>>()?,
        None => (0..axes as usize).collect(),
    };
    Ok(Periodic::along(numbers).expect("an array has at most 64 axes"))
}

/// Returns the Euler characteristic curves of an image at the given scales, each as its values and changes.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are those of the Python function")]
pub(crate) fn ecc<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    bins: Option<usize>,
    range: Option<(Number, Number)>,
    construction: &str,
    superlevel: bool,
    scales: Option<(usize, f64, usize)>,
    periodic: Option<Vec<i64>>,
    run: &Run,
) -> PyResult<Bound<'py, PyList>> {
    let construction = self::construction(construction)?;
    let range = range_of(range)?;
    let bins = bins.map_or(Bins::Distinct, |count| Bins::Uniform { count, range });
    let (image, voxels) = image(array)?;
    let work = |progress: &dyn Progress| {
        let image = image()?;
        let request = EccRequest { construction, superlevel, bins };
        if let Some((count, sigma, taps)) = scales {
            let scales = Scales { count, sigma, taps };
            return interruptible(progress, |progress| {
                progress.begin("curve", None, (image.shape().count() * count) as u64);
                Ok(with_image!(&image, image => {
                    curves(image, &request, &scales, &|voxels| progress.advance(voxels))
                })?)
            });
        }
        let (periodic, backend) = (closing_up(periodic.as_deref(), image.shape())?, run.backend.clone());
        let curve = EulerCurve { periodic, backend, ..EulerCurve::new(&image, request) };
        Ok(vec![curve.solve(progress)?.vcec])
    };
    let is_little = voxels <= FEW && scales.is_none();
    told(py, on_threads_unless(is_little, py, run.threads, Some(run), work)?)
}

/// Converts curves, each to its values and its changes.
pub(crate) fn told(py: Python<'_>, curves: Vec<Vcec>) -> PyResult<Bound<'_, PyList>> {
    let told = curves.into_iter().map(|vcec| {
        let values = match vcec.values {
            Values::Unsigned(values) => PyArray1::from_vec(py, values).into_any(),
            Values::Signed(values) => PyArray1::from_vec(py, values).into_any(),
            Values::Doubles(values) => PyArray1::from_vec(py, values).into_any(),
        };
        (values, PyArray1::from_vec(py, vcec.changes))
    });
    PyList::new(py, told.collect::<Vec<_>>())
}

/// How an image is thinned: the options of Python's `thin` that are not of every computation.
#[derive(FromPyObject)]
pub(crate) struct ThinOptions {
    rule: Option<String>,
    iterations: Option<usize>,
    threshold: Option<Number>,
    otsu: bool,
    invert: bool,
}

/// [`ThinOptions`] whose names and numbers are known to be right.
struct Thinning {
    request: ThinningRequest,
    foreground: Foreground,
    invert: bool,
}

impl Thinning {
    fn of(options: &ThinOptions) -> Result<Self, Failure> {
        let &ThinOptions { ref rule, iterations, threshold, otsu, invert } = options;
        let rule = rule.as_deref().map(|name| named("rule", &Rule::ALL, name)).transpose()?;
        let foreground = match threshold {
            Some(threshold) => Foreground::Above(value("threshold", threshold)?),
            None if otsu => Foreground::Otsu,
            None => Foreground::NonZero,
        };
        Ok(Thinning { request: ThinningRequest { rule, iterations }, foreground, invert })
    }

    /// The foreground of an image, and the threshold above which it lies, if there was one.
    fn object(&self, image: &AnyImage) -> Result<(BitImage, Option<Value>), Failure> {
        if image.shape().count() > FEW {
            let (bytes, rule) = (image.bytes().len() as u64, self.request.rule_for(image.shape()));
            thinning::footprint::memory_plan(image.shape(), bytes, rule).check(bytes, HELPS_THINNING)?;
        }
        let (bits, threshold) = binary(image, self.foreground)?;
        Ok((if self.invert { bits.inverted() } else { bits }, threshold))
    }

    fn skeleton(
        &self,
        object: &BitImage,
        run: &Run,
        progress: &dyn Progress,
    ) -> Result<SkeletonOutcome, Failure> {
        let skeleton = Skeleton { backend: run.backend.clone(), ..Skeleton::new(object, self.request) };
        Ok(skeleton.solve(progress)?)
    }
}

/// Returns the skeleton of an image as bytes 0 and 1 in C order; the number of iterations; and the threshold above
/// which voxels were foreground, if there was one.
#[pyfunction]
pub(crate) fn thin<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    options: ThinOptions,
    run: &Run,
) -> PyResult<(Bound<'py, PyArray1<u8>>, usize, Option<f64>)> {
    let thinning = Thinning::of(&options)?;
    let (image, voxels) = image(array)?;
    let work = |progress: &dyn Progress| {
        let (object, threshold) = thinning.object(&image()?)?;
        let outcome = thinning.skeleton(&object, run, progress)?;
        let threshold = threshold.map(Value::double);
        Ok((outcome.skeleton.to_image(1, Order::C).into_voxels(), outcome.statistics.iterations, threshold))
    };
    let (voxels, iterations, threshold) = on_threads_unless(voxels <= FEW, py, run.threads, Some(run), work)?;
    Ok((PyArray1::from_vec(py, voxels), iterations, threshold))
}

/// Computes the graph of the skeleton of an image: of `skeleton`, an image of the same shape of which all voxels that
/// are not 0 count, or of the skeleton to which the image is thinned. Voxels are places in C order. Returns the voxels
/// of the nodes, their degrees and radii; the nodes of the branches, two for each, their kinds as numbers from 0 and
/// lengths; and where the voxels of each branch begin, the voxels of all branches and the radii at these.
#[pyfunction]
pub(crate) fn skeleton_graph<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    skeleton: Option<&Bound<'py, PyAny>>,
    spacing: Vec<f64>,
    options: ThinOptions,
    run: &Run,
) -> PyResult<Bound<'py, PyTuple>> {
    let thinning = Thinning::of(&options)?;
    let (object, voxels) = image(array)?;
    let skeleton = skeleton.map(image).transpose()?;
    let work = |progress: &dyn Progress| {
        let (object, _) = thinning.object(&object()?)?;
        let skeleton = match skeleton {
            Some((skeleton, _)) => binary(&skeleton()?, Foreground::NonZero)?.0,
            None => thinning.skeleton(&object, run, progress)?.skeleton,
        };
        Ok(SkeletonGraph::new(&skeleton, &object, &spacing, progress)?)
    };
    let graph = on_threads_unless(voxels <= FEW, py, run.threads, Some(run), work)?;
    let (nodes, branches) = (&graph.nodes, &graph.branches);
    let starts = branches.iter().map(|branch| branch.voxels.start).chain([graph.voxels.len()]);
    let doubles = |numbers: Vec<f64>| PyArray1::from_vec(py, numbers);
    let answer = (
        indices(py, nodes.iter().map(|node| node.voxel)),
        indices(py, nodes.iter().map(|node| node.degree)),
        doubles(nodes.iter().map(|node| node.radius).collect()),
        indices(py, branches.iter().flat_map(|branch| branch.nodes)),
        PyArray1::from_iter(py, branches.iter().map(|branch| branch.kind as u8)),
        doubles(branches.iter().map(|branch| branch.length).collect()),
        indices(py, starts),
        indices(py, graph.voxels.iter().copied()),
        doubles(graph.radii),
    );
    answer.into_pyobject(py)
}

/// Numbers as an array of NumPy's indices.
fn indices<'py>(py: Python<'py>, numbers: impl Iterator<Item = usize>) -> Bound<'py, PyArray1<i64>> {
    // No image has 2^63 voxels.
    PyArray1::from_iter(py, numbers.map(|number| number as i64))
}
