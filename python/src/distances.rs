//! Conversion of arrays to distances and points in the precision of the array.
//!
//! The library owns distances and overwrites them, so the content of an array is copied once: all points, or one half
//! of a matrix.

use lacuna::metric::read::{Input, Symmetrize};
use lacuna::metric::{DistanceMatrix, Distances as Metric, PointCloud, SparseDistances, Value};
use lacuna::progress::interruptible;
use ndarray::{ArrayView1, ArrayView2, ArrayView3, Dimension, Ix1, Ix2, Ix3};
use numpy::{Element, PyArray, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use sprs::{CsMatViewI, SpIndex};

use crate::choices::choice;
use crate::error::Failure;
use crate::pinned::PinnedArray;
use crate::run::{Run, on_threads};

/// Points or distances, which a computation consumes.
#[pyclass(module = "lacuna_tda._lacuna", frozen)]
pub(crate) struct Distances(std::sync::Mutex<Option<Input>>);

impl Distances {
    fn new(input: Input) -> Self {
        Distances(std::sync::Mutex::new(Some(input)))
    }

    /// Takes the input, which is possible once.
    ///
    /// # Errors
    /// The input has been taken already.
    pub(crate) fn take(&self) -> Result<Input, Failure> {
        let mut input = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        input.take().ok_or_else(|| {
            Failure::Value("expected distances, found some that a computation has used up".into())
        })
    }
}

#[pymethods]
impl Distances {
    /// The lengths of shortest paths in a graph, which is used up.
    fn shortest_paths(&self, py: Python<'_>, run: &Run) -> PyResult<Distances> {
        let graph = self.take()?;
        on_threads(py, run.threads, Some(run), |progress| {
            interruptible(progress, |progress| Ok(Distances::new(graph.shortest_paths(progress)?)))
        })
    }
}

/// An array of floats in single or double precision.
pub(crate) enum Floats<'py, D: Dimension> {
    Single(PinnedArray<'py, f32, D>),
    Double(PinnedArray<'py, f64, D>),
}

impl<'py, D: Dimension> FromPyObject<'_, 'py> for Floats<'py, D> {
    type Error = PyErr;

    /// A failed cast to the first type raises no exception, which would take longer than everything else.
    fn extract(array: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = array.cast::<PyArray<f64, D>>() {
            return Ok(Floats::Double(PinnedArray::new(array.try_readonly()?)?));
        }
        let single = array.cast::<PyArray<f32, D>>();
        let expected = || format!("expected an array of {} axes of floats", D::NDIM.unwrap_or_default());
        let single = single.map_err(|_| PyTypeError::new_err(expected()))?;
        Ok(Floats::Single(PinnedArray::new(single.try_readonly()?)?))
    }
}

/// Converts an array in either precision, without the interpreter's lock.
macro_rules! in_precision {
    ($py:ident, $array:ident => $distances:expr) => {{
        let input = match &$array {
            Floats::Single($array) => {
                let $array = $array.as_array();
                Input::Single($py.detach(|| $distances)?)
            }
            Floats::Double($array) => {
                let $array = $array.as_array();
                Input::Double($py.detach(|| $distances)?)
            }
        };
        Ok(Distances::new(input))
    }};
}

/// Indices of a sparse matrix.
#[derive(FromPyObject)]
pub(crate) enum Indices<'py> {
    Narrow(PinnedArray<'py, i32, Ix1>),
    Wide(PinnedArray<'py, i64, Ix1>),
}

/// Converts the rows of an array to points.
#[pyfunction]
pub(crate) fn points(py: Python<'_>, array: Floats<'_, Ix2>) -> PyResult<Distances> {
    fn cloud<T: Value>(array: ArrayView2<'_, T>) -> Result<Metric<T>, Failure> {
        Ok(PointCloud::try_from(array)?.into())
    }
    in_precision!(py, array => cloud(array))
}

/// Converts an array of three axes to point clouds, one row per point; an invalid cloud gives its exception instead.
#[pyfunction]
pub(crate) fn clouds<'py>(py: Python<'py>, array: Floats<'py, Ix3>) -> PyResult<Bound<'py, PyList>> {
    fn each<T: Value>(
        array: ArrayView3<'_, T>,
        input: fn(Metric<T>) -> Input,
    ) -> Vec<Result<Input, Failure>> {
        let cloud = |rows: ArrayView2<'_, T>| Ok(input(PointCloud::try_from(rows)?.into()));
        array.outer_iter().map(cloud).collect()
    }
    let inputs = match &array {
        Floats::Single(array) => {
            let array = array.as_array();
            py.detach(|| each(array, Input::Single))
        }
        Floats::Double(array) => {
            let array = array.as_array();
            py.detach(|| each(array, Input::Double))
        }
    };
    let found = PyList::empty(py);
    for input in inputs {
        match input {
            Ok(input) => found.append(Distances::new(input).into_pyobject(py)?)?,
            Err(failure) => found.append(PyErr::from(failure).into_value(py))?,
        }
    }
    Ok(found)
}

/// Converts a square array of distances; with `births` its diagonal holds the births of points. If two distances of a
/// pair differ by more than rounding, `symmetrize` combines them.
#[pyfunction]
pub(crate) fn matrix(
    py: Python<'_>,
    array: Floats<'_, Ix2>,
    births: bool,
    symmetrize: Option<&str>,
) -> PyResult<Distances> {
    fn distances<T: Value>(
        array: ArrayView2<'_, T>,
        births: bool,
        symmetrize: Option<Symmetrize>,
    ) -> Result<Metric<T>, Failure> {
        if !births {
            return Ok(DistanceMatrix::from_array(array, symmetrize)?.into());
        }
        let born = array.diag().to_vec();
        let mut apart = array.to_owned();
        apart.diag_mut().fill(T::from_f64(0.0));
        Ok(DistanceMatrix::from_array(apart.view(), symmetrize)?.with_births(born)?.into())
    }
    let symmetrize = symmetrize.map(self::symmetrize).transpose()?;
    in_precision!(py, array => distances(array, births, symmetrize))
}

/// The choice between two distances of a pair with the given name.
///
/// # Errors
/// There is no such choice.
pub(crate) fn symmetrize(name: &str) -> Result<Symmetrize, Failure> {
    let choices = [
        ("lower", Symmetrize::Lower),
        ("upper", Symmetrize::Upper),
        ("mean", Symmetrize::Mean),
        ("max", Symmetrize::Max),
        ("min", Symmetrize::Min),
    ];
    choice("symmetrize", &choices, name)
}

/// Converts the distances above the diagonal of the matrix of `points` points, row by row, in the order of SciPy's
/// `pdist`.
#[pyfunction]
pub(crate) fn condensed(py: Python<'_>, points: usize, list: Floats<'_, Ix1>) -> PyResult<Distances> {
    fn distances<T: Value>(n: usize, list: ArrayView1<'_, T>) -> Result<Metric<T>, Failure> {
        let expected = n.saturating_mul(n.saturating_sub(1)) / 2;
        if n == 0 || list.len() != expected {
            let found = list.len();
            return Err(Failure::Value(format!(
                "expected the {expected} distances of {n} points, found {found}"
            )));
        }
        // The row of the lesser point j begins after those of the points before it.
        let place = |i: usize, j: usize| j * (2 * n - j - 1) / 2 + i - j - 1;
        Ok(DistanceMatrix::from_fn(n, |i, j| list[place(i, j)])?.into())
    }
    in_precision!(py, list => distances(points, list))
}

/// Converts the entries of a square sparse matrix, compressed by rows, to edges; `births` are the births of points.
#[pyfunction]
pub(crate) fn edges(
    py: Python<'_>,
    points: usize,
    starts: Indices<'_>,
    columns: Indices<'_>,
    entries: Floats<'_, Ix1>,
    births: Option<Floats<'_, Ix1>>,
) -> PyResult<Distances> {
    let input = match (&entries, &births) {
        (Floats::Single(entries), None) => {
            Input::Single(graph(py, points, &starts, &columns, entries, None)?)
        }
        (Floats::Double(entries), None) => {
            Input::Double(graph(py, points, &starts, &columns, entries, None)?)
        }
        (Floats::Single(entries), Some(Floats::Single(births))) => {
            Input::Single(graph(py, points, &starts, &columns, entries, Some(births))?)
        }
        (Floats::Double(entries), Some(Floats::Double(births))) => {
            Input::Double(graph(py, points, &starts, &columns, entries, Some(births))?)
        }
        _ => return Err(Failure::Value("expected births in the precision of the distances".into()).into()),
    };
    Ok(Distances::new(input))
}

/// The graph of a sparse matrix with indices of either width.
fn graph<T: Value + Element>(
    py: Python<'_>,
    points: usize,
    starts: &Indices<'_>,
    columns: &Indices<'_>,
    entries: &PyReadonlyArray1<'_, T>,
    births: Option<&PyReadonlyArray1<'_, T>>,
) -> PyResult<Metric<T>> {
    let contiguous = |_| Failure::Value("expected arrays that are contiguous".into());
    let entries = entries.as_slice().map_err(contiguous)?;
    let births = births.map(|births| births.as_slice().map_err(contiguous)).transpose()?;
    let graph = match (starts, columns) {
        (Indices::Narrow(starts), Indices::Narrow(columns)) => {
            let (starts, columns) =
                (starts.as_slice().map_err(contiguous)?, columns.as_slice().map_err(contiguous)?);
            py.detach(|| graph_of(points, starts, columns, entries, births))
        }
        (Indices::Wide(starts), Indices::Wide(columns)) => {
            let (starts, columns) =
                (starts.as_slice().map_err(contiguous)?, columns.as_slice().map_err(contiguous)?);
            py.detach(|| graph_of(points, starts, columns, entries, births))
        }
        _ => Err(Failure::Value("expected indices of one width".into())),
    };
    Ok(graph?)
}

fn graph_of<T: Value, I: SpIndex>(
    points: usize,
    starts: &[I],
    columns: &[I],
    entries: &[T],
    births: Option<&[T]>,
) -> Result<Metric<T>, Failure> {
    let matrix = CsMatViewI::try_new((points, points), starts, columns, entries);
    let matrix = matrix.map_err(|(.., error)| Failure::Value(format!("sparse matrix: {error}")))?;
    let graph = SparseDistances::try_from(matrix)?;
    Ok(match births {
        None => graph.into(),
        Some(births) => graph.with_births(births.to_vec())?.into(),
    })
}
