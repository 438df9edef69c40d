//! Pairs of boundary matrices.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lacuna::backend::Backend;
use lacuna::interop::sprs::boundary_matrix;
use lacuna::matrix::any::{AnyReduced, Reduced};
use lacuna::matrix::cycles::{ClassSelection, Cycle};
use lacuna::matrix::read::{AnyComplex, LoadedComplex, MatrixFormat, MatrixReadOptions, read_path_watched};
use lacuna::matrix::{Algorithm, BoundaryMatrix, Dimension, Dualize, Index, ReductionRequest};
use lacuna::progress::{Progress, interruptible};
use lacuna::snapshot::checksum;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sprs::{CsMatI, SpIndex};
use zerocopy::IntoBytes as _;

use crate::choices::named;
use crate::error::Failure;
use crate::rips::rows;
use crate::run::{Run, on_threads};

/// The arguments of the Python function.
#[derive(FromPyObject)]
pub(crate) struct Request {
    format: Option<String>,
    max_dim: Option<usize>,
    algorithm: Option<String>,
    dualize: String,
    check: bool,
    cycles: bool,
    only: Option<Vec<usize>>,
    min_persistence: Option<usize>,
}

impl Request {
    /// The request for a reduction on the threads of the current pool.
    fn reduction(&self) -> Result<ReductionRequest, Failure> {
        let algorithm = self.algorithm.as_deref();
        let dualizes = [Dualize::Auto, Dualize::On, Dualize::Off];
        Ok(ReductionRequest {
            algorithm: algorithm.map(|name| named("algorithm", &Algorithm::ALL, name)).transpose()?,
            dualize: named("dualize", &dualizes, &self.dualize)?,
            columns: None,
            threads: Some(rayon::current_num_threads()),
        })
    }

    /// The classes whose cycles are requested, if any.
    fn selection(&self) -> Result<Option<ClassSelection>, Failure> {
        Ok(match (self.cycles, &self.only, self.min_persistence) {
            (false, ..) => None,
            (true, None, None) => Some(ClassSelection::All),
            (true, Some(cells), None) => Some(ClassSelection::Named(cells.clone())),
            (true, None, Some(least)) => Some(ClassSelection::Persistence(least)),
            (true, Some(_), Some(_)) => {
                return Err(Failure::Value(
                    "expected one of only and min_persistence at most, found both".into(),
                ));
            }
        })
    }
}

/// The answer of a reduction.
struct Answer {
    pairs: Vec<i64>,
    essential: Vec<i64>,
    dims: Vec<Dimension>,
    values: Option<Vec<f64>>,
    max_dim: Dimension,
    is_cut: bool,
    /// For each selected class the cell that creates it, and the cells of its cycle.
    cycles: Option<Vec<(i64, Vec<i64>)>>,
    warning: Option<String>,
}

impl Answer {
    fn of<I: Index>(Reduced { cells, pairs, cycles, .. }: &Reduced<'_, I>) -> Self {
        // The numbers of cells fit into 63 bits.
        let number = |cell: I| cell.to_usize() as i64;
        let of_class = |cycle: Cycle<'_, I>| {
            (number(cycle.birth), cycle.cells.iter().map(|&cell| number(cell)).collect())
        };
        Answer {
            pairs: pairs.pairs.iter().flat_map(|&(birth, death)| [number(birth), number(death)]).collect(),
            essential: pairs.essential().into_iter().map(number).collect(),
            max_dim: cells.max_dim,
            dims: cells.matrix.dims().to_vec(),
            values: None,
            is_cut: cells.cut,
            cycles: cycles.as_ref().map(|cycles| cycles.iter().map(of_class).collect()),
            warning: None,
        }
    }

    /// Converts the answer to a dictionary, see `_answers.py`.
    fn told(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let answer = PyDict::new(py);
        answer.set_item(intern!(py, "pairs"), rows(py, 2, self.pairs)?)?;
        answer.set_item(intern!(py, "essential"), PyArray1::from_vec(py, self.essential))?;
        answer.set_item(intern!(py, "dimensions"), PyArray1::from_vec(py, self.dims))?;
        answer.set_item(intern!(py, "values"), self.values.map(|values| PyArray1::from_vec(py, values)))?;
        answer.set_item(intern!(py, "max_dim"), self.max_dim)?;
        answer.set_item(intern!(py, "is_cut"), self.is_cut)?;
        answer.set_item(intern!(py, "warning"), self.warning)?;
        if let Some(cycles) = self.cycles {
            let told = cycles.into_iter().map(|(birth, cells)| (birth, PyArray1::from_vec(py, cells)));
            answer.set_item(intern!(py, "cycles"), PyList::new(py, told.collect::<Vec<_>>())?)?;
        }
        Ok(answer)
    }
}

/// Returns the pairs of a boundary matrix that is compressed by columns.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "they are the parts of a sparse matrix")]
pub(crate) fn reduce_matrix<'py>(
    py: Python<'py>,
    shape: (usize, usize),
    starts: PyReadonlyArray1<'py, i64>,
    cells: PyReadonlyArray1<'py, i64>,
    entries: PyReadonlyArray1<'py, f64>,
    dims: Option<PyReadonlyArray1<'py, u8>>,
    request: Request,
    run: &Run,
) -> PyResult<Bound<'py, PyDict>> {
    let (starts, cells, entries) = (starts.as_slice()?, cells.as_slice()?, entries.as_slice()?);
    let dims = dims.map(|dims| dims.as_array().to_vec());
    let parts = Parts { shape, starts, cells, entries, dims };
    let answer = on_threads(py, run.threads, Some(run), |progress| {
        run.kept("reduce", parts, Parts::content, progress, |parts, progress| {
            answer(parts.complex()?, true, &request, &run.backend, progress)
        })
    })?;
    answer.told(py)
}

