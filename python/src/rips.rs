//! Barcodes of distances.

use lacuna::backend::Choice;
use lacuna::diagram::Diagram;
use lacuna::internals::Alone;
use lacuna::memory::Refused;
use lacuna::metric::read::Input;
use lacuna::rips::{
    CocycleScale, Collapse, DistanceToMeasure, Growth, Landmarks, Outcome, RepresentativeKind,
    Representatives, RepresentativesRequest, RipsOptions,
};
use ndarray::Array2;
use numpy::{Element, PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::choices::{bars, choice};
use crate::distances::Distances;
use crate::error::Failure;
use crate::representatives::tables;
use crate::run::{Run, at_once, each, on_threads};

/// Number of points up to which one thread may begin, and finish if the input turns out to be little work.
const FEW: usize = 256;

/// Maximum number of points of an input that one thread handles alone if there are many inputs: its distances take
/// some hundred kilobytes.
const SMALL: usize = 360;

/// The arguments of the Python functions.
#[derive(FromPyObject)]
pub(crate) struct Request {
    max_dim: usize,
    threshold: Option<f64>,
    modulus: u32,
    collapse: String,
    /// The parameter p, the exponent and the number of neighbours of a distance to measure.
    dtm: Option<(String, f64, usize)>,
    landmarks: Option<usize>,
    representatives: Vec<String>,
    cocycles_at: String,
    tighten: bool,
    only: Option<Vec<(usize, usize)>>,
    longest: Option<usize>,
    min_persistence: Option<f64>,
}

impl Request {
    fn options(&self, run: &Run) -> Result<RipsOptions, Failure> {
        let collapses = [("auto", Collapse::Auto), ("off", Collapse::Off), ("on", Collapse::On)];
        let growths = [("1", Growth::Linear), ("2", Growth::Quadratic), ("inf", Growth::Unweighted)];
        let measure = |(growth, exponent, neighbours): &(String, f64, usize)| {
            let growth = choice("dtm_p", &growths, growth)?;
            Ok::<_, Failure>(DistanceToMeasure { growth, exponent: *exponent, neighbours: *neighbours })
        };
        Ok(RipsOptions {
            max_dim: self.max_dim,
            threshold: self.threshold,
            modulus: self.modulus,
            collapse: choice("collapse", &collapses, &self.collapse)?,
            weights: self.dtm.as_ref().map(measure).transpose()?,
            landmarks: self.landmarks,
            representatives: self.representatives()?,
            backend: run.backend.clone(),
            ..RipsOptions::default()
        })
    }

    fn representatives(&self) -> Result<Option<RepresentativesRequest>, Failure> {
        use RepresentativeKind::{Cocycles, Cycles, Simplices};
        let kinds = [("simplices", Simplices), ("cocycles", Cocycles), ("cycles", Cycles)];
        let mut wanted = Vec::new();
        for name in &self.representatives {
            let kind = choice("representatives", &kinds, name)?;
            if !wanted.contains(&kind) {
                wanted.push(kind);
            }
        }
        let scales = [("birth", CocycleScale::Birth), ("death", CocycleScale::Death)];
        let scale = choice("cocycles_at", &scales, &self.cocycles_at)?;
        let bars = bars(self.only.clone(), self.longest, self.min_persistence.map(Into::into))?;
        let request = RepresentativesRequest::of(wanted).bars(bars).cocycles_at(scale).tighten(self.tighten);
        Ok(Some(request).filter(|request| !request.kinds.is_empty()))
    }
}

/// The result of one thread before others start on an input.
enum First<P> {
    /// The outcome, if the input was little work.
    Solved(Box<Outcome>),
    /// The ranked distances.
    Prepared(Box<P>),
}

/// Returns the barcode of distances as a dictionary.
#[pyfunction]
pub(crate) fn rips<'py>(
    py: Python<'py>,
    distances: &Distances,
    request: Request,
    run: &Run,
) -> PyResult<Bound<'py, PyDict>> {
    let options = request.options(run)?;
    let input = distances.take()?;
    let is_small =
        points_of(&input) <= FEW && run.is_plain() && options.backend.request().choice != Choice::Cuda;
    let outcome = if is_small {
        let first = at_once(py, |progress| {
            let prepared = options.prepare(input, &Alone, progress)?;
            let is_light = prepared.is_light();
            Ok(if is_light {
                First::Solved(prepared.solve(progress)?.into())
            } else {
                First::Prepared(prepared.into())
            })
        })?;
        match first {
            First::Solved(outcome) => *outcome,
            First::Prepared(prepared) => {
                on_threads(py, run.threads, Some(run), |progress| Ok(prepared.solve(progress)?))?
            }
        }
    } else {
        on_threads(py, run.threads, Some(run), |progress| {
            let content = |input: &Input| Ok(input.identity());
            run.kept("rips", input, content, progress, |input, progress| Ok(options.solve(input, progress)?))
        })?
    };
    Told::of(outcome).into_dict(py)
}

