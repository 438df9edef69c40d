//! Euler characteristic transforms of images and of complexes.

use lacuna::ect::{Center, Directions, Ect, EctRequest, EmbeddedComplex, memory_plan, of_complex, of_image};
use lacuna::progress::Progress;
use numpy::ndarray::Array2;
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::choices::named;
use crate::cubical::construction;
use crate::error::Failure;
use crate::image::image;
use crate::run::{Run, on_threads_unless};

/// Number of voxels, vertices or cells times directions up to which one thread is done before others wake up.
const FEW: usize = 1 << 14;

/// Advice for an image that takes too much memory.
const HELPS: &str = "fewer directions or bins take less";

/// The options of both functions.
#[derive(FromPyObject)]
pub(crate) struct Request<'py> {
    /// A number of directions, or vectors.
    directions: Wanted<'py>,
    bins: usize,
    radius: Option<f64>,
    center: String,
    smooth: bool,
    weighted: bool,
    construction: String,
}

#[derive(FromPyObject)]
enum Wanted<'py> {
    Count(usize),
    Vectors(PyReadonlyArray2<'py, f64>),
}

impl Request<'_> {
    fn wanted(&self) -> Result<EctRequest, Failure> {
        let directions = match &self.directions {
            Wanted::Count(count) => Directions::Even(*count),
            Wanted::Vectors(vectors) => {
                let vectors = vectors.as_array();
                Directions::Given {
                    dimension: vectors.ncols(),
                    components: vectors.iter().copied().collect(),
                }
            }
        };
        Ok(EctRequest {
            directions,
            bins: self.bins,
            radius: self.radius,
            center: named("center", &Center::ALL, &self.center)?,
            smooth: self.smooth,
            weighted: self.weighted,
            construction: construction(&self.construction)?,
        })
    }

    fn count(&self) -> usize {
        match &self.directions {
            Wanted::Count(count) => *count,
            Wanted::Vectors(vectors) => vectors.as_array().nrows(),
        }
    }
}

/// Values and directions, one per row, and the radius.
type Found<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, f64);

fn found<'py>(py: Python<'py>, ect: Ect) -> PyResult<Found<'py>> {
    let (count, bins, dimension, radius) = (ect.count(), ect.bins, ect.dimension, ect.radius);
    let table = |columns: usize, numbers: Vec<f64>| {
        let table = Array2::from_shape_vec((count, columns), numbers);
        table.map_err(|error| Failure::Runtime(error.to_string()))
    };
    let values = PyArray2::from_owned_array(py, table(bins, ect.values)?);
    Ok((values, PyArray2::from_owned_array(py, table(dimension, ect.directions)?), radius))
}

/// Returns the transform of an image: its values, the directions, and the radius.
#[pyfunction]
pub(crate) fn ect_of_image<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    request: Request<'py>,
    run: &Run,
) -> PyResult<Found<'py>> {
    let wanted = request.wanted()?;
    let (image, voxels) = image(array)?;
    let is_little = voxels.saturating_mul(request.count()) <= FEW;
    let work = |progress: &dyn Progress| {
        let image = image()?;
        let bytes = image.bytes().len() as u64;
        memory_plan(image.shape(), bytes, &wanted)?.check(bytes, HELPS)?;
        Ok(of_image(&image, &wanted, progress)?)
    };
    found(py, on_threads_unless(is_little, py, run.threads, Some(run), work)?)
}

/// Cells of one dimension: their vertices, one cell per row, and their weights.
type Cells<'py> = (PyReadonlyArray2<'py, i64>, Option<PyReadonlyArray1<'py, f64>>);

/// Returns the transform of a complex: its values, the directions, and the radius. The first cells are edges.
#[pyfunction]
pub(crate) fn ect_of_complex<'py>(
    py: Python<'py>,
    vertices: PyReadonlyArray2<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    cells: Vec<Cells<'py>>,
    request: Request<'py>,
    run: &Run,
) -> PyResult<Found<'py>> {
    let wanted = request.wanted()?;
    let vertices = vertices.as_array();
    let coordinates = vertices.as_standard_layout().into_owned().into_raw_vec_and_offset().0;
    let mut complex = EmbeddedComplex::new(vertices.ncols(), coordinates).map_err(Failure::from)?;
    if let Some(weights) = weights {
        complex.set_vertex_weights(weights.as_array().to_vec()).map_err(Failure::from)?;
    }
    for (number, (cells, weights)) in cells.iter().enumerate() {
        let (cells, weights) =
            (cells.as_array(), weights.as_ref().map(|weights| weights.as_array().to_vec()));
        let vertices = cells.as_standard_layout();
        let vertices = vertices.as_slice().expect("the standard layout is one slice");
        let added = complex.push_cells(number + 1, cells.ncols(), vertices, weights.as_deref());
        added.map_err(Failure::from)?;
    }
    let size = complex.len() + complex.cells();
    let is_little = size.saturating_mul(request.count()) <= FEW;
    let work = |progress: &dyn Progress| {
        complex.memory_plan(&wanted)?.check(complex.bytes(), HELPS)?;
        Ok(of_complex(&complex, &wanted, progress)?)
    };
    found(py, on_threads_unless(is_little, py, run.threads, Some(run), work)?)
}