/// A sparse matrix compressed by columns, with the dimensions of its cells if they are given.
pub(crate) struct Parts<'a> {
    pub(crate) shape: (usize, usize),
    pub(crate) starts: &'a [i64],
    pub(crate) cells: &'a [i64],
    pub(crate) entries: &'a [f64],
    pub(crate) dims: Option<Vec<Dimension>>,
}

impl Parts<'_> {
    /// Describes the matrix with its checksum.
    fn content(&self) -> Result<String, Failure> {
        let Parts { shape: (rows, columns), starts, cells, entries, dims } = self;
        let numbers = starts.as_bytes().chain(cells.as_bytes()).chain(entries.as_bytes());
        let (sum, _) =
            checksum(&mut numbers.chain(dims.as_deref().unwrap_or_default())).expect("memory can be read");
        Ok(format!("a matrix of {rows} x {columns} cells with checksum {sum:032x}"))
    }

    /// The complex with the narrowest numbers of cells.
    ///
    /// # Errors
    /// The parts are not those of a boundary matrix.
    pub(crate) fn complex(self) -> Result<AnyComplex, Failure> {
        let most = self.shape.0.max(self.shape.1).max(self.entries.len());
        Ok(if most <= <u32 as Index>::MOST {
            AnyComplex::Narrow(LoadedComplex::of(self.matrix()?))
        } else {
            AnyComplex::Wide(LoadedComplex::of(self.matrix()?))
        })
    }

    fn matrix<I: Index + SpIndex>(self) -> Result<BoundaryMatrix<I>, Failure> {
        let narrowed = |numbers: &[i64]| {
            let numbers = numbers
                .iter()
                .map(|&number| usize::try_from(number).ok().filter(|&number| number <= <I as Index>::MOST));
            let numbers = numbers.map(|number| number.map(<I as Index>::from_usize));
            numbers
                .collect::<Option<Vec<I>>>()
                .ok_or_else(|| Failure::Value("sparse matrix: expected indices of cells".into()))
        };
        let Parts { shape, starts, cells, entries, dims } = self;
        let matrix = CsMatI::try_new_csc(shape, narrowed(starts)?, narrowed(cells)?, entries.to_vec());
        let matrix = matrix.map_err(|(.., error)| Failure::Value(format!("sparse matrix: {error}")))?;
        Ok(boundary_matrix(matrix, dims)?)
    }
}

/// Advice for a matrix that is too large to be reduced.
const HELPS: &str = "algorithm=\"sieve\" takes least; cubical takes less of an image, and rips of distances";

/// Reduces a matrix, and finds the requested cycles. `is_checked` says whether ∂∂ = 0 is checked on request.
fn answer(
    input: AnyComplex,
    is_checked: bool,
    request: &Request,
    backend: &Backend,
    progress: &dyn Progress,
) -> Result<Answer, Failure> {
    if request.check && is_checked {
        input.check()?;
    }
    let planned = input.plan(&request.reduction()?, backend)?;
    let memory = planned.memory();
    memory.check(memory.bytes_of("the matrix"), HELPS)?;
    let mut found = planned.reduce(progress)?;
    if let Some(selection) = request.selection()? {
        found.find_cycles(&selection, progress)?;
    }
    let answer = match &found {
        AnyReduced::Narrow(found) => Answer::of(found),
        AnyReduced::Wide(found) => Answer::of(found),
    };
    drop(found);
    drop(planned);
    let values = match input {
        AnyComplex::Narrow(cells) => cells.values,
        AnyComplex::Wide(cells) => cells.values,
    };
    Ok(Answer { values, ..answer })
}

/// Returns the pairs of the boundary matrix in a file; for an image or distances, up to homology of dimension
/// `max_dim`.
#[pyfunction]
pub(crate) fn reduce_file<'py>(
    py: Python<'py>,
    path: PathBuf,
    request: Request,
    run: &Run,
) -> PyResult<Bound<'py, PyDict>> {
    let format =
        request.format.as_deref().map(|name| named("format", &MatrixFormat::ALL, name)).transpose()?;
    let options = MatrixReadOptions { format, upper_dim: request.max_dim.map(|dim| dim.saturating_add(1)) };
    let answer = on_threads(py, run.threads, Some(run), |progress| {
        progress.begin("read", None, 1);
        request.reduction()?;
        run.kept(
            "reduce",
            path,
            |path| content_of_file(path),
            progress,
            |path, progress| {
                let loaded = interruptible::<_, Failure>(progress, |progress| {
                    Ok(read_path_watched(&path, &options, &run.backend, progress)?)
                })?;
                let found = answer(loaded.input, loaded.gives_boundaries, &request, &run.backend, progress)?;
                Ok(Answer { warning: loaded.warning, ..found })
            },
        )
    })?;
    answer.told(py)
}

/// Describes the content of a file with its checksum.
fn content_of_file(path: &Path) -> Result<String, Failure> {
    let file = File::open(path).and_then(|mut file| checksum(&mut file));
    let (sum, bytes) =
        file.map_err(|error| Failure::File(error.kind(), format!("{}: {error}", path.display())))?;
    Ok(format!("a file of {bytes} bytes with checksum {sum:032x}"))
}