/// Returns the barcodes of several inputs, each as a dictionary like that of [`rips`], or as the exception that it
/// raises. Many small inputs run in parallel, each on one thread.
#[pyfunction]
pub(crate) fn rips_many<'py>(
    py: Python<'py>,
    distances: Vec<PyRef<'py, Distances>>,
    request: Request,
    run: &Run,
) -> PyResult<Bound<'py, PyList>> {
    let options = request.options(run)?;
    let inputs =
        distances.iter().map(|distances| distances.take()).collect::<Result<Vec<Input>, Failure>>()?;
    let are_small = inputs.iter().all(|input| points_of(input) <= SMALL);
    let outcomes = on_threads(py, run.threads, Some(run), |progress| {
        each(inputs, are_small, run, progress, &|input, progress| {
            // On the thread that found it: one thread would take as long to free all outcomes as to find some of them.
            Ok(Told::of(options.clone().solve(input, progress)?))
        })
    })?;
    answers(py, outcomes.into_iter().map(|outcome| outcome.map(|told| told.into_dict(py))))
}

/// The answers about several inputs, each a dictionary or the exception of an input that failed.
///
/// # Errors
/// A dictionary cannot be made.
pub(crate) fn answers<'py>(
    py: Python<'py>,
    outcomes: impl Iterator<Item = Result<PyResult<Bound<'py, PyDict>>, Failure>>,
) -> PyResult<Bound<'py, PyList>> {
    let answers = PyList::empty(py);
    for outcome in outcomes {
        match outcome {
            Ok(answer) => answers.append(answer?)?,
            Err(failure) => answers.append(PyErr::from(failure).into_value(py))?,
        }
    }
    Ok(answers)
}

fn points_of(input: &Input) -> usize {
    match input {
        Input::Single(distances) => distances.len(),
        Input::Double(distances) => distances.len(),
    }
}

/// The data of an outcome, prepared without the interpreter's lock by as many threads as there are.
struct Told {
    /// Births and deaths of each dimension, interleaved.
    bars: Vec<Vec<f64>>,
    threshold: f64,
    edges: usize,
    notes: Vec<String>,
    landmarks: Option<Landmarks>,
    representatives: Option<Representatives>,
}

impl Told {
    fn of(mut outcome: Outcome) -> Self {
        let representatives = outcome.take_representatives();
        let Outcome { diagram, summary, notes, landmarks, .. } = outcome;
        let (threshold, edges) = (summary.threshold, summary.edges);
        Told { bars: numbers(&diagram), threshold, edges, notes, landmarks, representatives }
    }

    /// Converts the data to a dictionary, see `_answers.py`.
    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let answer = PyDict::new(py);
        answer.set_item(intern!(py, "bars"), arrays(py, self.bars)?)?;
        answer.set_item(intern!(py, "threshold"), self.threshold)?;
        answer.set_item(intern!(py, "edges"), self.edges)?;
        answer.set_item(intern!(py, "notes"), self.notes)?;
        if let Some(landmarks) = self.landmarks {
            let points = landmarks.points.iter().map(|&point| point as i64);
            let told = (PyArray1::from_iter(py, points), landmarks.covering_radius);
            answer.set_item(intern!(py, "landmarks"), told)?;
        }
        if let Some(representatives) = &self.representatives {
            answer.set_item(intern!(py, "representatives"), tables(py, representatives)?)?;
        }
        Ok(answer)
    }
}

/// The births and deaths of each dimension, interleaved.
pub(crate) fn numbers(diagram: &Diagram) -> Vec<Vec<f64>> {
    let of = |dim| diagram.bars(dim).iter().flat_map(|bar| [bar.birth, bar.death]).collect();
    (0..diagram.len()).map(of).collect()
}

/// An array with one row per bar for each dimension.
pub(crate) fn arrays(py: Python<'_>, dimensions: Vec<Vec<f64>>) -> PyResult<Bound<'_, PyList>> {
    let arrays = dimensions.into_iter().map(|numbers| rows(py, 2, numbers));
    PyList::new(py, arrays.collect::<PyResult<Vec<_>>>()?)
}

/// The numbers in a vector that is made with room for all `count` of them.
///
/// # Errors
/// There is too little memory.
pub(crate) fn collected<T>(count: usize, numbers: impl Iterator<Item = T>) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    all.try_reserve_exact(count).map_err(|_| Failure::Memory(Refused::of_bytes(bytes).to_string()))?;
    all.extend(numbers);
    Ok(all)
}

/// Number of elements up to which a copy is faster than an array that refers to foreign memory.
const COPIED: usize = 512;

/// An array with rows of `width` numbers.
pub(crate) fn rows<T: Element>(
    py: Python<'_>,
    width: usize,
    numbers: Vec<T>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let height = numbers.len() / width;
    let array = Array2::from_shape_vec((height, width), numbers);
    let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(if array.len() <= COPIED { array.to_pyarray(py) } else { PyArray2::from_owned_array(py, array) })
}
